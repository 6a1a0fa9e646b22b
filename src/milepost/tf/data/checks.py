"""Cursors that leave elements out or complain: unique, ignore_errors, assert_cardinality. In: the cursor before. Out: its elements, or fewer."""

from __future__ import annotations

import warnings

import numpy as np

from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.structure import flatten
from milepost.tf.data.transform import Over
from milepost.tf.failures import FailedPreconditionError

__all__ = ["AssertCardinalityCursor", "IgnoreErrorsCursor", "UniqueCursor"]


class UniqueCursor(Over):
    """Each value the first time it comes."""

    PASSES = True

    def __init__(self, before: Cursor):
        super().__init__(before)
        self.seen: dict[bytes, None] = {}

    def next(self) -> Element:
        while True:
            element = self.before.next()
            array = np.asarray(next(flatten(element)))
            key = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
            key += str(array.shape).encode()
            if key not in self.seen:
                self.seen[key] = None
                return element

    def own_state(self) -> State:
        return {"seen": list(self.seen)}

    def own_restore(self, state: State) -> None:
        self.seen = dict.fromkeys(state["seen"])


class IgnoreErrorsCursor(Over):
    """Leaves out elements whose making failed."""

    def __init__(self, before: Cursor, log_warning: bool):
        super().__init__(before)
        self.log_warning = log_warning

    def next(self) -> Element:
        while True:
            try:
                return self.before.next()
            except StopIteration:
                raise
            except Exception as error:  # whatever it was: that is what was asked for
                if self.log_warning:
                    warnings.warn(f"tf.data: an element was left out: {error}", stacklevel=2)


class AssertCardinalityCursor(Over):
    """Counts, and complains where the count is not as promised."""

    def __init__(self, before: Cursor, wanted: int):
        super().__init__(before)
        self.wanted, self.count = wanted, 0

    def next(self) -> Element:
        try:
            element = self.before.next()
        except StopIteration:
            if self.wanted != self.count and self.wanted >= -1:
                wanted = "an infinite number of" if self.wanted == -1 else str(self.wanted)
                raise FailedPreconditionError(
                    f"Input dataset was expected to contain {wanted} elements but contained only {self.count} elements."
                ) from None
            raise
        self.count += 1
        if 0 <= self.wanted < self.count:
            raise FailedPreconditionError(
                f"Input dataset was expected to contain {self.wanted} elements but contained at least {self.count} elements."
            )
        return element

    def own_state(self) -> State:
        return {"count": self.count}

    def own_restore(self, state: State) -> None:
        self.count = int(state["count"])
