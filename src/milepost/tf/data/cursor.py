"""A cursor is one running pass over a dataset. In: a source or the cursor before it. Out: elements of numpy components.

Every cursor answers four questions: `next()`, `stacked(n)` (up to n elements at once, as one batch), `state()` and
`restore(state)` — the last two are what a checkpoint keeps, so a resumed job goes on with the very next element.
`stacked` is the fast lane: a source of rows answers it with one gather instead of n small copies, and a shuffle over such a
source shuffles numbers, not data. Whoever can do that has `rows()`.
Not here: transformations (`transform`), tensors (`iterator` wraps at the edge), the public class (`dataset`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from milepost.tf.data import composite
from milepost.tf.data.structure import cell, flatten, map_one, map_structure

__all__ = [
    "Cursor",
    "FilesCursor",
    "GeneratorCursor",
    "ListCursor",
    "RangeCursor",
    "Rows",
    "SliceCursor",
    "stack",
    "unstack",
]

Element = Any
State = dict[str, Any]


def stack(elements: list[Element]) -> Element:
    """Elements of one shape as one batch."""
    component = -1

    def join(*parts: Any) -> Any:
        nonlocal component
        component += 1
        if parts[0] is None:
            return None
        if not isinstance(parts[0], (np.ndarray, np.generic)):
            return composite.stack(list(parts))
        if isinstance(parts[0], composite.RaggedRow):
            return composite.ragged(list(parts))
        try:
            return np.array(parts) if parts[0].dtype.kind != "O" else np.stack(parts)
        except ValueError:
            shapes = [np.shape(part) for part in parts]
        from milepost.tf.failures import InvalidArgumentError, brackets

        place = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), 0)
        raise InvalidArgumentError(
            f"Cannot batch tensors with different shapes in component {component}. First element had shape "
            f"{brackets(shapes[0])} and element {place} had shape {brackets(shapes[place])}. "
            "Use padded_batch() to pad elements to one shape."
        )

    return map_structure(join, *elements)


def unstack(batch: Element, count: int) -> list[Element]:
    """The elements of a batch of numbers, each in memory of its own."""
    return [map_one(lambda array, at=at: np.array(array[at]), batch) for at in range(count)]  # type: ignore[misc]


class Cursor:
    """The four questions; `stacked` has a plain answer for all."""

    def next(self) -> Element:
        """The next element; StopIteration at the end."""
        raise NotImplementedError

    def stacked(self, count: int) -> tuple[Element, int]:
        """Up to `count` elements as one batch, and how many there were; (None, 0) at the end."""
        taken: list[Element] = []
        take = self.next
        try:
            while len(taken) < count:
                taken.append(take())
        except StopIteration:
            pass
        return (stack(taken), len(taken)) if taken else (None, 0)

    def rows(self) -> Rows | None:
        """The rows in memory this cursor goes over in order, if it does just that."""
        return None

    def uniform(self) -> bool:
        """Whether all elements are numbers of one shape, so that `stacked` cannot fail and rows of it are elements again."""
        return False

    def state(self) -> State:
        raise NotImplementedError

    def restore(self, state: State) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Ends threads and files."""


class Rows:
    """Rows that can be taken by number: arrays, and what a function makes of a whole batch of them."""

    def __init__(self, length: int, gather: Callable[[Any], Element], row: Callable[[int], Element]):
        self.length, self.gather, self.row = length, gather, row


class SliceCursor(Cursor):
    """Rows of arrays held in memory."""

    def __init__(self, arrays: Element, length: int):
        self.arrays, self.length, self.at = arrays, length, 0
        self._plain = all(array.dtype != object for array in flatten(arrays))

    def next(self) -> Element:
        if self.at >= self.length:
            raise StopIteration
        at, self.at = self.at, self.at + 1
        return self.row(at)

    def row(self, at: int) -> Element:
        if self._plain:
            return map_one(lambda array: np.asarray(array[at]), self.arrays)
        return map_one(lambda array: np.asarray(array[at]) if array.dtype != object else _text(array[at]), self.arrays)

    def gather(self, rows: Any) -> Element:
        return map_one(lambda array: array[rows], self.arrays)

    def rows(self) -> Rows:
        return Rows(self.length, self.gather, self.row)

    def uniform(self) -> bool:
        return self._plain

    def stacked(self, count: int) -> tuple[Element, int]:
        begin, self.at = self.at, min(self.at + count, self.length)
        if begin == self.at:
            return None, 0
        return self.slab(begin, self.at), self.at - begin

    def slab(self, begin: int, end: int) -> Element:
        return map_one(lambda array: array[begin:end].copy(), self.arrays)

    def state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        self.at = int(state["at"])


def _text(value: Any) -> np.ndarray[Any, Any]:
    return value if isinstance(value, np.ndarray) else cell(value)


class ListCursor(Cursor):
    """Elements held in memory one by one."""

    def __init__(self, elements: list[Element]):
        self.elements, self.at = elements, 0

    def next(self) -> Element:
        if self.at >= len(self.elements):
            raise StopIteration
        self.at += 1
        return self.elements[self.at - 1]

    def state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        self.at = int(state["at"])


class RangeCursor(Cursor):
    """Whole numbers from start to stop."""

    def __init__(self, start: int, stop: int, step: int, dtype: Any):
        self.range, self.at, self.dtype = range(start, stop, step), 0, dtype

    def next(self) -> Element:
        if self.at >= len(self.range):
            raise StopIteration
        self.at += 1
        return np.array(self.range[self.at - 1], self.dtype)

    def uniform(self) -> bool:
        return True

    def rows(self) -> Rows:
        start, step = self.range.start, self.range.step
        return Rows(
            len(self.range),
            lambda rows: (start + step * np.asarray(rows, np.int64)).astype(self.dtype),
            lambda row: np.array(self.range[row], self.dtype),
        )

    def stacked(self, count: int) -> tuple[Element, int]:
        part = self.range[self.at : self.at + count]
        self.at += len(part)
        return (np.arange(part.start, part.stop, part.step).astype(self.dtype), len(part)) if part else (None, 0)

    def state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        self.at = int(state["at"])


class GeneratorCursor(Cursor):
    """Elements of a Python generator. Its state is how many were taken: restoring runs the generator up to there."""

    def __init__(self, make: Callable[[], Iterable[Any]], convert: Callable[[Any], Element], one_shape: bool = False):
        self.make, self.convert, self.one_shape, self.taken = make, convert, one_shape, 0
        self.running: Iterator[Any] | None = None

    def uniform(self) -> bool:
        return self.one_shape

    def next(self) -> Element:
        if self.running is None:
            self.running = iter(self.make())
        try:
            element = next(self.running)
        except StopIteration:
            raise
        except Exception as error:
            raise _of_generator(error) from error
        self.taken += 1
        return self.convert(element)

    def state(self) -> State:
        return {"taken": self.taken}

    def restore(self, state: State) -> None:
        self.running, self.taken = iter(self.make()), int(state["taken"])
        for _ in range(self.taken):
            next(self.running, None)


def _of_generator(error: Exception) -> Exception:
    """A generator's own error as TensorFlow reports it."""
    from milepost.tf.failures import InvalidArgumentError, OpError

    return error if isinstance(error, OpError) else InvalidArgumentError(f"{type(error).__name__}: {error}")


class FilesCursor(Cursor):
    """Records of one file after another: TFRecords, lines of text. `read(path, offset)` yields (offset after, payload)."""

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
                return cell(found[1])
            self.file, self.offset, self.running = self.file + 1, 0, None
        raise StopIteration

    def stacked(self, count: int) -> tuple[Element, int]:
        taken: list[bytes] = []
        while len(taken) < count and self.file < len(self.paths):
            if self.running is None:
                self.running = self.read(self.paths[self.file], self.offset)
            for offset, payload in self.running:
                self.offset = offset
                taken.append(payload)
                if len(taken) == count:
                    break
            else:
                self.file, self.offset, self.running = self.file + 1, 0, None
        if not taken:
            return None, 0
        made = np.empty(len(taken), dtype=object)
        made[:] = taken
        return made, len(taken)

    def state(self) -> State:
        return {"file": self.file, "offset": self.offset}

    def restore(self, state: State) -> None:
        self.file, self.offset, self.running = int(state["file"]), int(state["offset"]), None


def common_length(arrays: Element) -> int:
    """The number of rows that all components share."""
    lengths: list[int] = []
    for array in flatten(arrays):
        if array is None:
            continue
        shape = np.shape(array) if isinstance(array, np.ndarray) else tuple(array.shape)
        if not shape:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        lengths.append(int(shape[0]))
    if len(set(lengths)) != 1:
        raise ValueError(f"Dimensions {' and '.join(map(str, dict.fromkeys(lengths)))} are not compatible")
    return lengths[0]
