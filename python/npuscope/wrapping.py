"""Wraps functions of every kind. Generators and coroutines do their work after the call, not during it."""

from __future__ import annotations

import functools
import inspect
from contextlib import AbstractContextManager
from typing import Any, Callable, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def works_later(function: Callable[..., Any]) -> bool:
    """Whether a call only creates the generator or coroutine that does the work."""
    return (
        inspect.iscoroutinefunction(function)
        or inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
    )


def wrapped(function: _Function, context: Callable[[], AbstractContextManager[Any]]) -> _Function:
    """The function with a new context around its work; it stays a function of the same kind."""
    if inspect.isasyncgenfunction(function):
        wrapper = _around_async_generator(function, context)
    elif inspect.iscoroutinefunction(function):
        wrapper = _around_coroutine(function, context)
    elif inspect.isgeneratorfunction(function):
        wrapper = _around_generator(function, context)
    else:
        wrapper = _around_call(function, context)
    return cast(_Function, functools.wraps(function)(wrapper))


def _around_call(function: Any, context: Any) -> Callable[..., Any]:
    def wrapper(*arguments: Any, **named: Any) -> Any:
        with context():
            return function(*arguments, **named)

    return wrapper


def _around_generator(function: Any, context: Any) -> Callable[..., Any]:
    def wrapper(*arguments: Any, **named: Any) -> Any:
        with context():
            return (yield from function(*arguments, **named))

    return wrapper


def _around_coroutine(function: Any, context: Any) -> Callable[..., Any]:
    async def wrapper(*arguments: Any, **named: Any) -> Any:
        with context():
            return await function(*arguments, **named)

    return wrapper


def _around_async_generator(function: Any, context: Any) -> Callable[..., Any]:
    """Asynchronous generators have no `yield from`: values and exceptions that are sent are passed on here."""

    async def wrapper(*arguments: Any, **named: Any) -> Any:
        with context():
            inner = function(*arguments, **named)
            try:
                value = await inner.__anext__()
                while True:
                    try:
                        sent = yield value
                    except GeneratorExit:
                        raise
                    except BaseException as error:  # noqa: BLE001 - it is passed on, not swallowed
                        value = await inner.athrow(error)
                    else:
                        value = await inner.asend(sent)
            except StopAsyncIteration:
                return
            finally:
                await inner.aclose()

    return wrapper
