"""Reports the steps of MindSpore: those of `Model.train`, or updates by an optimizer or a training cell."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable

from npuscope.guard import warn
from npuscope.language import localized
from npuscope.run.session import Session

#: Cells and models that train now, the outermost first: a training cell calls its optimizer, and `Model` calls both.
_training: list[Any] = []


def hook_model(module: Any, session: Session) -> None:
    """Report the steps of `Model.train` and `Model.fit`, through a callback."""
    from mindspore.train.callback import Callback

    class Steps(Callback):
        """Reports the steps. Evaluation has other methods."""

        def __init__(self) -> None:
            self._last = 0

        def on_train_begin(self, run_context: Any) -> None:
            self._last = _number(run_context)
            session.begin("optimizer", anywhere=True)

        def on_train_step_end(self, run_context: Any) -> None:
            number = _number(run_context)
            if number - self._last > 1:
                warn(
                    localized(
                        "MindSpore reports several steps at once (dataset_sink_mode), and they are recorded as one "
                        "step; set dataset_sink_mode=False to record each",
                        "MindSpore 一次报告多个 step（dataset_sink_mode），将其作为一个 step 采集；"
                        "如需逐个采集，请设置 dataset_sink_mode=False",
                    )
                )
            self._last = number
            session.end_step("optimizer")

    def with_steps(method: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(method)

        @functools.wraps(method)
        def call(self: Any, *arguments: Any, **named: Any) -> Any:
            try:
                bound = signature.bind(self, *arguments, **named)
                given = bound.arguments.get("callbacks")
                own = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
                bound.arguments["callbacks"] = [*own, Steps()]
            except Exception:  # noqa: BLE001 - the method itself says what is wrong with its arguments
                return method(self, *arguments, **named)
            _training.append(self)
            try:
                return method(*bound.args, **bound.kwargs)
            finally:
                _training.pop()

        return call

    for name in ("train", "fit"):
        if hasattr(module.Model, name):
            setattr(module.Model, name, with_steps(getattr(module.Model, name)))


def _number(run_context: Any) -> int:
    return int(getattr(run_context.original_args(), "cur_step_num", 0) or 0)


def hook_optimizer(module: Any, session: Session) -> None:
    """Report updates by an optimizer that a training loop calls itself."""
    create = module.Optimizer.__init__

    @functools.wraps(create)
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807 - it stands in for that method
        create(self, *arguments, **named)
        session.expect("optimizer")

    module.Optimizer.__init__ = __init__
    _report_calls(module.Optimizer, session)


def hook_cells(module: Any, session: Session) -> None:
    """Report calls of training cells, in whose graph the optimizer is."""
    for name in ("TrainOneStepCell",):
        kind = getattr(module, name, None)
        if kind is not None:
            _report_calls(kind, session)


def _report_calls(kind: Any, session: Session) -> None:
    call = kind.__call__

    @functools.wraps(call)
    def __call__(self: Any, *arguments: Any, **named: Any) -> Any:  # noqa: N807 - it stands in for that method
        if _training or session.is_off:
            return call(self, *arguments, **named)
        _training.append(self)
        try:
            session.begin("optimizer", anywhere=True)
            result = call(self, *arguments, **named)
        finally:
            _training.pop()
        session.end_step("optimizer")
        return result

    kind.__call__ = __call__
