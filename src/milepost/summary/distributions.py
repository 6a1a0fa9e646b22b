"""Distributions: histogram and precision-recall curve. In: values, or labels and predictions. Out: events with the counted form.

Counting happens on the log's thread. Not here: torch's older histogram message (`dialect`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.engines.host import to_host
from milepost.errors import SummaryError
from milepost.formats.plugins import HISTOGRAMS, PR_CURVES, PrCurvePluginData
from milepost.formats.tensor_proto import from_array
from milepost.summary.context import current, resolve_step
from milepost.summary.emit import later, metadata_for, now, recorder

__all__ = ["count_buckets", "histogram", "pr_curve", "precision_recall"]

DEFAULT_BUCKETS = 30
DEFAULT_THRESHOLDS = 201
SMALLEST_COUNT = 1e-7  # keeps an empty class from dividing by zero


def count_buckets(values: np.ndarray[Any, Any], buckets: int) -> np.ndarray[Any, Any]:
    """[buckets, 3] of left edge, right edge, count; all in the last bucket when all values are equal.

    Values that are not finite have no bucket and are left out.
    """
    flat = values.reshape(-1).astype(np.float64)
    if not np.isfinite(flat).all():
        flat = flat[np.isfinite(flat)]
    counted = np.zeros((buckets, 3))
    if buckets == 0 or flat.size == 0:
        return counted
    low, high = flat.min(), flat.max()
    if high == low:
        counted[:, :2] = low
        counted[-1, 2] = flat.size
        return counted
    width = (high - low) / buckets
    places = np.minimum(np.floor((flat - low) / width).astype(np.int64), buckets - 1)
    edges = np.linspace(low, high, buckets + 1)
    counted[:, 0], counted[:, 1], counted[:, 2] = edges[:-1], edges[1:], np.bincount(places, minlength=buckets)
    return counted


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: str | None = None
) -> bool:
    """Write the histogram of all elements of `data`, in `buckets` (30) buckets of equal width."""
    writer = recorder()
    if writer is None:
        return False
    step = resolve_step(step)
    number = DEFAULT_BUCKETS if buckets is None else int(buckets)
    if number < 0:
        raise SummaryError("buckets is a count", got=number, want="0 or more")
    values = to_host(data)
    if values.dtype.kind not in "fiub":
        raise SummaryError("a histogram counts numbers", got=values.dtype, want="floats or integers")
    tag, metadata = current.scope + name, metadata_for(HISTOGRAMS, description)
    return later(writer, tag, lambda: from_array(count_buckets(values, number)), metadata, step, values.nbytes)


def precision_recall(
    labels: np.ndarray[Any, Any], predictions: np.ndarray[Any, Any], thresholds: int, weights: Any = None
) -> np.ndarray[Any, Any]:  # fmt: skip
    """[6, thresholds]: true and false positives, true and false negatives, precision, recall, at evenly spaced thresholds."""
    weight = 1.0 if weights is None else np.asarray(weights)
    places = np.int32(np.floor(predictions * (thresholds - 1)))
    truth = labels.astype(np.float64)
    span = (0, thresholds - 1)
    true_counts, _ = np.histogram(places, bins=thresholds, range=span, weights=truth * weight)
    false_counts, _ = np.histogram(places, bins=thresholds, range=span, weights=(1.0 - truth) * weight)
    tp = np.cumsum(true_counts[::-1])[::-1]
    fp = np.cumsum(false_counts[::-1])[::-1]
    tn, fn = fp[0] - fp, tp[0] - tp
    precision = tp / np.maximum(SMALLEST_COUNT, tp + fp)
    recall = tp / np.maximum(SMALLEST_COUNT, tp + fn)
    return np.stack((tp, fp, tn, fn, precision, recall)).astype(np.float32)


def pr_curve(
    name: str, labels: Any, predictions: Any, num_thresholds: int | None = None, weights: Any = None, step: Any = None,
    description: str | None = None,
) -> bool:  # fmt: skip
    """Write the precision-recall curve of predictions in [0, 1] against boolean labels, at `num_thresholds` (201) thresholds."""
    writer = recorder()
    if writer is None:
        return False
    step = resolve_step(step)
    count = DEFAULT_THRESHOLDS if num_thresholds is None else int(num_thresholds)
    if count < 2:
        raise SummaryError("a curve needs at least two thresholds", got=count)
    truth, guesses = to_host(labels, copy=False), to_host(predictions, copy=False)
    if truth.shape != guesses.shape:
        raise SummaryError("labels and predictions differ in shape", got=truth.shape, want=guesses.shape)
    curve = precision_recall(truth, guesses, count, None if weights is None else to_host(weights, copy=False))
    content = PrCurvePluginData(num_thresholds=count).encode()
    return now(writer, current.scope + name, from_array(curve), metadata_for(PR_CURVES, description, content), step)
