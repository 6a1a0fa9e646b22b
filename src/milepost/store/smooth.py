"""Smoothing of whole series. In: x, values and a kind of smoothing. Out: as many values. Never sees fewer than all points.

What is not finite passes through and does not touch its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost._native import bucket
from milepost.errors import UsageError

__all__ = ["Ema", "Gaussian", "Smoothing", "smooth", "usual_gap"]

DIRECT_WORK = 20_000_000  # kernel evaluations up to which the exact sum is the faster way
GRID_PER_SIGMA = (
    32  # beyond it points are put on a grid this much finer than the kernel: error below 1e-3 of its height
)


@dataclass(frozen=True, slots=True)
class Ema:
    """TensorBoard's debiased exponential average, weight 0 … 1.

    `uneven`: the weight is raised to the gap between two points in units of the median gap, so that logging more often
    for a while does not bend the curve; on even gaps both are the same.
    """

    weight: float
    uneven: bool = False


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A normal kernel over x; sigma in units of x."""

    sigma: float


Smoothing = Ema | Gaussian


def smooth(x: NDArray[Any], value: NDArray[Any], how: Smoothing, *, gap: float | None = None) -> NDArray[np.float64]:
    """`value` smoothed over `x`, which ascends. `gap` is `usual_gap(x)`, for callers with many values over one x."""
    value = np.ascontiguousarray(value)
    out = np.empty(len(value), np.float64)
    if len(value) == 0:
        return out
    if isinstance(how, Ema):
        _check("weight of an average", how.weight, 0.0, 1.0)
        finite, least, greatest, _, _ = bucket.extent(value)
        if finite == 0 or least == greatest or how.weight <= 0:  # rounding must not make a constant wobble
            out[:] = value
        elif how.uneven and (apart := usual_gap(x) if gap is None else gap) > 0:
            bucket.ema_uneven(_plain(x), value, how.weight, apart, out)
        else:
            bucket.ema(value, how.weight, out)
        return out
    _check("sigma of a kernel", how.sigma, 0.0, np.inf)
    extent = float(x[-1]) - float(x[0])
    if how.sigma <= 0 or extent <= 0:
        out[:] = value
        return out
    if len(value) * len(value) * min(1.0, 8 * how.sigma / extent) <= DIRECT_WORK:
        bucket.gaussian(_plain(x), value, how.sigma, out)
        return out
    return _on_grid(x, value, how.sigma, extent)


def _check(what: str, got: float, low: float, high: float) -> None:
    if not low <= got < high:
        raise UsageError(f"the {what} is out of range", got=got, want=f"{low} up to, not including, {high}")


def _plain(x: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(x, np.int64 if x.dtype.kind == "i" else np.float64)


def usual_gap(x: NDArray[Any]) -> float:
    """The median distance of two neighbours that differ; 0 when none do."""
    # of a hundred thousand gaps, evenly taken: the median of ten million is the same and costs a tenth of a second
    at = np.arange(0, len(x) - 1, max(1, len(x) // 100_000))
    gaps = x[at + 1] - x[at]
    gaps = gaps[gaps > 0]
    return float(np.median(gaps)) if len(gaps) else 0.0


def _on_grid(x: NDArray[Any], value: NDArray[Any], sigma: float, extent: float) -> NDArray[np.float64]:
    """Sums of the points in cells of sigma / 32, convolved with the kernel, read off between the cells."""
    cell = sigma / GRID_PER_SIGMA
    cells = int(extent / cell) + 2
    if cells > 50_000_000:  # a kernel this narrow holds one point: nothing to smooth
        return np.asarray(value, np.float64).copy()
    place = (x - x[0]) / cell
    low = place.astype(np.int64)
    share = place - low
    finite = np.isfinite(value)
    good = np.where(finite, value, 0).astype(np.float64)
    weight = finite.astype(np.float64)

    def laid(amount: NDArray[np.float64]) -> NDArray[np.float64]:
        # linear sharing between the two nearest cells keeps the first moment, so a straight line stays straight
        below = np.asarray(np.bincount(low, amount * (1 - share), cells + 1), np.float64)
        above = np.asarray(np.bincount(low + 1, amount * share, cells + 1), np.float64)
        return below + above

    reach = np.arange(-4 * GRID_PER_SIGMA, 4 * GRID_PER_SIGMA + 1)
    kernel = np.exp(-0.5 * (reach / GRID_PER_SIGMA) ** 2)
    total, mass = _convolved(laid(good * weight), kernel), _convolved(laid(weight), kernel)
    level = np.divide(total, mass, out=np.zeros_like(total), where=mass > 0)
    smoothed = level[low] * (1 - share) + level[low + 1] * share
    return np.where(finite, smoothed, value)


def _convolved(row: NDArray[np.float64], kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    half = len(kernel) // 2
    full: NDArray[np.float64] = np.convolve(row, kernel)
    return full[half : half + len(row)]
