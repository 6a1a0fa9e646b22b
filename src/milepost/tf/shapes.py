"""TensorShape and TensorSpec: what is known of a tensor before its values. No tensors here.

A TensorShape of known rank is a tuple, so that torch, Keras and numpy take it as they take any shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from milepost.tf.dtypes import DType, as_dtype, float32
from milepost.tf.failures import InvalidArgumentError

__all__ = ["TensorShape", "TensorSpec", "as_dims"]


def _dim(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and value == -1):
        return None
    return int(value)


def as_dims(shape: Any) -> tuple[int, ...]:
    """A full shape from what users write: 2, (2,), [2, 3], a shape tensor, a TensorShape."""
    if type(shape) is tuple:
        dims: Iterable[Any] = shape
    elif hasattr(shape, "numpy") or hasattr(shape, "tolist"):
        given = shape.numpy() if hasattr(shape, "numpy") else shape
        if isinstance(given, bytes):
            raise TypeError(f"Cannot convert {given!r} to EagerTensor of dtype int32")
        listed = given.tolist()
        dims = listed if isinstance(listed, list) else (listed,)
    elif isinstance(shape, Iterable):
        dims = shape
    else:
        dims = (shape,)
    return tuple(d if type(d) is int else _whole(d, shape) for d in dims)


def _whole(value: Any, shape: Any) -> int:
    """One size of a shape; what is no whole number gets TensorFlow's complaint."""
    if value is None:
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    if isinstance(value, str):
        raise TypeError(f"Cannot convert {shape!r} to EagerTensor of dtype int32")
    if isinstance(value, (list, tuple)):
        raise InvalidArgumentError(f"sizes input must be 1-D, not {shape!r}")
    if isinstance(value, float):
        raise InvalidArgumentError(
            f"Value for attr 'Tshape' of float is not in the list of allowed values: int32, int64: {shape!r}"
        )
    return int(value)


class TensorShape(tuple[Any, ...]):
    """`TensorShape([None, 28, 28])`; prints `(None, 28, 28)`; TensorShape(None) knows nothing."""

    _unknown: bool

    def __new__(cls, dims: Any = None) -> TensorShape:
        unknown = dims is None or (isinstance(dims, TensorShape) and dims._unknown)
        if isinstance(dims, int):
            dims = (dims,)
        elif hasattr(dims, "numpy"):
            dims = dims.numpy().tolist()
        elif isinstance(dims, str):
            raise TypeError(
                f"Failed to convert '{dims!r}' to a shape: '{dims[:1]!r}'could not be converted to a dimension. A shape should either be "
                "single dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])."
            )
        made = super().__new__(cls, () if unknown else tuple(_dim(d) for d in dims))
        made._unknown = unknown
        return made

    @property
    def rank(self) -> int | None:
        return None if self._unknown else len(self)

    @property
    def ndims(self) -> int | None:
        return self.rank

    @property
    def dims(self) -> list[int | None] | None:
        return None if self._unknown else list(self)

    def as_list(self) -> list[int | None]:
        if self._unknown:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self)

    def is_fully_defined(self) -> bool:
        return not self._unknown and None not in tuple(self)

    def num_elements(self) -> int | None:
        if not self.is_fully_defined():
            return None
        size = 1
        for d in self:
            size *= d
        return size

    def is_compatible_with(self, other: Any) -> bool:
        other = TensorShape(other)
        if self._unknown or other._unknown:
            return True
        return len(self) == len(other) and all(
            a is None or b is None or a == b for a, b in zip(self, other, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def with_rank(self, rank: int) -> TensorShape:
        self.assert_has_rank(rank)
        return TensorShape([None] * rank) if self._unknown else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        other = TensorShape(other)
        if self._unknown or other._unknown or len(self) != len(other):
            return TensorShape(None)
        return TensorShape([a if a == b else None for a, b in zip(self, other, strict=True)])

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape has the other, too."""
        other = TensorShape(other)
        if other._unknown:
            return True
        return (
            not self._unknown
            and len(self) == len(other)
            and all(b is None or a == b for a, b in zip(self, other, strict=True))
        )

    def merge_with(self, other: Any) -> TensorShape:
        other = TensorShape(other)
        self.assert_is_compatible_with(other)
        if self._unknown or other._unknown:
            return other if self._unknown else self
        return TensorShape([b if a is None else a for a, b in zip(self, other, strict=True)])

    def concatenate(self, other: Any) -> TensorShape:
        other = TensorShape(other)
        return TensorShape(None) if self._unknown or other._unknown else TensorShape([*self, *other])

    def __getitem__(self, key: Any) -> Any:
        if self._unknown:
            return TensorShape(None) if isinstance(key, slice) else None
        found = tuple.__getitem__(self, key)
        return TensorShape(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __bool__(self) -> bool:
        return not self._unknown

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._unknown == other._unknown and tuple.__eq__(self, other)
        if other is None:
            return self._unknown
        if isinstance(other, (tuple, list)):
            return not self._unknown and tuple.__eq__(self, tuple(other))
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self._unknown, tuple(self)))

    def __repr__(self) -> str:
        return "TensorShape(None)" if self._unknown else f"TensorShape({list(self)})"

    def __str__(self) -> str:
        return "<unknown>" if self._unknown else tuple.__repr__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (None if self._unknown else list(self),)


class TensorSpec:
    """Shape and dtype of a tensor that does not exist yet: `TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)`."""

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None):
        self._shape, self._dtype, self._name = TensorShape(shape), as_dtype(dtype), name

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def name(self) -> str | None:
        return self._name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, value: Any) -> bool:
        """Whether a tensor (or a narrower spec) may be used where this is asked for."""
        return self._dtype == value.dtype and self._shape.is_compatible_with(value.shape)

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        if self._dtype != other._dtype or self._shape.rank != other._shape.rank:
            return TensorSpec(None, self._dtype)
        return TensorSpec([a if a == b else None for a, b in zip(self._shape, other._shape, strict=True)], self._dtype)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorSpec)
            and (self._shape, self._dtype, self._name) == (other._shape, other._dtype, other._name)
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorSpec, (self._shape, self._dtype, self._name)
