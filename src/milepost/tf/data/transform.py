"""Transformations of one dataset as cursors over cursors. In: the cursor before. Out: other elements, one for one or fewer or more.

The four questions of `cursor.Cursor`. Not here: batches (`batching`), several datasets (`combine`), threads (`parallel`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from milepost.tf.data.cursor import Cursor, Element, SliceCursor, State, stack
from milepost.tf.data.structure import flatten, map_structure, pack_like

__all__ = [
    "CacheCursor",
    "EnumerateCursor",
    "FilterCursor",
    "MapCursor",
    "Over",
    "RepeatCursor",
    "ScanCursor",
    "ShardCursor",
    "ShuffleCursor",
    "SkipCursor",
    "TakeCursor",
    "TakeWhileCursor",
]


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
