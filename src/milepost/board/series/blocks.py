"""Long series, looked at through their blocks. In: a series of millions of points, a range, a width. Out: the few rows that can matter, and nothing lost.

Each block of 256 points is known by its least and greatest value. A chart of the whole series needs those of the blocks inside a pixel,
and every point of the blocks that a pixel's edge cuts: the same points are then picked as from the whole series,
sooner (10 M points: 9 ms instead of 18; below 4 M the plain look is as fast).
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.store import Series

__all__ = ["thinned"]

BLOCK = 256
LONG = 4_000_000
MAX_REMEMBERED = 64
Rows = NDArray[np.int64]

_lock = threading.Lock()
_remembered: OrderedDict[tuple[Any, ...], tuple[Any, Rows, Rows]] = OrderedDict()


def extremes(key: tuple[Any, ...], values: NDArray[Any]) -> tuple[Rows, Rows]:
    """Rows of the least and the greatest value of each whole block, remembered as long as the series is the same."""
    with _lock:
        known = _remembered.get(key)
        if known is not None and known[0] is values:
            _remembered.move_to_end(key)
            return known[1], known[2]
    count = len(values) // BLOCK
    table = values[: count * BLOCK].reshape(count, BLOCK)
    start = np.arange(count) * BLOCK
    least, greatest = table.argmin(axis=1) + start, table.argmax(axis=1) + start
    with _lock:
        _remembered[key] = (values, least, greatest)
        while len(_remembered) > MAX_REMEMBERED:
            _remembered.popitem(last=False)
    return least, greatest


def thinned(
    key: tuple[Any, ...], series: Series, span: tuple[float | None, float | None], width: int
) -> tuple[Series, Rows, int] | None:
    """A shorter series that draws the same on the step axis, the rows it is made of, and how many points the range holds.

    None when the whole series is as well looked at itself: short, restarted, holding NaN, or wanted in full.
    `key` says which series it is, so that a longer one takes its place in what is remembered.
    """
    x, values = series.step, series.value
    count = len(values)
    if width <= 0 or count < LONG or len(series.segments) > 1 or series.truth.nan or series.truth.inf:
        return None
    low = float(x[0]) if span[0] is None else max(span[0], float(x[0]))
    high = float(x[-1]) if span[1] is None else min(span[1], float(x[-1]))
    if not low < high:
        return None
    first, last = int(np.searchsorted(x, math.ceil(low), "left")), int(np.searchsorted(x, math.floor(high), "right"))
    before, after = max(first - 1, 0), min(last + 1, count)
    if after - before < max(LONG // 4, 4 * width * BLOCK):
        return None
    least, greatest = extremes(key, values)
    blocks = len(least)
    # pixels divide what was asked for, as in the store's own picking
    left, right = (low if span[0] is None else span[0]), (high if span[1] is None else span[1])
    edges = np.clip(np.ceil(left + np.arange(1, width) * ((right - left) / width)), x[0], x[-1]).astype(np.int64)
    rows = np.searchsorted(x, edges, "left")
    cut = np.zeros(blocks + 1, bool)
    # a point on the very edge may fall to either pixel: its neighbours come along
    for near in (rows - 1, rows, rows + 1):
        cut[np.clip(near // BLOCK, 0, blocks)] = True
    wanted = np.zeros(count, bool)
    for extreme in (least, greatest, np.arange(blocks) * BLOCK, np.arange(blocks) * BLOCK + BLOCK - 1):
        wanted[extreme] = True
    wanted[: blocks * BLOCK].reshape(blocks, BLOCK)[cut[:blocks]] = True
    wanted[blocks * BLOCK :] = True
    # the ends of the range cut their blocks too
    for end in (before, first, last - 1, after - 1):
        start = min(max(end, 0) // BLOCK, blocks) * BLOCK
        wanted[start : start + BLOCK] = True
    chosen = np.flatnonzero(wanted[before:after]) + before
    short = replace(series, step=x[chosen], wall_time=series.wall_time[chosen], value=values[chosen])
    return short, chosen, last - first
