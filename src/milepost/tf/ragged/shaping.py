"""The same values in another arrangement, for ragged tensors: joined, stacked, given new axes, gathered, repeated, turned round. In and out: Tensors and RaggedTensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf import failures
from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.ragged import make, partition, rows
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.tensor import Tensor, host

__all__ = [
    "concat",
    "expand_dims",
    "gather",
    "gather_nd",
    "repeat",
    "reverse",
    "split",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]


def _tensor(value: Any) -> Any:
    return value if isinstance(value, RaggedTensor) else convert_to_tensor(value)


def _axis(axis: Any, rank: int) -> int:
    a = int(axis)
    if not -rank <= a < rank:
        raise ValueError(f"axis={a} out of bounds: expected {-rank}<=axis<{rank}")
    return a % rank


def expand_dims(value: Any, axis: Any = None) -> Any:
    """A new dimension of size 1."""
    if isinstance(value, Tensor):
        from milepost.tf.shaping import expand_dims as dense

        return dense(value, axis)
    a = _axis(axis, len(value.shape) + 1)
    if a == 0:
        return make.from_uniform_row_length(value, len(value), nrows=1)
    if a == 1:
        return make.from_uniform_row_length(value, 1, nrows=len(value))
    return value.with_values(expand_dims(value._values, a - 1))


def _alike(values: list[Any]) -> list[Any]:
    """All ragged in the same dimensions."""
    ranks = {len(v.shape) for v in values}
    if len(ranks) > 1:
        raise ValueError(f"Ragged tensors to be joined must have the same rank, got ranks {sorted(ranks)}.")
    depth = max(v.ragged_rank if isinstance(v, RaggedTensor) else 0 for v in values)
    return [_deep(v, depth) for v in values]


def _deep(value: Any, depth: int) -> Any:
    if depth == 0:
        return value
    if isinstance(value, Tensor):
        return make.from_tensor(value, ragged_rank=depth)
    return value if value.ragged_rank >= depth else value.with_values(_deep(value._values, depth - 1))


def concat(values: Any, axis: Any, name: str | None = None) -> Any:
    """One after another along an axis; rows along the others must agree."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("Argument `values` may not be empty.")
    parts = [_tensor(v) for v in values]
    a = _axis(axis, len(parts[0].shape))
    if len(parts) == 1:
        return parts[0]
    return _joined(parts if all(isinstance(p, Tensor) and len(p.shape) == 1 for p in parts) else _alike(parts), a)


def _joined(parts: list[Any], axis: int) -> Any:
    if axis == 0:
        return rows.join(parts)
    if isinstance(parts[0], Tensor):
        from milepost.tf.joining import concat as dense

        return dense(parts, axis)
    counts = {len(p) for p in parts}
    if len(counts) > 1:
        raise failures.InvalidArgumentError(f"Input tensors have incompatible shapes: {sorted(counts)} rows.")
    if axis > 1:
        for p in parts[1:]:
            if not np.array_equal(p._splits, parts[0]._splits):
                raise failures.InvalidArgumentError("Inputs must have identical ragged splits")
        return parts[0].with_values(_joined([p._values for p in parts], axis - 1))
    sizes = np.stack([partition.lengths(p._splits) for p in parts], 1)
    offsets = np.concatenate([[0], np.cumsum([rows.count(p._values) for p in parts])[:-1]])
    starts = np.stack([p._splits[:-1] + o for p, o in zip(parts, offsets, strict=True)], 1)
    order = partition.ranges(starts.reshape(-1), sizes.reshape(-1))
    uniform = None if any(p._uniform is None for p in parts) else sum(p._uniform for p in parts)
    splits = partition.from_lengths(sizes.sum(1), parts[0]._splits.dtype)
    return RaggedTensor._made(rows.take(rows.join([p._values for p in parts]), order), splits, uniform)


def stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """A new axis over equal ranks; lengths may differ."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("Argument `values` may not be empty.")
    parts = [_tensor(v) for v in values]
    rank = len(parts[0].shape)
    if rank == 0:
        from milepost.tf.joining import stack as dense

        return dense(parts, axis)
    a = _axis(axis, rank + 1)
    if all(isinstance(p, Tensor) for p in parts):  # their lengths may differ: they are rows
        parts = [make.from_tensor(expand_dims(p, 0), ragged_rank=rank) for p in parts]
        if a == 0:
            return _without_sizes(rows.join(_alike(parts)) if len(parts) > 1 else parts[0])
        parts = [expand_dims(p._values, a) for p in parts]
    return concat([expand_dims(p, a) for p in parts], a)


def _without_sizes(value: Any) -> Any:
    """Rows that happen to be equally long are not known to be."""
    if not isinstance(value, RaggedTensor):
        return value
    return RaggedTensor._made(_without_sizes(value._values), value._splits)


def squeeze(value: Any, axis: Any = None, name: str | None = None) -> Any:
    """Without dimensions of size 1."""
    if axis is None:
        axes = [a for a, d in enumerate(value.shape) if d == 1]
    else:
        axes = [_axis(a, len(value.shape)) for a in (axis if isinstance(axis, (list, tuple)) else [axis])]
    for a in sorted(axes, reverse=True):
        value = _squeezed(value, a)
    return value


def _squeezed(value: Any, axis: int) -> Any:
    if isinstance(value, Tensor):
        from milepost.tf.shaping import squeeze as dense

        return dense(value, axis)
    if axis == 0:
        if len(value) != 1:
            raise failures.InvalidArgumentError(f"Can not squeeze dim[0], expected a dimension of 1, got {len(value)}")
        return value._values
    if axis == 1:
        if not (partition.lengths(value._splits) == 1).all():
            raise failures.InvalidArgumentError("Can not squeeze dim[1], expected a dimension of 1")
        return value._values
    return value.with_values(_squeezed(value._values, axis - 1))


def _lifted(indices: Any, taken: Any) -> Any:
    """The rows taken for indices of any rank, in the indices' own arrangement."""
    shape = indices.shape
    for size in reversed(list(shape)[1:]):
        taken = make.from_uniform_row_length(taken, int(size)) if size else taken
    return taken


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0, name: str | None = None
) -> Any:  # fmt: skip
    """Rows by number, where params or indices (or both) are ragged."""
    params, indices = _tensor(params), _tensor(indices)
    if axis is None:
        axis = batch_dims
    a = _axis(axis, len(params.shape))
    batch = batch_dims + len(indices.shape) if batch_dims < 0 else int(batch_dims)
    if batch > 1 or (batch == 1 and a != 1):
        raise NotImplementedError(
            "tf.gather of ragged tensors: batch_dims above 1, or an axis other than it, is not there."
        )
    if batch == 1:
        params = params if isinstance(params, RaggedTensor) else make.from_tensor(params)
        indices = indices if isinstance(indices, RaggedTensor) else make.from_tensor(indices)
        flat = host(raw(indices.flat_values)).astype(np.int64)
        owner = make.coordinates(indices)[0]
        sizes = partition.lengths(params._splits)[owner]
        _in_range(flat, sizes)
        return indices.with_flat_values(rows.take(params._values, params._splits[:-1][owner] + flat))
    if a > 0:
        if not isinstance(params, RaggedTensor):
            raise NotImplementedError("tf.gather with ragged indices works along axis 0 of dense params.")
        chosen = host(raw(indices)).astype(np.int64)
        if a > 1:
            return params.with_values(gather(params._values, indices, axis=a - 1))
        sizes = partition.lengths(params._splits)
        _in_range(chosen[None], sizes[:, None])
        places = (params._splits[:-1, None] + chosen[None]).reshape(-1)
        return RaggedTensor._made(
            rows.take(params._values, places), partition.uniform(len(params), chosen.size), int(chosen.size)
        )
    flat = host(raw(indices.flat_values if isinstance(indices, RaggedTensor) else indices)).astype(np.int64)
    _in_range(flat, rows.count(params))
    if isinstance(indices, RaggedTensor):
        tail = flat.shape[1:]
        taken = rows.take(params, flat.reshape(-1))
        for size in reversed(tail):
            taken = make.from_uniform_row_length(taken, int(size))
        return indices.with_flat_values(taken)
    if not flat.ndim:
        return params[int(flat)]
    return _lifted(indices, rows.take(params, flat.reshape(-1)))


def _in_range(index: Any, size: Any) -> None:
    bad = (index < 0) | (index >= size)
    if np.any(bad):
        first = np.broadcast_to(index, np.shape(bad))[bad][0]
        raise failures.kernel("GatherV2", f"indices = {first} is not in the range of the rows it chooses from")


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, **_: Any) -> Any:
    """Elements or rows by their coordinates."""
    if batch_dims or isinstance(indices, RaggedTensor) or not isinstance(params, RaggedTensor):
        raise NotImplementedError("tf.gather_nd takes ragged params with dense indices, and no batch_dims.")
    places = host(raw(indices)).astype(np.int64)
    value: Any = params
    number: Any = np.zeros(places.shape[:-1], np.int64)  # of the row reached so far, among all of its depth
    for axis in range(places.shape[-1]):
        column = places[..., axis]
        if axis == 0:
            _in_range(column, rows.count(value))
            number = column
        elif isinstance(value, RaggedTensor):
            _in_range(column, partition.lengths(value._splits)[number])
            number, value = value._splits[:-1][number] + column, value._values
        else:
            from milepost.tf.gathering import gather_nd as dense

            return dense(value, np.stack([number, *np.moveaxis(places[..., axis:], -1, 0)], -1))
    return _lifted(places[..., 0], rows.take(value, number.reshape(-1))) if number.ndim else value[int(number)]


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeated along each axis."""
    for a, times in enumerate(host(raw(multiples)).tolist()):
        if times != 1:
            input = concat([input] * times, a) if times else input[(slice(None),) * a + (slice(0, 0),)]
    return input


def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Any:
    """Each row repeated."""
    if axis is None or _axis(axis, len(input.shape)) != 0:
        raise NotImplementedError("tf.repeat of a ragged tensor works along axis 0.")
    times = np.broadcast_to(host(raw(repeats)), (len(input),))
    return rows.take(input, np.repeat(np.arange(len(input)), times))


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Turned round along these axes."""
    for a in axis if isinstance(axis, (list, tuple)) else np.atleast_1d(raw(axis)).tolist():
        tensor = _reversed(tensor, _axis(a, len(tensor.shape)))
    return tensor


def _reversed(value: Any, axis: int) -> Any:
    if isinstance(value, Tensor):
        from milepost.tf.shaping import reverse as dense

        return dense(value, [axis])
    if axis == 0:
        return rows.take(value, np.arange(len(value))[::-1])
    if axis == 1:
        return value[:, ::-1]
    return value.with_values(_reversed(value._values, axis - 1))


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str | None = None) -> list[Any]:
    """Parts along an axis."""
    a = _axis(axis, len(value.shape))
    size = len(value) if a == 0 else value.shape[a]
    if size is None:
        raise ValueError("tf.split of a ragged tensor along a ragged dimension is not possible.")
    if isinstance(num_or_size_splits, int):
        if size % num_or_size_splits:
            raise failures.InvalidArgumentError(
                f"Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`: {size} rows into "
                f"{num_or_size_splits} parts."
            )
        sizes = [size // num_or_size_splits] * num_or_size_splits
    else:
        sizes = np.asarray(raw(num_or_size_splits)).tolist()
    ends = np.cumsum(sizes).tolist()
    return [value[(slice(None),) * a + (slice(end - n, end),)] for end, n in zip(ends, sizes, strict=True)]


def unstack(value: Any, num: Any = None, axis: Any = 0, name: str | None = None) -> list[Any]:
    """The rows, one by one."""
    if _axis(axis, len(value.shape)) != 0:
        raise NotImplementedError("tf.unstack of a ragged tensor works along axis 0.")
    return list(value)
