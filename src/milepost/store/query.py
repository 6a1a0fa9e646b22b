"""What a chart of so many pixels needs of a series. In: a series, a range, a width. Out: few points that lose no spike.

Each pixel's points become at most four: first, least, greatest, last. What is not finite is told apart, at most one of
each kind a pixel. Fewer points than the budget come exactly as they are. Smoothing sees all points, then is thinned out.
Not here: aggregates of runs (`aggregate`), drawing.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from milepost._native import bucket
from milepost.errors import UsageError
from milepost.store.columns import Floats, Ints
from milepost.store.series import Series
from milepost.store.smooth import Ema, Gaussian, Smoothing, smooth

__all__ = ["POINTS_PER_PIXEL", "Axis", "Curve", "Ema", "Gaussian", "between", "query", "x_of"]

Axis = Literal["step", "wall", "relative"]
POINTS_PER_PIXEL = 4


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Columns of the same length, in drawing order; `index` are positions in the series."""

    index: Ints
    x: NDArray[Any]  # int64 for steps, float64 otherwise
    value: Floats  # as logged; finite only, see `bad_x`
    smoothed: Floats | None
    wall_time: Floats
    segment: Ints  # which part between restarts a point belongs to
    bad_x: NDArray[Any]
    bad_kind: NDArray[np.uint8]  # 0 NaN, 1 +infinity, 2 -infinity
    total: int  # points of the series
    shown: int  # points inside the range
    domain: tuple[float, float] | None  # first and last x of the series
    extent: tuple[float, float] | None  # least and greatest finite value inside the range
    exact: bool  # nothing was left out

    def __len__(self) -> int:
        return len(self.x)


def x_of(series: Series, x: Axis | Series = "step") -> NDArray[Any]:
    """The x column: steps, seconds since the epoch, seconds since the run's first event, or another metric.

    A metric on x is the newest value of that series at or before the point's step; NaN before its first.
    """
    if isinstance(x, Series):
        return _metric_x(series, x)
    if x == "step":
        return series.step
    if x == "wall":
        return series.wall_time
    if x == "relative":
        return series.wall_time - series.origin_wall
    raise UsageError("no such x axis", got=repr(x), want="'step', 'wall', 'relative' or a series")


def query(
    series: Series, x0: float | None = None, x1: float | None = None, width: int = 600, *, x: Axis | Series = "step",
    smoothing: Smoothing | None = None,
) -> Curve:  # fmt: skip
    """The points of `series` to draw `width` pixels of [x0, x1] (None: to the end); width 0 gives every point.

    One point beyond each side comes along, so that lines leave the frame.

        curve = query(run.scalars["loss"], width=800, smoothing=Ema(0.6))
    """
    if width < 0:
        raise UsageError("a negative width", got=width, want="pixels, or 0 for every point")
    column = x_of(series, x)
    smoothed = _smoothed(series, column, smoothing, x)
    drawn = series.value if smoothed is None else smoothed
    domain = _domain(column, series)
    low = x0 if x0 is not None else domain[0] if domain else 0.0
    high = x1 if x1 is not None else domain[1] if domain else 0.0
    kept: list[Ints] = []
    odd: list[Ints] = []
    shown, exact = 0, True
    edges = [*series.segments.tolist(), len(series)]
    for begin, end in pairwise(edges):
        positions, bad, inside, whole = _segment(column, drawn, begin, end, low, high, width, x0 is None and x1 is None)
        kept.append(positions)
        odd.append(bad)
        shown += inside
        exact &= whole
    index = np.concatenate(kept) if kept else np.empty(0, np.int64)
    bad_index = np.concatenate(odd) if odd else np.empty(0, np.int64)
    values = series.value[index]
    limits = _extent(values, column[index], low, high)
    return Curve(
        index, column[index], values, None if smoothed is None else smoothed[index], series.wall_time[index],
        np.searchsorted(series.segments, index, side="right") - 1, column[bad_index], _bad_kinds(series.value[bad_index]),
        len(series), shown, domain, limits, exact,
    )  # fmt: skip


# A long series is smoothed once, not at every turn of the wheel: the last way of each, up to so many bytes in all.
WORTH_KEEPING, KEEP_BYTES = 200_000, 256 << 20
_kept: WeakKeyDictionary[Series, tuple[object, NDArray[np.float64]]] = WeakKeyDictionary()
_keeping = threading.Lock()


def _smoothed(
    series: Series, column: NDArray[Any], smoothing: Smoothing | None, x: Axis | Series
) -> NDArray[np.float64] | None:
    if smoothing is None:
        return None
    if len(series) < WORTH_KEEPING or isinstance(x, Series):
        return _smooth_parts(series, column, smoothing)
    with _keeping:
        known = _kept.get(series)
    if known is not None and known[0] == (smoothing, x):
        return known[1]
    made = _smooth_parts(series, column, smoothing)
    with _keeping:
        if sum(array.nbytes for _, array in _kept.values()) + made.nbytes > KEEP_BYTES:
            _kept.clear()
        _kept[series] = ((smoothing, x), made)
    return made


def _smooth_parts(series: Series, column: NDArray[Any], smoothing: Smoothing) -> NDArray[np.float64]:
    edges = [*series.segments.tolist(), len(series)]
    parts = [smooth(column[a:b], series.value[a:b], smoothing) for a, b in pairwise(edges)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0)


def _segment(
    column: NDArray[Any], drawn: Floats, begin: int, end: int, low: float, high: float, width: int, everything: bool
) -> tuple[Ints, Ints, int, bool]:
    """Positions to draw and positions that are not finite, the points inside the range, and whether none was left out."""
    x, before, after = column[begin:end], begin, end
    if not everything:
        if _ascends(x):
            first, last = between(x, low, high)
            before, after = begin + max(first - 1, 0), begin + min(last + 1, len(x))
        else:  # wall clocks and metrics may go back: take the hull of what is inside
            hit = np.flatnonzero((x >= low) & (x <= high))
            first, last = (int(hit[0]), int(hit[-1]) + 1) if len(hit) else (0, 0)
            before, after = (begin + max(first - 1, 0), begin + min(last + 1, len(x))) if len(hit) else (begin, begin)
        inside = last - first
    else:
        inside = end - begin
    x, y = column[before:after], drawn[before:after]
    if width == 0 or len(x) <= width * POINTS_PER_PIXEL or not high > low:
        positions = np.arange(before, after)
        fine = np.isfinite(y)
        if x.dtype.kind == "f":
            fine &= np.isfinite(x)
        return positions[fine], positions[~np.isfinite(y)], inside, True
    room = (width + 4) * POINTS_PER_PIXEL + 8
    kept, odd = np.empty(room, np.int64), np.empty(3 * (width + 4) + 8, np.int64)
    while True:
        made, odds = bucket.pick(_native_x(x), np.ascontiguousarray(y), 0.0, low, high, width, before, kept, odd)
        if made >= 0:
            return kept[:made], odd[:odds], inside, made + odds == len(x)
        # an x that goes back and forth may visit a pixel many times
        kept, odd = (
            np.empty(min(2 * len(kept), len(x) + 16), np.int64),
            np.empty(min(2 * len(odd), len(x) + 16), np.int64),
        )


def between(x: NDArray[Any], low: float, high: float) -> tuple[int, int]:
    """Where x, which ascends, is in [low, high]. A float sought among integers would make numpy copy them all."""
    if x.dtype.kind != "i":
        return int(np.searchsorted(x, low, "left")), int(np.searchsorted(x, high, "right"))
    least, greatest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    if low > greatest or high < least:
        return (len(x), len(x)) if low > greatest else (0, 0)
    from_step = math.ceil(low) if low > least else least
    to_step = math.floor(high) if high < greatest else greatest
    return int(np.searchsorted(x, np.int64(from_step), "left")), int(np.searchsorted(x, np.int64(to_step), "right"))


def _native_x(x: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(x, np.int64 if x.dtype.kind == "i" else np.float64)


def _ascends(x: NDArray[Any]) -> bool:
    # steps of a segment ascend by construction; other columns are looked at
    return x.dtype.kind == "i" or len(x) < 2 or bool((x[1:] >= x[:-1]).all())


def _domain(column: NDArray[Any], series: Series) -> tuple[float, float] | None:
    if len(column) == 0:
        return None
    if column.dtype.kind == "i":  # ascends within each segment: the ends tell
        ends = np.append(series.segments[1:], len(column)) - 1
        return float(column[series.segments].min()), float(column[ends].max())
    finite, low, high, _, _ = bucket.extent(np.ascontiguousarray(column, np.float64))
    return (low, high) if finite else None


def _extent(values: Floats, x: NDArray[Any], low: float, high: float) -> tuple[float, float] | None:
    """Of what is inside the range; the kept points hold each pixel's least and greatest, so theirs are the true ones."""
    inside = values[(x >= low) & (x <= high)]
    inside = inside[np.isfinite(inside)]
    return (float(inside.min()), float(inside.max())) if len(inside) else None


def _bad_kinds(values: Floats) -> NDArray[np.uint8]:
    return np.where(np.isnan(values), 0, np.where(values > 0, 1, 2)).astype(np.uint8)


def _metric_x(series: Series, metric: Series) -> NDArray[np.float64]:
    if len(metric) == 0:
        return np.full(len(series), np.nan)
    order = np.argsort(metric.step, kind="stable") if len(metric.segments) > 1 else slice(None)
    steps, values = metric.step[order], metric.value[order]
    at = np.searchsorted(steps, series.step, side="right") - 1
    return np.where(at >= 0, values[np.maximum(at, 0)], np.nan).astype(np.float64)
