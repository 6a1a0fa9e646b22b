"""Points of many dimensions, seen in few. In: a matrix. Out: principal components and nearest neighbours. Arrays only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["components", "nearest"]

EXACT_UP_TO = 1024  # the smaller side of a matrix whose covariance is decomposed as it is
SKETCH = 64  # random directions that find the leading ones of a larger matrix

Floats = NDArray[np.float32]


def components(points: Floats, wanted: int) -> tuple[Floats, list[float]]:
    """Coordinates [n, k] along the k ≤ `wanted` directions of greatest variance, and each one's share of all of it."""
    x = points.astype(np.float64)
    x[~np.isfinite(x)] = 0.0
    x -= x.mean(0)
    total = float((x * x).sum())
    if total <= 0:
        return np.zeros((len(x), min(wanted, x.shape[1])), np.float32), [0.0] * min(wanted, x.shape[1])
    if min(x.shape) > EXACT_UP_TO:
        # two turns of the power method sharpen the sketch: the leading ten come out to a per mille
        basis = np.random.default_rng(0).normal(size=(x.shape[1], SKETCH))
        for _ in range(3):
            basis, _ = np.linalg.qr(x.T @ (x @ basis))
        x = x @ basis
    if x.shape[1] <= len(x):
        values, vectors = np.linalg.eigh(x.T @ x)
        order = np.argsort(values)[::-1][:wanted]
        made, values = x @ vectors[:, order], values[order]
    else:
        values, vectors = np.linalg.eigh(x @ x.T)
        order = np.argsort(values)[::-1][:wanted]
        values = np.maximum(values[order], 0)
        made = vectors[:, order] * np.sqrt(values)
    # a direction has no sign of its own: the farthest point lies on the positive side, so that a reload does not mirror
    signs = np.sign(made[np.abs(made).argmax(0), np.arange(made.shape[1])])
    made = made * np.where(signs == 0, 1, signs)
    return made.astype(np.float32), [float(max(v, 0) / total) for v in values]


def nearest(points: Floats, row: int, count: int, metric: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The `count` points nearest to one, itself left out, by "cosine" (1 - cosine of the angle) or "euclidean" distance."""
    x = points.astype(np.float64)
    if metric == "cosine":
        length = np.sqrt((x * x).sum(1))
        away = 1 - (x @ x[row]) / np.maximum(length * length[row], 1e-30)
    else:
        away = np.sqrt(((x - x[row]) ** 2).sum(1))
    away[row] = np.inf
    away[np.isnan(away)] = np.inf
    chosen = np.argsort(away, kind="stable")[: min(count, len(x) - 1)]
    return chosen, np.maximum(away[chosen], 0)
