"""The iterator a `for` loop gets: tensors out, and a state that a checkpoint keeps. In: a cursor.

`Checkpoint(iterator=iter(dataset))` saves where the loop stands, shuffle buffers and elements made ahead included; restored, the next
element is the one that would have come next. Not here: how elements are made.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from milepost.tf.data import composite, edge
from milepost.tf.data.frozen import freeze, thaw
from milepost.tf.data.structure import map_structure
from milepost.tf.state import NOW

if TYPE_CHECKING:
    from milepost.tf.data.base import Base
    from milepost.tf.data.cursor import Cursor

__all__ = ["NumpyIterator", "OwnedIterator"]


class OwnedIterator:
    """Goes once over a dataset."""

    def __init__(self, cursor: Cursor, dataset: Base):
        self._dataset, self._taken = dataset, 0
        self._begin(cursor)

    def _begin(self, cursor: Cursor) -> None:
        self._cursor, self._next = cursor, cursor.next
        weakref.finalize(self, cursor.close)  # a loop left early must not leave a thread behind

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        if NOW.trace is not None:
            NOW.trace.stay_eager("it takes elements from a dataset")
        element = edge.wrap_all(self._next())
        self._taken += 1
        return element

    def get_next(self, name: str | None = None) -> Any:
        try:
            return next(self)
        except StopIteration:
            from milepost.tf.failures import OutOfRangeError

            raise OutOfRangeError("End of sequence") from None

    def get_next_as_optional(self) -> Any:
        from milepost.tf.data.optional import Optional

        try:
            return Optional(next(self))
        except StopIteration:
            return Optional(element_spec=self.element_spec)

    @property
    def element_spec(self) -> Any:
        return self._dataset.element_spec

    def get_state(self) -> bytes:
        """All that is needed to go on from here, as one string."""
        return freeze({"taken": self._taken, "cursor": self._cursor.state()})

    def set_state(self, state: bytes) -> None:
        kept = thaw(bytes(state))
        # restored from its beginning, wherever this one stands
        fresh = self._dataset._open()
        fresh.restore(kept["cursor"])
        self._cursor.close()
        self._begin(fresh)
        self._taken = int(kept["taken"])


class NumpyIterator:
    """The same with numpy values."""

    def __init__(self, dataset: Base):
        self._cursor = dataset._open()
        self._next = self._cursor.next
        weakref.finalize(self, self._cursor.close)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return map_structure(_plain, self._next())


def _plain(part: Any) -> Any:
    if isinstance(part, np.ndarray):
        if part.ndim == 0:
            return part[()]
        return (
            part if part.base is None and type(part) is np.ndarray else np.array(part)
        )  # what the user does with it must not reach the source
    if hasattr(part, "element_spec"):
        raise TypeError(
            f"`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type {type(part).__name__}"
        )
    if composite.is_ragged(part):
        return part.numpy()
    return part
