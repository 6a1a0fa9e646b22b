"""A value that may be missing: what `get_next_as_optional` gives. In: an element or nothing. Out: the element, or an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf.data import edge

__all__ = ["Optional"]

_NOTHING = object()


class Optional:
    def __init__(self, value: Any = _NOTHING):
        self._value = value

    @staticmethod
    def from_value(value: Any) -> Optional:
        return Optional(value)

    @staticmethod
    def empty(element_spec: Any = None) -> Optional:
        return Optional()

    def has_value(self) -> Any:
        return edge.wrap(np.asarray(self._value is not _NOTHING))

    def get_value(self) -> Any:
        if self._value is _NOTHING:
            from milepost.tf.failures import InvalidArgumentError

            raise InvalidArgumentError("The given optional does not have a value.")
        return self._value
