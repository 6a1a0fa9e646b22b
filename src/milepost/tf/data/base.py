"""What every dataset has: how to open it, what its elements are, how many, its options. In: an opener. Out: iterators.

A dataset holds no elements: `_open()` starts a fresh cursor. Not here: sources and transformations (`sources`, `elements`, `ordering`,
`grouping`, `joining`), the cursors' own work (`cursor`, `transform`, `parallel`), tensors (`edge`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.composite import NoneTensorSpec
from milepost.tf.data.cursor import Cursor, Element
from milepost.tf.data.iterator import NumpyIterator, OwnedIterator
from milepost.tf.data.options import Options
from milepost.tf.data.structure import flatten, to_numpy
from milepost.tf.failures import InvalidArgumentError, kernel

if TYPE_CHECKING:
    from milepost.tf.data.dataset import Dataset

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Base", "number", "positive"]

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def number(value: Any) -> int:
    """A size or count, given as a Python, numpy or tensor number."""
    if type(value) is int:
        return value
    found = np.asarray(to_numpy(value))
    if found.size != 1 or found.dtype.kind not in "iub":
        raise TypeError(f"Expected a whole number, got {value!r}.")
    return int(found.reshape(()))


def positive(value: Any, op: str, sentence: str) -> int:
    size = number(value)
    if size < 1:
        raise kernel(op, sentence)
    return size


class Base:
    """See the module's first lines."""

    def __init__(
        self, kind: str, opener: Callable[[], Cursor], spec: Callable[[], Any], cardinality: Callable[[], int],
        inputs: tuple[Any, ...] = (), sample: Callable[[], Element] | None = None,
    ):  # fmt: skip
        self._kind, self._opener, self._spec, self._cardinality = kind, opener, spec, cardinality
        self._inputs, self._example = inputs, sample
        self._known_spec: Any = None
        self._own_options: Options | None = None

    @property
    def element_spec(self) -> Any:
        if self._known_spec is None:
            self._known_spec = self._spec()
        return self._known_spec

    def cardinality(self, name: str | None = None) -> Any:
        return edge.wrap(np.asarray(self._cardinality(), np.int64))

    def __len__(self) -> int:
        count = self._cardinality()
        if count == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self._kind} element_spec={self.element_spec!r}>"

    def _open(self) -> Cursor:
        return self._opener()

    def _sample(self) -> Element:
        """An element of the right kind, for finding out specs: past shuffles, which would fill their buffers for it."""
        if self._example is not None:
            return self._example()
        cursor = self._opener()
        try:
            return cursor.next()
        except StopIteration:  # none there
            return edge.made_up(self.element_spec, 2)
        finally:
            cursor.close()

    def __iter__(self) -> OwnedIterator:
        return OwnedIterator(self._open(), self)

    def as_numpy_iterator(self, name: str | None = None) -> NumpyIterator:
        """Elements as numpy: scalars come as numpy scalars, text as bytes."""
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        first = list(itertools.islice(iter(self), 2))
        if len(first) != 1:
            raise InvalidArgumentError(f"Dataset {'had more than one element' if first else 'was empty'}.")
        return first[0]

    def options(self) -> Options:
        """Those of the datasets it is made of, then its own."""
        found = Options()
        for dataset in self._inputs:
            found = found.merge(dataset.options())
        return found if self._own_options is None else found.merge(self._own_options)

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be a `tf.data.Options` object, got {type(options).__name__}.")
        made = self._then("_OptionsDataset", lambda cursor: cursor, passes=True)
        made._own_options = options
        return made

    def _then(
        self, kind: str, make: Callable[[Cursor], Cursor], *, spec: Callable[[], Any] | None = None,
        cardinality: Callable[[int], int] | None = None, unknown: bool = False, passes: bool = False,
        sample: Callable[[], Element] | None = None,
    ) -> Dataset:  # fmt: skip
        """A dataset over this one. `passes`: its elements are this one's, perhaps others of them."""

        def size() -> int:
            before = self._cardinality()
            if unknown or before == UNKNOWN_CARDINALITY:
                return UNKNOWN_CARDINALITY
            if before == INFINITE_CARDINALITY and cardinality is None:
                return INFINITE_CARDINALITY
            return before if cardinality is None else cardinality(before)

        return self._new(
            kind, lambda: make(self._opener()), spec or (lambda: self.element_spec), size,
            (self,), self._sample if passes else sample,
        )  # fmt: skip

    @staticmethod
    def _new(
        kind: str, opener: Callable[[], Cursor], spec: Callable[[], Any], cardinality: Callable[[], int],
        inputs: tuple[Any, ...] = (), sample: Callable[[], Element] | None = None,
    ) -> Dataset:  # fmt: skip
        from milepost.tf.data.dataset import Dataset

        return Dataset(kind, opener, spec, cardinality, inputs, sample)

    def _single_component(self) -> bool:
        specs = list(flatten(self.element_spec))
        return len(specs) == 1 and not isinstance(specs[0], NoneTensorSpec)
