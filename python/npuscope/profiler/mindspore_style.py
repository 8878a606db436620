"""`Profiler`: the same profiler with MindSpore's older interface."""

from __future__ import annotations

from typing import Any, Optional

from npuscope import analysis
from npuscope.guard import guarded, warn
from npuscope.profiler.experimental import _ExperimentalConfig
from npuscope.profiler.profiler import profile

#: What MindSpore's `Profiler` takes itself and its `profile` takes through `_ExperimentalConfig`.
_EXPERIMENTAL = {
    "profiler_level": "profiler_level",
    "aic_metrics": "aic_metrics",
    "aicore_metrics": "aic_metrics",
    "l2_cache": "l2_cache",
    "mstx": "mstx",
    "data_simplification": "data_simplification",
    "export_type": "export_type",
    "host_sys": "host_sys",
    "mstx_domain_include": "mstx_domain_include",
    "mstx_domain_exclude": "mstx_domain_exclude",
    "sys_io": "sys_io",
    "sys_interconnection": "sys_interconnection",
}


class Profiler(profile):
    """MindSpore's `Profiler`: starts when it is made unless `start_profile` is False, and analyses on request.

    >>> profiler = Profiler(start_profile=False, output_path="./profiler_data")
    >>> profiler.start()
    >>> profiler.stop()
    >>> profiler.analyse()

    :param start_profile: start at once
    :param output_path: directory under which each cycle makes one of its own
    """

    _suffix = "ms"

    def __init__(self, *unnamed: Any, start_profile: bool = True, output_path: Any = "./data", **named: Any) -> None:
        if unnamed:
            warn(f"Profiler takes named arguments only; {', '.join(map(repr, unnamed))} is ignored")
        experimental = {_EXPERIMENTAL[name]: named.pop(name) for name in list(named) if name in _EXPERIMENTAL}
        if experimental and named.get("experimental_config") is None:
            named["experimental_config"] = _ExperimentalConfig(**experimental)
        super().__init__(
            output=named.pop("output", None) or output_path, start_profile=start_profile is not False, **named
        )

    @guarded
    def analyse(
        self, offline_path: Optional[str] = None, pretty: bool = False, step_list: Any = None, mode: str = "sync"
    ) -> None:
        """Analyse what was recorded, in another process; `mode="async"` does not wait for it."""
        if offline_path:
            analysis.analyse(offline_path)
            return
        self.stop()
        # What `on_trace_ready` has analysed, or is analysing, is not analysed again.
        if not getattr(self._handler, "analyse_flag", False):
            for directory in self._directories:
                analysis.begin(directory, beside_training=mode == "async")
        if mode != "async":
            analysis.wait(self._directories)

    @classmethod
    def offline_analyse(
        cls, path: str, pretty: bool = False, step_list: Any = None, data_simplification: bool = True
    ) -> None:
        """Analyse what was recorded into `path` at another time."""
        analysis.analyse(path)

    @guarded
    def op_analyse(self, op_name: Any, device_id: Optional[int] = None) -> None:
        """MindSpore's times of single operators, which it gives up; `npuscope.open(path).sql(...)` answers more."""
        warn(
            f"op_analyse of {op_name!r} is not done here; ask `npuscope.open(path)` by "
            "`.sql('SELECT name, sum(duration) FROM kernel GROUP BY 1')`"
        )
