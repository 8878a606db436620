"""The plan of a run: what is recorded, and how steps are counted. The processes of the job read it from a variable."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Optional

#: The environment variable that holds the plan as JSON.
VARIABLE = "NPUSCOPE_RUN"

#: What ends a step, the best first. `--count` selects one.
COUNTS = ("function", "optimizer", "loader", "none")


@dataclasses.dataclass
class Plan:
    """The settings of a run, as the processes of the job need them."""

    #: A `CollectConfig` of the compiled part.
    config: dict[str, Any]
    #: The settings' file, or the words for what else they are from.
    source: str
    #: The suffix of directory names: `pt`, or `ms` for MindSpore's settings.
    suffix: str = "pt"
    #: One of `COUNTS`, or `auto`: the optimizer's steps, else the items of data loaders.
    count: str = "auto"
    #: The function whose calls are the steps: `train_step`, `Trainer.step` or `module:train_step`.
    function: Optional[str] = None
    #: The script or module that trains, if it is known.
    script: str = ""
    #: The directory in which each recorded process writes what it has recorded.
    reports: str = ""
    backend: Optional[str] = None

    @property
    def is_whole(self) -> bool:
        """Whether all of a process is recorded, from its start to its end, without steps."""
        return self.count == "none"

    def to_environment(self) -> str:
        """The value of the variable."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_environment(cls) -> Optional[Plan]:
        """The plan of the run that this process belongs to, or None."""
        text = os.environ.get(VARIABLE)
        return cls(**json.loads(text)) if text else None
