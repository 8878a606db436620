"""`python -m npuscope COMMAND …` runs the program `npuscope`, with this interpreter for `npuscope run`."""

from __future__ import annotations

import os
import sys

from npuscope.program import ProgramMissing, required
from npuscope.run.announcement import say


def main() -> int:
    """Replace this process by the program; returns only if it is missing."""
    try:
        program = required()
    except ProgramMissing as error:
        say(str(error))
        return 2
    os.environ.setdefault("NPUSCOPE_PYTHON", sys.executable)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
