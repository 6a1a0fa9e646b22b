"""Columns that grow. In: chunks of points or blob places from a scan. Out: arrays that never change once given out.

A snapshot is a view of the first n rows; appending writes behind them or into a larger copy, so readers need no lock.
Not here: where chunks come from (`tail`), which points count after a restart (`restarts`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from milepost._native.scan import Blobs, Points

__all__ = ["BLOB_ROW", "BlobColumns", "Floats", "Ints", "PointColumns"]

Ints = NDArray[np.int64]
Floats = NDArray[np.floating[Any]]

# one row of `_native.scan`: where a value lies in its file
BLOB_ROW = np.dtype(
    [
        ("step", "<i8"), ("wall_time", "<f8"), ("record", "<i8"), ("offset", "<u4"), ("length", "<u4"),
        ("field", "<u4"), ("starts", "<u4"),
    ]
)  # fmt: skip


def _grown(old: NDArray[Any], used: int, new: NDArray[Any]) -> NDArray[Any]:
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
    """The points of one tag in one file, in the order they were written."""

    count: int = 0
    unordered: bool = False  # some step is below the one before it
    nan: int = 0
    inf: int = 0
    first_step: int = 0
    last_step: int = 0
    marks: list[tuple[int, int]] = field(default_factory=list)  # (position, session starts before it)
    _step: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    _wall: Floats = field(default_factory=lambda: np.empty(0, np.float64))
    _value: Floats = field(default_factory=lambda: np.empty(0, np.float32))

    def append(self, points: Points) -> None:
        _, wide, first, last, unordered, nan, inf, step, wall, value, marks = points
        self.extend(
            np.frombuffer(step, np.int64), np.frombuffer(wall, np.float64),
            np.frombuffer(value, np.float64 if wide else np.float32), unordered, nan, inf, first, last, marks,
        )  # fmt: skip

    def extend(
        self, step: Ints, wall: Floats, value: Floats, unordered: bool, nan: int, inf: int, first: int, last: int,
        marks: list[tuple[int, int]],
    ) -> None:  # fmt: skip
        """Add a chunk; the first one is taken over without a copy."""
        if self.count == 0:
            self._step, self._wall, self._value = step, wall, value
            self.first_step, self.unordered = first, unordered
        else:
            self._step = _grown(self._step, self.count, step)
            self._wall = _grown(self._wall, self.count, wall)
            self._value = _grown(self._value, self.count, value)
            self.unordered |= unordered or first < self.last_step
        self.count += len(step)
        self.nan += nan
        self.inf += inf
        self.last_step = last
        self.marks += marks

    @property
    def step(self) -> Ints:
        return self._step[: self.count]

    @property
    def wall_time(self) -> Floats:
        return self._wall[: self.count]

    @property
    def value(self) -> Floats:
        return self._value[: self.count]

    @property
    def nbytes(self) -> int:
        return self._step.nbytes + self._wall.nbytes + self._value.nbytes


@dataclass(slots=True)
class BlobColumns:
    """Where the values of one tag lie in one file."""

    count: int = 0
    _rows: NDArray[np.void] = field(default_factory=lambda: np.empty(0, BLOB_ROW))

    def append(self, blobs: Blobs) -> None:
        self.extend(np.frombuffer(blobs[1], BLOB_ROW))

    def extend(self, rows: NDArray[np.void]) -> None:
        self._rows = rows if self.count == 0 else _grown(self._rows, self.count, rows)
        self.count += len(rows)

    @property
    def rows(self) -> NDArray[np.void]:
        return self._rows[: self.count]
