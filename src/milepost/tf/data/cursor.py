"""A cursor is one running pass over a dataset. In: a source or the cursor before it. Out: elements of numpy components.

Every cursor answers four questions: `next()`, `stacked(n)` (up to n elements at once, as one batch), `state()` and
`restore(state)` — the last two are what a checkpoint keeps, so a resumed job goes on with the very next element.
`stacked` is the fast lane: a source of slices answers it with one gather instead of n small copies, and a shuffle over such a
source shuffles numbers, not data.
Not here: transformations (`transform`), tensors (`iterator` wraps at the edge), the public class (`dataset`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from milepost.tf.data.structure import flatten, map_structure

__all__ = ["Cursor", "FilesCursor", "GeneratorCursor", "RangeCursor", "SliceCursor", "stack"]

Element = Any
State = dict[str, Any]


def stack(elements: list[Element]) -> Element:
    """Elements of one shape as one batch."""

    def join(*parts: Any) -> np.ndarray[Any, Any]:
        shapes = {np.shape(part) for part in parts}
        if len(shapes) > 1:
            from milepost.tf.failures import InvalidArgumentError

            first, other = np.shape(parts[0]), next(np.shape(p) for p in parts if np.shape(p) != np.shape(parts[0]))
            raise InvalidArgumentError(
                f"Cannot batch tensors with different shapes in component 0. First element had shape {list(first)} "
                f"and element {next(i for i, p in enumerate(parts) if np.shape(p) == other)} had shape {list(other)}. "
                "Use padded_batch() to pad elements to one shape."
            )
        return np.stack(parts)

    return map_structure(join, *elements)


class Cursor:
    """The four questions; `stacked` has a plain answer for all."""

    def next(self) -> Element:
        """The next element; StopIteration at the end."""
        raise NotImplementedError

    def stacked(self, count: int) -> tuple[Element, int]:
        """Up to `count` elements as one batch, and how many there were; (None, 0) at the end."""
        taken: list[Element] = []
        try:
            while len(taken) < count:
                taken.append(self.next())
        except StopIteration:
            pass
        return (stack(taken), len(taken)) if taken else (None, 0)

    def state(self) -> State:
        raise NotImplementedError

    def restore(self, state: State) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Ends threads and files."""


class SliceCursor(Cursor):
    """Rows of arrays held in memory."""

    def __init__(self, arrays: Element, length: int):
        self.arrays, self.length, self.at = arrays, length, 0

    def next(self) -> Element:
        if self.at >= self.length:
            raise StopIteration
        at, self.at = self.at, self.at + 1
        return map_structure(
            lambda array: np.asarray(array[at]) if array.dtype != object else _cell(array, at), self.arrays
        )

    def take_indices(self, count: int) -> np.ndarray[Any, Any]:
        """The next row numbers, without the rows: what a shuffle needs."""
        begin, self.at = self.at, min(self.at + count, self.length)
        return np.arange(begin, self.at)

    def gather(self, rows: np.ndarray[Any, Any]) -> Element:
        return map_structure(lambda array: array[rows], self.arrays)

    def stacked(self, count: int) -> tuple[Element, int]:
        begin, self.at = self.at, min(self.at + count, self.length)
        if begin == self.at:
            return None, 0
        return map_structure(lambda array: array[begin : self.at].copy(), self.arrays), self.at - begin

    def state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        self.at = int(state["at"])


def _cell(array: np.ndarray[Any, Any], at: int) -> np.ndarray[Any, Any]:
    made = np.empty(array.shape[1:], dtype=object)
    made[...] = array[at]
    return made


class RangeCursor(Cursor):
    """Whole numbers from start to stop."""

    def __init__(self, start: int, stop: int, step: int, dtype: Any):
        self.range, self.at, self.dtype = range(start, stop, step), 0, dtype

    def next(self) -> Element:
        if self.at >= len(self.range):
            raise StopIteration
        self.at += 1
        return np.asarray(self.range[self.at - 1], self.dtype)

    def stacked(self, count: int) -> tuple[Element, int]:
        part = self.range[self.at : self.at + count]
        self.at += len(part)
        return (np.asarray(part, self.dtype), len(part)) if part else (None, 0)

    def state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        self.at = int(state["at"])


class GeneratorCursor(Cursor):
    """Elements of a Python generator. Its state is how many were taken: restoring runs the generator up to there."""

    def __init__(self, make: Callable[[], Iterable[Any]], convert: Callable[[Any], Element]):
        self.make, self.convert, self.taken = make, convert, 0
        self.running: Iterator[Any] = iter(make())

    def next(self) -> Element:
        element = next(self.running)
        self.taken += 1
        return self.convert(element)

    def state(self) -> State:
        return {"taken": self.taken}

    def restore(self, state: State) -> None:
        self.running, self.taken = iter(self.make()), int(state["taken"])
        for _ in range(self.taken):
            next(self.running, None)


class FilesCursor(Cursor):
    """Records of one file after another: TFRecords, lines of text. `read(path)` yields (offset after, payload)."""

    def __init__(self, paths: list[str], read: Callable[[str, int], Iterator[tuple[int, bytes]]]):
        self.paths, self.read = paths, read
        self.file, self.offset = 0, 0
        self.running: Iterator[tuple[int, bytes]] | None = None

    def next(self) -> Element:
        while self.file < len(self.paths):
            if self.running is None:
                self.running = self.read(self.paths[self.file], self.offset)
            found = next(self.running, None)
            if found is not None:
                self.offset = found[0]
                cell = np.empty((), dtype=object)
                cell[()] = found[1]
                return cell
            self.file, self.offset, self.running = self.file + 1, 0, None
        raise StopIteration

    def state(self) -> State:
        return {"file": self.file, "offset": self.offset}

    def restore(self, state: State) -> None:
        self.file, self.offset, self.running = int(state["file"]), int(state["offset"]), None


def common_length(arrays: Element) -> int:
    """The number of rows that all components share."""
    lengths: set[int] = set()
    for array in flatten(arrays):
        if np.ndim(array) == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        lengths.add(len(array))
    if len(lengths) != 1:
        raise ValueError(f"Dimensions {' and '.join(map(str, sorted(lengths)))} are not compatible")
    return lengths.pop()
