"""Element by element: operations on ragged tensors that have the same rows, or can be broadcast to the same rows. In: a dense operation and values. Out: ragged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from milepost.tf import failures
from milepost.tf.convert import convert_to_tensor
from milepost.tf.ragged import make, partition, rows
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.shapes import TensorShape
from milepost.tf.tensor import Tensor

__all__ = ["apply", "broadcast", "map_flat"]


def map_flat(operation: Callable[[Any], Any], rt: RaggedTensor) -> RaggedTensor:
    """A function of one tensor, of the values."""
    return rt.with_flat_values(operation(rt.flat_values))


def apply(operation: Callable[..., Any], *operands: Any, **named: Any) -> RaggedTensor:
    """The operation on the flat values of operands brought to the same rows; scalars stay as they are."""
    ragged = [v for v in operands if isinstance(v, RaggedTensor)]
    lead = ragged[0]
    hint = lead.dtype
    tensors = [
        v if isinstance(v, (RaggedTensor, int, float, bool, str, bytes)) else convert_to_tensor(v, dtype_hint=hint)
        for v in operands
    ]
    full = [v for v in tensors if isinstance(v, RaggedTensor) or (isinstance(v, Tensor) and v.ndim)]
    if len(full) > 1 and not _same_rows(full):
        brought = iter(broadcast(full))
        tensors = [
            next(brought) if isinstance(v, RaggedTensor) or (isinstance(v, Tensor) and v.ndim) else v for v in tensors
        ]
        lead = next(v for v in tensors if isinstance(v, RaggedTensor))
    return lead.with_flat_values(
        operation(*[v.flat_values if isinstance(v, RaggedTensor) else v for v in tensors], **named)
    )


def _same_rows(values: list[Any]) -> bool:
    first = values[0]
    if not all(isinstance(v, RaggedTensor) for v in values) or len({v.ragged_rank for v in values}) > 1:
        return False
    return all(
        a._splits is b._splits or np.array_equal(a._splits, b._splits)
        for other in values[1:]
        for a, b in zip(first._levels(), other._levels(), strict=True)
    )


def broadcast(values: list[Any]) -> list[RaggedTensor]:
    """All with the same ragged dimensions; dense dimensions inside are left to the operation."""
    rank = max(len(v.shape) for v in values)
    depth = max(v.ragged_rank + rank - len(v.shape) for v in values if isinstance(v, RaggedTensor))
    made = [_deep(_ranked(v, rank), depth) for v in values]
    count = max(len(v) for v in made) if all(len(v) != 0 for v in made) else 0
    for place, v in enumerate(made):
        if len(v) != count:
            if len(v) != 1:
                raise _unlike(values)
            made[place] = rows.take(v, np.zeros(count, np.int64))
    return _rows_alike(made, values)


def _ranked(value: Any, rank: int) -> Any:
    while len(value.shape) < rank:
        if isinstance(value, RaggedTensor):
            value = make.from_uniform_row_length(value, len(value), nrows=1)
        else:
            value = value[None]
    return value


def _deep(value: Any, depth: int) -> Any:
    """At least `depth` ragged dimensions: dense ones are written as rows of one length."""
    if isinstance(value, Tensor):
        return make.from_tensor(value, ragged_rank=depth)
    if value.ragged_rank < depth:
        return value.with_values(_deep(value._values, depth - 1))
    return value


def _rows_alike(made: list[Any], values: list[Any]) -> list[Any]:
    if not isinstance(made[0], RaggedTensor):
        return made
    sizes = [partition.lengths(v._splits) for v in made]
    wanted = sizes[0]
    for v, own in zip(made[1:], sizes[1:], strict=True):
        wanted = np.where(wanted == 1, own, wanted) if _ones(made[0]) or _ones(v) else wanted
    inner, splits = [], partition.from_lengths(wanted, made[0]._splits.dtype)
    for v, own in zip(made, sizes, strict=True):
        if np.array_equal(own, wanted):
            inner.append(v._values)
        elif _ones(v):
            inner.append(rows.take(v._values, np.repeat(v._splits[:-1], wanted)))
        else:
            raise _unlike(values)
    below = _rows_alike(inner, values)
    uniform = {v._uniform for v in made} - {1}
    shared = uniform.pop() if len(uniform) == 1 else (None if uniform else 1)
    return [RaggedTensor._made(b, splits, shared) for b in below]


def _ones(value: RaggedTensor) -> bool:
    return value._uniform == 1


def _unlike(values: list[Any]) -> Exception:
    shapes = " and ".join(str(TensorShape(v.shape)) for v in values)
    return failures.InvalidArgumentError(f"Unable to broadcast: dimension size mismatch in ragged shapes {shapes}.")
