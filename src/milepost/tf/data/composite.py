"""Components that are more than one array: sparse and ragged tensors. In: such values. Out: their rows, batches of them, their specs.

They travel through a pipeline as they are. Not here: what they are (`tf.sparse`, `tf.ragged`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf.shapes import TensorShape
from milepost.tf.specs import RaggedTensorSpec, SparseTensorSpec

__all__ = [
    "NoneTensorSpec",
    "RaggedRow",
    "SparseTensorSpec",
    "batched",
    "is_ragged",
    "is_sparse",
    "rows",
    "spec",
    "stack",
]


class RaggedRow(np.ndarray[Any, Any]):
    """A row of a ragged tensor: its length is its own, and a batch of such rows is ragged again."""


class NoneTensorSpec:
    """The type of a component that is None."""

    def __repr__(self) -> str:
        return "NoneTensorSpec()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)


def is_sparse(value: Any) -> bool:
    return hasattr(value, "dense_shape") and hasattr(value, "indices")


def is_ragged(value: Any) -> bool:
    return hasattr(value, "nested_row_splits")


def spec(value: Any) -> Any:
    if is_sparse(value):
        return SparseTensorSpec(value.shape, value.dtype)
    if is_ragged(value):
        return RaggedTensorSpec(value.shape, value.dtype, value.ragged_rank)
    return value.element_spec if hasattr(value, "element_spec") else value


def batched(of: Any, size: int | None) -> Any:
    """The spec of a batch of these; None where a component is not one of ours."""
    if isinstance(of, SparseTensorSpec):
        return SparseTensorSpec(TensorShape([size]).concatenate(of.shape), of.dtype)
    if type(of).__name__ == "RaggedTensorSpec":
        return type(of)(TensorShape([size]).concatenate(of.shape), of.dtype, of.ragged_rank + 1)
    return of


def unbatched(of: Any) -> Any:
    if isinstance(of, SparseTensorSpec):
        return SparseTensorSpec(of.shape[1:], of.dtype)
    if type(of).__name__ == "RaggedTensorSpec":
        return type(of)(of.shape[1:], of.dtype, of.ragged_rank - 1)
    return of


def ragged_spec(of: Any, size: int | None, row_splits_dtype: Any) -> Any:
    """The spec of a ragged batch of elements of this spec."""
    shape = TensorShape([size]).concatenate(of.shape)
    return RaggedTensorSpec(shape, of.dtype, ragged_rank(of), row_splits_dtype)


def ragged_rank(of: Any) -> int:
    """How many dimensions of a batch of these are ragged; 0: a batch of them is dense."""
    if isinstance(of, RaggedTensorSpec):
        return int(of.ragged_rank) + 1
    if not hasattr(of, "shape") or of.shape.rank is None:
        return 1
    return max((place + 1 for place, d in enumerate(of.shape) if d is None), default=0)


def rows(value: Any) -> list[Any]:
    """The rows of a sparse or ragged tensor."""
    if is_ragged(value):
        made = [value[i] for i in range(int(value.shape[0]))]
        return [row if is_ragged(row) else np.asarray(row.numpy()).view(RaggedRow) for row in made]
    from milepost.tf.sparse import SparseTensor

    indices, values, shape = (np.asarray(part.numpy()) for part in (value.indices, value.values, value.dense_shape))
    found = []
    for row in range(int(shape[0])):
        own = indices[:, 0] == row
        found.append(SparseTensor(indices[own, 1:], values[own], shape[1:]))
    return found


def stack(parts: list[Any]) -> Any:
    """Sparse or ragged tensors of one rank as one of one rank more."""
    if is_ragged(parts[0]):
        from milepost.tf import ragged

        return ragged.stack(parts)
    if not is_sparse(parts[0]):
        raise TypeError(f"elements that hold a {type(parts[0]).__name__} cannot be batched")
    from milepost.tf.failures import InvalidArgumentError
    from milepost.tf.sparse import SparseTensor

    ranks = {len(part.shape) for part in parts}
    if len(ranks) > 1:
        raise InvalidArgumentError(f"Cannot batch sparse tensors of different ranks: {sorted(ranks)}.")
    indices = [np.asarray(part.indices.numpy()) for part in parts]
    numbered = [np.insert(own, 0, place, axis=1) for place, own in enumerate(indices)]
    shape = np.max([np.asarray(part.dense_shape.numpy()) for part in parts], axis=0)
    return SparseTensor(
        np.concatenate(numbered),
        np.concatenate([np.atleast_1d(np.asarray(part.values.numpy())) for part in parts]),
        [len(parts), *shape.tolist()],
    )


def ragged(parts: list[Any], rank: int = 1) -> Any:
    """Dense or ragged elements as the rows of one ragged tensor of `rank` ragged dimensions."""
    import milepost.tf as tf

    if any(is_ragged(part) for part in parts):
        return tf.ragged.stack(parts)
    if rank > 1:
        return tf.ragged.stack([tf.RaggedTensor.from_tensor(np.asarray(part), ragged_rank=rank - 1) for part in parts])
    try:
        values = np.concatenate([np.asarray(part) for part in parts])
    except ValueError:
        return tf.ragged.stack([np.asarray(part) for part in parts])
    return tf.RaggedTensor.from_row_lengths(values, np.asarray([len(part) for part in parts], np.int64))
