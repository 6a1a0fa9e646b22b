"""How many samples has this `fit` seen? In: a compiled Keras model. Out: a running count.

Keras tells its callbacks of batches only. The count is taken where every batch passes: the model's train function, which `fit` has made
by the time `on_train_begin` is called. Torch gets the batches as an argument, JAX and TensorFlow an iterator of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["SampleCounter"]


def _rows(batch: Any) -> int:
    while isinstance(batch, (tuple, list)) and batch:
        batch = batch[0]
    if isinstance(batch, dict) and batch:
        return _rows(next(iter(batch.values())))
    shape: Any = getattr(batch, "shape", ())
    return int(shape[0]) if len(shape) else 0


class SampleCounter:
    """Wraps the train function of one model until it is detached."""

    def __init__(self, model: Any, function: Any):
        self.model, self.function, self.total = model, function, 0

    @classmethod
    def attach(cls, model: Any) -> SampleCounter | None:
        function = getattr(model, "train_function", None)
        if function is None:
            return None
        counter = cls(model, function)
        model.train_function = counter
        return counter

    def detach(self) -> None:
        if getattr(self.model, "train_function", None) is self:
            self.model.train_function = self.function

    def __call__(self, *arguments: Any) -> Any:
        *before, data = arguments
        if isinstance(data, list):  # torch: the batches of this step
            self.total += sum(map(_rows, data))
        elif isinstance(data, Iterator) or hasattr(data, "__next__"):
            data = _Counted(data, self)
        return self.function(*before, data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


class _Counted:
    """The iterator itself, counting what it gives."""

    def __init__(self, source: Any, counter: SampleCounter):
        self.source, self.counter = source, counter

    def __iter__(self) -> _Counted:
        return self

    def __next__(self) -> Any:
        batch = next(self.source)
        self.counter.total += _rows(batch)
        return batch
