"""Windows that slide over a dataset. In: the cursor before. Out: lists of elements, each a dataset of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.transform import Over

__all__ = ["WindowCursor"]


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
        return {"held": list(self.held), "ended": self.ended}

    def own_restore(self, state: State) -> None:
        self.held, self.ended = list(state["held"]), bool(state["ended"])
