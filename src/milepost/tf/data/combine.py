"""Several datasets as one, and one as several: zip, concatenate, sample, interleave, window. In: cursors. Out: one cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.structure import pack_like
from milepost.tf.data.transform import Over

__all__ = ["ConcatenateCursor", "InterleaveCursor", "SampleCursor", "WindowCursor", "ZipCursor"]


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
