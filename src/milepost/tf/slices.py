"""`tf.IndexedSlices`: some rows of a larger tensor, as sparse gradients are written by hand. Tapes give dense gradients instead."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import convert
from milepost.tf.convert import convert_to_tensor
from milepost.tf.tensor import Tensor, wrap

__all__ = ["IndexedSlices"]


class IndexedSlices:
    """Rows `values` at `indices` of a tensor of shape `dense_shape`; rows given twice add up."""

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None):
        self._values, self._indices = convert_to_tensor(values), convert_to_tensor(indices)
        self._dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        return self._dense_shape

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    @property
    def device(self) -> str:
        return self._values.device

    @property
    def shape(self) -> Any:
        from milepost.tf.shapes import TensorShape

        return TensorShape(None if self._dense_shape is None else [int(d) for d in self._dense_shape.numpy()])

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(wrap(-self._values._t), self._indices, self._dense_shape)

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Tensor:
        if self._dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices for variable or tensor without dense_shape: {self}"
            )
        values = convert.raw(self._values)
        dense = torch.zeros(tuple(self._dense_shape.numpy().tolist()), dtype=values.dtype, device=values.device)
        return wrap(dense.index_add(0, convert.raw(self._indices).long(), values))

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"

    __repr__ = __str__
