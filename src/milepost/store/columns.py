"""Columns that grow. In: chunks of points or blob places, from a scan or from the index. Out: arrays that never change.

A snapshot is a view of the first n rows; appending writes behind them or into a larger copy, so readers need no lock.
Chunks of the index stay on disk until somebody looks, and are then mapped, not read.
Not here: where chunks come from (`tail`, `index`), which points count after a restart (`restarts`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from milepost._native.scan import Blobs, Points

__all__ = ["BLOB_ROW", "BlobColumns", "Floats", "Ints", "PointColumns", "StoredPoints", "grown"]

Ints = NDArray[np.int64]
Floats = NDArray[np.floating[Any]]

# one row of `_native.scan`: where a value lies in its file
BLOB_ROW = np.dtype(
    [
        ("step", "<i8"), ("wall_time", "<f8"), ("record", "<i8"), ("offset", "<u4"), ("length", "<u4"),
        ("field", "<u4"), ("starts", "<u4"),
    ]
)  # fmt: skip


class StoredPoints(Protocol):
    """A chunk that lies in the index."""

    @property
    def count(self) -> int: ...

    def load(self) -> tuple[Ints, Floats, Floats]:
        """step, wall_time, value, verified."""
        ...


def grown(old: NDArray[Any], used: int, new: NDArray[Any]) -> NDArray[Any]:
    """An array whose first rows are old[:used] followed by new; `old` itself when it has room and is ours to write."""
    total, dtype = used + len(new), np.promote_types(old.dtype, new.dtype)
    if total > len(old) or dtype != old.dtype or not old.flags.writeable:
        bigger = np.empty(max(total, used + used // 2, 64), dtype)
        bigger[:used] = old[:used]
        old = bigger
    old[used:total] = new
    return old


@dataclass(slots=True)
class PointColumns:
    """The points of one tag in one file, in the order they were written: some in the index, the newest in memory."""

    count: int = 0
    unordered: bool = False  # some step is below the one before it
    nan: int = 0
    inf: int = 0
    first_step: int = 0
    last_step: int = 0
    marks: list[tuple[int, int]] = field(default_factory=list)  # (position, session starts before it)
    chunks: list[StoredPoints] = field(default_factory=list)  # in the index, oldest first
    stored: int = 0  # points in those
    _from: int = 0  # the arrays below hold the points from here on
    _step: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    _wall: Floats = field(default_factory=lambda: np.empty(0, np.float64))
    _value: Floats = field(default_factory=lambda: np.empty(0, np.float32))

    def append(self, points: Points) -> None:
        """Add what a scan drained; the first chunk is taken over without a copy."""
        _, wide, first, last, unordered, nan, inf, step, wall, value, marks = points
        held = self.count - self._from
        values: Floats = np.frombuffer(value, np.float64 if wide else np.float32)
        columns = (np.frombuffer(step, np.int64), np.frombuffer(wall, np.float64), values)
        if held == 0:
            self._step, self._wall = columns[0], columns[1]
            self._value = columns[2]
        else:
            self._step = grown(self._step, held, columns[0])
            self._wall = grown(self._wall, held, columns[1])
            self._value = grown(self._value, held, columns[2])
        if self.count == 0:
            self.first_step, self.unordered = first, unordered
        else:
            self.unordered |= unordered or first < self.last_step
        self.count += len(columns[0])
        self.nan += nan
        self.inf += inf
        self.last_step = last
        self.marks += marks

    def since(self, position: int) -> tuple[Ints, Floats, Floats]:
        """The columns from `position` on."""
        if position < self._from:
            self._bring()
        a, b = position - self._from, self.count - self._from
        return self._step[a:b], self._wall[a:b], self._value[a:b]

    def _bring(self) -> None:
        """Map the chunks; one chunk and nothing newer is not copied."""
        loaded = [chunk.load() for chunk in self.chunks]
        held = self.count - self._from
        if held:
            loaded.append((self._step[:held], self._wall[:held], self._value[:held]))
        if len(loaded) == 1:
            self._step, self._wall, self._value = loaded[0]
        else:
            steps, walls, values = zip(*loaded, strict=True)
            self._step, self._wall, self._value = np.concatenate(steps), np.concatenate(walls), np.concatenate(values)
        self._from = 0

    def settle(self, chunks: list[StoredPoints]) -> None:
        """The points of `chunks` are on disk now: let go of their memory."""
        self.chunks, self.stored = chunks, sum(chunk.count for chunk in chunks)
        step, wall, value = self.since(self.stored)
        self._step, self._wall, self._value, self._from = step.copy(), wall.copy(), value.copy(), self.stored

    @property
    def step(self) -> Ints:
        return self.since(0)[0]

    @property
    def wall_time(self) -> Floats:
        return self.since(0)[1]

    @property
    def value(self) -> Floats:
        return self.since(0)[2]

    @property
    def heap_bytes(self) -> int:
        """Memory of our own, not mapped."""
        return sum(c.nbytes for c in (self._step, self._wall, self._value) if c.flags.writeable)


@dataclass(slots=True)
class BlobColumns:
    """Where the values of one tag lie in one file."""

    count: int = 0
    stored: int = 0  # rows that are in the index
    _rows: NDArray[np.void] = field(default_factory=lambda: np.empty(0, BLOB_ROW))

    def append(self, blobs: Blobs) -> None:
        self.extend(np.frombuffer(blobs[1], BLOB_ROW))

    def extend(self, rows: NDArray[np.void]) -> None:
        self._rows = rows if self.count == 0 else grown(self._rows, self.count, rows)
        self.count += len(rows)

    @property
    def rows(self) -> NDArray[np.void]:
        return self._rows[: self.count]
