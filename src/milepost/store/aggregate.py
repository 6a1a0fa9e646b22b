"""Several runs as one line with a band. In: series of the same metric. Out: mean or median, and a band, on aligned steps.

Runs that log at the same steps are compared step by step; where they do not, a run's value between two of its points is
read off the straight line between them, and a run counts only from its first to its last step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from milepost.errors import UsageError
from milepost.store.query import Axis, x_of
from milepost.store.series import Series
from milepost.store.smooth import Smoothing, smooth

__all__ = ["Band", "aggregate"]

MAX_GRID = 20_000  # positions at which differing x columns are compared

# two-sided 95 % points of Student's t, by degrees of freedom 1 … 30; beyond, the normal's 1.96 is within 2 %
_T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """A line with its band; `n` says of how many runs each point is made."""

    x: NDArray[Any]
    line: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.x)


def aggregate(
    series: Sequence[Series], line: Literal["mean", "median"] = "mean", band: Literal["std", "ci", "minmax", "none"] = "std",
    *, x: Axis = "step", x0: float | None = None, x1: float | None = None, width: int = 0, smoothing: Smoothing | None = None,
) -> Band:  # fmt: skip
    """One line of several series. "ci" is the 95 % confidence interval of the mean (Student's t); "std" is n-1.

    `width` thins the x positions to at most 2 a pixel; NaN and infinities of a run count as not logged.
    """
    if line not in ("mean", "median") or band not in ("std", "ci", "minmax", "none"):
        raise UsageError("no such aggregate", got=f"{line}, {band}", want="mean or median; std, ci, minmax or none")
    lines = [found for s in series if (found := _finite(s, x, smoothing)) is not None]
    empty = np.empty(0)
    if not lines:
        return Band(empty, empty, empty, empty, np.empty(0, np.int64))
    grid = _grid([xs for xs, _ in lines], x0, x1, width)
    table = np.full((len(lines), len(grid)), np.nan)
    for row, (xs, ys) in zip(table, lines, strict=True):
        inside = (grid >= xs[0]) & (grid <= xs[-1])
        row[inside] = np.interp(grid[inside], xs, ys)
    n = np.isfinite(table).sum(0)
    grid, table, n = grid[n > 0], table[:, n > 0], n[n > 0]
    middle = np.nanmean(table, 0) if line == "mean" else np.nanmedian(table, 0)
    low, high = _band(table, n, middle, band)
    return Band(grid, middle, low, high, n)


def _finite(series: Series, x: Axis, smoothing: Smoothing | None) -> tuple[NDArray[Any], NDArray[np.float64]] | None:
    xs = x_of(series, x)
    ys = np.asarray(series.value, np.float64) if smoothing is None else smooth(xs, series.value, smoothing)
    good = np.isfinite(ys)
    xs, ys = xs[good], ys[good]
    if len(xs) == 0:
        return None
    if not (xs[1:] > xs[:-1]).all():  # a step logged twice: the later value counts
        order = np.argsort(xs, kind="stable")
        xs, ys = xs[order], ys[order]
        last = np.append(xs[1:] != xs[:-1], True)
        xs, ys = xs[last], ys[last]
    return xs, ys


def _grid(columns: list[NDArray[Any]], x0: float | None, x1: float | None, width: int) -> NDArray[Any]:
    first = columns[0]
    if all(len(c) == len(first) and (c == first).all() for c in columns[1:]):
        grid = first
    elif sum(map(len, columns)) <= 50 * MAX_GRID and first.dtype.kind == "i":
        grid = np.unique(np.concatenate(columns))
    else:
        grid = np.linspace(min(c[0] for c in columns), max(c[-1] for c in columns), MAX_GRID)
    if x0 is not None:
        grid = grid[max(int(np.searchsorted(grid, x0, "left")) - 1, 0) :]
    if x1 is not None:
        grid = grid[: int(np.searchsorted(grid, x1, "right")) + 1]
    most = 2 * width if width else MAX_GRID * 50
    if len(grid) > most:
        grid = grid[np.unique(np.linspace(0, len(grid) - 1, most).round().astype(np.int64))]
    return grid


def _band(
    table: NDArray[np.float64], n: NDArray[np.int64], middle: NDArray[np.float64], band: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if band == "none":
        return middle, middle
    if band == "minmax":
        return np.nanmin(table, 0), np.nanmax(table, 0)
    mean = np.nanmean(table, 0)
    spread = np.sqrt(np.nansum((table - mean) ** 2, 0) / np.maximum(n - 1, 1))  # one run has no spread: 0
    if band == "ci":
        freedom = np.clip(n - 1, 1, len(_T95))
        spread = spread * np.where(n - 1 > len(_T95), 1.96, np.array(_T95)[freedom - 1]) / np.sqrt(n)
    return middle - spread, middle + spread
