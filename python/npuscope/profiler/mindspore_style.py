"""`Profiler`: the profiler with the older interface of MindSpore."""

from __future__ import annotations

from typing import Any, Optional

from npuscope import analysis
from npuscope.guard import guarded, warn
from npuscope.language import localized
from npuscope.profiler.experimental import _ExperimentalConfig
from npuscope.profiler.profiler import profile

#: Arguments of MindSpore's `Profiler` that `profile` accepts through `_ExperimentalConfig`.
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
    """MindSpore's `Profiler`: starts when it is created unless `start_profile` is False, and parses on request.

    >>> profiler = Profiler(start_profile=False, output_path="./profiler_data")
    >>> profiler.start()
    >>> profiler.stop()
    >>> profiler.analyse()

    :param start_profile: start immediately
    :param output_path: directory for the recordings; each cycle has a directory of its own
    """

    _suffix = "ms"

    def __init__(self, *unnamed: Any, start_profile: bool = True, output_path: Any = "./data", **named: Any) -> None:
        if unnamed:
            ignored = ", ".join(map(repr, unnamed))
            warn(
                localized(
                    f"Profiler accepts only named arguments; {ignored} is ignored",
                    f"Profiler 只接受关键字参数；已忽略 {ignored}",
                )
            )
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
        """Stop and parse the recordings, in a separate process; `mode="async"` does not wait for it."""
        if offline_path:
            analysis.analyse(offline_path)
            return
        self.stop()
        # Recordings that `on_trace_ready` parses are not parsed again.
        if not getattr(self._handler, "analyse_flag", False):
            for directory in self._directories:
                analysis.begin(directory, beside_training=mode == "async")
        if mode != "async":
            analysis.wait(self._directories)

    @classmethod
    def offline_analyse(
        cls, path: str, pretty: bool = False, step_list: Any = None, data_simplification: bool = True
    ) -> None:
        """Parse recordings in `path` from an earlier time."""
        analysis.analyse(path)

    @guarded
    def op_analyse(self, op_name: Any, device_id: Optional[int] = None) -> None:
        """Not supported; use `npuscope.open(path).sql(...)` for the times of operators."""
        query = "npuscope.open(path).sql('SELECT name, sum(duration) FROM kernel GROUP BY 1')"
        warn(
            localized(
                f"op_analyse({op_name!r}) is not supported; use {query}",
                f"不支持 op_analyse({op_name!r})；请使用 {query}",
            )
        )
