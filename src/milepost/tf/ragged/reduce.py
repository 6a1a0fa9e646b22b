"""Sums, means and extremes of ragged tensors over their dimensions. In: a ragged tensor and axes. Out: a Tensor, or ragged where rows remain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import failures
from milepost.tf.convert import raw
from milepost.tf.ragged import partition
from milepost.tf.ragged.shaping import expand_dims
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.tensor import Tensor, wrap

__all__ = ["reduced"]


def _finite(limit: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What TensorFlow's segment operations give for no values: the lowest and highest finite number."""
    return lambda k: limit(torch.finfo(k) if k.is_floating_point else torch.iinfo(k))


_KERNELS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "Sum": ("sum", lambda k: 0),
    "Prod": ("prod", lambda k: 1),
    "Max": ("amax", _finite(lambda i: i.min)),
    "Min": ("amin", _finite(lambda i: i.max)),
    "Any": ("amax", lambda k: 0),
    "All": ("amin", lambda k: 1),
}


def reduced(op: str, dense: Callable[..., Any], rt: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """`dense` is the same reduction for tensors, for the dimensions inside."""
    from milepost.tf import reductions

    if dense in (reductions.reduce_variance, reductions.reduce_std):
        op = "Std" if dense is reductions.reduce_std else "Variance"
    if axis is None:
        made = _mean_free(op, dense, rt.flat_values)
        if keepdims:
            made = wrap(raw(made).reshape([1] * len(rt.shape)))
        return made
    rank = len(rt.shape)
    listed = [axis] if isinstance(axis, int) else np.atleast_1d(raw(axis)).tolist()
    for a in listed:
        if not -rank <= a < rank:
            raise ValueError(f"axis={a} out of bounds: expected {-rank}<=axis<{rank}")
    axes = sorted({int(a) % rank for a in listed}, reverse=True)
    if op == "Mean":
        return _mean(dense, rt, axes, keepdims)
    if op in ("Variance", "Std"):
        return _spread(op, rt, axes, keepdims)
    if op not in _KERNELS:
        raise NotImplementedError(f"tf.reduce ({op}) over an axis of a ragged tensor is not there; use .to_tensor().")
    for a in axes:
        rt = _over(op, dense, rt, a)
    return _kept(rt, axes, keepdims)


def _kept(made: Any, axes: list[int], keepdims: bool) -> Any:
    for a in sorted(axes) if keepdims else ():
        made = expand_dims(made, a)
    return made


def _mean_free(op: str, dense: Callable[..., Any], flat: Tensor) -> Tensor:
    if op == "Mean" and not flat.dtype.is_floating and not flat.dtype.is_complex:
        return wrap(raw(flat).to(torch.float64).mean())
    made: Tensor = dense(flat)
    return made


def _mean(dense: Callable[..., Any], rt: Any, axes: list[int], keepdims: bool) -> Any:
    from milepost.tf.arithmetic import truediv
    from milepost.tf.reductions import reduce_sum

    ones = rt.with_flat_values(wrap(torch.ones_like(raw(rt.flat_values))))
    total, count = reduced("Sum", reduce_sum, rt, axes), reduced("Sum", reduce_sum, ones, axes)
    return _kept(truediv(total, count), axes, keepdims)


def _spread(op: str, rt: Any, axes: list[int], keepdims: bool) -> Any:
    from milepost.tf.arithmetic import subtract
    from milepost.tf.pointwise import cast, sqrt, square
    from milepost.tf.reductions import reduce_mean

    values = rt if rt.dtype.is_floating else cast(rt, "float64")
    mean = reduced("Mean", reduce_mean, values, axes)
    made = subtract(reduced("Mean", reduce_mean, square(values), axes), square(mean))
    return _kept(sqrt(made) if op == "Std" else made, axes, keepdims)


def _over(op: str, dense: Callable[..., Any], value: Any, axis: int) -> Any:
    if isinstance(value, Tensor):
        return dense(value, axis)
    if axis == 0:
        width = int(partition.lengths(value._splits).max(initial=0))
        return _segments(op, value._values, partition.columns(value._splits), width)
    if axis == 1:
        return _segments(op, value._values, partition.rowids(value._splits), len(value))
    return value.with_values(_over(op, dense, value._values, axis - 1))


def _segments(op: str, values: Any, ids: Any, count: int) -> Any:
    """Values of one id put together; ragged ones column by column."""
    if isinstance(values, RaggedTensor):
        sizes = partition.lengths(values._splits)
        widest = np.zeros(count, np.int64)
        np.maximum.at(widest, ids, sizes)
        splits = partition.from_lengths(widest, values._splits.dtype)
        places = np.repeat(splits[:-1][ids], sizes) + partition.columns(values._splits)
        return RaggedTensor._made(_segments(op, values._values, places, int(splits[-1])), splits)
    t = raw(values)
    if type(t) is np.ndarray:
        raise failures.InvalidArgumentError(f"{op} is not defined for strings.")
    how, empty = _KERNELS[op]
    logical = t.dtype is torch.bool
    if logical:
        t = t.to(torch.uint8)
    made = torch.full((count, *t.shape[1:]), empty(t.dtype), dtype=t.dtype, device=t.device)
    index = torch.from_numpy(np.ascontiguousarray(ids, np.int64)).to(t.device)
    wide = index.reshape(-1, *[1] * (t.ndim - 1)).expand_as(t)
    made = made.scatter_reduce(0, wide, t, how, include_self=True)
    return wrap(made.bool() if logical else made)
