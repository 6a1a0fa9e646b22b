"""How often: bincount, histograms, confusion matrices, hits among the top k, values that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import Composite, raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import told
from milepost.tf.reductions import axes_of
from milepost.tf.tensor import Tensor, wrap


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """How many are not 0 (strings: not empty)."""
    t = raw(input)
    there = (torch.from_numpy(np.asarray(t != b"", bool)) if type(t) is np.ndarray else t != 0).to(
        as_dtype(dtype).torch
    )
    axes = axes_of(there, axis, "Sum")
    return wrap(there.sum(axes, keepdim=keepdims, dtype=there.dtype) if axes else there)


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = dtypes.int32, name: str | None = None,
    axis: int | None = None, binary_output: bool = False,
) -> Tensor:  # fmt: skip
    """How often each number from 0 on occurs: in all of them, or (axis -1) in each row."""
    try:
        t = raw(arr).long()
    except Composite:
        from milepost.tf.counting_rows import bincount as rows_apart

        return rows_apart(arr, weights, minlength, maxlength, dtype, name, axis, binary_output)
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if t.numel() and int(t.min()) < 0:
        raise failures.kernel("DenseBincount", "Input arr must be non-negative!")
    rows = t.reshape(1, -1) if axis != -1 or t.ndim < 2 else t.reshape(-1, t.shape[-1])
    size = max(int(t.max()) + 1 if t.numel() else 0, 0 if minlength is None else int(minlength))
    if maxlength is not None:
        size = min(size, int(maxlength))
    kept = rows < size
    values = (
        torch.ones(rows.shape, dtype=as_dtype(dtype).torch) if weights is None else raw(weights).reshape(rows.shape)
    )
    made = torch.zeros((rows.shape[0], size + 1), dtype=values.dtype)
    made.scatter_reduce_(1, rows.clamp(max=size), torch.where(kept, values, torch.zeros_like(values)), "sum")
    made = made[:, :size]
    if binary_output:
        made = (made != 0).to(made.dtype)
    return wrap(made[0] if axis != -1 or t.ndim < 2 else made)


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:  # fmt: skip
    """Rows are labels, columns predictions, cells counts."""
    from milepost.tf.debugging import assert_less, assert_non_negative

    a, b = raw(labels).reshape(-1).long(), raw(predictions).reshape(-1).long()
    assert_non_negative(wrap(a), message="`labels` contains negative values")
    assert_non_negative(wrap(b), message="`predictions` contains negative values")
    n = int(max(a.max(), b.max())) + 1 if num_classes is None else int(num_classes)
    assert_less(wrap(a), wrap(torch.tensor(n)), message="`labels` out of bound")
    assert_less(wrap(b), wrap(torch.tensor(n)), message="`predictions` out of bound")
    counts = torch.bincount(a * n + b, None if weights is None else raw(weights).reshape(-1), minlength=n * n)
    return wrap(counts.reshape(n, n).to(as_dtype(dtype).torch))


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the target is among the k largest predictions; one that is not finite is not, nor one among such."""
    p, chosen = raw(predictions), raw(targets).long()
    inside = (chosen >= 0) & (chosen < p.shape[1])
    score = p.gather(1, chosen.clamp(0, p.shape[1] - 1).unsqueeze(1))
    return wrap(((p > score).sum(1) < int(to_torch(k))) & torch.isfinite(p).all(1) & inside)


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Counts in bins of equal width; what lies outside counts at the ends."""
    places = histogram_fixed_width_bins(values, value_range, nbins, dtypes.int64)._t.reshape(-1)
    return wrap(torch.bincount(places, minlength=int(nbins)).to(as_dtype(dtype).torch))


@told("HistogramFixedWidth")
def histogram_fixed_width_bins(values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None) -> Tensor:  # fmt: skip
    """The bin each value falls in."""
    t = raw(values)
    low, high = (float(v) for v in raw(value_range).tolist())
    if low >= high:
        raise failures.kernel(
            "HistogramFixedWidth",
            f"value_range should satisfy value_range[0] < value_range[1], but got '[{low:g}, {high:g}]'",
            None,
        )
    count = int(nbins)
    return wrap(((t - low) / (high - low) * count).floor().clamp(0, count - 1).to(as_dtype(dtype).torch))
