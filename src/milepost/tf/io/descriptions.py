"""How features are to be read: the descriptions given to tf.io.parse_example. In: shapes and dtypes, as users write them. No parsing here."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "VarLenFeature"]


class FixedLenFeature(NamedTuple):
    """A feature of one shape; required unless it has a default."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature whose first dimension varies."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any length; comes as a SparseTensor."""

    dtype: Any


class SparseFeature(NamedTuple):
    """Values and their indices, in two features; comes as a SparseTensor."""

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RaggedFeature(NamedTuple):
    """A feature of any length; comes as a RaggedTensor (a vector, for one Example)."""

    dtype: Any
    value_key: str | None = None
    partitions: Any = ()
    row_splits_dtype: Any = "int32"
    validate: bool = False
