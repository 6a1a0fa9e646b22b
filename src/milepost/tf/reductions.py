"""Many values to few: sums, means, extremes, norms, cumulative and segment forms. In: a tensor and axes. Out: a smaller tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.tensor import Tensor, wrap

Function = Callable[..., Tensor]


def axes_of(t: Any, axis: Any, op: str) -> tuple[int, ...]:
    """The axes to reduce, as numbers from 0; none given means all."""
    if axis is None:
        return tuple(range(t.ndim))
    if type(axis) is int:
        axes = [axis]
    else:
        listed = raw(axis).tolist() if not isinstance(axis, (list, tuple)) else [int(a) for a in axis]
        axes = listed if isinstance(listed, list) else [listed]
    for a in axes:
        if not -t.ndim <= a < max(t.ndim, 1):
            raise failures.kernel(op, f"Invalid reduction dimension ({a} for input with {t.ndim} dimension(s)")
    return tuple(a % t.ndim for a in axes) if t.ndim else ()


def reduction(op: str, whole: Callable[[Any], Any], some: Callable[[Any, Any, bool], Any], text: str) -> Function:
    """The facade of one reduction: over everything, or over some axes."""

    def apply(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
        t = raw(input_tensor)
        if axis is None and not keepdims:
            return wrap(whole(t))
        return wrap(some(t, axes_of(t, axis, op), bool(keepdims)))

    apply.__doc__ = text
    return apply


def _sum(t: Any, axes: Any, keep: bool) -> Any:
    return t.sum(axes, keepdim=keep, dtype=t.dtype) if axes else t


def _mean_all(t: Any) -> Any:
    if t.is_floating_point() or t.is_complex():
        return t.mean()
    return torch.div(t.sum(dtype=torch.int64), max(t.numel(), 1), rounding_mode="trunc").to(t.dtype)


def _mean(t: Any, axes: Any, keep: bool) -> Any:
    if not axes:
        return t
    if t.is_floating_point() or t.is_complex():
        return t.mean(axes, keepdim=keep)
    count = 1
    for a in axes:
        count *= t.shape[a]
    return torch.div(t.sum(axes, keepdim=keep), max(count, 1), rounding_mode="trunc").to(t.dtype)


def _prod(t: Any, axes: Any, keep: bool) -> Any:
    kind = t.dtype
    for a in sorted(axes, reverse=True):
        t = t.prod(a, keepdim=keep)
    return t.to(kind)


def _any(t: Any, axes: Any, keep: bool) -> Any:
    return t.any(axes, keepdim=keep) if axes else t


def _all(t: Any, axes: Any, keep: bool) -> Any:
    return t.all(axes, keepdim=keep) if axes else t


def _max(t: Any, axes: Any, keep: bool) -> Any:
    return t.amax(axes, keepdim=keep) if axes else t


def _min(t: Any, axes: Any, keep: bool) -> Any:
    return t.amin(axes, keepdim=keep) if axes else t


def _var(t: Any, axes: Any, keep: bool) -> Any:
    return t.var(axes, correction=0, keepdim=keep) if axes else torch.zeros_like(t)


reduce_sum = reduction("Sum", lambda t: t.sum(dtype=t.dtype), _sum, "Sum over axes (all by default).")
reduce_mean = reduction("Mean", _mean_all, _mean, "Mean over axes; integers give integers.")
reduce_prod = reduction("Prod", lambda t: t.prod().to(t.dtype), _prod, "Product over axes.")
reduce_max = reduction(
    "Max", lambda t: t.amax() if t.numel() else t.new_full((), float("-inf")), _max, "Largest value over axes."
)
reduce_min = reduction(
    "Min", lambda t: t.amin() if t.numel() else t.new_full((), float("inf")), _min, "Smallest value over axes."
)
reduce_any = reduction("Any", torch.any, _any, "Whether any is true.")
reduce_all = reduction("All", torch.all, _all, "Whether all are true.")
reduce_variance = reduction("Variance", lambda t: t.var(correction=0), _var, "Variance over axes.")
reduce_std = reduction(
    "Std", lambda t: t.std(correction=0), lambda t, a, k: _var(t, a, k).sqrt(), "Standard deviation over axes."
)
reduce_logsumexp = reduction(
    "Logsumexp",
    lambda t: torch.logsumexp(t, tuple(range(t.ndim))),
    lambda t, a, k: torch.logsumexp(t, a, k),
    "log Σ eˣ over axes.",
)
reduce_euclidean_norm = reduction(
    "EuclideanNorm",
    lambda t: (t * t).sum().sqrt(),
    lambda t, a, k: _sum(t * t, a, k).sqrt(),
    "Euclidean norm over axes.",
)


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """How many are not 0."""
    t = raw(input) != 0
    return wrap(_sum(t.to(as_dtype(dtype).torch), axes_of(t, axis, "CountNonzero"), keepdims))


def _arg(op: str, function: Callable[..., Any], text: str) -> Function:
    def apply(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
        t = raw(input)
        a = 0 if axis is None else int(axis)
        if not -t.ndim <= a < t.ndim:
            raise failures.kernel(op, f"Expected dimension in the range [{-t.ndim}, {t.ndim}), but got {a}")
        return wrap(function(t.to(torch.uint8) if t.dtype is torch.bool else t, a).to(as_dtype(output_type).torch))

    apply.__doc__ = text
    return apply


argmax = _arg("ArgMax", torch.argmax, "Where the largest value stands along an axis (0 by default).")
argmin = _arg("ArgMin", torch.argmin, "Where the smallest value stands along an axis (0 by default).")


def _running(t: Any, axis: Any, exclusive: bool, reverse: bool, function: Any, start: float) -> Any:
    a = int(axis) % t.ndim
    if reverse:
        t = t.flip(a)
    done = function(t, a).to(t.dtype)
    if exclusive:
        first = torch.full_like(done.narrow(a, 0, 1), start)
        done = torch.cat([first, done.narrow(a, 0, done.shape[a] - 1)], a)
    return done.flip(a) if reverse else done


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """Running sum."""
    return wrap(_running(raw(x), axis, exclusive, reverse, torch.cumsum, 0))


def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """Running product."""
    return wrap(_running(raw(x), axis, exclusive, reverse, torch.cumprod, 1))


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Running log Σ eˣ."""
    return wrap(_running(raw(x), axis, exclusive, reverse, torch.logcumsumexp, float("-inf")))


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = dtypes.int32, name: str | None = None, **_: Any
) -> Tensor:  # fmt: skip
    """How often each number from 0 on occurs."""
    t = raw(arr).reshape(-1).long()
    made = torch.bincount(
        t, None if weights is None else raw(weights).reshape(-1), 0 if minlength is None else int(minlength)
    )
    if maxlength is not None:
        made = made[: int(maxlength)]
    return wrap(made if weights is not None else made.to(as_dtype(dtype).torch))


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:  # fmt: skip
    """Rows are labels, columns predictions, cells counts."""
    a, b = raw(labels).reshape(-1).long(), raw(predictions).reshape(-1).long()
    n = int(max(a.max(), b.max())) + 1 if num_classes is None else int(num_classes)
    counts = torch.bincount(a * n + b, None if weights is None else raw(weights).reshape(-1), minlength=n * n)
    return wrap(counts.reshape(n, n).to(as_dtype(dtype).torch))


def _segments(data: Any, ids: Any, count: int, how: str, empty: float) -> Any:
    t, index = raw(data), raw(ids).long()
    tail = t.shape[index.ndim :]
    flat, index = t.reshape(-1, *tail), index.reshape(-1)
    keep = index >= 0
    flat, index = flat[keep], index[keep]
    made = torch.full((count, *tail), empty, dtype=t.dtype, device=t.device)
    wide = index.reshape(-1, *[1] * len(tail)).expand_as(flat)
    include = how != "mean"
    return made.scatter_reduce(0, wide, flat, how, include_self=include)


def _segment_family(how: str, empty: Callable[[Any], float], text: str) -> tuple[Function, Function]:
    def sorted_form(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
        ids = raw(segment_ids)
        count = int(ids.max()) + 1 if ids.numel() else 0
        made = _segments(data, segment_ids, count, how, empty(raw(data).dtype))
        present = torch.bincount(ids.long().reshape(-1), minlength=count) > 0
        return wrap(torch.where(present.reshape(-1, *[1] * (made.ndim - 1)), made, torch.zeros_like(made)))

    def unsorted_form(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
        return wrap(_segments(data, segment_ids, int(num_segments), how, empty(raw(data).dtype)))

    sorted_form.__doc__, unsorted_form.__doc__ = text, text
    return sorted_form, unsorted_form


def _lowest(kind: Any) -> float:
    return float(torch.finfo(kind).min) if kind.is_floating_point else int(torch.iinfo(kind).min)


def _highest(kind: Any) -> float:
    return float(torch.finfo(kind).max) if kind.is_floating_point else int(torch.iinfo(kind).max)


segment_sum, unsorted_segment_sum = _segment_family("sum", lambda k: 0, "Sum of the rows that share an id.")
segment_mean, unsorted_segment_mean = _segment_family("mean", lambda k: 0, "Mean of the rows that share an id.")
segment_prod, unsorted_segment_prod = _segment_family("prod", lambda k: 1, "Product of the rows that share an id.")
segment_max, unsorted_segment_max = _segment_family("amax", _lowest, "Largest of the rows that share an id.")
segment_min, unsorted_segment_min = _segment_family("amin", _highest, "Smallest of the rows that share an id.")


def reduce_norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`tf.norm`: of a vector or matrix."""
    t = raw(tensor)
    order = 2 if ord == "euclidean" else ("fro" if ord in ("fro", "frobenius") else ord)
    if axis is None and order in (2, "fro"):
        flat = (t * t).sum().sqrt() if not t.is_complex() else t.abs().pow(2).sum().sqrt()
        return wrap(flat.reshape([1] * t.ndim) if keepdims else flat)
    dims = None if axis is None else tuple(int(a) for a in (axis if isinstance(axis, (list, tuple)) else [axis]))
    if dims is not None and len(dims) == 2 and order == 2 and ord == "euclidean":
        order = "fro"
    return wrap(torch.linalg.norm(t, order, dims, keepdims))


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over axes."""
    t = raw(x)
    dims = axes_of(t, axes, "Mean")
    return wrap(_mean(t, dims, keepdims)), wrap(_var(t, dims, keepdims))


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the target is among the k largest predictions."""
    p, chosen = raw(predictions), raw(targets).long()
    score = p.gather(1, chosen.unsqueeze(1))
    return wrap((p > score).sum(1) < int(to_torch(k)))
