"""Transformations of one dataset as cursors over cursors. In: the cursor before. Out: other elements, one for one or fewer or more.

The four questions of `cursor.Cursor`. Not here: batches (`batching`), several datasets (`combine`), threads (`parallel`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from milepost.tf.data import composite
from milepost.tf.data.cursor import Cursor, Element, Rows, State, stack, unstack
from milepost.tf.data.structure import map_one, map_structure

__all__ = [
    "EnumerateCursor",
    "FilterCursor",
    "MapCursor",
    "Over",
    "RepeatCursor",
    "ScanCursor",
    "ShardCursor",
    "SkipCursor",
    "TakeCursor",
    "TakeWhileCursor",
]


FEW_ROWS = 64  # fewer are not worth recording a function for
TRIED_ROWS = 8


class _Never:
    """For functions that are not a user's: there is nothing to find out about them."""

    refused, ready = True, False


NEVER = _Never()


class Over(Cursor):
    """A cursor over one other; its state contains the other's."""

    PASSES = False  # whether its elements are the other's

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

    def uniform(self) -> bool:
        """True where elements are those of the cursor before."""
        return self.PASSES and self.before.uniform()

    def close(self) -> None:
        self.before.close()


class MapCursor(Over):
    """A function of each element; of a whole batch at once where `batches` has found that to be the same."""

    def __init__(self, before: Cursor, function: Callable[[Element], Element], batches: Any):
        super().__init__(before)
        self.function, self.batches = function, batches

    def next(self) -> Element:
        return self.function(self.before.next())

    def stacked(self, count: int) -> tuple[Element, int]:
        if self.batches.refused or not self._alone() or not self.before.uniform():
            return super().stacked(count)
        batch, taken = self.before.stacked(count)
        if not taken:
            return None, 0
        if self.batches.ready:
            return self.batches.apply(batch), taken
        elements = unstack(batch, taken)
        made = [self.function(element) for element in elements]
        self.batches.decide(elements, made)
        return stack(made), taken

    def _alone(self) -> bool:
        """Whether no element is under way elsewhere."""
        return True

    def uniform(self) -> bool:
        if not self.batches.ready and not self.batches.refused:
            self.rows()  # finds out, where there are rows to try
        return self.batches.ready and self.before.uniform()

    def rows(self) -> Rows | None:
        rows = None if self.batches.refused else self.before.rows()
        if rows is None or rows.length < FEW_ROWS:
            return None
        if not self.batches.ready:
            elements = [rows.row(at) for at in range(TRIED_ROWS)]
            self.batches.decide(elements, [self.function(element) for element in elements])
        if not self.batches.ready:
            return None
        below, apply = rows, self.batches.apply
        return Rows(
            below.length,
            lambda some: apply(below.gather(some)),
            lambda at: map_one(lambda a: a[0], apply(below.gather([at]))),
        )


class FilterCursor(Over):
    PASSES = True

    def __init__(self, before: Cursor, predicate: Callable[[Element], bool]):
        super().__init__(before)
        self.predicate = predicate

    def next(self) -> Element:
        while True:
            element = self.before.next()
            if self.predicate(element):
                return element


class RepeatCursor(Cursor):
    """Opens the dataset again and again; `count` None is for ever."""

    def __init__(self, opener: Callable[[], Cursor], count: int | None):
        self.opener, self.count, self.round = opener, count, 0
        self.inner = opener() if count is None or count > 0 else None
        self.empty = True  # an empty dataset repeated for ever must end, not spin

    def _again(self) -> bool:
        """Begins the next pass; False when there is none."""
        self.round += 1
        if self.inner is not None:
            self.inner.close()
            self.inner = None
        if self.empty or (self.count is not None and self.round >= self.count):
            return False
        self.inner, self.empty = self.opener(), True
        return True

    def next(self) -> Element:
        while self.inner is not None:
            try:
                element = self.inner.next()
                self.empty = False
                return element
            except StopIteration:
                self._again()
        raise StopIteration

    def stacked(self, count: int) -> tuple[Element, int]:
        parts: list[Element] = []
        have = 0
        while have < count and self.inner is not None:
            part, taken = self.inner.stacked(count - have)
            if taken:
                self.empty = False
                parts.append(part)
                have += taken
            if have < count:
                self._again()
        if not parts:
            return None, 0
        return (parts[0] if len(parts) == 1 else map_structure(_joined, *parts)), have

    def uniform(self) -> bool:
        return self.inner is not None and self.inner.uniform()

    def state(self) -> State:
        inner = None if self.inner is None else self.inner.state()
        return {"round": self.round, "empty": self.empty, "inner": inner}

    def restore(self, state: State) -> None:
        self.round, self.empty = int(state["round"]), bool(state["empty"])
        if state["inner"] is None:
            self.inner = None
            return
        self.inner = self.inner or self.opener()
        self.inner.restore(state["inner"])

    def close(self) -> None:
        if self.inner is not None:
            self.inner.close()


def _joined(*parts: Any) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return None if parts[0] is None else composite.stack([row for part in parts for row in composite.rows(part)])


class TakeCursor(Over):
    PASSES = True

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

    def rows(self) -> Rows | None:
        rows = self.before.rows()
        return rows and Rows(rows.length if self.left < 0 else min(rows.length, self.left), rows.gather, rows.row)

    def own_state(self) -> State:
        return {"left": self.left}

    def own_restore(self, state: State) -> None:
        self.left = int(state["left"])


class SkipCursor(Over):
    PASSES = True

    def __init__(self, before: Cursor, count: int):
        super().__init__(before)
        self.left = count

    def _skip(self) -> None:
        while self.left:
            self.before.next()
            self.left -= 1

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
    """Ends at the first element that fails, for good."""

    ended = False

    def next(self) -> Element:
        if self.ended:
            raise StopIteration
        element = self.before.next()
        if not self.predicate(element):
            self.ended = True
            raise StopIteration
        return element

    def own_state(self) -> State:
        return {"ended": self.ended}

    def own_restore(self, state: State) -> None:
        self.ended = bool(state["ended"])


class ShardCursor(Over):
    PASSES = True

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
