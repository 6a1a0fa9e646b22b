"""One curve, cut to pixels and smoothed. In: x and y columns. Out: the points to draw and the marks of non-finite values. Loops are native.

x ascends within a piece; `restarts="all"` hands in several pieces and joins the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost._native import curve as native

__all__ = ["Cut", "cut", "median_gap", "quantiles", "smoothed"]

Array = NDArray[Any]
# Gaps and quantiles of long series are taken from this many evenly chosen points: a percent is what they are read to.
SAMPLE = 131_072
MAX_WIDTH = 20_000


@dataclass(frozen=True, slots=True)
class Cut:
    """Indices to draw, where non-finite values lie, and how many points the range holds."""

    keep: NDArray[np.int64]
    bad: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    inside: tuple[int, int]  # the range as [start, stop) without the points beyond its sides


def cut(x: Array, y: Array, width: int, low: float | None = None, high: float | None = None, *, ascending: bool = True) -> Cut:
    """Which points to draw in `width` pixels between low and high. width 0 keeps all of them."""
    count = len(x)
    start, stop = 0, count
    if ascending:
        if low is not None:
            start = int(np.searchsorted(x, low, "left"))
        if high is not None:
            stop = int(np.searchsorted(x, high, "right"))
    inside = (start, max(start, stop))
    # one point beyond each side, so that a line leaves the frame instead of ending in it
    first, last = max(start - 1, 0), min(stop + 1, count)
    if last <= first:
        none = np.empty(0, np.int64)
        return Cut(none, none, np.empty(0, np.uint8), inside)
    if width <= 0 or last - first <= 2 * width:
        finite = np.isfinite(y[first:last])
        keep = np.flatnonzero(finite) + first
        bad = np.flatnonzero(~finite) + first
        return Cut(keep, bad, kinds_of(y[bad]), inside)
    width = min(width, MAX_WIDTH)
    out, bad, kinds = np.empty(2 * width + 2, np.int64), np.empty(3 * width, np.int64), np.empty(3 * width, np.uint8)
    if ascending:
        # buckets follow what is drawn: the asked range, or the line's own ends where it is open
        left = float(x[first]) if low is None else low
        right = float(x[last - 1]) if high is None else high
        n, marks, _, _ = native.pick(x, y, first, last, left, right, width, out, bad, kinds)
    else:
        # x wanders (another metric): buckets of equally many points keep the path's shape
        n, marks, _, _ = native.pick(np.arange(count), y, first, last, float(first), float(last - 1), width, out, bad, kinds)
    return Cut(out[:n].copy(), bad[:marks].copy(), kinds[:marks].copy(), inside)


def kinds_of(values: Array) -> NDArray[np.uint8]:
    """0 NaN, 1 +infinity, 2 −infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(values), 0, np.where(values > 0, 1, 2)).astype(np.uint8)


def median_gap(x: Array) -> float:
    """The usual distance between neighbours."""
    if len(x) < 2:
        return 0.0
    if len(x) <= SAMPLE:
        gaps = np.diff(x)
    else:
        at = np.linspace(0, len(x) - 2, SAMPLE).astype(np.int64)
        gaps = x[at + 1] - x[at]
    gaps = gaps[gaps > 0]
    return float(np.median(gaps)) if len(gaps) else 0.0


def smoothed(x: Array, y: Array, kind: str, weight: float) -> NDArray[np.float64]:
    """y smoothed over all of its points."""
    out = np.empty(len(y), np.float64)
    if kind == "ema":
        native.ema(x, y, weight, median_gap(x), out)
    elif kind == "gaussian":
        extent = float(x[-1] - x[0]) if len(x) else 0.0
        native.gaussian(x, y, weight * 0.1 * extent, out)
    else:
        out[:] = y
    return out


def quantiles(y: Array, wanted: tuple[float, float]) -> list[float] | None:
    """Two quantiles of the finite values."""
    if len(y) > SAMPLE:
        y = y[np.linspace(0, len(y) - 1, SAMPLE).astype(np.int64)]
    y = y[np.isfinite(y)]
    if not len(y):
        return None
    return [float(q) for q in np.quantile(y.astype(np.float64), wanted)]
