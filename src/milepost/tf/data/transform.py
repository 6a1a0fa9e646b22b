"""Transformations as cursors over cursors. In: the cursor before. Out: other elements. The four questions of `cursor.Cursor`.

Not here: threads (`parallel`), the public class (`dataset`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from milepost.tf.data.cursor import Cursor, Element, SliceCursor, State, stack
from milepost.tf.data.structure import flatten, map_structure, pack_like

__all__ = [
    "BatchCursor", "CacheCursor", "ConcatenateCursor", "EnumerateCursor", "FilterCursor", "InterleaveCursor", "MapCursor",
    "PaddedBatchCursor", "RepeatCursor", "SampleCursor", "ScanCursor", "ShardCursor", "ShuffleCursor", "SkipCursor",
    "TakeCursor", "TakeWhileCursor", "UnbatchCursor", "WindowCursor", "ZipCursor",
]  # fmt: skip


class Over(Cursor):
    """A cursor over one other; its state contains the other's."""

    def __init__(self, before: Cursor):
        self.before = before

    def state(self) -> State:
        return {"before": self.before.state(), **self.own_state()}

    def restore(self, state: State) -> None:
        self.before.restore(state["before"])
        self.own_restore(state)

    def own_state(self) -> State:
        return {}

    def own_restore(self, state: State) -> None:
        pass

    def close(self) -> None:
        self.before.close()


class MapCursor(Over):
    def __init__(self, before: Cursor, function: Callable[[Element], Element]):
        super().__init__(before)
        self.function = function

    def next(self) -> Element:
        return self.function(self.before.next())


class FilterCursor(Over):
    def __init__(self, before: Cursor, predicate: Callable[[Element], bool]):
        super().__init__(before)
        self.predicate = predicate

    def next(self) -> Element:
        while True:
            element = self.before.next()
            if self.predicate(element):
                return element


class ShuffleCursor(Over):
    """A buffer of `size` elements; each draw gives a random one and its place to the next element, as in tf.data.

    Over rows in memory the buffer holds row numbers, and `stacked` gathers a whole batch at once.
    """

    def __init__(self, before: Cursor, size: int, seed: int):
        super().__init__(before)
        self.size = size
        self.random = np.random.default_rng(seed)
        self.rows = before if isinstance(before, SliceCursor) else None
        self.buffer: list[Any] = []
        self.filled = False

    def _fill(self) -> None:
        self.filled = True
        if self.rows is not None:
            self.buffer = self.rows.take_indices(self.size).tolist()
            return
        try:
            while len(self.buffer) < self.size:
                self.buffer.append(self.before.next())
        except StopIteration:
            pass

    def _draw(self, count: int) -> list[Any]:
        if not self.filled:
            self._fill()
        drawn: list[Any] = []
        buffer = self.buffer
        # one call for all random numbers: the generator's own overhead is larger than the draw
        chances = self.random.random(min(count, max(len(buffer), count))).tolist()
        for chance in chances:
            if not buffer:
                break
            place = int(chance * len(buffer))
            drawn.append(buffer[place])
            refill = self._one_more()
            if refill is None:
                buffer[place] = buffer[-1]
                buffer.pop()
            else:
                buffer[place] = refill[0]
        return drawn

    def _one_more(self) -> tuple[Any] | None:
        if self.rows is not None:
            if self.rows.at >= self.rows.length:
                return None
            self.rows.at += 1
            return (self.rows.at - 1,)
        try:
            return (self.before.next(),)
        except StopIteration:
            return None

    def next(self) -> Element:
        drawn = self._draw(1)
        if not drawn:
            raise StopIteration
        if self.rows is None:
            return drawn[0]
        return map_structure(lambda array: array[0], self.rows.gather(np.asarray(drawn)))

    def stacked(self, count: int) -> tuple[Element, int]:
        drawn = self._draw(count)
        if not drawn:
            return None, 0
        if self.rows is None:
            return stack(drawn), len(drawn)
        return self.rows.gather(np.asarray(drawn)), len(drawn)

    def own_state(self) -> State:
        state: State = {"random": json.dumps(self.random.bit_generator.state), "filled": self.filled}
        if self.rows is not None:
            state["buffer"] = np.asarray(self.buffer, np.int64)
        else:
            state["buffer"] = {str(i): list(flatten(element)) for i, element in enumerate(self.buffer)}
            state["sample"] = self.buffer[0] if self.buffer else None
        return state

    def own_restore(self, state: State) -> None:
        self.random.bit_generator.state = json.loads(state["random"])
        self.filled = bool(state["filled"])
        if self.rows is not None:
            self.buffer = np.asarray(state["buffer"]).tolist()
        else:
            kept, sample = state["buffer"], state["sample"]
            self.buffer = [pack_like(sample, iter(kept[str(i)])) for i in range(len(kept))]


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


class RepeatCursor(Cursor):
    """Opens the dataset again and again; `count` None is for ever."""

    def __init__(self, opener: Callable[[int], Cursor], count: int | None):
        self.opener, self.count, self.round = opener, count, 0
        self.inner = opener(0)
        self.empty = True  # an empty dataset repeated for ever must end, not spin

    def _again(self) -> bool:
        self.round += 1
        if self.empty or (self.count is not None and self.round >= self.count):
            return False
        self.inner.close()
        self.inner, self.empty = self.opener(self.round), True
        return True

    def next(self) -> Element:
        if self.count is not None and self.round >= self.count:
            raise StopIteration
        while True:
            try:
                element = self.inner.next()
                self.empty = False
                return element
            except StopIteration:
                if not self._again():
                    raise

    def stacked(self, count: int) -> tuple[Element, int]:
        parts: list[Element] = []
        have = 0
        while have < count and (self.count is None or self.round < self.count):
            part, taken = self.inner.stacked(count - have)
            if taken:
                self.empty = False
                parts.append(part)
                have += taken
            elif not self._again():
                break
        if not parts:
            return None, 0
        return (parts[0] if len(parts) == 1 else map_structure(lambda *p: np.concatenate(p), *parts)), have

    def state(self) -> State:
        return {"round": self.round, "empty": self.empty, "inner": self.inner.state()}

    def restore(self, state: State) -> None:
        self.round, self.empty = int(state["round"]), bool(state["empty"])
        self.inner = self.opener(self.round)
        self.inner.restore(state["inner"])

    def close(self) -> None:
        self.inner.close()


class TakeCursor(Over):
    def __init__(self, before: Cursor, count: int):
        super().__init__(before)
        self.left = count

    def next(self) -> Element:
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return self.before.next()

    def stacked(self, count: int) -> tuple[Element, int]:
        batch, taken = self.before.stacked(count if self.left < 0 else min(count, self.left))
        self.left -= taken
        return batch, taken

    def own_state(self) -> State:
        return {"left": self.left}

    def own_restore(self, state: State) -> None:
        self.left = int(state["left"])


class SkipCursor(Over):
    def __init__(self, before: Cursor, count: int):
        super().__init__(before)
        self.left = count

    def _skip(self) -> None:
        while self.left:
            self.left -= 1
            self.before.next()

    def next(self) -> Element:
        self._skip()
        return self.before.next()

    def stacked(self, count: int) -> tuple[Element, int]:
        try:
            self._skip()
        except StopIteration:
            return None, 0
        return self.before.stacked(count)

    def own_state(self) -> State:
        return {"left": self.left}

    def own_restore(self, state: State) -> None:
        self.left = int(state["left"])


class TakeWhileCursor(FilterCursor):
    def next(self) -> Element:
        element = self.before.next()
        if not self.predicate(element):
            raise StopIteration
        return element


class ShardCursor(Over):
    def __init__(self, before: Cursor, shards: int, index: int):
        super().__init__(before)
        self.shards, self.index, self.at = shards, index, 0

    def next(self) -> Element:
        while True:
            element = self.before.next()
            self.at += 1
            if (self.at - 1) % self.shards == self.index:
                return element

    def own_state(self) -> State:
        return {"at": self.at}

    def own_restore(self, state: State) -> None:
        self.at = int(state["at"])


class EnumerateCursor(Over):
    def __init__(self, before: Cursor, start: int):
        super().__init__(before)
        self.at = start

    def next(self) -> Element:
        element = self.before.next()
        self.at += 1
        return np.asarray(self.at - 1, np.int64), element

    def own_state(self) -> State:
        return {"at": self.at}

    def own_restore(self, state: State) -> None:
        self.at = int(state["at"])


class Several(Cursor):
    """A cursor over several others."""

    def __init__(self, inner: list[Cursor]):
        self.inner = inner

    def state(self) -> State:
        return {str(i): cursor.state() for i, cursor in enumerate(self.inner)}

    def restore(self, state: State) -> None:
        for i, cursor in enumerate(self.inner):
            cursor.restore(state[str(i)])

    def close(self) -> None:
        for cursor in self.inner:
            cursor.close()


class ZipCursor(Several):
    def __init__(self, structure: Any, inner: list[Cursor]):
        super().__init__(inner)
        self.structure = structure

    def next(self) -> Element:
        return pack_like(self.structure, iter([cursor.next() for cursor in self.inner]))


class ConcatenateCursor(Several):
    def next(self) -> Element:
        for cursor in self.inner:
            try:
                return cursor.next()
            except StopIteration:
                continue
        raise StopIteration


class SampleCursor(Several):
    """Draws the source of each element: by weight, or by a dataset of numbers."""

    def __init__(self, inner: list[Cursor], choose: Callable[[list[int]], int], stop_on_empty: bool):
        super().__init__(inner)
        self.choose, self.stop_on_empty = choose, stop_on_empty
        self.alive = list(range(len(inner)))

    def next(self) -> Element:
        while self.alive:
            chosen = self.choose(self.alive)
            if chosen not in self.alive:
                continue
            try:
                return self.inner[chosen].next()
            except StopIteration:
                if self.stop_on_empty:
                    raise
                self.alive.remove(chosen)
        raise StopIteration


class InterleaveCursor(Over):
    """`cycle` inner datasets at a time, `block` elements of each in turn; flat_map is a cycle of one."""

    def __init__(self, before: Cursor, function: Callable[[Element], Cursor], cycle: int, block: int):
        super().__init__(before)
        self.function, self.cycle, self.block = function, cycle, block
        self.open: list[tuple[Element, Cursor] | None] = [None] * cycle
        self.at = self.taken = 0
        self.exhausted = False

    def next(self) -> Element:
        while True:
            slot = self.open[self.at]
            if slot is None and not self.exhausted:
                try:
                    source = self.before.next()
                    slot = self.open[self.at] = (source, self.function(source))
                except StopIteration:
                    self.exhausted = True
            if slot is None:
                if self.exhausted and not any(self.open):
                    raise StopIteration
                self._advance()
                continue
            try:
                element = slot[1].next()
            except StopIteration:
                self.open[self.at] = None
                self._advance()
                continue
            self.taken += 1
            if self.taken >= self.block:
                self._advance()
            return element

    def _advance(self) -> None:
        self.at, self.taken = (self.at + 1) % self.cycle, 0

    def own_state(self) -> State:
        return {
            "at": self.at, "taken": self.taken, "exhausted": self.exhausted,
            "open": {str(i): {"source": slot[0], "inner": slot[1].state()} for i, slot in enumerate(self.open) if slot},
        }  # fmt: skip

    def own_restore(self, state: State) -> None:
        self.at, self.taken, self.exhausted = int(state["at"]), int(state["taken"]), bool(state["exhausted"])
        self.open = [None] * self.cycle
        for place, kept in state["open"].items():
            cursor = self.function(kept["source"])
            cursor.restore(kept["inner"])
            self.open[int(place)] = (kept["source"], cursor)


class CacheCursor(Over):
    """Keeps what the first whole pass gave; later passes read that."""

    def __init__(self, before: Cursor, kept: list[Element], done: list[bool]):
        super().__init__(before)
        self.kept, self.done, self.at = kept, done, 0
        self.mine: list[Element] = []

    def next(self) -> Element:
        if self.done:
            if self.at >= len(self.kept):
                raise StopIteration
            self.at += 1
            return self.kept[self.at - 1]
        try:
            element = self.before.next()
        except StopIteration:
            if not self.done:
                self.kept[:] = self.mine
                self.done.append(True)
                self.at = len(self.kept)
            raise
        self.mine.append(element)
        self.at += 1
        return element

    def own_state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        # the memory of another process is gone: the first pass is made again up to here
        self.at = 0
        for _ in range(int(state["at"])):
            self.next()


class WindowCursor(Over):
    """Windows of elements; each window is a dataset of its own."""

    def __init__(
        self, before: Cursor, size: int, shift: int, stride: int, drop: bool, make: Callable[[list[Element]], Any]
    ):
        super().__init__(before)
        self.size, self.shift, self.stride, self.drop, self.make = size, shift, stride, drop, make
        self.held: list[Element] = []
        self.ended = False

    def next(self) -> Any:
        span = (self.size - 1) * self.stride + 1
        while len(self.held) < span and not self.ended:
            try:
                self.held.append(self.before.next())
            except StopIteration:
                self.ended = True
        window = self.held[: span : self.stride]
        if not window or (self.drop and len(window) < self.size):
            raise StopIteration
        for _ in range(self.shift - len(self.held)):
            try:
                self.before.next()
            except StopIteration:
                self.ended = True
        self.held = self.held[self.shift :]
        return self.make(window)

    def own_state(self) -> State:
        return {"held": {str(i): e for i, e in enumerate(self.held)}, "ended": self.ended}

    def own_restore(self, state: State) -> None:
        self.held, self.ended = [state["held"][str(i)] for i in range(len(state["held"]))], bool(state["ended"])


class ScanCursor(Over):
    def __init__(
        self, before: Cursor, initial: Element, function: Callable[[Element, Element], tuple[Element, Element]]
    ):
        super().__init__(before)
        self.carried, self.function = initial, function

    def next(self) -> Element:
        self.carried, element = self.function(self.carried, self.before.next())
        return element

    def own_state(self) -> State:
        return {"carried": self.carried}

    def own_restore(self, state: State) -> None:
        self.carried = state["carried"]
