"""The same values in another arrangement: reshape, transpose, join, split, repeat, pad. Choosing among values is in gathering.py."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.arithmetic import common
from milepost.tf.convert import owned as raw  # a view of a variable must not change with it
from milepost.tf.dtypes import as_dtype
from milepost.tf.indexing import index
from milepost.tf.shapes import TensorShape, as_dims
from milepost.tf.tensor import Tensor, wrap

_slice = builtins.slice  # the name is the operation's here


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The shape, as an int32 vector."""
    kind = dtypes.int32 if out_type is None else as_dtype(out_type)
    return wrap(torch.tensor(tuple(raw(input).shape), dtype=kind.torch))


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shape of each."""
    return [shape(v, out_type) for v in input]


def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """How many values there are."""
    kind = dtypes.int32 if out_type is None else as_dtype(out_type)
    t = raw(input)
    return wrap(torch.tensor(t.size if type(t) is np.ndarray else t.numel(), dtype=kind.torch))


def rank(input: Any, name: str | None = None) -> Tensor:
    """How many dimensions there are."""
    return wrap(torch.tensor(raw(input).ndim, dtype=torch.int32))


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same values, row by row, in another shape; -1 is worked out."""
    t, dims = raw(tensor), as_dims(shape)
    try:
        return wrap(t.reshape(dims))
    except (RuntimeError, ValueError):
        count = t.size if type(t) is np.ndarray else t.numel()
        wanted = 1
        for d in dims:
            wanted *= d
        if wanted < 0:
            sentence = f"Input to reshape is a tensor with {count} values, but the requested shape requires a multiple of {-wanted}"
        else:
            sentence = f"Input to reshape is a tensor with {count} values, but the requested shape has {wanted}"
        raise failures.kernel("Reshape", sentence) from None


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """Dimensions in another order: reversed, or as `perm` says."""
    t = raw(a)
    order = tuple(reversed(tuple(_count(t.ndim)))) if perm is None else as_dims(perm)
    if sorted(d % max(t.ndim, 1) for d in order) != list(_count(t.ndim)):
        raise failures.kernel(
            "Transpose", f"transpose expects a vector of size {t.ndim}. But input(1) is a vector of size {len(order)}"
        )
    if type(t) is np.ndarray:
        return wrap(t.transpose(order))
    t = t.permute(order)
    return wrap(t.conj().resolve_conj() if conjugate and t.is_complex() else t)


def _count(n: int) -> Any:
    return iter(np.arange(n).tolist())


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """The last two dimensions exchanged."""
    return wrap(raw(a).transpose(-1, -2))


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """A dimension of 1 put in."""
    t = raw(input)
    a = int(axis)
    if not -t.ndim - 1 <= a <= t.ndim:
        raise failures.kernel("ExpandDims", f"Tried to expand dim index {a} for tensor with {t.ndim} dimensions.")
    return wrap(np.expand_dims(t, a) if type(t) is np.ndarray else t.unsqueeze(a))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Dimensions of 1 taken out."""
    t = raw(input)
    if axis is None:
        return wrap(t.squeeze())
    chosen = tuple(a % t.ndim for a in as_dims(axis))
    for a in chosen:
        if t.shape[a] != 1:
            raise failures.kernel("Squeeze", f"Can not squeeze dim[{a}], expected a dimension of 1, got {t.shape[a]}")
    return wrap(t.squeeze(chosen))


def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Joined end to end along an axis they have."""
    if not isinstance(values, (list, tuple)):
        return wrap(raw(values))
    parts = common("ConcatV2", values)
    a = int(axis)
    if type(parts[0]) is np.ndarray:
        return wrap(np.concatenate(parts, a))
    first = parts[0]
    if not -first.ndim <= a < max(first.ndim, 1):
        raise failures.kernel(
            "ConcatV2",
            f"ConcatOp : Expected concatenating dimensions in the range [{-first.ndim}, {first.ndim}), but got {a}",
        )
    for i, t in enumerate(parts[1:], 1):
        for d in _count(min(first.ndim, t.ndim)):
            if d != a % first.ndim and t.shape[d] != first.shape[d]:
                raise failures.kernel(
                    "ConcatV2",
                    f"ConcatOp : Dimension {d} in both shapes must be equal: shape[0] = {failures.brackets(first.shape)} "
                    f"vs. shape[{i}] = {failures.brackets(t.shape)}",
                )
        if t.ndim != first.ndim:
            raise failures.kernel(
                "ConcatV2",
                f"ConcatOp : Ranks of all input tensors should match: shape[0] = {failures.brackets(first.shape)} "
                f"vs. shape[{i}] = {failures.brackets(t.shape)}",
            )
    return wrap(torch.cat(parts, a))


def stack(values: Any, axis: Any = 0, name: str = "stack") -> Tensor:
    """Put together along a new axis."""
    parts = common("Pack", list(values))
    for i, t in enumerate(parts):
        if tuple(t.shape) != tuple(parts[0].shape):
            raise failures.kernel(
                "Pack",
                f"Shapes of all inputs must match: values[0].shape = {failures.brackets(parts[0].shape)} != "
                f"values[{i}].shape = {failures.brackets(t.shape)}",
            )
    return wrap(np.stack(parts, int(axis)) if type(parts[0]) is np.ndarray else torch.stack(parts, int(axis)))


def unstack(value: Any, num: Any = None, axis: Any = 0, name: str = "unstack") -> list[Tensor]:
    """Taken apart along an axis, which disappears."""
    t = raw(value)
    if num is not None and int(num) != t.shape[int(axis)]:
        raise ValueError(f"Dimension must be {int(num)} but is {t.shape[int(axis)]}")
    if type(t) is np.ndarray:
        return [wrap(np.asarray(p, object)) for p in np.moveaxis(t, int(axis), 0)]
    return [wrap(p) for p in t.unbind(int(axis))]


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split") -> list[Tensor]:
    """Cut into equal parts (a number) or parts of given sizes (a list)."""
    t, a = raw(value), int(axis)
    wanted = num_or_size_splits
    total = t.shape[a]
    if isinstance(wanted, int) or (not isinstance(wanted, (list, tuple)) and raw(wanted).ndim == 0):
        n = int(wanted)
        if total % n:
            raise failures.kernel(
                "Split",
                f"Number of ways to split should evenly divide the split dimension, but got split_dim {a % t.ndim} (size = {total}) and num_split {n}",
            )
        return [wrap(p) for p in t.split(total // n, a)]
    sizes = list(as_dims(wanted))
    if -1 in sizes:
        sizes[sizes.index(-1)] = total - sum(s for s in sizes if s != -1)
    if sum(sizes) != total:
        raise failures.kernel(
            "SplitV",
            f"Determined shape must either match input shape along split_dim exactly if fully specified: {sizes} vs. {total}",
        )
    return [wrap(p) for p in t.split(sizes, a)]


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeated along each dimension."""
    t, times = raw(input), as_dims(multiples)
    if len(times) != t.ndim:
        raise failures.kernel(
            "Tile", f"Expected multiples argument to be a vector of length {t.ndim} but got length {len(times)}"
        )
    return wrap(np.tile(t, times) if type(t) is np.ndarray else t.repeat(times) if t.ndim else t)


def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each value repeated, along an axis or flattened."""
    t = raw(input)
    times = raw(repeats)
    if axis is None:
        t, axis = t.reshape(-1), 0
    counts = int(times) if times.ndim == 0 else times.long()
    return wrap(torch.repeat_interleave(t if t.ndim else t.reshape(1), counts, int(axis)))


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """Values put around: constant, REFLECT or SYMMETRIC."""
    t = raw(tensor)
    sides = raw(paddings).tolist()
    kind = mode.upper()
    if kind == "CONSTANT":
        flat = [int(v) for before_after in reversed(sides) for v in before_after]
        value = raw(constant_values).item()
        return wrap(torch.nn.functional.pad(t, flat, value=value))
    for a, (before, after) in enumerate(sides):  # one axis at a time: any rank, both mirrors
        n = t.shape[a]
        extra = 0 if kind == "SYMMETRIC" else 1
        if max(before, after) > n - extra:
            raise failures.kernel(
                "MirrorPad", f"paddings must be no greater than the dimension size: {before}, {after} greater than {n}"
            )
        low = torch.arange(before - 1 + extra, -1 + extra, -1)
        high = torch.arange(n - 1 - extra, n - 1 - extra - after, -1)
        t = t.index_select(a, torch.cat([low, torch.arange(n), high]).to(t.device))
    return wrap(t)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeated to a larger shape as arithmetic would."""
    t, dims = raw(input), as_dims(shape)
    try:
        return wrap(np.broadcast_to(t, dims).copy() if type(t) is np.ndarray else t.expand(dims))
    except (RuntimeError, ValueError):
        raise failures.kernel(
            "BroadcastTo", f"Incompatible shapes: {failures.brackets(t.shape)} vs. {failures.brackets(dims)}"
        ) from None


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape arithmetic on both would give."""
    return TensorShape(np.broadcast_shapes(tuple(shape_x), tuple(shape_y)))


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The same, as a tensor."""
    return wrap(torch.tensor(np.broadcast_shapes(as_dims(shape_x), as_dims(shape_y)), dtype=torch.int32))


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """x, or an error when its shape does not fit."""
    t = raw(x)
    if not TensorShape(tuple(t.shape)).is_compatible_with(shape):
        raise failures.kernel(
            "EnsureShape",
            f"Shape of tensor {failures.brackets(t.shape)} is not compatible with expected shape {TensorShape(shape)}.",
        )
    return wrap(t)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Back to front along axes."""
    t = raw(tensor)
    return wrap(np.flip(t, as_dims(axis)) if type(t) is np.ndarray else t.flip(as_dims(axis)))


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Moved along axes; what falls off comes in again."""
    return wrap(torch.roll(raw(input), as_dims(shift), as_dims(axis)))


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A block of given size from a given corner; -1 means to the end."""
    t = raw(input_)
    key: list[Any] = []
    for n, b, s in zip(t.shape, as_dims(begin), as_dims(size), strict=True):
        if s != -1 and b + s > n:
            raise failures.kernel("Slice", f"Expected size[{len(key)}] in [0, {n - b}], but got {s}")
        key.append(_slice(b, n if s == -1 else b + s))
    return wrap(t[tuple(key)])


def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0, name: str | None = None, **_: Any
) -> Tensor:  # fmt: skip
    """Python's slices, as numbers."""
    steps = [1] * len(as_dims(begin)) if strides is None else as_dims(strides)
    key = tuple(
        _slice(None if begin_mask >> i & 1 else b, None if end_mask >> i & 1 else e, s)
        for i, (b, e, s) in enumerate(zip(as_dims(begin), as_dims(end), steps, strict=True))
    )
    return index(input_, key)


def space_to_depth(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Blocks of pixels become channels."""
    t = raw(input)
    n, h, w, c = t.shape
    b = int(block_size)
    return wrap(t.reshape(n, h // b, b, w // b, b, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h // b, w // b, b * b * c))


def depth_to_space(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Channels become blocks of pixels."""
    t = raw(input)
    n, h, w, c = t.shape
    b = int(block_size)
    return wrap(t.reshape(n, h, w, b, b, c // b // b).permute(0, 1, 3, 2, 4, 5).reshape(n, h * b, w * b, c // b // b))


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bytes read as another dtype."""
    return wrap(raw(input).view(as_dtype(type).torch))


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """`stack` along the first axis."""
    return stack(values, 0)
