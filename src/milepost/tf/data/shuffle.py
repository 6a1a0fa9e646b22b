"""Shuffling: a buffer of elements, and draws from it. In: the cursor before, seeds. Out: its elements in another order, TensorFlow's for the same seeds.

Over rows in memory the buffer holds row numbers, and `stacked` gathers a whole batch at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.errors import FormatError
from milepost.tf.data.chance import Draws, Seeds
from milepost.tf.data.cursor import Cursor, Element, State, stack, unstack
from milepost.tf.data.transform import Over

__all__ = ["ShuffleCursor"]


CHUNK = 64


class ShuffleCursor(Over):
    """A ring of `size` places; each draw gives a random element, the oldest one moves to its place and the next one comes in."""

    def __init__(self, before: Cursor, size: int, seeds: Seeds):
        super().__init__(before)
        self.size, self.seeds = size, seeds
        self.draws = Draws(*seeds.next())
        self.rows_below = before.rows()
        if self.rows_below is not None:
            self.size = min(size, max(1, self.rows_below.length))
        self.at = 0  # rows that came in
        self.ring: list[Any] = []
        self.start = self.end = 0  # the places in use, modulo the size
        self.ended = False

    def uniform(self) -> bool:
        return self.before.uniform()

    def _draw(self, count: int) -> list[Any]:
        if self.rows_below is not None:
            return self._draw_rows(count)
        drawn: list[Any] = []
        while len(drawn) < count:
            self._fill()
            held = self.end - self.start
            if not held:
                break
            ring, size = self.ring, self.size
            place, oldest = (self.start + self.draws.one() % held) % size, self.start % size
            drawn.append(ring[place])
            ring[place], ring[oldest] = ring[oldest], None
            self.start += 1
        return drawn

    def _fill(self) -> None:
        ring, size, take = self.ring, self.size, self.before.next
        while (
            not self.ended and size - len(ring) >= CHUNK and self.before.uniform()
        ):  # the first filling, many at a time
            batch, taken = self.before.stacked(CHUNK)
            self.ended = not taken
            ring += unstack(batch, taken) if taken else []
            self.end += taken
        while not self.ended and self.end - self.start < size:
            try:
                element = take()
            except StopIteration:
                self.ended = True
                return
            if len(ring) < size:
                ring.append(element)
            else:
                ring[self.end % size] = element
            self.end += 1

    def _draw_rows(self, count: int) -> list[Any]:
        """The same with numbers that come in order, so that a batch costs one loop without calls."""
        assert self.rows_below is not None
        size, length = self.size, self.rows_below.length
        if not self.ring:
            self.end = self.at = min(size, length)
            self.ring = list(range(self.end))
        ring, start, end = self.ring, self.start, self.end
        drawn = []
        for number in self.draws.take(min(count, length - start)):
            place, oldest = (start + number % (end - start)) % size, start % size
            drawn.append(ring[place])
            ring[place] = ring[oldest]
            start += 1
            if end < length:
                ring[end % size] = end
                end += 1
        self.start, self.end = start, end
        return drawn

    def next(self) -> Element:
        drawn = self._draw(1)
        if not drawn:
            raise StopIteration
        return drawn[0] if self.rows_below is None else self.rows_below.row(drawn[0])

    def stacked(self, count: int) -> tuple[Element, int]:
        drawn = self._draw(count)
        if not drawn:
            return None, 0
        return (stack(drawn) if self.rows_below is None else self.rows_below.gather(drawn)), len(drawn)

    def own_state(self) -> State:
        draws = [self.draws.seed, self.draws.seed2, self.draws.taken]
        state: State = {
            "draws": draws,
            "seeds": self.seeds.state(),
            "start": self.start,
            "end": self.end,
            "ended": self.ended,
        }
        state["ring"] = list(self.ring) if self.rows_below is None else np.asarray(self.ring, np.int64)
        return state

    def own_restore(self, state: State) -> None:
        self.draws = Draws(*(int(v) for v in state["draws"]))
        self.seeds.restore(state["seeds"])
        self.start, self.end, self.ended = int(state["start"]), int(state["end"]), bool(state["ended"])
        if isinstance(state["ring"], np.ndarray):
            self.ring, self.rows_below = state["ring"].tolist(), self.before.rows()
            if self.rows_below is None:
                raise FormatError(
                    "this state is that of a shuffle of rows in memory; here the rows do not lie in memory"
                )
        else:
            self.ring, self.rows_below = list(state["ring"]), None
