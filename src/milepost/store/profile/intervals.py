"""Sets of time: sorted, disjoint stretches. In: starts and ends. Out: unions, differences, and how much of a window they cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NOTHING", "Stretches", "stretches"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stretches:
    start: Ints
    end: Ints

    def __or__(self, other: Stretches) -> Stretches:
        return stretches(np.concatenate((self.start, other.start)), np.concatenate((self.end, other.end)))

    def __sub__(self, other: Stretches) -> Stretches:
        """What is in this set and not in the other: cut at the other's edges, then drop the covered pieces."""
        if not len(other.start) or not len(self.start):
            return self
        edges = np.union1d(np.concatenate((self.start, self.end)), np.concatenate((other.start, other.end)))
        low, high = edges[:-1], edges[1:]
        keep = self.covers(low, high) & ~other.covers(low, high)
        return stretches(low[keep], high[keep])

    def covers(self, low: Ints, high: Ints) -> NDArray[np.bool_]:
        """For pieces that no edge of this set cuts: whether each lies inside."""
        at = np.searchsorted(self.start, low, side="right") - 1
        return (at >= 0) & (self.end[np.maximum(at, 0)] >= high)

    def measure(self, low: Any, high: Any) -> Ints:
        """Nanoseconds of this set in each window."""
        low, high = np.asarray(low, np.int64), np.asarray(high, np.int64)
        if not len(self.start):
            return np.zeros(low.shape, np.int64)
        return self._before(high) - self._before(low)

    def _before(self, time: Ints) -> Ints:
        done = np.concatenate(([0], np.cumsum(self.end - self.start)))
        at = np.searchsorted(self.start, time, side="right")
        last = np.maximum(at - 1, 0)
        inside = np.where(at > 0, np.clip(time, self.start[last], self.end[last]) - self.start[last], 0)
        return np.where(at > 0, done[last] + inside, 0)

    @property
    def total(self) -> int:
        return int((self.end - self.start).sum())


def stretches(start: Ints, end: Ints) -> Stretches:
    """The union of possibly overlapping stretches."""
    keep = end > start
    start, end = start[keep], end[keep]
    if not len(start):
        return NOTHING
    order = np.argsort(start, kind="stable")
    start, end = start[order], np.maximum.accumulate(end[order])
    first = np.concatenate(([True], start[1:] > end[:-1]))
    last = np.concatenate((first[1:], [True]))
    return Stretches(start[first], end[last])


NOTHING = Stretches(np.zeros(0, np.int64), np.zeros(0, np.int64))
