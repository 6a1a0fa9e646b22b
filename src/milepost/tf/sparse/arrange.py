"""The same entries in another arrangement: dense and back, reorder, reshape, transpose, slice, concat, split, retain. In and out: sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.slices import IndexedSlices
from milepost.tf.sparse.tensor import SparseTensor, places, sizes
from milepost.tf.tensor import Tensor, host, wrap

__all__ = [
    "concat", "expand_dims", "eye", "fill_empty_rows", "from_dense", "mask", "reorder", "reset_shape", "reshape", "retain", "slice",
    "split", "to_dense", "to_indicator", "transpose",
]  # fmt: skip


def checked(sp: Any, name: str = "sp_input") -> SparseTensor:
    if not isinstance(sp, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {name} of type {type(sp).__name__}.")
    return sp


def taken(values: Tensor, order: Any) -> Tensor:
    """The entries with these numbers."""
    t = raw(values)
    if type(t) is np.ndarray:
        return wrap(t[order])
    return wrap(t[torch.from_numpy(np.ascontiguousarray(order))])


def joined(parts: list[Tensor]) -> Tensor:
    """The entries of one, then of the next."""
    tensors = [raw(p) for p in parts]
    for place, part in enumerate(parts):
        if part.dtype is not parts[0].dtype:
            raise failures.dtype_mismatch("SparseConcat", parts[0].dtype, part.dtype, place)
    return wrap(np.concatenate(tensors) if type(tensors[0]) is np.ndarray else torch.cat(tensors))


def _flat(sp: SparseTensor) -> Any:
    """The place of each entry in the dense tensor laid out in a row; places outside are an error."""
    at, shape = places(sp), sizes(sp)
    bad = ((at < 0) | (at >= np.asarray(shape))).any(1)
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise failures.kernel("SparseToDense", f"indices[{first}] = {failures.brackets(at[first])} is out of bounds: need 0 <= index < {failures.brackets(shape)}")  # fmt: skip
    return np.ravel_multi_index(tuple(at.T), tuple(shape)) if len(at) else np.zeros(0, np.int64)


def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The tensor with the empty places filled."""
    sp = checked(sp_input)
    flat, shape = _flat(sp), sizes(sp)
    if validate_indices and len(flat) > 1 and (np.diff(flat) <= 0).any():
        first = int(np.flatnonzero(np.diff(flat) <= 0)[0]) + 1
        why = "is repeated" if flat[first] == flat[first - 1] else "is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"  # fmt: skip
        raise failures.kernel("SparseToDense", f"indices[{first}] = {failures.brackets(places(sp)[first])} {why}")
    t = raw(sp.values)
    if type(t) is np.ndarray:
        made = np.empty(int(np.prod(shape)), dtype=object)
        made.fill(b"" if default_value is None else host(raw(default_value))[()])
        made[flat] = t
        return wrap(made.reshape(shape))
    filler = 0 if default_value is None else raw(convert_to_tensor(default_value, dtype_hint=sp.dtype)).to(t.dtype)
    blank = torch.zeros(int(np.prod(shape)), dtype=t.dtype, device=t.device) + filler
    return wrap(blank.to(t.dtype).index_put((torch.from_numpy(flat).to(t.device),), t).reshape(shape))


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The places that are not zero (or not the empty string)."""
    dense = convert_to_tensor(tensor)
    values = host(raw(dense))
    at = np.argwhere(values != (b"" if values.dtype == object else 0))
    t = raw(dense)
    chosen = t[tuple(at.T)] if type(t) is np.ndarray else t[tuple(torch.from_numpy(c.copy()) for c in at.T)]
    return SparseTensor(at, wrap(chosen if values.ndim else chosen.reshape(-1)), np.array(values.shape, np.int64))


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The entries in the order of their places."""
    sp = checked(sp_input)
    order = np.lexsort(places(sp).T[::-1]) if len(places(sp)) else np.zeros(0, np.int64)
    return SparseTensor(places(sp)[order], taken(sp.values, order), sp.dense_shape)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The axes in another order."""
    sp = checked(sp_input)
    order = list(range(len(sizes(sp))))[::-1] if perm is None else [int(p) for p in np.asarray(raw(perm) if isinstance(perm, Tensor) else perm)]  # fmt: skip
    return reorder(SparseTensor(places(sp)[:, order], sp.values, [sizes(sp)[a] for a in order]))


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same entries in another shape of the same size; one size may be -1."""
    sp = checked(sp_input)
    wanted = [int(d) for d in (host(raw(shape)) if isinstance(shape, Tensor) else shape)]
    total = int(np.prod(sizes(sp)))
    if wanted.count(-1) > 1:
        raise failures.InvalidArgumentError("only one output dimension may be -1")
    if -1 in wanted:
        rest = int(np.prod([d for d in wanted if d != -1]))
        wanted[wanted.index(-1)] = total // rest if rest else 0
    if int(np.prod(wanted)) != total:
        raise failures.kernel("SparseReshape", f"Input to reshape is a tensor with {total} dense values, but the requested shape has {int(np.prod(wanted))}. input_shape={failures.brackets(sizes(sp))} output_shape={failures.brackets(wanted)}")  # fmt: skip
    flat = _flat(sp)
    return SparseTensor(np.stack(np.unravel_index(flat, wanted), 1), sp.values, wanted)


def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """A new dimension of size 1."""
    sp = checked(sp_input)
    rank = len(sizes(sp))
    a = -1 if axis is None else int(axis)
    if not -rank - 1 <= a <= rank:
        raise ValueError(f"axis {a} must be in range [{-rank - 1}, {rank}].")
    a = a % (rank + 1)
    return SparseTensor(np.insert(places(sp), a, 0, axis=1), sp.values, np.insert(sizes(sp), a, 1))


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The entries inside a box."""
    sp = checked(sp_input)
    low, extent = (np.asarray(host(raw(v)) if isinstance(v, Tensor) else v) for v in (start, size))
    at = places(sp)
    high = np.minimum(low + extent, sizes(sp))
    keep = np.flatnonzero(((at >= low) & (at < high)).all(1))
    return SparseTensor(at[keep] - low, taken(sp.values, keep), np.maximum(high - low, 0))


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The marked entries."""
    sp = checked(sp_input)
    marks = host(raw(to_retain)).astype(bool)
    if marks.shape != (len(places(sp)),):
        raise ValueError(f"to_retain of shape {marks.shape} does not fit {len(places(sp))} entries.")
    keep = np.flatnonzero(marks)
    return SparseTensor(places(sp)[keep], taken(sp.values, keep), sp.dense_shape)


def concat(axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None) -> SparseTensor:
    """One after another along an axis."""
    parts = [checked(p) for p in sp_inputs]
    rank = len(sizes(parts[0]))
    a = int(axis) % rank
    shape = np.max([sizes(p) for p in parts], axis=0)
    for p in parts:
        others = [d for i, d in enumerate(sizes(p)) if i != a]
        if not expand_nonconcat_dims and others != [d for i, d in enumerate(sizes(parts[0])) if i != a]:
            raise failures.kernel("SparseConcat", f"Input shapes should match except in the concat dimension, got {[sizes(p) for p in parts]}")  # fmt: skip
    offsets = np.concatenate([[0], np.cumsum([sizes(p)[a] for p in parts])])
    moved = []
    for p, offset in zip(parts, offsets, strict=False):
        at = places(p).copy()
        at[:, a] += offset
        moved.append(at)
    shape[a] = offsets[-1]
    return reorder(SparseTensor(np.concatenate(moved), joined([p.values for p in parts]), shape))


def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """Equal parts along an axis; the first take what does not divide."""
    sp = checked(sp_input)
    if num_split is None or axis is None:
        raise ValueError("tf.sparse.split needs num_split and axis.")
    shape, a, count = sizes(sp), int(axis) % len(sizes(sp)), int(num_split)
    if not 0 < count <= shape[a]:
        raise failures.kernel("SparseSplit", f"num_split should be in the interval [1, {shape[a]}], got {count}")
    more, extra = divmod(shape[a], count)[0], shape[a] % count
    made, start = [], 0
    for part in range(count):
        width = more + (1 if part < extra else 0)
        low = [0] * len(shape)
        extent = list(shape)
        low[a], extent[a] = start, width
        made.append(slice(sp, low, extent))
        start += width
    return made


def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """Rows without an entry get one in their first column; and which those were."""
    sp = checked(sp_input)
    rows = sizes(sp)[0]
    empty = np.bincount(places(sp)[:, 0], minlength=rows)[:rows] == 0
    new = np.zeros((int(empty.sum()), len(sizes(sp))), np.int64)
    new[:, 0] = np.flatnonzero(empty)
    filler = convert_to_tensor(default_value, dtype_hint=sp.dtype)
    if filler.dtype is not sp.dtype:
        raise ValueError(f"default_value of {filler.dtype.name} does not fit values of {sp.dtype.name}.")
    t = raw(filler)
    many = wrap(np.repeat(t.reshape(1), len(new)) if type(t) is np.ndarray else t.reshape(1).expand(len(new)))
    made = SparseTensor(np.concatenate([places(sp), new]), joined([sp.values, many]), sp.dense_shape)
    return reorder(made), wrap(torch.from_numpy(empty))


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The tightest shape, or a larger one."""
    sp = checked(sp_input)
    if new_shape is None:
        wanted = (places(sp).max(0) + 1).tolist() if len(places(sp)) else [0] * len(sizes(sp))
    else:
        wanted = [int(d) for d in (host(raw(new_shape)) if isinstance(new_shape, Tensor) else new_shape)]
        if len(wanted) != len(sizes(sp)) or any(w < h for w, h in zip(wanted, sizes(sp), strict=True)):
            raise ValueError(f"new_shape {wanted} must have the rank of {sizes(sp)} and be at least as large.")
    return SparseTensor(sp.indices, sp.values, wanted)


def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """Whether each number below vocab_size occurs, for each row."""
    sp = checked(sp_input)
    at, values, size = places(sp)[:, :-1], host(raw(sp.values)).astype(np.int64), int(vocab_size)
    if values.size and (values.min() < 0 or values.max() >= size):
        raise failures.InvalidArgumentError(f"to_indicator: values must be in [0, {size}).")
    made = np.zeros((*sizes(sp)[:-1], size), bool)
    made[(*at.T, values)] = True
    return wrap(torch.from_numpy(made))


def eye(num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None) -> SparseTensor:
    """Ones on the diagonal."""
    height = int(num_rows)
    width = height if num_columns is None else int(num_columns)
    at = np.repeat(np.arange(min(height, width))[:, None], 2, 1)
    return SparseTensor(at, wrap(torch.ones(len(at), dtype=as_dtype(dtype).torch)), [height, width])


def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Indexed slices without the named rows."""
    keep = np.flatnonzero(~np.isin(host(raw(a.indices)), host(raw(mask_indices))))
    return IndexedSlices(taken(a.values, keep), taken(a.indices, keep), a.dense_shape)
