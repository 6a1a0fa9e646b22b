"""Many values to few: sums, means, extremes, norms, running forms. Counting is in counting.py, segments in segments.py. In: a tensor and axes. Out: a smaller tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import Composite, raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.tensor import Tensor, wrap

Function = Callable[..., Tensor]


_SUMS = "float double int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16 qint16 quint16 uint16 complex128 half uint32 uint64"
_ORDERED = (
    "float double int32 uint8 int16 int8 int64 bfloat16 uint16 half uint32 uint64 qint8 quint8 qint32 qint16 quint16"
)
_SIGNATURE = "input:T, reduction_indices:Tidx -> output:T"


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
            name = None if isinstance(axis, (list, tuple)) else ""
            raise failures.kernel(op, f"Invalid reduction dimension ({a} for input with {t.ndim} dimension(s)", name)
    made = tuple(a % t.ndim for a in axes) if t.ndim else ()
    if len(made) > 1 and len(set(made)) != len(made):
        twice = next(a for a in made if made.count(a) > 1)
        raise failures.kernel(op, f"Invalid reduction arguments: Axes contains duplicate dimension: {twice}", None)
    return made


def _unfit(op: str, t: Any) -> Exception:
    kind = dtypes.string if type(t) is np.ndarray else dtypes.of_torch(t.dtype)
    if op in ("Any", "All"):
        return failures.dtype_mismatch(op, dtypes.bool_, kind, 0)
    return failures.refused(op, kind, _ORDERED if op in ("Max", "Min") else _SUMS, _SIGNATURE)


def reduction(op: str, whole: Callable[[Any], Any], some: Callable[[Any, Any, bool], Any], text: str) -> Function:
    """The facade of one reduction: over everything, or over some axes."""
    logical, boolean = op in ("Any", "All"), torch.bool

    def apply(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
        try:
            t = raw(input_tensor)
        except Composite as found:
            return found.answer(f"reduce {op}", apply, input_tensor, axis, bool(keepdims))  # type: ignore[no-any-return]
        if (t.dtype is boolean) is not logical:
            raise _unfit(op, t)
        try:
            if axis is None and not keepdims:
                return wrap(whole(t))
            return wrap(some(t, axes_of(t, axis, op), bool(keepdims)))
        except (NotImplementedError, AttributeError, TypeError):
            if type(t) is np.ndarray or t.is_complex():
                raise _unfit(op, t) from None
            raise

    apply.__doc__ = text
    return apply


def _sum(t: Any, axes: Any, keep: bool) -> Any:
    return torch.sum(t, axes, keep, dtype=t.dtype) if axes else t


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


def _extreme(name: str, sign: int) -> tuple[Callable[[Any], Any], Callable[[Any, Any, bool], Any]]:
    function = getattr(torch, name)

    def nothing(t: Any, axes: Any, keep: bool) -> Any:
        """Of no values at all: the other end of the dtype."""
        kind = t.dtype
        if kind.is_floating_point:
            value: Any = sign * float("-inf")
        else:
            value = torch.iinfo(kind).min if sign > 0 else torch.iinfo(kind).max
        shape = [1 if i in axes else n for i, n in enumerate(t.shape) if keep or i not in axes]
        return torch.full(shape, value, dtype=kind)

    def whole(t: Any) -> Any:
        return function(t) if t.numel() else nothing(t, range(t.ndim), False)

    def some(t: Any, axes: Any, keep: bool) -> Any:
        if not axes:
            return t
        return function(t, axes, keepdim=keep) if t.numel() else nothing(t, axes, keep)

    return whole, some


def _var(t: Any, axes: Any, keep: bool) -> Any:
    if not (t.is_floating_point() or t.is_complex()):
        raise TypeError(f"Input must be either real or complex. Received integer type {dtypes.of_torch(t.dtype)}.")
    if not t.numel():  # without torch's warning
        return ((t - t.mean(axes, keepdim=True)) ** 2).mean(axes, keepdim=keep) if axes else t
    return t.var(axes, correction=0, keepdim=keep) if axes else t.abs() * 0


def _logsumexp(t: Any, axes: Any, keep: bool) -> Any:
    if t.is_complex():
        raise _unfit("Max", t)
    if not t.is_floating_point():
        raise failures.refused("IsFinite", dtypes.of_torch(t.dtype), "bfloat16 half float double", "x:T -> y:bool")
    return torch.logsumexp(t, axes, keep) if axes else t


def _euclidean(t: Any, axes: Any, keep: bool) -> Any:
    made = _sum((t * t.conj()) if t.is_complex() else t * t, axes, keep).sqrt()
    return made.to(t.dtype)


reduce_sum = reduction("Sum", lambda t: torch.sum(t, dtype=t.dtype), _sum, "Sum over axes (all by default).")
reduce_mean = reduction("Mean", _mean_all, _mean, "Mean over axes; integers give integers.")
reduce_prod = reduction("Prod", lambda t: torch.prod(t).to(t.dtype), _prod, "Product over axes.")
reduce_max = reduction("Max", *_extreme("amax", 1), "Largest value over axes.")
reduce_min = reduction("Min", *_extreme("amin", -1), "Smallest value over axes.")
reduce_any = reduction("Any", torch.any, _any, "Whether any is true.")
reduce_all = reduction("All", torch.all, _all, "Whether all are true.")
reduce_variance = reduction("Mean", lambda t: _var(t, tuple(range(t.ndim)), False), _var, "Variance over axes.")
reduce_std = reduction(
    "Mean",
    lambda t: _var(t, tuple(range(t.ndim)), False).sqrt(),
    lambda t, a, k: _var(t, a, k).sqrt(),
    "Standard deviation over axes.",
)
reduce_logsumexp = reduction(
    "Max", lambda t: _logsumexp(t, tuple(range(t.ndim)), False), _logsumexp, "log Σ eˣ over axes."
)
reduce_euclidean_norm = reduction(
    "EuclideanNorm",
    lambda t: _euclidean(t, tuple(range(t.ndim)), False),
    _euclidean,
    "Euclidean norm over axes.",
)


def _arg(op: str, function: Callable[..., Any], text: str) -> Function:
    def apply(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
        t = raw(input)
        a = 0 if axis is None else int(axis)
        if not -t.ndim <= a < t.ndim:
            raise failures.kernel(op, f"Expected dimension in the range [{-t.ndim}, {t.ndim}), but got {a}")
        if not t.shape[a] and t.numel() == 0:
            raise failures.kernel(op, f"Reduction axis {a} is empty in shape {failures.brackets(t.shape)}")
        if type(t) is np.ndarray or t.is_complex():
            raise _unfit("Max", t)
        return wrap(function(t.to(torch.uint8) if t.dtype is torch.bool else t, a).to(as_dtype(output_type).torch))

    apply.__doc__ = text
    return apply


argmax = _arg("ArgMax", torch.argmax, "Where the largest value stands along an axis (0 by default).")
argmin = _arg("ArgMin", torch.argmin, "Where the smallest value stands along an axis (0 by default).")


def _running(t: Any, axis: Any, exclusive: bool, reverse: bool, function: Any, start: float) -> Any:
    a = int(axis)
    if not -t.ndim <= a < t.ndim:
        op = function.__name__.capitalize()
        raise failures.kernel(op, f"ScanOp: Expected scan axis in the range [{-t.ndim}, {t.ndim}), but got {a}")
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


def reduce_norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`tf.norm`: of a vector (one axis, or all values in a row) or of a matrix (two axes)."""
    t = raw(tensor)
    if type(t) is np.ndarray:
        raise TypeError("Expected numeric or variant tensor, got dtype tf.string.")
    listed = raw(axis).tolist() if hasattr(axis, "numpy") else axis
    pair = isinstance(listed, (list, tuple)) and len(listed) == 2
    number = isinstance(ord, (int, float)) and not isinstance(ord, bool)
    if pair and ord not in ("euclidean", "fro", 1, 2, np.inf):
        raise ValueError(f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord}")
    if not pair and not (ord == "euclidean" or (number and ord > 0)):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if not (t.is_floating_point() or t.is_complex()):
        raise failures.refused("Sqrt", dtypes.of_torch(t.dtype), "bfloat16 half float double complex64 complex128")
    dims = axes_of(t, listed, "Sum")
    if ord in ("euclidean", "fro") or (ord == 2 and not pair):
        made = _euclidean(t, dims, keepdims)
        return wrap(made if t.is_complex() and ord != 2 else made.real if t.is_complex() else made)
    if pair:
        return wrap(torch.linalg.matrix_norm(t, ord, dims, keepdims))
    size = t.abs()
    if ord == 1:
        return wrap(_sum(size, dims, keepdims))
    if ord == np.inf:
        return wrap(size.amax(dims, keepdim=keepdims) if dims else size)
    return wrap(_sum(size**ord, dims, keepdims) ** (1 / ord))


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over axes; half precision is computed in float32."""
    t = raw(x)
    dims = axes_of(t, axes, "Mean")
    wide = t.float() if t.dtype is torch.float16 else t
    mean = _mean(wide, dims, keepdims)
    if wide.is_floating_point() or wide.is_complex():
        variance = _var(wide, dims, keepdims)
    else:
        variance = _mean((wide - _mean(wide, dims, True)) ** 2, dims, keepdims)
    return wrap(mean.to(t.dtype)), wrap(variance.to(t.dtype))
