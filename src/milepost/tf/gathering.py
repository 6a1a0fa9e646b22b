"""Choosing among values: where, gather, scatter, sort, top k, unique, masks. In: a tensor and indices or conditions. Out: the chosen ones."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """x where the condition holds, y elsewhere; without x and y, the places where it holds."""
    c = raw(condition)
    if x is None and y is None:
        return wrap(torch.nonzero(c))
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    a, b = match("SelectV2", x, y)
    c = c if c.dtype is torch.bool else c != 0
    if type(a) is np.ndarray:
        return wrap(np.where(c.numpy(), a, b))
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
    if tuple(t.shape[a : a + m.ndim]) != tuple(m.shape):
        raise ValueError(f"Shapes {tuple(t.shape[a : a + m.ndim])} and {tuple(m.shape)} are incompatible")
    if type(t) is np.ndarray:
        return wrap(t[(slice(None),) * a + (m.numpy(),)])
    return wrap(t[(slice(None),) * a + (m,)])


def _checked(op: str, index: Any, size: int) -> Any:
    if index.device.type == "meta":
        return index
    bad = (index < 0) | (index >= size)
    if index.numel() and bool(bad.any()):
        place = torch.nonzero(bad)[0].tolist()
        shown = ",".join(map(str, place))
        raise failures.kernel(op, f"indices[{shown}] = {int(index[tuple(place)])} is not in [0, {size})")
    return index


def gather(params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0, name: str | None = None) -> Tensor:  # fmt: skip
    """The rows (or slices along `axis`) at these indices."""
    t, index = raw(params), raw(indices)
    a = (batch_dims if axis is None else int(axis)) % max(t.ndim, 1)
    if type(t) is np.ndarray:
        return wrap(np.asarray(np.take(t, index.numpy(), a), object))
    index = _checked("GatherV2", index.long(), t.shape[a])
    if batch_dims:
        lead = t.shape[:batch_dims]
        rows = functools.reduce(operator.mul, lead, 1)
        flat = t.reshape(rows, *t.shape[batch_dims:])
        chosen = index.reshape(rows, *index.shape[batch_dims:])
        inner = a - batch_dims
        parts = [flat[i].index_select(inner, chosen[i].reshape(-1)) for i in range(rows)]
        made = torch.stack(parts)
        shape = (*lead, *t.shape[batch_dims:a], *index.shape[batch_dims:], *t.shape[a + 1 :])
        return wrap(made.reshape(shape))
    made = t.index_select(a, index.reshape(-1))
    return wrap(made.reshape((*t.shape[:a], *index.shape, *t.shape[a + 1 :])))


def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """The values at these coordinates."""
    t, index = raw(params), raw(indices).long()
    if batch_dims:
        lead = functools.reduce(operator.mul, t.shape[:batch_dims], 1)
        flat, chosen = t.reshape(lead, *t.shape[batch_dims:]), index.reshape(lead, *index.shape[batch_dims:])
        made = torch.stack([gather_nd(wrap(flat[i]), wrap(chosen[i]))._t for i in range(lead)])
        return wrap(made.reshape(*t.shape[:batch_dims], *made.shape[1:]))
    depth = index.shape[-1]
    for d in range(depth):
        _checked("GatherNd", index[..., d], t.shape[d])
    where_ = tuple(index[..., d] for d in range(depth))
    return wrap(t[tuple(w.numpy() for w in where_)] if type(t) is np.ndarray else t[where_])


def _scattered(tensor: Any, indices: Any, updates: Any, how: str) -> Tensor:
    t, index = raw(tensor), raw(indices).long()
    new = to_torch(updates, hint=dtypes.of_torch(t.dtype)).to(t.dtype)
    where_ = tuple(index[..., d] for d in range(index.shape[-1]))
    new = new.expand(*index.shape[:-1], *t.shape[index.shape[-1] :])
    if how == "set":
        return wrap(t.index_put(where_, new))
    if how == "add":
        return wrap(t.index_put(where_, new, accumulate=True))
    if how == "sub":
        return wrap(t.index_put(where_, -new, accumulate=True))
    inner = t.shape[index.shape[-1] :]
    outer = t.shape[: index.shape[-1]]
    rows = functools.reduce(operator.mul, outer, 1)
    place = torch.zeros_like(where_[0])
    for d, part in enumerate(where_):
        place = place * outer[d] + part
    flat = t.reshape(rows, -1)
    source = new.reshape(-1, flat.shape[1])
    spots = place.reshape(-1, 1).expand_as(source)
    made = flat.scatter_reduce(0, spots, source, how)
    return wrap(made.reshape(*outer, *inner))


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with other values at these coordinates."""
    return _scattered(tensor, indices, updates, "set")


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with these values added."""
    return _scattered(tensor, indices, updates, "add")


def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with these values taken away."""
    return _scattered(tensor, indices, updates, "sub")


def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with the larger of old and new."""
    return _scattered(tensor, indices, updates, "amax")


def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with the smaller of old and new."""
    return _scattered(tensor, indices, updates, "amin")


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None, **_: Any) -> Tensor:
    """Zeros with these values added at these coordinates."""
    new = raw(updates)
    return _scattered(wrap(torch.zeros(as_dims(shape), dtype=new.dtype, device=new.device)), indices, updates, "add")


def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """In order along an axis."""
    return wrap(raw(values).sort(int(axis), descending=_descending(direction)).values)


def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The indices that sort."""
    return wrap(torch.sort(raw(values), int(axis), descending=_descending(direction), stable=True).indices.int())


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: direction={direction}"
        )
    return direction == "DESCENDING"


def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The k largest along the last axis, and where they stand."""
    from milepost.tf.results import TopKV2

    t, n = raw(input), int(k)
    if n > t.shape[-1]:
        raise failures.kernel("TopKV2", f"input must have at least k columns. Had {t.shape[-1]}, needed {n}")
    found = t.topk(n, -1, sorted=bool(sorted))
    return TopKV2(wrap(found.values), wrap(found.indices.to(as_dtype(index_type).torch)))


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The different values in order of appearance, and for each value which of them it is."""
    from milepost.tf.results import Unique

    values, places, _ = _unique(raw(x))
    return Unique(values, wrap(places.to(as_dtype(out_idx).torch)))


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The same, with how often each occurs."""
    from milepost.tf.results import UniqueWithCounts

    values, places, counts = _unique(raw(x))
    kind = as_dtype(out_idx).torch
    return UniqueWithCounts(values, wrap(places.to(kind)), wrap(counts.to(kind)))


def _unique(t: Any) -> tuple[Tensor, Any, Any]:
    listed = t.tolist()
    order: dict[Any, int] = {}
    places = [order.setdefault(v, len(order)) for v in listed]
    values = np.array(list(order), dtype=object) if type(t) is np.ndarray else torch.tensor(list(order), dtype=t.dtype)
    index = torch.tensor(places, dtype=torch.int64)
    return wrap(values), index, torch.bincount(index, minlength=len(order))


def searchsorted(sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:  # fmt: skip
    """Where values belong in a sorted sequence."""
    a, b = match("SearchSorted", sorted_sequence, values)
    return wrap(torch.searchsorted(a.contiguous(), b.contiguous(), side=side).to(as_dtype(out_type).torch))


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """The rows by the number of their partition."""
    t, p = raw(data), raw(partitions)
    return [wrap(t[p == i]) for i in range(int(num_partitions))]


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Rows from several tensors put where their indices say."""
    index = torch.cat([raw(i).reshape(-1).long() for i in indices])
    parts = [raw(d).reshape(-1, *raw(d).shape[raw(i).ndim :]) for i, d in zip(indices, data, strict=True)]
    rows = torch.cat(parts)
    made = rows.new_zeros((int(index.max()) + 1, *rows.shape[1:]))
    made[index] = rows
    return wrap(made)


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes this one."""
    t = raw(x)
    return wrap(torch.argsort(t.long()).to(t.dtype))


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int = 1, batch_axis: int = 0, name: str | None = None
) -> Tensor:
    """The first part of each row, of given length, turned round."""
    t = raw(input).movedim(batch_axis, 0)
    axis = seq_axis if seq_axis > batch_axis else seq_axis + 1
    rows = []
    for row, length in zip(t, raw(seq_lengths).tolist(), strict=True):
        head, tail = row.narrow(axis - 1, 0, length), row.narrow(axis - 1, length, row.shape[axis - 1] - length)
        rows.append(torch.cat([head.flip(axis - 1), tail], axis - 1))
    return wrap(torch.stack(rows).movedim(0, batch_axis))


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: int = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Counts in bins of equal width; what lies outside counts at the ends."""
    t = raw(values).reshape(-1)
    low, high = (float(v) for v in raw(value_range).tolist())
    place = ((t - low) / (high - low) * nbins).floor().clamp(0, nbins - 1).long()
    return wrap(torch.bincount(place, minlength=nbins).to(as_dtype(dtype).torch))


def histogram_fixed_width_bins(values: Any, value_range: Any, nbins: int = 100, dtype: Any = dtypes.int32, name: str | None = None) -> Tensor:  # fmt: skip
    """The bin each value falls in."""
    t = raw(values)
    low, high = (float(v) for v in raw(value_range).tolist())
    return wrap(((t - low) / (high - low) * nbins).floor().clamp(0, nbins - 1).to(as_dtype(dtype).torch))
