"""What driving another's profiler takes: saying only what its version understands."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Optional

from npuscope.guard import warn
from npuscope.profiler.handler import TraceHandler


@dataclasses.dataclass
class Said:
    """Something to pass to a framework, as one of its arguments."""

    name: str
    #: Whether it differs from what the framework does by itself. What does not is left unsaid, so that versions
    #: before and after the argument came can be driven alike.
    wanted: Any
    #: The value in the framework's own words, which an older version may not have.
    value: Callable[[], Any]
    #: What older versions call the argument.
    older: str = ""


def in_words_of(whose: str, function: Callable[..., Any], *said: Said) -> dict[str, Any]:
    """The arguments for a function of a framework; warns of what was asked for and this version lacks."""
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
            warn(f"the profiler of this version of {whose} has no {one.name}; it is left out")
    return words


def _parameters(function: Callable[..., Any]) -> Optional[set[str]]:
    """The names of a function's arguments; None where it takes, or may take, any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return {parameter.name for parameter in parameters}


def handler_for(whose: str, profiler: Any, handler: Any, output: str) -> Any:
    """Their handler for ours. It says where to write, and without one they may throw the data away: there is one."""
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
