"""Reports the steps of torch: updates of the optimizer, or items of data loaders."""

from __future__ import annotations

import functools
import sys
import weakref
from typing import Any, Callable, Optional

from npuscope.run.session import Session


class Leader:
    """Selects the optimizer whose updates end the steps: the one created last, as in torch_npu.

    Trainers create one optimizer per part of the model and update all of them in a step; the last ends it. If it is
    never used, the first that updates a second time takes its place.
    """

    def __init__(self) -> None:
        self._last: Optional[weakref.ref[Any]] = None
        self._has_updated = False
        self._others: weakref.WeakSet[Any] = weakref.WeakSet()

    def created(self, optimizer: Any) -> None:
        """An optimizer was created."""
        if not self._has_updated:
            self._last = weakref.ref(optimizer)

    def ends_step(self, optimizer: Any) -> bool:
        """Whether this update ends a step."""
        last = None if self._last is None else self._last()
        if last is None or (last is not optimizer and not self._has_updated and optimizer in self._others):
            self._last = weakref.ref(optimizer)
        elif last is not optimizer:
            self._others.add(optimizer)
            return False
        self._has_updated = True
        return True


def hook_optimizers(module: Any, session: Session) -> None:
    """Report updates of every `torch.optim.Optimizer`. Its classes are wrapped when their first object is created."""
    base = module.Optimizer
    leader = Leader()
    create = base.__init__
    wrapped: weakref.WeakSet[type] = weakref.WeakSet()

    @functools.wraps(create)
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807 - it stands in for that method
        kind = type(self)
        if kind not in wrapped and "step" in vars(kind):
            wrapped.add(kind)
            kind.step = _reporting(kind.step, leader, session)
        elif kind not in wrapped:
            wrapped.add(kind)
            _wrap_inherited(kind, wrapped, leader, session)
        create(self, *arguments, **named)
        leader.created(self)
        session.expect("optimizer")
        _await_forward(session)

    base.__init__ = __init__


def _wrap_inherited(kind: type, wrapped: Any, leader: Leader, session: Session) -> None:
    """Wrap the method that a class has from a base, once for all classes of that base."""
    for owner in kind.__mro__[1:]:
        if "step" in vars(owner):
            if owner not in wrapped:
                wrapped.add(owner)
                owner.step = _reporting(owner.step, leader, session)  # type: ignore[attr-defined]
            return


#: Optimizers whose `step` is running. A method calls that of its base class, and that is no second update.
_updating: set[int] = set()


def _reporting(method: Callable[..., Any], leader: Leader, session: Session) -> Callable[..., Any]:
    @functools.wraps(method)
    def step(self: Any, *arguments: Any, **named: Any) -> Any:
        # torch.compile would compile the report into the update, or refuse to.
        if _is_compiling() or session.is_off or id(self) in _updating:
            return method(self, *arguments, **named)
        _updating.add(id(self))
        try:
            session.begin("optimizer", anywhere=True)
            result = method(self, *arguments, **named)
        finally:
            _updating.discard(id(self))
        if leader.ends_step(self):
            session.end_step("optimizer")
        return result

    return step


def _is_compiling() -> bool:
    compiler: Any = sys.modules.get("torch.compiler")
    return compiler is not None and hasattr(compiler, "is_compiling") and bool(compiler.is_compiling())


_awaiting: list[Any] = []


def _await_forward(session: Session) -> None:
    """Begin with the first call of a module, if no data loader is used. The hook removes itself then."""
    module: Any = sys.modules.get("torch.nn.modules.module")
    register = getattr(module, "register_module_forward_pre_hook", None)
    if _awaiting or session.has_begun or register is None:
        return

    def forward(*_: Any) -> None:
        if _is_compiling() or not _awaiting:
            return
        session.begin("optimizer")
        if session.has_begun or session.is_off:
            _awaiting.pop().remove()

    _awaiting.append(register(forward))


def hook_loaders(module: Any, session: Session) -> None:
    """Report the items of every `DataLoader`: the first begins the first step. Without an optimizer, each is a step."""
    kind = module._BaseDataLoaderIter
    original = kind.__next__
    state = {"has_given": False}

    @functools.wraps(original)
    def __next__(self: Any) -> Any:  # noqa: N807 - it stands in for that method
        if session.is_off:
            return original(self)
        count = session.count or "loader"
        if count == "loader" and state["has_given"]:
            # The work on the item before has ended.
            session.end_step("loader")
        else:
            session.begin(count)
        state["has_given"] = False
        item = original(self)
        state["has_given"] = True
        return item

    kind.__next__ = __next__


def hook_profiler(module: Any, session: Session) -> None:
    """Give way to torch_npu's profiler if the script starts it."""
    _give_way(module.profile, "start", "torch_npu.profiler", session)


def hook_kineto(module: Any, session: Session) -> None:
    """Give way to torch's profiler if the script starts it: a second session would raise there."""
    _give_way(module.profile, "_prepare_trace", "torch.profiler", session)


def _give_way(kind: Any, name: str, whose: str, session: Session) -> None:
    original = getattr(kind, name)

    @functools.wraps(original)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        session.give_way(whose)
        return original(self, *arguments, **named)

    setattr(kind, name, call)
