"""tf.data.Dataset: a description of how to make elements, and the fluent way to write it. In: tensors, files, generators, functions.
Out: iterators of tensors whose state a checkpoint keeps.

A dataset holds no elements: `_open(round)` starts a fresh cursor, `round` counting the passes (that is how a shuffle differs from
pass to pass). Not here: the cursors' own work (`cursor`, `transform`, `parallel`), tensors (`edge`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from milepost.tf.data import batching, combine, edge, transform
from milepost.tf.data.cursor import (
    Cursor,
    Element,
    FilesCursor,
    GeneratorCursor,
    RangeCursor,
    SliceCursor,
    common_length,
)  # fmt: skip
from milepost.tf.data.iterator import OwnedIterator
from milepost.tf.data.parallel import ParallelMapCursor, PrefetchCursor
from milepost.tf.data.structure import flatten, map_structure, pack_like, to_numpy
from milepost.tf.random import mix

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "Options"]

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2
DEFAULT_PREFETCH = 2


class Options:
    """Accepted and kept; order is always deterministic here, and there is nothing to tune."""

    def __init__(self) -> None:
        self.deterministic: bool | None = None
        self.autotune = self.experimental_optimization = self.threading = self.experimental_distribute = _Bag()


class _Bag:
    """Any option can be set on it."""


class DatasetSpec:
    """The type of an element that is itself a dataset (`window`)."""

    def __init__(self, element_spec: Any):
        self.element_spec = element_spec

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"


def _number(value: Any) -> int:
    return int(np.asarray(to_numpy(value)).reshape(()))


class Dataset:
    """A potentially large set of elements. See the module's first lines."""

    def __init__(
        self, kind: str, opener: Callable[[int], Cursor], spec: Callable[[], Any], cardinality: Callable[[], int]
    ):
        self._kind, self._opener, self._spec, self._cardinality = kind, opener, spec, cardinality
        self._rounds = itertools.count()
        self._known_spec: Any = None
        self._options = Options()

    # --- what it is -------------------------------------------------------------------------------------------------

    @property
    def element_spec(self) -> Any:
        if self._known_spec is None:
            self._known_spec = self._spec()
        return self._known_spec

    def cardinality(self) -> Any:
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
        return self._opener(next(self._rounds))

    def __iter__(self) -> OwnedIterator:
        return OwnedIterator(self._open(), self)

    def as_numpy_iterator(self) -> Iterator[Any]:
        """Elements as numpy: scalars come as numpy scalars, text as bytes."""
        cursor = self._open()
        while True:
            try:
                element = cursor.next()
            except StopIteration:
                return
            yield map_structure(
                lambda array: array[()] if isinstance(array, np.ndarray) and array.ndim == 0 else array, element
            )

    def get_single_element(self) -> Any:
        first = list(itertools.islice(iter(self), 2))
        if len(first) != 1:
            from milepost.tf.failures import InvalidArgumentError

            raise InvalidArgumentError(f"Dataset had {'more than one element' if first else 'no elements'}.")
        return first[0]

    def options(self) -> Options:
        return self._options

    def with_options(self, options: Options) -> Dataset:
        made = Dataset("_OptionsDataset", self._opener, lambda: self.element_spec, self._cardinality)
        made._options = options
        return made

    # --- sources ----------------------------------------------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        element = map_structure(to_numpy, tensors)
        one = map_structure(lambda array: array[None], element)
        return Dataset("_TensorDataset", lambda _: SliceCursor(one, 1), lambda: edge.spec_of(element), lambda: 1)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        arrays = map_structure(to_numpy, tensors)
        length = common_length(arrays)
        return Dataset(
            "_TensorSliceDataset",
            lambda _: SliceCursor(arrays, length),
            lambda: map_structure(lambda array: edge.spec(array.shape[1:], array.dtype), arrays),
            lambda: length,
        )

    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[Any]],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Iterable[Any] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is None:
            if output_types is None:
                raise TypeError("Either `output_signature` or `output_types` must be given.")
            output_signature = edge.signature(output_types, output_shapes)
        arguments = tuple(args or ())

        def make() -> Iterable[Any]:
            return generator(*(edge.wrap(to_numpy(a)) for a in arguments))

        def convert(element: Any) -> Element:
            return edge.conform(element, output_signature)

        return Dataset(
            "_FlatMapDataset",
            lambda _: GeneratorCursor(make, convert),
            lambda: output_signature,
            lambda: UNKNOWN_CARDINALITY,
        )

    @staticmethod
    def range(*args: Any, output_type: Any = None, name: str | None = None) -> Dataset:
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        numbers = [_number(a) for a in args]
        start, stop, step = (
            (0, numbers[0], 1) if len(numbers) == 1 else (numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 1)
        )
        dtype = edge.numpy_dtype(output_type) if output_type is not None else np.dtype(np.int64)
        return Dataset(
            "_RangeDataset",
            lambda _: RangeCursor(start, stop, step, dtype),
            lambda: edge.spec((), dtype),
            lambda: len(range(start, stop, step)),
        )

    @staticmethod
    def random(
        seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        own = edge.draw_seed(seed)

        def make() -> Iterator[Any]:
            generator = np.random.default_rng(own)
            while True:
                yield np.asarray(generator.integers(0, 2**32), np.int64)

        return Dataset(
            "RandomDataset",
            lambda _: GeneratorCursor(make, lambda e: e),
            lambda: edge.spec((), np.int64),
            lambda: INFINITE_CARDINALITY,
        )

    @staticmethod
    def from_files(kind: str, filenames: Any, read: Callable[[str, int], Iterator[tuple[int, bytes]]]) -> Dataset:
        """Records of files, one after the other; TFRecordDataset and TextLineDataset are made of this."""
        if isinstance(filenames, Dataset):
            paths = [edge.text(item) for item in filenames.as_numpy_iterator()]
        else:
            if isinstance(filenames, (list, tuple)):
                filenames = [edge.text(item) for item in filenames]
            paths = [edge.text(item) for item in np.atleast_1d(to_numpy(edge.path(filenames))).ravel().tolist()]
        return Dataset(
            kind,
            lambda _: FilesCursor(paths, read),
            lambda: edge.spec((), np.dtype(object)),
            lambda: UNKNOWN_CARDINALITY,
        )

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: int | None = None, name: str | None = None
    ) -> Dataset:
        import glob

        patterns = [edge.text(item) for item in np.atleast_1d(to_numpy(file_pattern)).ravel().tolist()]
        found = sorted({path for pattern in patterns for path in glob.glob(pattern)})
        if not found:
            from milepost.tf.failures import InvalidArgumentError

            raise InvalidArgumentError(f"No files matched pattern: {', '.join(patterns)}")
        files = Dataset.from_tensor_slices(found)
        return files if shuffle is False else files.shuffle(len(found), seed=seed)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        structure = datasets if datasets is not None else (args[0] if len(args) == 1 else tuple(args))
        inner = list(flatten(structure))
        if not all(isinstance(item, Dataset) for item in inner):
            raise TypeError(
                f"Invalid input to `zip`. Expected input is a (nested) structure of `tf.data.Dataset` objects but got {structure!r}."
            )

        def size() -> int:
            counts = [item._cardinality() for item in inner]
            if UNKNOWN_CARDINALITY in counts:
                return UNKNOWN_CARDINALITY
            finite = [count for count in counts if count >= 0]
            return min(finite) if finite else INFINITE_CARDINALITY

        return Dataset(
            "_ZipDataset",
            lambda _: combine.ZipCursor(structure, [item._open() for item in inner]),
            lambda: pack_like(structure, iter([item.element_spec for item in inner])),
            size,
        )

    @staticmethod
    def sample_from_datasets(
        datasets: list[Dataset], weights: Any = None, seed: int | None = None, stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:  # fmt: skip
        chances = np.full(len(datasets), 1.0) if weights is None else np.asarray(to_numpy(weights), np.float64)
        own = edge.draw_seed(seed)

        def opener(round: int) -> Cursor:
            generator = np.random.default_rng((own, round if rerandomize_each_iteration else 0))

            def choose(alive: list[int]) -> int:
                part = chances[alive] / chances[alive].sum()
                return alive[int(generator.choice(len(alive), p=part))]

            return combine.SampleCursor([d._open() for d in datasets], choose, stop_on_empty_dataset)

        return Dataset(
            "_DirectedInterleaveDataset", opener, lambda: datasets[0].element_spec, lambda: UNKNOWN_CARDINALITY
        )

    @staticmethod
    def choose_from_datasets(
        datasets: list[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        def opener(round: int) -> Cursor:
            choices = choice_dataset._open()
            return combine.SampleCursor(
                [d._open() for d in datasets], lambda _: _number(choices.next()), stop_on_empty_dataset
            )

        return Dataset(
            "_DirectedInterleaveDataset", opener, lambda: datasets[0].element_spec, lambda: UNKNOWN_CARDINALITY
        )

    # --- transformations --------------------------------------------------------------------------------------------

    def _then(
        self, kind: str, make: Callable[[Cursor, int], Cursor], *, spec: Callable[[], Any] | None = None,
        cardinality: Callable[[int], int] | None = None, unknown: bool = False,
    ) -> Dataset:  # fmt: skip
        def size() -> int:
            before = self._cardinality()
            if unknown or before == UNKNOWN_CARDINALITY:
                return UNKNOWN_CARDINALITY
            if before == INFINITE_CARDINALITY and cardinality is None:
                return INFINITE_CARDINALITY
            return before if cardinality is None else cardinality(before)

        return Dataset(kind, lambda round: make(self._opener(round), round), spec or (lambda: self.element_spec), size)

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: bool | None = None,
        synchronous: bool | None = None, use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        def apply(element: Element) -> Element:
            return edge.unwrap(edge.call(map_func, element))

        workers = _number(num_parallel_calls) if num_parallel_calls is not None else 1
        kind = "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset"
        if workers > 1:
            return self._then(
                kind, lambda c, _: ParallelMapCursor(c, apply, workers), spec=lambda: self._spec_through(apply)
            )
        return self._then(kind, lambda c, _: transform.MapCursor(c, apply), spec=lambda: self._spec_through(apply))

    def _spec_through(self, apply: Callable[[Element], Element]) -> Any:
        """What a function makes of this dataset's elements: tried on samples of the right type, else seen on the first one."""
        return edge.spec_through(apply, self.element_spec, lambda: self._opener(0).next())

    def flat_map(self, map_func: Callable[..., Dataset], name: str | None = None) -> Dataset:
        return self._interleave("_FlatMapDataset", map_func, 1, 1)

    def interleave(
        self, map_func: Callable[..., Dataset], cycle_length: int | None = None, block_length: int | None = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        cycle = 10 if cycle_length in (None, AUTOTUNE) else int(cycle_length)
        if cycle < 1:
            raise ValueError(f"`cycle_length` must be > 0, got {cycle}.")
        return self._interleave("_InterleaveDataset", map_func, cycle, 1 if block_length is None else int(block_length))

    def _interleave(self, kind: str, map_func: Callable[..., Dataset], cycle: int, block: int) -> Dataset:
        def inner(element: Element) -> Dataset:
            made = edge.call(map_func, element)
            if not isinstance(made, Dataset):
                raise TypeError(f"`map_func` must return a `Dataset` object. Got {type(made).__name__}.")
            return made

        return self._then(
            kind,
            lambda c, _: combine.InterleaveCursor(c, lambda element: inner(element)._open(), cycle, block),
            spec=lambda: inner(self._opener(0).next()).element_spec,
            unknown=True,
        )

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        def holds(element: Element) -> bool:
            return bool(edge.call(predicate, element))

        return self._then("_FilterDataset", lambda c, _: transform.FilterCursor(c, holds), unknown=True)

    def shuffle(
        self,
        buffer_size: Any,
        seed: int | None = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        size = _number(buffer_size)
        if size < 1:
            raise ValueError(f"buffer_size must be greater than zero, got {size}.")
        own = edge.draw_seed(seed)
        again = reshuffle_each_iteration is not False
        return self._then(
            "_ShuffleDataset", lambda c, round: transform.ShuffleCursor(c, size, mix(own, round if again else 0))
        )

    def batch(
        self, batch_size: Any, drop_remainder: bool = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        size = _size(batch_size)
        return self._then(
            "_BatchDataset",
            lambda c, _: batching.BatchCursor(c, size, bool(drop_remainder)),
            spec=lambda: edge.batched(self.element_spec, size if drop_remainder else None),
            cardinality=lambda n: n if n < 0 else (n // size if drop_remainder else -(-n // size)),
        )

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        size = _size(batch_size)
        shapes = None if padded_shapes is None else edge.shapes(padded_shapes, self.element_spec)
        values = None if padding_values is None else edge.paddings(padding_values, self.element_spec)
        return self._then(
            "_PaddedBatchDataset",
            lambda c, _: batching.PaddedBatchCursor(c, size, bool(drop_remainder), shapes, values),
            spec=lambda: edge.batched(edge.with_shapes(self.element_spec, shapes), size if drop_remainder else None),
            cardinality=lambda n: n if n < 0 else (n // size if drop_remainder else -(-n // size)),
        )

    def unbatch(self, name: str | None = None) -> Dataset:
        return self._then(
            "_UnbatchDataset",
            lambda c, _: batching.UnbatchCursor(c),
            spec=lambda: edge.unbatched(self.element_spec),
            unknown=True,
        )

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        times = None if count is None or _number(count) < 0 else _number(count)

        def size(n: int) -> int:
            if times is None:
                return INFINITE_CARDINALITY if n else 0
            return n if n < 0 and times else n * times

        def opener(round: int) -> Cursor:
            # each repetition is a pass of its own, so that a shuffle before it differs from one to the next
            return transform.RepeatCursor(lambda turn: self._opener(round * 1_000_003 + turn), times)

        def total() -> int:
            before = self._cardinality()
            return before if before == UNKNOWN_CARDINALITY else size(before)

        return Dataset("_RepeatDataset", opener, lambda: self.element_spec, total)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        size = _number(buffer_size)
        return self._then("_PrefetchDataset", lambda c, _: PrefetchCursor(c, size if size > 0 else DEFAULT_PREFETCH))

    def cache(self, filename: str = "", name: str | None = None) -> Dataset:
        kept: list[Element] = []
        done: list[bool] = []
        return self._then("CacheDataset", lambda c, _: transform.CacheCursor(c, kept, done))

    def take(self, count: Any, name: str | None = None) -> Dataset:
        number = _number(count)
        return self._then(
            "_TakeDataset",
            lambda c, _: transform.TakeCursor(c, number),
            cardinality=lambda n: n if number < 0 else (number if n < 0 else min(n, number)),
        )

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        number = _number(count)
        if number < 0:
            return self.take(0)
        return self._then(
            "_SkipDataset",
            lambda c, _: transform.SkipCursor(c, number),
            cardinality=lambda n: n if n < 0 else max(0, n - number),
        )

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        return self._then(
            "_TakeWhileDataset",
            lambda c, _: transform.TakeWhileCursor(c, lambda e: bool(edge.call(predicate, e))),
            unknown=True,
        )

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        def size() -> int:
            counts = self._cardinality(), dataset._cardinality()
            if INFINITE_CARDINALITY in counts:
                return INFINITE_CARDINALITY
            return UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in counts else sum(counts)

        return Dataset(
            "_ConcatenateDataset",
            lambda round: combine.ConcatenateCursor([self._opener(round), dataset._opener(round)]),
            lambda: edge.common(self.element_spec, dataset.element_spec),
            size,
        )

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        first = _number(start)
        return self._then(
            "_EnumerateDataset",
            lambda c, _: transform.EnumerateCursor(c, first),
            spec=lambda: (edge.spec((), np.int64), self.element_spec),
        )

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        shards, place = _number(num_shards), _number(index)
        if not 0 <= place < shards:
            raise ValueError(f"`index` must be in [0, {shards}), got {place}.")
        return self._then(
            "_ShardDataset",
            lambda c, _: transform.ShardCursor(c, shards, place),
            cardinality=lambda n: n if n < 0 else len(range(place, n, shards)),
        )

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None
    ) -> Dataset:
        width, step = _number(size), _number(stride)
        move = width if shift is None else _number(shift)

        def make(elements: list[Element]) -> Any:
            def one(*parts: Any) -> Dataset:
                rows = [np.asarray(p) for p in parts]
                return Dataset(
                    "_VariantDataset",
                    lambda _: GeneratorCursor(lambda: rows, lambda e: e),
                    lambda: edge.spec_of(rows[0]),
                    lambda: len(rows),
                )

            return map_structure(one, *elements)

        return self._then(
            "_WindowDataset",
            lambda c, _: combine.WindowCursor(c, width, move, step, drop_remainder, make),
            spec=lambda: map_structure(DatasetSpec, self.element_spec),
            unknown=True,
        )

    def scan(
        self, initial_state: Any, scan_func: Callable[[Any, Any], tuple[Any, Any]], name: str | None = None
    ) -> Dataset:
        start = map_structure(to_numpy, initial_state)

        def step(carried: Element, element: Element) -> tuple[Element, Element]:
            state, out = scan_func(edge.wrap_all(carried), edge.wrap_all(element))
            return edge.unwrap(state), edge.unwrap(out)

        return self._then(
            "_ScanDataset",
            lambda c, _: transform.ScanCursor(c, start, step),
            spec=lambda: edge.spec_of(step(start, self._opener(0).next())[1]),
        )

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Any:
        state = edge.wrap_all(map_structure(to_numpy, initial_state))
        for element in self:
            state = reduce_func(state, element)
        return edge.wrap_all(edge.unwrap(state))

    def unique(self, name: str | None = None) -> Dataset:
        def opener(round: int) -> Cursor:
            seen: set[Any] = set()

            def fresh(element: Element) -> bool:
                key = np.asarray(element).tobytes() if np.asarray(element).dtype != object else bytes(element[()])
                return not (key in seen or seen.add(key))  # type: ignore[func-returns-value]

            return transform.FilterCursor(self._opener(round), fresh)

        return Dataset("_UniqueDataset", opener, lambda: self.element_spec, lambda: UNKNOWN_CARDINALITY)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset`, got {type(made).__name__}.")
        return made

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: list[int], bucket_batch_sizes: list[int],
        padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False,
        no_padding: bool = False, drop_remainder: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Batches of elements of similar length, padded."""
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError("`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1`.")

        def batches() -> Iterator[Any]:
            held: list[list[Element]] = [[] for _ in bucket_batch_sizes]
            source = self._open()

            def emit(bucket: int) -> Element:
                inner = GeneratorCursor(lambda elements=tuple(held[bucket]): elements, lambda e: e)  # type: ignore[misc]
                size = len(held[bucket])
                held[bucket] = []
                if no_padding:
                    return batching.BatchCursor(inner, size, False).next()
                return batching.PaddedBatchCursor(inner, size, False, padded_shapes, padding_values).next()

            while True:
                try:
                    element = source.next()
                except StopIteration:
                    break
                length = _number(edge.call(element_length_func, element))
                bucket = int(np.searchsorted(bucket_boundaries, length, side="right"))
                held[bucket].append(element)
                if len(held[bucket]) == bucket_batch_sizes[bucket]:
                    yield emit(bucket)
            if not drop_remainder:
                for bucket, elements in enumerate(held):
                    if elements:
                        yield emit(bucket)

        return Dataset(
            "_GroupByWindowDataset",
            lambda _: GeneratorCursor(batches, lambda e: e),
            lambda: edge.batched(edge.with_shapes(self.element_spec, padded_shapes), None),
            lambda: UNKNOWN_CARDINALITY,
        )


def _size(value: Any) -> int:
    size = _number(value)
    if size < 1:
        raise ValueError(f"batch_size must be greater than zero, got {size}.")
    return size
