"""Transformations that look at one element after the other: map, filter, scan and their kin. In: functions of elements. Out: datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from milepost.tf.data import checks, edge, transform
from milepost.tf.data.base import Base, number
from milepost.tf.data.batchwise import Batchwise
from milepost.tf.data.cursor import Cursor, Element
from milepost.tf.data.parallel import ParallelMapCursor
from milepost.tf.data.structure import map_structure, to_numpy
from milepost.tf.failures import InvalidArgumentError, kernel

if TYPE_CHECKING:
    from milepost.tf.data.dataset import Dataset

__all__ = ["Elements"]


def _callable(function: Any) -> Any:
    if not callable(function):
        raise ValueError(f"Argument `func` must be a callable. Received func={function!r} (of type {type(function)})")
    return function


class Elements(Base):
    """See the module's first line."""

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: bool | None = None,
        synchronous: bool | None = None, use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        _callable(map_func)

        def apply(element: Element) -> Element:
            return edge.unwrap(edge.call(map_func, element))

        def spec() -> Any:
            return edge.spec_through(apply, self.element_spec, self._sample)

        batches = Batchwise(map_func)
        workers = 0 if num_parallel_calls is None else number(num_parallel_calls)
        if workers < -1 or (workers == 0 and num_parallel_calls is not None):
            raise kernel("ParallelMapDatasetV2", "num_parallel_calls must be greater than zero.")

        def make(cursor: Cursor) -> Cursor:
            if not workers:
                return transform.MapCursor(cursor, apply, batches)
            return ParallelMapCursor(cursor, apply, workers, batches)

        kind = "_ParallelMapDataset" if workers else "_MapDataset"
        return self._then(kind, make, spec=spec, sample=lambda: apply(self._sample()))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        holds = _predicate(_callable(predicate))
        return self._then("_FilterDataset", lambda c: transform.FilterCursor(c, holds), unknown=True, passes=True)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        holds = _predicate(_callable(predicate))
        return self._then("_TakeWhileDataset", lambda c: transform.TakeWhileCursor(c, holds), unknown=True, passes=True)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        first = number(start)
        return self._then(
            "_ZipDataset",
            lambda c: transform.EnumerateCursor(c, first),
            spec=lambda: (edge.spec((), np.int64), self.element_spec),
            sample=lambda: (np.int64(first), self._sample()),
        )

    def scan(
        self, initial_state: Any, scan_func: Callable[[Any, Any], tuple[Any, Any]], name: str | None = None
    ) -> Dataset:
        start = map_structure(to_numpy, initial_state)
        wanted = edge.spec_of(start)

        def step(carried: Element, element: Element) -> tuple[Element, Element]:
            made = scan_func(edge.wrap_all(carried), edge.wrap_all(element))
            if not isinstance(made, (tuple, list)) or len(made) != 2:
                raise TypeError(
                    f"Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value "
                    f"but its return type is {edge.spec_of(edge.unwrap(made))!r}."
                )
            state = edge.unwrap(made[0])
            _same_state("scan_func", wanted, state)
            return state, edge.unwrap(made[1])

        return self._then(
            "_ScanDataset",
            lambda c: transform.ScanCursor(c, start, step),
            spec=lambda: edge.spec_through(lambda e: step(start, e)[1], self.element_spec, self._sample),
        )

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Any:
        start = map_structure(to_numpy, initial_state)
        wanted, state = edge.spec_of(start), edge.wrap_all(start)
        cursor = self._open()
        checked = False
        try:
            while True:
                try:
                    element = cursor.next()
                except StopIteration:
                    return state
                made = edge.unwrap(reduce_func(state, edge.wrap_all(element)))
                if not checked:
                    _same_state("reduce_func", wanted, made)
                    checked = True
                state = edge.wrap_all(made)
        finally:
            cursor.close()

    def unique(self, name: str | None = None) -> Dataset:
        if not self._single_component():
            raise kernel("UniqueDataset", "UniqueDataset only supports inputs with a single component.")
        return self._then("_UniqueDataset", checks.UniqueCursor, unknown=True, passes=True)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        return self._then("_IgnoreErrorsDataset", lambda c: checks.IgnoreErrorsCursor(c, log_warning), unknown=True)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Dataset:
        made = transformation_func(self)
        if not isinstance(made, Base):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}.")
        return made  # type: ignore[return-value]


def _predicate(function: Callable[..., Any]) -> Callable[[Element], bool]:
    def holds(element: Element) -> bool:
        said = np.asarray(edge.unwrap(edge.call(function, element)))
        if said.dtype != np.bool_ or said.ndim:
            raise InvalidPredicate(
                f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                f"{edge.spec_of(said)!r}."
            )
        return bool(said)

    return holds


class InvalidPredicate(InvalidArgumentError, ValueError):
    """TensorFlow finds some of these while tracing (ValueError), others while running: it is both."""


def _same_state(where: str, wanted: Any, made: Any) -> None:
    """The carried state keeps its structure and dtypes."""
    try:
        got = edge.spec_of(made)
        if [s.dtype for s in edge.leaves(wanted)] == [s.dtype for s in edge.leaves(got)]:
            map_structure(lambda *_: None, wanted, got)
            return
    except TypeError:
        got = edge.spec_of(made)
    raise TypeError(
        f"The element types for the new state must match the initial state. Expected {wanted!r}; got {got!r} (in `{where}`)."
    )
