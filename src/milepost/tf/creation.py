"""New tensors from a shape or a rule: zeros, ranges, identities, one-hot codes. Random ones are in random.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import told
from milepost.tf.shapes import as_dims
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap


def _filled(shape: Any, dtype: Any, number: Any, text: bytes) -> Tensor:
    kind = as_dtype(dtype)
    dims = as_dims(shape)
    if kind.torch is None:
        if number:
            raise failures.not_converted(number, kind)
        return wrap(np.full(dims, text, dtype=object))
    try:
        return wrap(torch.full(dims, number, dtype=kind.torch, device=NOW.device))
    except RuntimeError:
        negative = next((d for d in dims if d < 0), None)
        if negative is None:
            raise
        raise failures.kernel("Fill", f"Dimension {negative} must be >= 0") from None


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """All 0; `shape` may be one number."""
    return _filled(shape, dtype, 0, b"")


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """All 1."""
    return _filled(shape, dtype, 1, b"1")


@told("Fill")
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """All the same value, in the value's own dtype."""
    t = raw(value)
    if t.ndim:
        raise failures.kernel("Fill", f"value must represent a scalar, got shape {failures.brackets(t.shape)}", None)
    if type(t) is np.ndarray:
        return wrap(np.full(as_dims(dims), t[()], dtype=object))
    return wrap(t.reshape(()).expand(as_dims(dims)).clone())


def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """All 0, in the shape of another."""
    t = raw(input)
    if type(t) is np.ndarray:
        return zeros(t.shape, dtype or dtypes.string)
    return wrap(torch.zeros_like(t, dtype=None if dtype is None else as_dtype(dtype).torch))


def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """All 1, in the shape of another."""
    return wrap(torch.ones_like(raw(input), dtype=None if dtype is None else as_dtype(dtype).torch))


def range(
    *args: Any, start: Any = None, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = None
) -> Tensor:
    """`range(limit)` or `range(start, limit, delta)`; the limit itself is left out."""
    given = list(args)
    if not given and limit is None:
        raise TypeError("range() missing 1 required positional argument: 'start'")
    if limit is not None:
        begin, end = (given[0] if given else (0 if start is None else start)), limit
    elif len(given) == 1:
        begin, end = (0, given[0]) if start is None else (start, given[0])
    else:
        begin, end = given[0], given[1]
        delta = given[2] if len(given) > 2 else delta
        dtype = given[3] if len(given) > 3 else dtype
    parts = [v if isinstance(v, (int, float)) else raw(v).item() for v in (begin, end, delta)]
    if dtype is None:
        tensors = [v for v in (begin, end, delta) if hasattr(v, "dtype")]
        if tensors:
            kind = max((as_dtype(v.dtype) for v in tensors), key=lambda d: (d.is_floating, d.size))
            if any(isinstance(v, float) for v in (begin, end, delta)) and not kind.is_floating:
                kind = dtypes.float32
        else:
            kind = dtypes.float32 if any(isinstance(v, float) for v in parts) else dtypes.int32
    else:
        kind = as_dtype(dtype)
    if parts[2] == 0:
        raise failures.kernel("Range", f"Requires delta != 0: {parts[2]}")
    if (parts[1] - parts[0]) * parts[2] < 0:
        rule = "start <= limit when delta > 0" if parts[2] > 0 else "start >= limit when delta < 0"
        raise failures.kernel("Range", f"Requires {rule}: {parts[0]:g}/{parts[1]:g}")
    return wrap(torch.arange(*parts, dtype=kind.torch, device=NOW.device))


@told("LinSpace")
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """num values from start to stop, both included."""
    a = to_torch(start)
    b = to_torch(stop, hint=dtypes.of_torch(a.dtype))
    if not a.is_floating_point():
        a, b = a.double(), b.double()
    weights = torch.linspace(0, 1, int(num), dtype=a.dtype, device=a.device)
    where = axis if axis >= 0 else a.ndim + 1 + axis
    shaped = weights.reshape([-1 if i == where else 1 for i in torch.arange(a.ndim + 1).tolist()])
    made = a.unsqueeze(where) + (b - a).unsqueeze(where) * shaped
    return wrap(made)


@told("Eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix."""
    n = int(num_rows)
    made = torch.eye(n, n if num_columns is None else int(num_columns), dtype=as_dtype(dtype).torch, device=NOW.device)
    if batch_shape is not None:
        dims = as_dims(batch_shape)
        made = made.expand(*dims, *made.shape).clone()
    return wrap(made)


@told("OneHot")
def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """Each index as a row of zeros with a one in its place; an index outside is all zeros."""
    t = raw(indices)
    if type(t) is np.ndarray or t.is_floating_point():
        kind = "string" if type(t) is np.ndarray else dtypes.of_torch(t.dtype).short
        raise failures.InvalidArgumentError(
            f"Value for attr 'TI' of {kind} is not in the list of allowed values: uint8, int8, int32, int64\n\t; "
            "NodeDef: {{node OneHot}} [Op:OneHot]"
        )
    size = int(depth)
    if size < 0:
        raise failures.kernel("OneHot", f"depth must be non-negative, got: {size}", None)
    if on_value is not None and off_value is not None:
        on_kind, off_kind = (wrap(raw(v)).dtype for v in (on_value, off_value))
        if on_kind is not off_kind:
            raise TypeError(f"dtype {on_kind} of on_value does not match dtype {off_kind} of off_value")
    kind = (
        as_dtype(dtype).torch
        if dtype is not None
        else (torch.float32 if on_value is None else to_torch(on_value).dtype)
    )
    places = torch.arange(size, dtype=t.dtype, device=t.device)
    hot = t.unsqueeze(-1) == places
    if on_value is None and off_value is None:
        made = hot.to(kind)
    else:
        on = to_torch(1 if on_value is None else on_value).to(kind)
        off = to_torch(0 if off_value is None else off_value).to(kind)
        made = torch.where(hot, on, off)
    return wrap(made if axis in (None, -1) else made.movedim(-1, int(axis)))


@told("Less")
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool_, name: str | None = None) -> Tensor:
    """True up to each length."""
    t = raw(lengths)
    end = (int(t.max()) if t.numel() else 0) if maxlen is None else int(maxlen)
    return wrap((torch.arange(end, dtype=t.dtype, device=t.device) < t.unsqueeze(-1)).to(as_dtype(dtype).torch))


@told("Reshape")
def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """Coordinates of a grid."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    return [wrap(t) for t in torch.meshgrid([raw(a).reshape(-1) for a in args], indexing=indexing)]
