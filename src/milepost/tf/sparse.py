"""tf.sparse: the little of it that parsing Examples needs. In: indices and values. Out: a SparseTensor, or it made dense."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.structure import to_numpy
from milepost.tf.dtypes import DType
from milepost.tf.shapes import TensorShape

__all__ = ["SparseTensor", "from_dense", "to_dense"]


class SparseTensor:
    """Values at indices of a shape; everything else is empty."""

    def __init__(self, indices: Any, values: Any, dense_shape: Any):
        self.indices = edge.wrap(np.asarray(to_numpy(indices), np.int64))
        self.values = edge.wrap(to_numpy(values))
        self.dense_shape = edge.wrap(np.asarray(to_numpy(dense_shape), np.int64))

    @property
    def dtype(self) -> DType:
        found: DType = self.values.dtype
        return found

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.dense_shape.numpy().tolist())

    def get_shape(self) -> TensorShape:
        return self.shape

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self.indices!r}, values={self.values!r}, dense_shape={self.dense_shape!r})"


def to_dense(
    sp_input: SparseTensor, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """The tensor with the empty places filled."""
    values = to_numpy(sp_input.values)
    if default_value is None:
        filler: Any = b"" if values.dtype == object else 0
    else:
        filler = to_numpy(default_value)[()]
    out = np.full(tuple(sp_input.shape), filler, dtype=values.dtype)
    out[tuple(to_numpy(sp_input.indices).T)] = values
    return edge.wrap(out)


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The places that are not zero (or not the empty string)."""
    array = to_numpy(tensor)
    indices = np.argwhere(array != (b"" if array.dtype == object else 0))
    return SparseTensor(indices, array[tuple(indices.T)], array.shape)
