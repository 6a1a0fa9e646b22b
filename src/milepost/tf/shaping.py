"""The same values in another arrangement: reshape, transpose, repeat, pad, slices. Joining and cutting apart is in joining.py. Choosing among values is in gathering.py."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import owned as raw  # a view of a variable must not change with it
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import told
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
        raise failures.kernel("Reshape", sentence, None) from None


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


@told("Transpose")
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """The last two dimensions exchanged."""
    t = raw(a).transpose(-1, -2)
    return wrap(t.conj().resolve_conj() if conjugate and t.is_complex() else t)


def _axis_number(op: str, axis: Any) -> int:
    if isinstance(axis, float):
        raise failures.InvalidArgumentError(
            f"Value for attr 'Tdim' of float is not in the list of allowed values: int32, int64\n\t; NodeDef: {{{{node {op}}}}} [Op:{op}]"
        )
    return int(axis)


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """A dimension of 1 put in."""
    t = raw(input)
    a = _axis_number("ExpandDims", axis)
    if not -t.ndim - 1 <= a <= t.ndim:
        raise failures.kernel("ExpandDims", f"Tried to expand dim index {a} for tensor with {t.ndim} dimensions.", None)
    return wrap(np.expand_dims(t, a) if type(t) is np.ndarray else t.unsqueeze(a))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Dimensions of 1 taken out."""
    t = raw(input)
    if axis is None:
        return wrap(t.squeeze())
    chosen = as_dims(axis)
    for a in chosen:
        if not -t.ndim <= a < t.ndim:
            raise failures.kernel(
                "Squeeze", f"Tried to squeeze dim index {a} for tensor with {t.ndim} dimensions.", None
            )
    chosen = tuple(a % t.ndim for a in chosen)
    for a in chosen:
        if t.shape[a] != 1:
            raise failures.kernel(
                "Squeeze", f"Can not squeeze dim[{a}], expected a dimension of 1, got {t.shape[a]}", None
            )
    return wrap(t.squeeze(chosen))


@told("Tile")
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeated along each dimension."""
    t, times = raw(input), as_dims(multiples)
    if len(times) != t.ndim:
        raise failures.kernel(
            "Tile", f"Expected multiples argument to be a vector of length {t.ndim} but got length {len(times)}", None
        )
    for i, n in enumerate(times):
        if n < 0:
            raise failures.kernel("Tile", f"Expected multiples[{i}] >= 0, but got {n}", None)
    return wrap(np.tile(t, times) if type(t) is np.ndarray else t.repeat(times) if t.ndim else t)


@told("Tile")
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each value repeated, along an axis or flattened."""
    t = raw(input)
    times = raw(repeats)
    if axis is None:
        t, axis = t.reshape(-1), 0
    a = int(axis)
    if t.ndim and not -t.ndim <= a < t.ndim:
        raise ValueError(f"axis={a} out of bounds: expected {-t.ndim}<=axis<{t.ndim}")
    if times.ndim and times.numel() not in (1, t.shape[a]):
        raise ValueError(f"Dimensions {t.shape[a]} and {times.numel()} are not compatible")
    if type(t) is np.ndarray:
        return wrap(np.repeat(t, times.numpy(), a))
    counts = int(times) if times.numel() == 1 else times.long()
    return wrap(torch.repeat_interleave(t if t.ndim else t.reshape(1), counts, a))


@told("Pad")
def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """Values put around: constant, REFLECT or SYMMETRIC."""
    t = raw(tensor)
    sides = raw(paddings).tolist()
    kind = mode.upper()
    if kind not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(
            f'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". Received `mode` = {mode}'
        )
    if len(sides) != t.ndim:
        where = f"{failures.brackets(raw(paddings).shape)} {failures.brackets(t.shape)}"
        raise failures.kernel("Pad", f"The first dimension of paddings must be the rank of inputs{where}", None)
    for before, after in sides:
        if before < 0 or after < 0:
            raise failures.kernel("Pad", f"Paddings must be non-negative: {before} {after}", None)
    if type(t) is np.ndarray:
        filler = b"" if type(constant_values) is int and not constant_values else raw(constant_values)[()]
        return wrap(_padded_text(t, sides, kind, filler))
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


def _padded_text(t: Any, sides: Any, kind: str, filler: bytes) -> Any:
    if kind == "CONSTANT":
        return np.pad(t, sides, constant_values=filler)
    return np.pad(t, sides, mode="reflect" if kind == "REFLECT" else "symmetric")


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


@told("BroadcastArgs")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The same, as a tensor."""
    x, y = as_dims(shape_x), as_dims(shape_y)
    try:
        return wrap(torch.tensor(np.broadcast_shapes(x, y), dtype=torch.int32))
    except ValueError:
        raise failures.kernel(
            "BroadcastArgs", f"Incompatible shapes: {failures.brackets(x)} vs. {failures.brackets(y)}", None
        ) from None


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """x, or an error when its shape does not fit."""
    t = raw(x)
    wanted = TensorShape(shape)
    if not TensorShape(tuple(t.shape)).is_compatible_with(wanted):
        shown = "[" + ",".join("?" if d is None else str(d) for d in wanted) + "]"
        raise failures.kernel(
            "EnsureShape",
            f"Shape of tensor input {failures.brackets(t.shape)} is not compatible with expected shape {shown}.",
            None,
        )
    return wrap(t)


@told("ReverseV2")
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Back to front along axes."""
    t = raw(tensor)
    if isinstance(axis, int) or (hasattr(axis, "shape") and len(axis.shape) == 0):
        raise failures.kernel("ReverseV2", "'dims' must be 1-dimension, not 0", None)
    dims = as_dims(axis)
    for i, a in enumerate(dims):
        if not -t.ndim <= a < t.ndim:
            raise failures.kernel("ReverseV2", f"'axis'[{i}] = {a} is out of valid range [0, {t.ndim - 1}", None)
    return wrap(np.flip(t, dims) if type(t) is np.ndarray else t.flip(dims))


@told("Roll")
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Moved along axes; what falls off comes in again."""
    return wrap(torch.roll(raw(input), as_dims(shift), as_dims(axis)))


@told("Slice")
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A block of given size from a given corner; -1 means to the end."""
    t = raw(input_)
    key: list[Any] = []
    if len(as_dims(begin)) != t.ndim or len(as_dims(size)) != t.ndim:
        raise failures.kernel(
            "Slice",
            f"Expected begin and size arguments to be 1-D tensors of size {t.ndim}, but got shapes [{len(as_dims(begin))}] and "
            f"[{len(as_dims(size))}] instead.",
            None,
        )
    for n, b, s in zip(t.shape, as_dims(begin), as_dims(size), strict=True):
        if not 0 <= b <= n:
            raise failures.kernel("Slice", f"Expected begin[{len(key)}] in [0, {n}], but got {b}", None)
        if s != -1 and b + s > n:
            raise failures.kernel("Slice", f"Expected size[{len(key)}] in [0, {n - b}], but got {s}", None)
        key.append(_slice(b, n if s == -1 else b + s))
    return wrap(t[tuple(key)])


def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0,
    new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Python's slices, as numbers; the bits of a mask say which places are `...`, a new axis, an index, or have no bound."""
    starts, ends = as_dims(begin), as_dims(end)
    steps = [1] * len(starts) if strides is None else as_dims(strides)
    key: list[Any] = []
    for i, (b, e, s) in enumerate(zip(starts, ends, steps, strict=True)):
        if ellipsis_mask >> i & 1:
            key.append(Ellipsis)
        elif new_axis_mask >> i & 1:
            key.append(None)
        elif shrink_axis_mask >> i & 1:
            key.append(b)
        else:
            key.append(_slice(None if begin_mask >> i & 1 else b, None if end_mask >> i & 1 else e, s))
    return index(input_, tuple(key))


@told("Bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bytes read as another dtype; a last dimension is made or used up where the sizes differ."""
    t, wanted = raw(input), as_dtype(type)
    have = t.dtype.itemsize
    if have < wanted.size:
        if not t.ndim or t.shape[-1] * have != wanted.size:
            raise failures.kernel("Bitcast", f"Cannot bitcast from {wanted.size} to {t.shape[-1] if t.ndim else 0}")
        return wrap(t.contiguous().view(wanted.torch).squeeze(-1))
    return wrap(t.contiguous().unsqueeze(-1).view(wanted.torch) if have > wanted.size else t.view(wanted.torch))
