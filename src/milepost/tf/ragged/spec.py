"""`tf.shape` of a ragged tensor: what is uniform as a number, what is ragged as row lengths. Specs are in ../specs.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf import dtypes
from milepost.tf.dtypes import as_dtype
from milepost.tf.ragged import partition
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.specs import RaggedTensorSpec

__all__ = ["DynamicRaggedShape", "RaggedTensorSpec"]


class DynamicRaggedShape:
    """`tf.shape` of a ragged tensor: a number for each uniform dimension, the row lengths for each ragged one."""

    def __init__(self, of: RaggedTensor, out_type: Any = dtypes.int32):
        self._of, self._dtype = of, as_dtype(out_type)
        self._sizes: list[Any] = [len(of)]
        for level in of._levels():
            lengths = partition.lengths(level._splits)
            self._sizes.append(tuple(lengths.tolist()) if level._uniform is None else level._uniform)
        self._sizes += list(of.flat_values.shape[1:])

    @property
    def rank(self) -> int:
        return len(self._sizes)

    @property
    def num_row_partitions(self) -> int:
        return self._of.ragged_rank

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        return [s if ragged_lengths or not isinstance(s, tuple) else None for s in self._sizes]

    def is_uniform(self, axis: int) -> bool:
        return not isinstance(self._sizes[axis], tuple)

    def __getitem__(self, axis: Any) -> Any:
        if isinstance(axis, slice):
            raise NotImplementedError(
                "A slice of a ragged shape is not there; ask for single dimensions, or bounding_shape()."
            )
        size = self._sizes[axis]
        if isinstance(size, tuple):
            raise ValueError(f"Index {axis} is not uniform: its lengths are {size}.")
        return self._of._number(np.asarray(size), self._dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DynamicRaggedShape) and self._sizes == other._sizes

    def __hash__(self) -> int:
        return hash(tuple(self._sizes))

    def __repr__(self) -> str:
        written = ", ".join(f"({', '.join(map(str, s))})" if isinstance(s, tuple) else str(s) for s in self._sizes)
        return f"<DynamicRaggedShape lengths=[{written}] num_row_partitions={self.num_row_partitions}>"
