"""Several datasets as one: zip, concatenate, flat_map, interleave, sampling. In: datasets, or functions that make them. Out: one dataset."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from milepost.tf.data import combine, edge
from milepost.tf.data.base import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Base, number
from milepost.tf.data.chance import InnerSeeds, Seeds, seeds_of
from milepost.tf.data.cursor import Cursor, Element, ListCursor
from milepost.tf.data.structure import flatten, map_structure, pack_like, to_numpy
from milepost.tf.data.transform import NEVER, MapCursor, RepeatCursor
from milepost.tf.failures import kernel

if TYPE_CHECKING:
    from milepost.tf.data.dataset import Dataset

__all__ = ["Joining"]


class Joining(Base):
    """See the module's first line."""

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        structure = datasets if datasets is not None else (args[0] if len(args) == 1 else tuple(args))
        inner = list(flatten(structure))
        for item in inner:
            if isinstance(item, list):
                raise TypeError(
                    f"Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. "
                    f"Python `list` is not supported and you should use `tuple` instead. Got {item!r}."
                )
            if not isinstance(item, Base):
                raise TypeError(
                    f"Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. Got {type(item)}."
                )

        def size() -> int:
            counts = [item._cardinality() for item in inner]
            if UNKNOWN_CARDINALITY in counts:
                return UNKNOWN_CARDINALITY
            finite = [count for count in counts if count >= 0]
            return min(finite) if finite else INFINITE_CARDINALITY

        return Base._new(
            "_ZipDataset",
            lambda: combine.ZipCursor(structure, [item._open() for item in inner]),
            lambda: pack_like(structure, iter([item.element_spec for item in inner])),
            size,
            tuple(inner),
            lambda: pack_like(structure, iter([item._sample() for item in inner])),
        )

    def concatenate(self, dataset: Any, name: str | None = None) -> Dataset:
        def size() -> int:
            counts = self._cardinality(), dataset._cardinality()
            if INFINITE_CARDINALITY in counts:
                return INFINITE_CARDINALITY
            return UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in counts else sum(counts)

        made = Base._new(
            "_ConcatenateDataset",
            lambda: combine.ConcatenateCursor([self._opener(), dataset._opener()]),
            lambda: edge.common(self.element_spec, dataset.element_spec),
            size,
            (self, dataset),
            self._sample,
        )
        made.element_spec  # noqa: B018 - datasets that do not fit are refused now
        return made

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        return self._interleave("_FlatMapDataset", map_func, 1, 1)

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        cycle = AUTOTUNE if cycle_length is None else number(cycle_length)
        block = 1 if block_length is None else number(block_length)
        kind = "_InterleaveDataset" if num_parallel_calls is None else "_ParallelInterleaveDataset"
        op = "InterleaveDataset" if num_parallel_calls is None else "ParallelInterleaveDatasetV4"
        if cycle == AUTOTUNE:
            cycle = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if cycle < 1:
            raise kernel(op, "`cycle_length` must be > 0")
        if block < 1:
            raise kernel(op, "`block_length` must be > 0")
        return self._interleave(kind, map_func, cycle, block)

    def _interleave(self, kind: str, map_func: Callable[..., Any], cycle: int, block: int) -> Dataset:
        seeds = InnerSeeds()

        def inner(element: Element) -> Any:
            with seeds:
                made = edge.call(map_func, element)
            if not isinstance(made, Base):
                raise TypeError(f"The `map_func` argument must return a `Dataset` object. Got {type(made)!r}.")
            return made

        return self._then(
            kind,
            lambda c: combine.InterleaveCursor(c, lambda element: inner(element)._open(), cycle, block, seeds),
            spec=lambda: inner(self._sample()).element_spec,
            unknown=True,
        )

    @staticmethod
    def sample_from_datasets(
        datasets: Any, weights: Any = None, seed: int | None = None, stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:  # fmt: skip
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        seeds = Seeds(seeds_of(None if seed is None else number(seed)), bool(rerandomize_each_iteration))
        if isinstance(weights, Base):
            own, chances = weights, np.ones(len(datasets))
        else:
            chances = np.full(len(datasets), 1.0) if weights is None else np.asarray(to_numpy(weights), np.float64)
            own = None
            if chances.shape != (len(datasets),):
                raise ValueError(
                    f"Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is {chances.shape}."
                )
            datasets = [d for d, chance in zip(datasets, chances.tolist(), strict=True) if chance > 0]
            chances = chances[chances > 0]
        logits = np.ones(len(datasets), np.float32) if weights is None else np.log(chances.astype(np.float32))
        if len(datasets) == 1:
            return datasets[0]  # type: ignore[no-any-return]

        def opener() -> Cursor:
            steady = (
                RepeatCursor(lambda: ListCursor([logits]), None)
                if own is None
                else MapCursor(own._open(), np.log, NEVER)
            )
            return combine.SampleCursor(
                [d._open() for d in datasets], combine.WeightedCursor(steady, seeds), stop_on_empty_dataset
            )

        return _directed(datasets, opener)

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Dataset:
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if choice_dataset is None or not isinstance(choice_dataset, Base):
            raise TypeError(
                f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is {type(choice_dataset)}."
            )
        spec = choice_dataset.element_spec
        if getattr(spec, "dtype", None) != edge.spec((), np.int64).dtype or spec.shape.rank not in (0, None):
            raise TypeError(
                f"Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are {spec!r}."
            )

        def opener() -> Cursor:
            return combine.SampleCursor([d._open() for d in datasets], choice_dataset._open(), stop_on_empty_dataset)

        return _directed(datasets, opener)

    def rejection_resample(
        self, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: int | None = None,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        seeds = Seeds(seeds_of(None if seed is None else number(seed)), True)
        target = np.asarray(to_numpy(target_dist), np.float64)
        initial = None if initial_dist is None else np.asarray(to_numpy(initial_dist), np.float64)

        def classify(element: Element) -> int:
            return number(edge.call(class_func, element))

        return self._then(
            "_MapDataset",
            lambda c: combine.RejectionCursor(c, classify, target, initial, seeds),
            spec=lambda: (edge.spec((), np.int32), self.element_spec),
            unknown=True,
        )


def _directed(datasets: Any, opener: Callable[[], Cursor]) -> Dataset:
    def spec() -> Any:
        found = datasets[0].element_spec
        for other in datasets[1:]:
            found = edge.common(found, other.element_spec)
        return found

    def size() -> int:
        counts = [d._cardinality() for d in datasets]
        return UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in counts or min(counts) >= 0 else INFINITE_CARDINALITY

    made = Base._new("_DirectedInterleaveDataset", opener, spec, size, tuple(datasets), lambda: datasets[0]._sample())
    map_structure(lambda *_: None, *(d.element_spec for d in datasets))
    return made
