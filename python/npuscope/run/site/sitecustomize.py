"""Runs at the start of every Python process of `npuscope run`, then runs the `sitecustomize` that this one hides.

Python imports the first `sitecustomize` in its path, and ours is first. It must work in any Python since 3.9, also
where npuscope is not installed.
"""

import importlib
import importlib.util
import os
import sys


def _begin() -> None:
    """Install the hooks. The package is that of this file, and no other package of its environment becomes visible."""
    here = os.path.dirname(os.path.abspath(__file__))
    if importlib.util.find_spec("npuscope") is None:
        package = os.path.dirname(os.path.dirname(here))
        spec = importlib.util.spec_from_file_location(
            "npuscope", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["npuscope"] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop("npuscope", None)
            raise
    from npuscope.run import hooks

    hooks.install()


def _next() -> None:
    """Import the hidden `sitecustomize`. This directory leaves the path: scripts must not see it."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if not entry or os.path.abspath(entry) != here]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        # The import system expects the name of what it has imported.
        if ours is not None:
            sys.modules.setdefault("sitecustomize", ours)


def _report(error: Exception) -> None:
    """In the language of the process's locale, which the package may not be there to find out."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((os.environ[name] for name in names if os.environ.get(name)), "")
    what = "当前进程不采集" if locale.startswith("zh") else "this process is not recorded"
    print(f"npuscope: {what}: {error!r}", file=sys.stderr)


if os.environ.get("NPUSCOPE_RUN"):
    try:
        _begin()
    except Exception as error:  # noqa: BLE001 - whatever it is, the script must run
        _report(error)
_next()
