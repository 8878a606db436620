"""Passes settings to the profiler of a framework: only those that its version supports."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Optional

from npuscope.guard import warn
from npuscope.language import localized
from npuscope.profiler.handler import TraceHandler


@dataclasses.dataclass
class Said:
    """A setting to pass to a framework as an argument."""

    name: str
    #: Whether it differs from the framework's default. Defaults are not passed, so that versions with and without the
    #: argument work.
    wanted: Any
    #: The value as the framework spells it; an older version may not have it.
    value: Callable[[], Any]
    #: What older versions call the argument.
    older: str = ""


def in_words_of(whose: str, function: Callable[..., Any], *said: Said) -> dict[str, Any]:
    """The arguments for a function of a framework; warns about settings that this version does not support."""
    known = _parameters(function)
    words = {}
    for one in said:
        if not one.wanted:
            continue
        name = next((name for name in (one.name, one.older) if name and (known is None or name in known)), None)
        try:
            if name is None:
                raise AttributeError(one.name)
            words[name] = one.value()
        except AttributeError:
            warn(
                localized(
                    f"this version of {whose} does not support {one.name}; the setting is ignored",
                    f"该版本的 {whose} 不支持 {one.name}；已忽略该设置",
                )
            )
    return words


def _parameters(function: Callable[..., Any]) -> Optional[set[str]]:
    """The names of the arguments of a function; None if it accepts, or may accept, any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return {parameter.name for parameter in parameters}


def handler_for(whose: str, profiler: Any, handler: Any, output: str) -> Any:
    """The framework's handler for ours. It names the output directory; without one, frameworks may discard the data."""
    if handler is not None and not isinstance(handler, TraceHandler):
        return handler
    asked = handler or TraceHandler(None, None, False, False)
    make = profiler.tensorboard_trace_handler
    words = in_words_of(
        whose,
        make,
        Said("worker_name", asked.worker_name is not None, lambda: asked.worker_name),
        Said("analyse_flag", not asked.analyse_flag, lambda: False),
        Said("async_mode", asked.async_mode, lambda: True),
    )
    return make(asked.dir_name or output, **words)
