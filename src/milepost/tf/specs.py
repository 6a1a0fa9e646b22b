"""What is known of ragged and sparse values before they exist, and `tf.TypeSpec`, the common name of all specs. No values here; TensorSpec is in shapes.py."""

from __future__ import annotations

from typing import Any

from milepost.tf import dtypes
from milepost.tf.dtypes import as_dtype
from milepost.tf.shapes import TensorShape, TensorSpec

__all__ = ["IndexedSlicesSpec", "RaggedTensorSpec", "SparseTensorSpec", "TypeSpec", "type_spec_from_value"]


class _Kinds(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (TensorSpec, RaggedTensorSpec, SparseTensorSpec, IndexedSlicesSpec))


class TypeSpec(metaclass=_Kinds):
    """What is known of a value before it exists; each kind of value has its own."""


class RaggedTensorSpec:
    """Shape, dtype, and how many dimensions are ragged."""

    def __init__(
        self, shape: Any = None, dtype: Any = dtypes.float32, ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64, flat_values_spec: Any = None,
    ):  # fmt: skip
        self._shape, self._dtype, self._row_splits_dtype = (
            TensorShape(shape),
            as_dtype(dtype),
            as_dtype(row_splits_dtype),
        )
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        elif rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
        self._ragged_rank = ragged_rank
        self._flat_values_spec = flat_values_spec

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    ragged_rank = property(lambda self: self._ragged_rank)
    row_splits_dtype = property(lambda self: self._row_splits_dtype)
    flat_values_spec = property(lambda self: self._flat_values_spec)

    @property
    def value_type(self) -> Any:
        from milepost.tf.ragged.tensor import RaggedTensor

        return RaggedTensor

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a ragged tensor, or another spec, is of this kind."""
        if isinstance(other, self.value_type):
            other = RaggedTensorSpec.from_value(other)
        return (
            isinstance(other, RaggedTensorSpec)
            and self._dtype is other._dtype
            and self._ragged_rank == other._ragged_rank
            and self._row_splits_dtype is other._row_splits_dtype
            and self._shape.is_compatible_with(other._shape)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank}, {self._row_splits_dtype!r})"


class SparseTensorSpec:
    """Shape and dtype of sparse tensors."""

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32):
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)

    @property
    def value_type(self) -> Any:
        from milepost.tf.sparse.tensor import SparseTensor

        return SparseTensor

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        return cls(value.shape, value.dtype)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a sparse tensor, or another spec, is of this kind."""
        return (
            isinstance(other, (self.value_type, SparseTensorSpec))
            and self._dtype is other.dtype
            and self._shape.is_compatible_with(other.shape)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparseTensorSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"


class IndexedSlicesSpec:
    """Shape and dtypes of indexed slices."""

    def __init__(
        self, shape: Any = None, dtype: Any = dtypes.float32, indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None, indices_shape: Any = None,
    ):  # fmt: skip
        self.shape, self.dtype, self.indices_dtype = TensorShape(shape), as_dtype(dtype), as_dtype(indices_dtype)
        self.dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self.indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> Any:
        from milepost.tf.slices import IndexedSlices

        return IndexedSlices

    def __repr__(self) -> str:
        return (
            f"IndexedSlicesSpec({self.shape!r}, {self.dtype!r}, {self.indices_dtype!r}, {self.dense_shape_dtype!r}, "
            f"{self.indices_shape!r})"
        )


def type_spec_from_value(value: Any) -> Any:
    """The spec a value has."""
    if hasattr(value, "nested_row_splits"):
        return RaggedTensorSpec.from_value(value)
    if hasattr(value, "dense_shape"):
        if hasattr(type(value), "_answer"):
            return SparseTensorSpec.from_value(value)
        kind = None if value.dense_shape is None else value.dense_shape.dtype
        return IndexedSlicesSpec(value.shape, value.dtype, value.indices.dtype, kind, value.indices.shape)
    if hasattr(value, "element_spec"):
        from milepost.tf.data import DatasetSpec

        return DatasetSpec(value.element_spec)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return TensorSpec(value.shape, value.dtype)
    raise TypeError(f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}")
