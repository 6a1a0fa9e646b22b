"""Choosing among values: where, masks, gather, partitions. Scattering is in scattering.py, order in sorting.py.

In: a tensor and indices or conditions. Out: the chosen ones.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import is_tensor, raw, to_torch
from milepost.tf.failures import told
from milepost.tf.tensor import Tensor, wrap


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """x where the condition holds, y elsewhere; without x and y, the places where it holds."""
    if x is None and y is None:
        c = raw(condition)
        if type(c) is np.ndarray:
            c = torch.from_numpy(np.asarray(c != b"", bool))
        if c.ndim == 0:
            raise failures.kernel("Where", "WhereOp : Unhandled input dimensions: 0")
        return wrap(torch.nonzero(c))
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    c = raw(condition) if is_tensor(condition) else to_torch(condition, dtypes.bool_)
    if c.dtype is not torch.bool:
        raise failures.dtype_mismatch("SelectV2", dtypes.bool_, dtypes.of_torch(c.dtype), 0)
    a, b = match("SelectV2", x, y)
    if type(a) is np.ndarray:
        return wrap(np.asarray(np.where(c.numpy(), a, b), object))
    try:
        return wrap(torch.where(c, a, b))
    except RuntimeError:
        raise failures.kernel(
            "SelectV2",
            f"condition {failures.brackets(c.shape)}, then {failures.brackets(a.shape)}, and else {failures.brackets(b.shape)} must be broadcastable",
        ) from None


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The values where the mask is true, in a row."""
    t, m = raw(tensor), raw(mask)
    a = 0 if axis is None else int(axis)
    if m.ndim == 0:
        raise ValueError("mask cannot be scalar.")
    a = a + t.ndim if a < 0 else a
    if tuple(t.shape[a : a + m.ndim]) != tuple(m.shape):
        raise ValueError(f"Shapes {tuple(t.shape[a : a + m.ndim])} and {tuple(m.shape)} are incompatible")
    m = m if m.dtype is torch.bool else m != 0
    key = (slice(None),) * a + (m.numpy() if type(t) is np.ndarray else m,)
    return wrap(t[key])


def integers(op: str, indices: Any) -> Any:
    """Indices as int64, or TensorFlow's refusal of other dtypes."""
    index = raw(indices)
    if type(index) is np.ndarray or index.is_floating_point() or index.dtype is torch.bool:
        kind = dtypes.string if type(index) is np.ndarray else dtypes.of_torch(index.dtype)
        allowed = "int16, int32, int64"
        raise failures.InvalidArgumentError(
            f"Value for attr 'Tindices' of {kind.short} is not in the list of allowed values: {allowed}\n\t; NodeDef: {{{{node {op}}}}} [Op:{op}]"
        )
    return index.long()


def _checked(op: str, index: Any, size: int) -> Any:
    if index.device.type == "meta":
        return index
    if index.numel():
        low, high = index.aminmax()
        if low < 0 or high >= size:
            place = torch.nonzero((index < 0) | (index >= size))[0].tolist()
            shown = f"[{','.join(map(str, place))}]" if place else ""
            raise failures.kernel(op, f"indices{shown} = {int(index[tuple(place)])} is not in [0, {size})", None)
    return index


def gather(params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0, name: str | None = None) -> Tensor:  # fmt: skip
    """The rows (or slices along `axis`) at these indices."""
    t, index = raw(params), integers("GatherV2", indices)
    if not t.ndim:
        raise failures.kernel("GatherV2", "params must be at least 1 dimensional", None)
    batch = batch_dims + index.ndim if batch_dims < 0 else int(batch_dims)
    a = batch if axis is None else int(axis)
    if not -t.ndim <= a < t.ndim:
        raise failures.kernel("GatherV2", f"Shape must be at least rank {a + 1} but is rank {t.ndim}", None)
    a = a % t.ndim
    index = _checked("GatherV2", index, t.shape[a])
    if type(t) is np.ndarray:
        return wrap(np.asarray(np.take(t, index.numpy(), a), object))
    if not batch:
        if index.ndim == 1:
            return wrap(t.index_select(a, index))
        made = t.index_select(a, index.reshape(-1))
        return wrap(made.reshape((*t.shape[:a], *index.shape, *t.shape[a + 1 :])))
    if t.shape[:batch] != index.shape[:batch]:
        raise failures.kernel(
            "GatherV2",
            f"params.shape[:{batch}]: {failures.brackets(t.shape[:batch])} should be equal to indices.shape[:{batch}]: "
            f"{failures.brackets(index.shape[:batch])}",
            None,
        )
    lead = t.shape[:batch]
    rows = functools.reduce(operator.mul, lead, 1)
    flat, chosen = t.reshape(rows, *t.shape[batch:]), index.reshape(rows, -1)
    inner = a - batch + 1
    spread = chosen.reshape(rows, *[1] * (inner - 1), chosen.shape[1], *[1] * (flat.ndim - inner - 1))
    made = torch.take_along_dim(flat, spread, inner)
    return wrap(made.reshape((*lead, *t.shape[batch:a], *index.shape[batch:], *t.shape[a + 1 :])))


@told("GatherNd")
def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """The values at these coordinates."""
    t, index = raw(params), integers("GatherNd", indices)
    if batch_dims:
        lead = functools.reduce(operator.mul, t.shape[:batch_dims], 1)
        flat, chosen = t.reshape(lead, *t.shape[batch_dims:]), index.reshape(lead, *index.shape[batch_dims:])
        made = torch.stack([gather_nd(wrap(flat[i]), wrap(chosen[i]))._t for i in range(lead)])
        return wrap(made.reshape(*t.shape[:batch_dims], *made.shape[1:]))
    depth = index.shape[-1]
    if depth > t.ndim:
        raise failures.kernel(
            "GatherNd", f"index innermost dimension length must be <= params rank; saw: {depth} vs. {t.ndim}", None
        )
    within("GatherNd", index, t.shape, "param shape", ", node name: GatherNd")
    places = tuple(index[..., d] for d in range(depth))
    if type(t) is np.ndarray:
        return wrap(np.asarray(t[tuple(p.numpy() for p in places)], object))
    return wrap(t[places] if depth else t.expand(*index.shape[:-1], *t.shape))


def within(op: str, index: Any, shape: Any, what: str, tail: str = "") -> None:
    """Coordinates outside the shape are an error that names them."""
    if not index.numel() or index.device.type == "meta":
        return
    sizes = torch.tensor(list(shape[: index.shape[-1]]), device=index.device)
    bad = ((index < 0) | (index >= sizes)).any(-1)
    if bool(bad.any()):
        place = torch.nonzero(bad)[0].tolist()
        shown = f"[{','.join(map(str, place))}]" if place else ""
        found = ", ".join(map(str, index[tuple(place)].tolist()))
        raise failures.kernel(
            op, f"indices{shown} = [{found}] does not index into {what} {failures.brackets(shape)}{tail}", None
        )


@told("DynamicPartition")
def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """The rows by the number of their partition."""
    t, p, count = raw(data), raw(partitions), int(num_partitions)
    outside = torch.nonzero((p < 0) | (p >= count))
    if len(outside):
        place = outside[0].tolist()
        raise failures.kernel(
            "DynamicPartition",
            f"partitions[{','.join(map(str, place))}] = {int(p[tuple(place)])} is not in [0, {count})",
            None,
            f"_num_partitions_{count}",
        )
    return [wrap(t[(p == i).numpy()] if type(t) is np.ndarray else t[p == i]) for i in range(count)]


@told("DynamicStitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Rows from several tensors put where their indices say; of several for one place the last stays."""
    index = torch.cat([raw(i).reshape(-1).long() for i in indices])
    parts = [raw(d).reshape(-1, *raw(d).shape[raw(i).ndim :]) for i, d in zip(indices, data, strict=True)]
    rows = torch.cat(parts)
    count = int(index.max()) + 1 if index.numel() else 0
    last = torch.full((count,), -1).scatter_reduce(0, index, torch.arange(len(index)), "amax")
    made = rows[last.clamp(min=0)]
    return wrap(torch.where((last >= 0).reshape(-1, *[1] * (rows.ndim - 1)), made, torch.zeros_like(made)))


@told("ReverseSequence")
def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int = 1, batch_axis: int = 0, name: str | None = None
) -> Tensor:
    """The first part of each row, of given length, turned round."""
    t = raw(input).movedim(batch_axis, 0)
    axis = seq_axis if seq_axis > batch_axis else seq_axis + 1
    lengths = raw(seq_lengths).long().reshape(-1, 1)
    places = torch.arange(t.shape[axis]).reshape(1, -1)
    if bool((lengths > t.shape[axis]).any()):
        row = int(torch.nonzero(lengths.reshape(-1) > t.shape[axis])[0])
        raise failures.kernel("ReverseSequence", f"seq_lens({row}) > input.dims({seq_axis})", None)
    turned = torch.where(places < lengths, lengths - 1 - places, places)
    spread = turned.reshape(t.shape[0], *[1] * (axis - 1), t.shape[axis], *[1] * (t.ndim - axis - 1))
    return wrap(torch.take_along_dim(t, spread, axis).movedim(0, batch_axis))
