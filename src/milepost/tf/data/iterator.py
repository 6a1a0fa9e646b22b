"""The iterator a `for` loop gets: tensors out, and a state that a checkpoint keeps. In: a cursor.

`Checkpoint(iterator=iter(dataset))` saves where the loop stands, shuffle buffers and elements made ahead included; restored, the next
element is the one that would have come next. Not here: how elements are made.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from milepost.tf.data import edge
from milepost.tf.data.frozen import freeze, thaw

if TYPE_CHECKING:
    from milepost.tf.data.cursor import Cursor
    from milepost.tf.data.dataset import Dataset

__all__ = ["OwnedIterator"]


class OwnedIterator:
    """Goes once over a dataset."""

    def __init__(self, cursor: Cursor, dataset: Dataset):
        self._cursor, self._dataset = cursor, dataset
        self._taken = 0
        weakref.finalize(self, cursor.close)  # a loop left early must not leave a thread behind

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        element = edge.wrap_all(self._cursor.next())
        self._taken += 1
        return element

    def get_next(self) -> Any:
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
            return Optional()

    @property
    def element_spec(self) -> Any:
        return self._dataset.element_spec

    def get_state(self) -> bytes:
        """All that is needed to go on from here, as one string."""
        return freeze({"taken": self._taken, "cursor": self._cursor.state()})

    def set_state(self, state: bytes) -> None:
        kept = thaw(bytes(state))
        self._taken = int(kept["taken"])
        self._cursor.restore(kept["cursor"])
