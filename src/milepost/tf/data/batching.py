"""Batches of all kinds and their undoing, as cursors. In: elements. Out: stacked elements, or rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf.data import composite
from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.structure import cell, flatten, map_one, map_structure, pack_like
from milepost.tf.data.transform import Over
from milepost.tf.failures import InvalidArgumentError

__all__ = [
    "BatchCursor", "PaddedBatchCursor", "RaggedBatchCursor", "RebatchCursor", "SparseBatchCursor", "UnbatchCursor", "rebatched",
]  # fmt: skip


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
        taken = _take(self.before, self.size, self.drop_remainder)
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
    for row, array in enumerate(arrays):
        place: tuple[Any, ...] = (row, *(slice(0, n) for n in array.shape))
        out[place] = array if array.ndim else array[()]
    return out


class RaggedBatchCursor(Over):
    """Batches of elements of different lengths, as ragged tensors; components of one known shape stay dense."""

    def __init__(self, before: Cursor, size: int, drop_remainder: bool, ranks: list[int]):
        super().__init__(before)
        self.size, self.drop_remainder, self.ranks = size, drop_remainder, ranks

    def next(self) -> Element:
        taken = _take(self.before, self.size, self.drop_remainder)
        made = []
        for rank, parts in zip(self.ranks, zip(*(flatten(e) for e in taken), strict=True), strict=True):
            dense = isinstance(parts[0], np.ndarray) and (not parts[0].ndim or not rank)
            one_shape = dense and len({part.shape for part in parts}) == 1
            made.append(np.stack(parts) if one_shape else composite.ragged(list(parts), max(rank, 1)))
        return pack_like(taken[0], iter(made))


class SparseBatchCursor(Over):
    """Batches of dense elements of different lengths, as sparse tensors whose rows have one shape."""

    def __init__(self, before: Cursor, size: int, shape: list[int]):
        super().__init__(before)
        self.size, self.shape = size, shape

    def next(self) -> Element:
        from milepost.tf.failures import DataLossError
        from milepost.tf.sparse import SparseTensor

        taken = [np.asarray(e) for e in _take(self.before, self.size, False)]
        wide = [max(e.shape[i] for e in taken) if d < 0 else d for i, d in enumerate(self.shape)]
        for element in taken:
            if element.ndim != len(wide) or any(have > want for have, want in zip(element.shape, wide, strict=True)):
                raise DataLossError(
                    f"Got an element of shape {list(element.shape)} that does not fit the row shape {wide}."
                )
        places = [np.argwhere(np.ones(e.shape, bool)) for e in taken]
        indices = [np.insert(own, 0, row, axis=1) for row, own in enumerate(places)]
        return SparseTensor(
            np.concatenate(indices).reshape(-1, len(wide) + 1),
            np.concatenate([e.reshape(-1) for e in taken]),
            [len(taken), *wide],
        )


def _take(before: Cursor, size: int, drop_remainder: bool) -> list[Element]:
    """Up to `size` elements; StopIteration when there is no batch any more."""
    taken: list[Element] = []
    try:
        while len(taken) < size:
            taken.append(before.next())
    except StopIteration:
        pass
    if not taken or (drop_remainder and len(taken) < size):
        raise StopIteration
    return taken


class UnbatchCursor(Over):
    def __init__(self, before: Cursor):
        super().__init__(before)
        self.batch: Element = None
        self.columns: list[Any] = []
        self.at = self.length = 0

    def next(self) -> Element:
        while self.at >= self.length:
            self._begin(self.before.next())
            self.at = 0
        self.at += 1
        return pack_like(self.batch, iter([column[self.at - 1] for column in self.columns]))

    def _begin(self, batch: Element) -> None:
        self.batch = batch
        self.length = rows_of(batch)
        self.columns = [
            [np.asarray(row) for row in part]
            if isinstance(part, np.ndarray) and part.dtype != object
            else [_text(row) for row in part]
            if isinstance(part, np.ndarray)
            else [None] * self.length
            if part is None
            else composite.rows(part)
            for part in flatten(batch)
        ]

    def own_state(self) -> State:
        left = self.at < self.length
        return {"at": self.at, "length": self.length, "batch": self.batch if left else None}

    def own_restore(self, state: State) -> None:
        if state["batch"] is not None:
            self._begin(state["batch"])
        self.at, self.length = int(state["at"]), int(state["length"])


def _text(row: Any) -> np.ndarray[Any, Any]:
    return row if isinstance(row, np.ndarray) else cell(row)


def rows_of(batch: Element) -> int:
    """How many rows all components of a batch have."""
    lengths = set()
    for part in flatten(batch):
        if part is not None:
            if not len(part.shape):
                raise ScalarBatch("Cannot unbatch an input with scalar components.")
            lengths.add(int(part.shape[0]))
    if len(lengths) != 1:
        raise InvalidArgumentError(
            f"Input element must have the same batch size in each component. Component sizes: {sorted(lengths)}."
        )
    return lengths.pop()


class ScalarBatch(InvalidArgumentError, ValueError):
    """TensorFlow sees it while building the dataset (ValueError)."""


class RebatchCursor(Over):
    """Rows of the batches before in batches of other sizes, which take turns."""

    def __init__(self, before: Cursor, sizes: list[int], drop_remainder: bool):
        super().__init__(before)
        self.sizes, self.drop_remainder = sizes, drop_remainder
        self.held: Element = None
        self.count = self.turn = 0

    def next(self) -> Element:
        size = self.sizes[self.turn % len(self.sizes)]
        ended = False
        while self.count < size or not self.count:
            try:
                batch = self.before.next()
            except StopIteration:
                ended = True
                break
            more = rows_of(batch)
            self.held = map_structure(lambda a, b: np.concatenate([a, b]), self.held, batch) if self.count else batch
            self.count += more
        if not self.count or (ended and self.count < size and self.drop_remainder):
            raise StopIteration
        taken = min(size, self.count)
        out = map_one(lambda a: a[:taken].copy(), self.held)
        self.held = map_one(lambda a: a[taken:], self.held)
        self.count -= taken
        self.turn += 1
        return out

    def own_state(self) -> State:
        return {"held": self.held if self.count else None, "count": self.count, "turn": self.turn}

    def own_restore(self, state: State) -> None:
        self.held, self.count, self.turn = state["held"], int(state["count"]), int(state["turn"])


def rebatched(rows: int, sizes: list[int], drop_remainder: bool) -> int:
    """How many batches of these sizes, in turn, so many rows make."""
    whole, left = divmod(rows, sum(sizes))
    count = whole * len(sizes)
    for size in sizes:
        if left <= 0:
            break
        count += left >= size or not drop_remainder
        left -= size
    return count
