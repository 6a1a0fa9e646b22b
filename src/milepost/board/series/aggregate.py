"""Several runs as one line with a band. In: (x, y) of each run. Out: x, middle, low, high. Nothing about where they came from.

Runs logged at the same x are stacked as they are; otherwise each run is interpolated inside its own extent onto the union of all x,
never beyond it: a run that ended early stops counting, it does not go on as a flat line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["aggregate"]

Array = NDArray[Any]
MAX_GRID = 2_000_000
# Two-sided 95 % quantiles of Student's t for 1 … 30 degrees of freedom; beyond them the normal's 1.96 is within 2 %.
T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


def aggregate(curves: Sequence[tuple[Array, Array]], line: str, band: str) -> tuple[Array, Array, Array | None, Array | None]:
    """x, the mean or median, and the band around it (None for "none")."""
    curves = [(x, y) for x, y in curves if len(x)]
    if not curves:
        none = np.empty(0)
        return none, none, None, None
    grid = curves[0][0]
    if all(len(x) == len(grid) and np.array_equal(x, grid) for x, _ in curves):
        table = np.stack([np.asarray(y, np.float64) for _, y in curves])
    else:
        grid = np.unique(np.concatenate([x for x, _ in curves]))
        if len(grid) * len(curves) > MAX_GRID * 10:
            grid = np.interp(np.linspace(0, len(grid) - 1, MAX_GRID), np.arange(len(grid)), grid)
        table = np.full((len(curves), len(grid)), np.nan)
        for row, (x, y) in zip(table, curves, strict=True):
            good = np.isfinite(y)
            if good.any():
                at, values = x[good], np.asarray(y[good], np.float64)
                row[:] = np.interp(grid, at, values, left=np.nan, right=np.nan)
    # a point that is not finite in one run does not take the others with it
    table = np.where(np.isfinite(table), table, np.nan)
    some = np.isfinite(table).any(axis=0)
    grid, table = grid[some], table[:, some]
    if not len(grid):
        return grid, np.empty(0), None, None
    middle = np.nanmedian(table, axis=0) if line == "median" else np.nanmean(table, axis=0)
    if band == "none":
        return grid, middle, None, None
    if band == "minmax":
        return grid, middle, np.nanmin(table, axis=0), np.nanmax(table, axis=0)
    n = np.isfinite(table).sum(axis=0)
    centre = np.nanmean(table, axis=0)
    # the sample's own spread (n - 1); one run alone has none
    square = np.nansum((table - centre) ** 2, axis=0)
    spread = np.sqrt(square / np.maximum(n - 1, 1))
    if band == "ci":
        spread = np.array([0.0, *T95, 1.96])[np.minimum(n - 1, 31)] * spread / np.sqrt(n)
    return grid, middle, middle - spread, middle + spread
