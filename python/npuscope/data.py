"""Records the time that training waits for data, as ranges named `dataloader`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Callable, Generic, Optional, TypeVar

from npuscope import mstx

_Item = TypeVar("_Item")

#: torch_npu uses the same name.
RANGE = "dataloader"


class data_loader(Generic[_Item]):  # noqa: N801 - reads as a function where it is used
    """Iterate over any iterable, and record how long each item takes to arrive.

    >>> for batch in npuscope.data_loader(batches):
    ...     train(batch)

    torch's `DataLoader` needs no wrapper: it is recorded anyway.
    """

    def __init__(self, iterable: Iterable[_Item]) -> None:
        self.iterable = iterable

    def __iter__(self) -> Iterator[_Item]:
        items = iter(self.iterable)
        while True:
            waiting = mstx.range_start(RANGE)
            try:
                item = next(items)
            except StopIteration:
                return
            finally:
                mstx.range_end(waiting)
            yield item

    def __len__(self) -> int:
        return len(self.iterable)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        """`loader.sampler`, `loader.dataset` and others are those of the iterable."""
        if name == "iterable":
            # Copied or unpickled, and not filled yet.
            raise AttributeError(name)
        return getattr(self.iterable, name)


def hook_torch() -> Optional[Callable[[], None]]:
    """Record the waits of every `DataLoader` of torch; returns a function that undoes this. None without torch."""
    module: Any = sys.modules.get("torch.utils.data.dataloader")
    kind = getattr(module, "_BaseDataLoaderIter", None)
    if kind is None:
        return None
    original = kind.__next__

    @functools.wraps(original)
    def __next__(self: Any) -> Any:  # noqa: N807 - it stands in for that method
        waiting = mstx.range_start(RANGE)
        try:
            return original(self)
        finally:
            mstx.range_end(waiting)

    def unhook() -> None:
        # Another library may have replaced our method since; its method stays.
        if kind.__next__ is __next__:
            kind.__next__ = original

    kind.__next__ = __next__
    return unhook
