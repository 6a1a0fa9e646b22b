"""A value that may be missing: what `get_next_as_optional` gives. In: an element or nothing. Out: the element, or an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.structure import map_structure, to_numpy

__all__ = ["Optional", "OptionalSpec"]

_NOTHING = object()


class OptionalSpec:
    """The type of an Optional."""

    def __init__(self, element_spec: Any):
        self.element_spec = element_spec

    def __repr__(self) -> str:
        return f"OptionalSpec({self.element_spec!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptionalSpec) and self.element_spec == other.element_spec

    __hash__ = None  # type: ignore[assignment]


class Optional:
    def __init__(self, value: Any = _NOTHING, element_spec: Any = None):
        self._value, self._spec = value, element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        return Optional(edge.wrap_all(map_structure(to_numpy, value)))

    @staticmethod
    def empty(element_spec: Any = None) -> Optional:
        return Optional(element_spec=element_spec)

    @property
    def element_spec(self) -> Any:
        return self._spec if self._value is _NOTHING else edge.spec_of(map_structure(to_numpy, self._value))

    def has_value(self, name: str | None = None) -> Any:
        return edge.wrap(np.asarray(self._value is not _NOTHING))

    def get_value(self, name: str | None = None) -> Any:
        if self._value is _NOTHING:
            from milepost.tf.failures import InvalidArgumentError

            raise InvalidArgumentError("The given optional does not have a value.")
        return self._value

    def __repr__(self) -> str:
        return f"<tf.experimental.Optional: {'no value' if self._value is _NOTHING else repr(self._value)}>"
