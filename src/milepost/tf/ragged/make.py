"""Ragged tensors from rows, splits, padded and sparse tensors, and back. Importing this gives RaggedTensor its from_… and to_… methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.ragged import partition, rows
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.shapes import TensorShape
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["coordinates", "from_row_splits", "from_tensor", "from_uniform_row_length", "merge_dims", "to_tensor"]


def _values(values: Any) -> Any:
    if isinstance(values, RaggedTensor):
        return values
    made = convert_to_tensor(values)
    if not made.ndim:
        raise ValueError("Ragged values must have rank at least 1; got a scalar.")
    return made


def _checked(good: Any, method: str, why: str) -> None:
    if not bool(good):
        raise failures.InvalidArgumentError(
            f"Arguments to {method} do not form a valid RaggedTensor: {why}"
        )  # fmt: skip


def _vector(value: Any, method: str, name: str) -> Any:
    made = rows.numbers(value)
    if made.ndim != 1:
        raise ValueError(f"{method}: {name} must be a vector, got shape {made.shape}.")
    return made


def from_row_splits(values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> RaggedTensor:
    """Row i is values[row_splits[i]:row_splits[i + 1]]."""
    if isinstance(row_splits, (list, tuple)) and not row_splits:
        raise ValueError("Argument `row_splits` may not be empty.")
    splits, held = _vector(row_splits, "from_row_splits", "row_splits"), _values(values)
    if validate:
        _checked(len(splits) and splits[0] == 0, "from_row_splits", f"zero is not the first row split: {splits[:1]}")
        _checked((partition.lengths(splits) >= 0).all(), "from_row_splits", f"the row splits fall: {splits}")
        _checked(
            splits[-1] == rows.count(held),
            "from_row_splits",
            f"the last row split is {splits[-1]}, but there are {rows.count(held)} values",
        )
    return RaggedTensor._made(held, splits)


def from_row_lengths(values: Any, row_lengths: Any, name: str | None = None, validate: bool = True) -> RaggedTensor:
    """Rows of these lengths, one after another."""
    sizes, held = _vector(row_lengths, "from_row_lengths", "row_lengths"), _values(values)
    if validate:
        _checked((sizes >= 0).all(), "from_row_lengths", f"a length is negative: {sizes}")
        _checked(sizes.sum() == rows.count(held), "from_row_lengths", f"the lengths sum to {sizes.sum()}, but there are {rows.count(held)} values")  # fmt: skip
    return RaggedTensor._made(held, partition.from_lengths(sizes, sizes.dtype))


def from_value_rowids(
    values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
) -> RaggedTensor:
    """The row of each value; they do not fall."""
    ids, held = _vector(value_rowids, "from_value_rowids", "value_rowids"), _values(values)
    count = (int(ids[-1]) + 1 if len(ids) else 0) if nrows is None else int(nrows)
    if count < 0:
        raise ValueError(f"Expected nrows >= 0; got {count}")
    if validate:
        _checked(len(ids) == rows.count(held), "from_value_rowids", f"{len(ids)} row ids for {rows.count(held)} values")
        _checked(not len(ids) or (ids[0] >= 0 and (np.diff(ids) >= 0).all() and ids[-1] < count), "from_value_rowids", f"the row ids must not fall and lie in [0, {count}): {ids}")  # fmt: skip
    return RaggedTensor._made(held, partition.from_ids(ids, count, ids.dtype))


def from_row_starts(values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> RaggedTensor:
    """Where each row starts; the last goes to the end."""
    starts, held = _vector(row_starts, "from_row_starts", "row_starts"), _values(values)
    if validate and len(starts):
        _checked(starts[0] == 0 and (np.diff(starts) >= 0).all(), "from_row_starts", f"{starts}")
        _checked(starts[-1] <= rows.count(held), "from_row_starts", f"{starts} for {rows.count(held)} values")
    return RaggedTensor._made(held, np.append(starts, np.asarray(rows.count(held), starts.dtype)))


def from_row_limits(values: Any, row_limits: Any, name: str | None = None, validate: bool = True) -> RaggedTensor:
    """Where each row ends."""
    limits, held = _vector(row_limits, "from_row_limits", "row_limits"), _values(values)
    splits = np.concatenate([np.zeros(1, limits.dtype), limits])
    if validate:
        _checked((np.diff(splits) >= 0).all() and splits[-1] == rows.count(held), "from_row_limits", f"{limits} for {rows.count(held)} values")  # fmt: skip
    return RaggedTensor._made(held, splits)


def from_uniform_row_length(
    values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: str | None = None
) -> RaggedTensor:
    """Rows that all have this length."""
    held, size = _values(values), int(uniform_row_length)
    total = rows.count(held)
    kind = held._splits.dtype if isinstance(held, RaggedTensor) else np.int64
    if nrows is None:
        count = total // size if size else 0
    else:
        count = int(nrows)
    if validate and (size < 0 or count * size != total):
        raise ValueError(f"uniform_row_length={size} times nrows={count} must equal nvals={total}")
    return RaggedTensor._made(held, partition.uniform(count, size, kind), size)


def _nested(one: Any, flat_values: Any, parts: Any, name: str) -> Any:
    if isinstance(parts, Tensor):
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {parts!r}.")
    made = flat_values
    for part in reversed(list(parts)):
        made = one(made, part)
    return _values(made)


def from_nested_row_splits(
    flat_values: Any, nested_row_splits: Any, name: str | None = None, validate: bool = True
) -> Any:
    """Several levels of splits, the outermost first."""
    return _nested(from_row_splits, flat_values, nested_row_splits, "nested_row_splits")


def from_nested_row_lengths(
    flat_values: Any, nested_row_lengths: Any, name: str | None = None, validate: bool = True
) -> Any:
    """Several levels of lengths, the outermost first."""
    return _nested(from_row_lengths, flat_values, nested_row_lengths, "nested_row_lengths")


def from_nested_value_rowids(
    flat_values: Any, nested_value_rowids: Any, nested_nrows: Any = None, name: str | None = None, validate: bool = True
) -> Any:
    """Several levels of row ids, the outermost first."""
    counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
    made = flat_values
    for ids, count in zip(reversed(list(nested_value_rowids)), reversed(counts), strict=True):
        made = from_value_rowids(made, ids, count)
    return _values(made)


def from_tensor(
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """A dense tensor's rows; with `lengths` cut to those, with `padding` without that value at the end of rows."""
    if isinstance(tensor, RaggedTensor):
        return tensor
    dense, kind = convert_to_tensor(tensor), as_dtype(row_splits_dtype).as_numpy_dtype
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if ragged_rank < 1 or not isinstance(ragged_rank, int):
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    t = raw(dense)
    if t.ndim <= ragged_rank:
        raise ValueError(
            f"The rank of a RaggedTensor must be greater than its ragged_rank; got a tensor of rank {t.ndim} and ragged_rank {ragged_rank}."
        )
    if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, np.integer)):
        return _cut(dense, [rows.numbers(part) for part in lengths], kind)
    if lengths is not None:
        return _cut(dense, [rows.numbers(lengths)], kind)
    if padding is not None:
        return _without_padding(dense, padding, ragged_rank, kind)
    shape = tuple(t.shape)
    made: Any = wrap(t.reshape(int(np.prod(shape[: ragged_rank + 1])), *shape[ragged_rank + 1 :]))
    for level in reversed(range(ragged_rank)):
        count = int(np.prod(shape[: level + 1]))
        made = RaggedTensor._made(made, partition.uniform(count, shape[level + 1], kind), shape[level + 1])
    return made


def _cut(dense: Tensor, nested: list[Any], kind: Any) -> RaggedTensor:
    t = raw(dense)
    sizes = np.minimum(nested[0].astype(kind), t.shape[1])
    if len(sizes) != t.shape[0] or (nested[0] < 0).any():
        raise failures.InvalidArgumentError(
            f"from_tensor: lengths {nested[0]} do not fit a tensor of {t.shape[0]} rows."
        )
    flat = wrap(t.reshape(t.shape[0] * t.shape[1], *t.shape[2:]))
    kept = rows.take(flat, partition.ranges(np.arange(t.shape[0]) * t.shape[1], sizes))
    inner = _cut(kept, nested[1:], kind) if len(nested) > 1 else kept
    return RaggedTensor._made(inner, partition.from_lengths(sizes, kind))


def _without_padding(dense: Tensor, padding: Any, ragged_rank: int, kind: Any) -> RaggedTensor:
    """Rows of the innermost ragged dimension end after their last value that is not padding."""
    t = raw(dense)
    filler = raw(convert_to_tensor(padding, dtype_hint=dense.dtype))
    if filler.ndim and tuple(filler.shape) != tuple(t.shape[ragged_rank + 1 :]):
        raise ValueError(f"padding.shape {tuple(filler.shape)} does not match tensor.shape[{ragged_rank + 1}:].")
    shape = tuple(t.shape)
    other = (host(t) != host(filler)).reshape(int(np.prod(shape[:ragged_rank])), shape[ragged_rank], -1).any(-1)
    sizes = np.where(other, np.arange(1, other.shape[1] + 1), 0).max(1, initial=0)
    made = _cut(wrap(t.reshape(-1, *shape[ragged_rank:])), [sizes], kind)
    for size in reversed(shape[1:ragged_rank]):
        made = from_uniform_row_length(made, size)
    return made


def from_sparse(st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64) -> RaggedTensor:
    """A sparse matrix whose rows are filled from the left."""
    if len(st_input.shape) != 2:
        raise ValueError(f"Argument `st_input` must have rank 2. Received {len(st_input.shape)}.")
    places = host(st_input.indices._t)
    made = from_value_rowids(st_input.values, places[:, 0], int(st_input.dense_shape.numpy()[0]))
    if not np.array_equal(places[:, 1], partition.columns(made._splits)):
        raise failures.InvalidArgumentError("SparseTensor is not right-ragged")
    return made.with_row_splits_dtype(row_splits_dtype)


def coordinates(rt: RaggedTensor) -> list[Any]:
    """The index of each flat value in every ragged dimension."""
    found: list[Any] = []
    for level in rt._levels():
        ids = partition.rowids(level._splits)
        found = [axis[ids] for axis in found] if found else [ids]
        found.append(partition.columns(level._splits))
    return found


def to_tensor(rt: RaggedTensor, default_value: Any = None, name: str | None = None, shape: Any = None) -> Tensor:
    """Dense, short rows filled up with default_value (0 or empty text); `shape` cuts or widens."""
    bound = rt.bounding_shape().numpy().tolist()
    flat = raw(rt.flat_values)
    inner = len(rt._levels()) + 1
    if shape is not None:
        wished = TensorShape(shape)
        if wished.rank is not None:
            if wished.rank != len(bound):
                raise failures.kernel("RaggedTensorToTensor", f"rt_input.shape and shape={wished} are incompatible: rt_input.rank = {len(bound)} but shape.rank = {wished.rank}")  # fmt: skip
            bound = [b if w is None else w for b, w in zip(bound, wished, strict=True)]
    places = coordinates(rt)
    keep: Any = slice(None)
    for place, size in zip(places, bound, strict=False):
        if place.size and place.max() >= size:
            mask = place < size
            keep = mask if isinstance(keep, slice) else keep & mask
    tail = tuple(flat.shape[1:])
    if list(tail) != bound[inner:]:
        raise failures.InvalidArgumentError(
            f"to_tensor: shape {bound} does not fit values of inner shape {list(tail)}."
        )
    if not isinstance(keep, slice):
        places = [p[keep] for p in places]
        flat = flat[keep] if type(flat) is np.ndarray else flat[torch.from_numpy(keep)]
    filler = None if default_value is None else raw(convert_to_tensor(default_value, rt.dtype))
    if type(flat) is np.ndarray:
        made = np.empty(bound, dtype=object)
        if filler is None or not filler.ndim:
            made.fill(b"" if filler is None else filler[()])
        else:
            made[...] = filler
        made[tuple(places)] = flat
        return wrap(made)
    filled = torch.zeros(bound, dtype=flat.dtype, device=flat.device)
    if filler is not None:
        filled = filler.to(flat.device).expand(bound)
    return wrap(filled.index_put(tuple(rows.index_tensor(p, flat) for p in places), flat))


def to_sparse(rt: RaggedTensor, name: str | None = None) -> Any:
    """The same values at their places in the bounding shape."""
    from milepost.tf.sparse import SparseTensor

    places, values = np.stack(coordinates(rt), 1), rt.flat_values
    if values.ndim > 1:
        tail = values.shape[1:]
        inner = np.stack(np.meshgrid(*[np.arange(d) for d in tail], indexing="ij"), -1).reshape(-1, len(tail))
        places = np.concatenate([np.repeat(places, len(inner), 0), np.tile(inner, (len(places), 1))], 1)
        values = wrap(raw(values).reshape(-1))
    return SparseTensor(places.astype(np.int64), values, rt.bounding_shape(out_type=dtypes.int64))


def merge_dims(rt: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """The dimensions from outer to inner as one."""
    rank = len(rt.shape)
    outer, inner = outer_axis % rank, inner_axis % rank
    if outer == inner:
        return rt
    if outer > inner:
        raise ValueError("Expected outer_axis <= inner_axis.")
    return _merged(rt, outer, inner)


def _merged(value: Any, outer: int, inner: int) -> Any:
    if outer == inner:
        return value
    if isinstance(value, Tensor):
        t = raw(value)
        return wrap(t.reshape(*t.shape[:outer], -1, *t.shape[inner + 1 :]))
    if outer > 1:
        return value.with_values(_merged(value._values, outer - 1, inner - 1))
    if outer == 0:
        return _merged(value._values, 0, inner - 1)
    # outer is 1: the rows of this level swallow those of the next
    below = value._values
    if isinstance(below, Tensor):
        t = raw(below)
        flat = wrap(t.reshape(-1, *t.shape[2:]))
        width = int(t.shape[1])
        made = RaggedTensor._made(
            flat, value._splits * width, None if value._uniform is None else value._uniform * width
        )
    else:
        both = None if value._uniform is None or below._uniform is None else value._uniform * below._uniform
        made = RaggedTensor._made(below._values, below._splits[value._splits], both)
    return _merged(made, 1, inner - 1)


for _function in (
    from_row_splits, from_row_lengths, from_value_rowids, from_row_starts, from_row_limits, from_uniform_row_length, from_nested_row_splits,
    from_nested_row_lengths, from_nested_value_rowids, from_tensor, from_sparse,
):  # fmt: skip
    setattr(RaggedTensor, _function.__name__, staticmethod(_function))
for _method in (to_tensor, to_sparse, merge_dims):
    setattr(RaggedTensor, _method.__name__, _method)
