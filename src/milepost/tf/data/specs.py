"""The types of elements that are datasets or iterators themselves. In: the spec of their elements."""

from __future__ import annotations

from typing import Any

from milepost.tf.shapes import TensorShape

__all__ = ["DatasetSpec", "IteratorSpec"]


class DatasetSpec:
    """The type of an element that is itself a dataset (`window`)."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()):
        self.element_spec, self._shape = element_spec, TensorShape(dataset_shape)

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        return DatasetSpec(value.element_spec)

    @property
    def value_type(self) -> Any:
        from milepost.tf.data.dataset import Dataset

        return Dataset

    def is_compatible_with(self, other: Any) -> bool:
        return hasattr(other, "element_spec") and self.element_spec == other.element_spec

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.element_spec!r}, {self._shape!r})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.element_spec == other.element_spec

    __hash__ = None  # type: ignore[assignment]


class IteratorSpec(DatasetSpec):
    """The type of an iterator."""

    @staticmethod
    def from_value(value: Any) -> IteratorSpec:
        return IteratorSpec(value.element_spec)

    @property
    def value_type(self) -> Any:
        from milepost.tf.data.iterator import OwnedIterator

        return OwnedIterator

    def __repr__(self) -> str:
        return f"IteratorSpec({self.element_spec!r})"
