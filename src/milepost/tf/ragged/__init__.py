"""`tf.ragged`: tensors with rows of different lengths, made from Python lists, ranges and masks. The class is in tensor.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import convert_to_tensor, raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.ragged import dispatch, make, partition, rows, shaping
from milepost.tf.ragged.make import from_row_splits
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.tensor import Tensor, host, wrap

__all__ = [
    "RaggedTensor", "boolean_mask", "constant", "cross", "cross_hashed", "map_flat_values", "range", "row_splits_to_segment_ids",
    "segment_ids_to_row_splits", "stack", "stack_dynamic_partitions",
]  # fmt: skip

stack = shaping.stack
dispatch.install()


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _depth(value: Any) -> int:
    """How deeply lists are nested, scalars apart."""
    if not _is_list(value):
        return 0
    return 1 + max((_depth(v) for v in value), default=0)


def _scalars(value: Any) -> int | None:
    """The depth at which scalars stand, which is one and the same everywhere; None where there are none."""
    if not _is_list(value):
        return 0
    found = {d for d in map(_scalars, value) if d is not None}
    if len(found) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    return found.pop() + 1 if found else None


def constant(
    pylist: Any, dtype: Any = None, ragged_rank: int | None = None, inner_shape: Any = None, name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:  # fmt: skip
    """A ragged tensor from nested lists."""
    kind = as_dtype(row_splits_dtype)
    if kind.name not in ("int32", "int64"):
        raise ValueError("`dtype` of row splits must be tf.int32 or tf.int64.")
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        return convert_to_tensor(pylist, dtype)
    scalars, deepest = _scalars(pylist), _depth(pylist)
    if scalars is not None and deepest > scalars:
        raise ValueError(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
    if ragged_rank is not None and deepest < ragged_rank:
        raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
    if inner_shape is not None and ragged_rank is None:
        ragged_rank = max((scalars if scalars is not None else deepest + len(inner_shape)) - 1 - len(inner_shape), 0)
    levels = max(1, deepest - 1) if ragged_rank is None else ragged_rank
    if deepest == 1 and ragged_rank is None:
        levels = 0
    if ragged_rank is not None and inner_shape is None:
        deepest = max(deepest, ragged_rank + 1)
    nested: list[Any] = []
    values = list(pylist)
    for _ in np.arange(levels):
        nested.append(partition.from_lengths([len(row) for row in values], kind.as_numpy_dtype))
        values = [item for row in values for item in row]
    tail = _inner_shape(values, deepest - levels) if inner_shape is None else tuple(inner_shape)
    made: Any = wrap(_flat(values, tail, dtype))
    for splits in reversed(nested):
        made = RaggedTensor._made(made, splits)
    return made


def _inner_shape(values: list[Any], depth: int) -> tuple[int, ...]:
    if depth <= 1:
        return ()
    first = values[0] if values else []
    return (len(first), *_inner_shape(list(first), depth - 1))


def _flat(values: list[Any], tail: tuple[int, ...], dtype: Any) -> Any:
    wanted = None if dtype is None else as_dtype(dtype)
    if not values:
        return raw(rows.blank(wanted or dtypes.float32, (0, *tail)))
    try:
        t = to_torch(values, wanted)
    except ValueError as error:
        raise ValueError(f"inner values have inconsistent shape: {error}") from None
    if tuple(t.shape[1:]) != tail:
        raise ValueError(f"inner values have inconsistent shape: {tuple(t.shape[1:])} is not inner_shape {tail}")
    return t


def range(
    starts: Any, limits: Any = None, deltas: Any = 1, dtype: Any = None, name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:  # fmt: skip
    """One row of numbers for each start and limit."""
    if limits is None:
        starts, limits = 0, starts
    given = [convert_to_tensor(v) for v in (starts, limits, deltas)]
    if dtype is None:
        order = ("int32", "int64", "float32", "float64")
        kind = as_dtype(order[max(order.index(v.dtype.name) if v.dtype.name in order else 0 for v in given)])
    else:
        kind = as_dtype(dtype)
    a, b, d = np.broadcast_arrays(*[np.atleast_1d(host(v._t)).astype(kind.as_numpy_dtype) for v in given])
    if (d == 0).any():
        raise failures.kernel("RaggedRange", "Requires delta != 0")
    sizes = np.maximum(np.ceil((b.astype(np.float64) - a) / d), 0).astype(np.int64)
    splits = partition.from_lengths(sizes, as_dtype(row_splits_dtype).as_numpy_dtype)
    steps = partition.columns(splits).astype(kind.as_numpy_dtype)
    return RaggedTensor._made(wrap(torch.from_numpy(np.repeat(a, sizes) + steps * np.repeat(d, sizes))), splits)


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """What the mask marks; a mask of several dimensions keeps its rows."""
    held = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
    marks = mask if isinstance(mask, RaggedTensor) else convert_to_tensor(mask, dtypes.bool_)
    rank = len(marks.shape)
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if rank == 1:
        chosen = host(raw(marks))
        if len(chosen) != rows.count(held):
            raise failures.InvalidArgumentError(f"boolean_mask: {len(chosen)} marks for {rows.count(held)} rows.")
        return rows.take(held, np.flatnonzero(chosen))
    if not isinstance(held, RaggedTensor):
        held = make.from_tensor(held, ragged_rank=rank - 1)
    if not isinstance(marks, RaggedTensor):
        marks = make.from_tensor(marks, ragged_rank=rank - 1)
    if not np.array_equal(held._splits, marks._splits):
        raise failures.InvalidArgumentError("boolean_mask: data and mask have different row lengths.")
    inner = marks._values
    below = boolean_mask(held._values, inner)
    if rank > 2:
        return RaggedTensor._made(below, held._splits)
    kept = np.concatenate([[0], np.cumsum(host(raw(inner)))])
    return RaggedTensor._made(below, kept[held._splits].astype(held._splits.dtype))


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """op of the flat values, in the same rows."""
    given = [v for v in (*args, *kwargs.values()) if isinstance(v, RaggedTensor)]
    if not given:
        return op(*args, **kwargs)
    first = given[0]
    for other in given[1:]:
        if other.ragged_rank != first.ragged_rank or any(
            not np.array_equal(a._splits, b._splits) for a, b in zip(first._levels(), other._levels(), strict=True)
        ):
            raise failures.InvalidArgumentError("map_flat_values: Inputs must have identical ragged splits")

    def flat(value: Any) -> Any:
        return value.flat_values if isinstance(value, RaggedTensor) else value

    made = convert_to_tensor(op(*map(flat, args), **{k: flat(v) for k, v in kwargs.items()}))
    if not made.ndim or made.shape[0] != first.flat_values.shape[0]:
        raise ValueError(
            f"tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as flat_values of any ragged "
            f"inputs. (output shape: {made.shape}; expected outer dimension size: {first.flat_values.shape[0]})"
        )
    return first.with_flat_values(made)


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The row of each value."""
    given = rows.numbers(splits)
    return wrap(torch.from_numpy(partition.rowids(given).astype(_kind(given, out_type))))


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """The splits of rows of which each value knows its own."""
    ids = rows.numbers(segment_ids)
    count = (int(ids.max()) + 1 if len(ids) else 0) if num_segments is None else int(num_segments)
    return wrap(torch.from_numpy(partition.from_ids(ids, count, _kind(ids, out_type))))


def _kind(given: Any, out_type: Any) -> Any:
    return given.dtype if out_type is None else as_dtype(out_type).as_numpy_dtype


def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> RaggedTensor:
    """Row i holds the values of partition i, in their order."""
    held = data if isinstance(data, RaggedTensor) else convert_to_tensor(data)
    if isinstance(partitions, RaggedTensor):
        partitions, held = partitions.flat_values, data.flat_values
    ids, count = rows.numbers(partitions), int(num_partitions)
    if ids.size and (ids.min() < 0 or ids.max() >= count):
        raise failures.InvalidArgumentError(f"partitions must be in [0, {count}), got {ids.min()}..{ids.max()}.")
    if ids.ndim > 1:
        t = raw(held)
        held = wrap(t.reshape(ids.size, *t.shape[ids.ndim :]))
        ids = ids.reshape(-1)
    order = np.argsort(ids, kind="stable")
    return from_row_splits(rows.take(held, order), partition.from_ids(ids, count))


def _crossed(made: list[list[Any]], texts: bool) -> RaggedTensor:
    flat = [v for row in made for v in row]
    values: Any = np.empty(len(flat), dtype=object) if texts else np.array(flat, np.uint64).astype(np.int64)
    if texts:
        values[:] = flat
    return RaggedTensor._made(
        wrap(values if texts else torch.from_numpy(values)), partition.from_lengths([len(row) for row in made])
    )


def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Every combination of one feature of each input, row by row, as names."""
    from milepost.tf.sparse.compute import crossed, named

    return _crossed(crossed(inputs, named(b"_X_")), True)


def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Every combination of one feature of each input, row by row, as numbers below num_buckets."""
    from milepost.tf.sparse.compute import crossed, hashed

    return _crossed(crossed(inputs, hashed(int(num_buckets), hash_key)), False)
