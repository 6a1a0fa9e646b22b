"""Batches, padded batches and their undoing, as cursors. In: elements. Out: stacked elements, or rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.structure import flatten, map_structure, pack_like
from milepost.tf.data.transform import Over

__all__ = ["BatchCursor", "PaddedBatchCursor", "UnbatchCursor"]


class BatchCursor(Over):
    def __init__(self, before: Cursor, size: int, drop_remainder: bool):
        super().__init__(before)
        self.size, self.drop_remainder = size, drop_remainder

    def next(self) -> Element:
        batch, count = self.before.stacked(self.size)
        if count == 0 or (self.drop_remainder and count < self.size):
            raise StopIteration
        return batch


class PaddedBatchCursor(Over):
    """Batches of elements padded at the end to one shape."""

    def __init__(self, before: Cursor, size: int, drop_remainder: bool, shapes: Any, values: Any):
        super().__init__(before)
        self.size, self.drop_remainder, self.shapes, self.values = size, drop_remainder, shapes, values

    def next(self) -> Element:
        taken: list[Element] = []
        try:
            while len(taken) < self.size:
                taken.append(self.before.next())
        except StopIteration:
            pass
        if not taken or (self.drop_remainder and len(taken) < self.size):
            raise StopIteration
        count = len(list(flatten(taken[0])))
        shapes = list(flatten(self.shapes)) if self.shapes is not None else [None] * count
        values = list(flatten(self.values)) if self.values is not None else [None] * count
        columns = zip(*(list(flatten(element)) for element in taken), strict=True)
        padded = [_pad(parts, shape, value) for parts, shape, value in zip(columns, shapes, values, strict=True)]
        return pack_like(taken[0], iter(padded))


def _pad(parts: tuple[Any, ...], shape: Any, value: Any) -> np.ndarray[Any, Any]:
    arrays = [np.asarray(part) for part in parts]
    longest = [max(sizes) for sizes in zip(*(a.shape for a in arrays), strict=True)]
    wanted = (
        [int(w) if w is not None and int(w) >= 0 else n for w, n in zip(shape, longest, strict=True)]
        if shape is not None
        else longest
    )
    for array in arrays:
        if any(have > want for have, want in zip(array.shape, wanted, strict=True)):
            from milepost.tf.failures import DataLossError

            raise DataLossError(
                f"Attempted to pad to a smaller size than the input element: got {list(array.shape)}, padded shape {wanted}."
            )
    if value is None:
        value = b"" if arrays[0].dtype == object else 0
    out = np.full((len(arrays), *wanted), value, dtype=arrays[0].dtype)
    for row, array in zip(out, arrays, strict=True):
        row[tuple(slice(0, n) for n in array.shape)] = array
    return out


class UnbatchCursor(Over):
    def __init__(self, before: Cursor):
        super().__init__(before)
        self.batch: Element = None
        self.at = self.length = 0

    def next(self) -> Element:
        while self.at >= self.length:
            self.batch = self.before.next()
            self.length, self.at = len(next(flatten(self.batch))), 0
        self.at += 1
        return map_structure(lambda array: np.asarray(array[self.at - 1]), self.batch)

    def own_state(self) -> State:
        left = self.at < self.length
        return {"at": self.at, "length": self.length, "batch": self.batch if left else None}

    def own_restore(self, state: State) -> None:
        self.at, self.length, self.batch = int(state["at"]), int(state["length"]), state["batch"]
