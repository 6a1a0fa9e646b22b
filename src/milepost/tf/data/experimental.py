"""tf.data.experimental: the older spellings that tutorials still use, and the few things that live only there. In: arguments. Out: datasets,
or functions for `Dataset.apply`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.base import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, number
from milepost.tf.data.checks import AssertCardinalityCursor
from milepost.tf.data.csv import CsvDataset, make_csv_dataset
from milepost.tf.data.cursor import ListCursor
from milepost.tf.data.dataset import Dataset
from milepost.tf.data.features import make_batched_features_dataset, parse_example_dataset
from milepost.tf.data.groups import GroupByReducerCursor
from milepost.tf.data.optional import Optional
from milepost.tf.data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from milepost.tf.data.structure import map_structure, to_numpy
from milepost.tf.failures import InvalidArgumentError, OutOfRangeError

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "SHARD_HINT", "UNKNOWN_CARDINALITY", "AutoShardPolicy", "AutotuneAlgorithm", "AutotuneOptions",
    "Counter", "CsvDataset", "DistributeOptions", "ExternalStatePolicy", "OptimizationOptions", "Optional", "RandomDataset", "Reducer",
    "ServiceOptions", "TFRecordWriter", "ThreadingOptions", "assert_cardinality", "at", "bucket_by_sequence_length", "cardinality",
    "choose_from_datasets", "copy_to_device", "dense_to_ragged_batch", "dense_to_sparse_batch", "enable_debug_mode", "enumerate_dataset",
    "from_list", "get_next_as_optional", "get_single_element", "get_structure", "group_by_reducer", "group_by_window", "ignore_errors",
    "load", "make_batched_features_dataset", "make_csv_dataset", "make_saveable_from_iterator", "map_and_batch", "parallel_interleave",
    "parse_example_dataset", "prefetch_to_device", "rejection_resample", "sample_from_datasets", "save", "scan", "shuffle_and_repeat",
    "snapshot", "take_while", "unbatch", "unique",
]  # fmt: skip

SHARD_HINT = -1
Apply = Callable[[Dataset], Dataset]

sample_from_datasets = Dataset.sample_from_datasets


def _of(method: str) -> Callable[..., Apply]:
    """A method of Dataset as a function for `apply`."""

    def make(*args: Any, **kwargs: Any) -> Apply:
        return lambda dataset: getattr(dataset, method)(*args, **kwargs)

    make.__name__ = method
    make.__doc__ = f"`Dataset.{method}`, for `Dataset.apply`."
    return make


bucket_by_sequence_length = _of("bucket_by_sequence_length")
dense_to_ragged_batch = _of("ragged_batch")
dense_to_sparse_batch = _of("sparse_batch")
enumerate_dataset = _of("enumerate")
group_by_window = _of("group_by_window")
ignore_errors = _of("ignore_errors")
rejection_resample = _of("rejection_resample")
scan = _of("scan")
snapshot = _of("snapshot")
take_while = _of("take_while")
unbatch = _of("unbatch")
unique = _of("unique")


def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False) -> Dataset:
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = np.int64) -> Dataset:
    return Dataset.counter(start, step, dtype)


def RandomDataset(
    seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Dataset:
    return Dataset.random(seed, rerandomize_each_iteration)


def cardinality(dataset: Dataset) -> Any:
    return dataset.cardinality()


def get_structure(dataset_or_iterator: Any) -> Any:
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator object, but got "
            f"{type(dataset_or_iterator)}."
        ) from None


def get_next_as_optional(iterator: Any) -> Any:
    return iterator.get_next_as_optional()


def get_single_element(dataset: Dataset) -> Any:
    return dataset.get_single_element()


def save(dataset: Dataset, path: Any, compression: str | None = None, shard_func: Any = None, checkpoint_args: Any = None) -> None:  # fmt: skip
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(path: Any, element_spec: Any = None, compression: str | None = None, reader_func: Any = None) -> Dataset:
    return Dataset.load(path, element_spec, compression, reader_func)


def enable_debug_mode() -> None:
    """The functions of pipelines always run as Python here: nothing to do."""


def make_saveable_from_iterator(iterator: Any, external_state_policy: Any = None) -> Any:
    """Iterators are saved as they are: put them into a tf.train.Checkpoint."""
    return iterator


def assert_cardinality(expected_cardinality: Any) -> Apply:
    """Promises how many elements there are; an error where there are not."""
    wanted = number(expected_cardinality)

    def apply(dataset: Dataset) -> Dataset:
        made = dataset._then("_AssertCardinalityDataset", lambda c: AssertCardinalityCursor(c, wanted), passes=True)
        made._cardinality = lambda: wanted
        return made

    return apply


def at(dataset: Dataset, index: Any) -> Any:
    """The element at a place."""
    place = number(index)
    count = dataset._cardinality()
    if place < 0 or 0 <= count <= place:
        raise OutOfRangeError(f"Index out of range [0, {count}):{place}")
    for element in dataset.skip(place).take(1):
        return element
    raise OutOfRangeError(f"Index out of range: {place}")


def from_list(elements: list[Any], name: str | None = None) -> Dataset:
    """A dataset of the elements of a list, whatever their structure."""
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    made = [map_structure(to_numpy, element) for element in elements]
    spec = edge.spec_of(made[0])
    for element in made[1:]:
        spec = edge.common(spec, edge.spec_of(element))
    return Dataset("_ListDataset", lambda: ListCursor(made), lambda: spec, lambda: len(made))


def map_and_batch(
    map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: Any = None, drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Apply:  # fmt: skip
    workers = num_parallel_calls
    if workers is None and num_parallel_batches is not None:
        workers = number(num_parallel_batches) * number(batch_size)
    return lambda dataset: dataset.map(map_func, workers).batch(batch_size, drop_remainder)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: int | None = None) -> Apply:
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1, sloppy: bool = False,
    buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
) -> Apply:  # fmt: skip
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, AUTOTUNE, not sloppy)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Apply:
    """Elements reach the program on the device new tensors go to; other devices by `with tf.device`."""
    return lambda dataset: dataset._then("_CopyToDeviceDataset", lambda c: c, passes=True)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Apply:
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


class Reducer:
    """Three functions that fold the elements of a key into one."""

    def __init__(
        self, init_func: Callable[[Any], Any], reduce_func: Callable[..., Any], finalize_func: Callable[..., Any]
    ):
        self._init, self._reduce, self._finalize = init_func, reduce_func, finalize_func

    init_func = property(lambda self: self._init)
    reduce_func = property(lambda self: self._reduce)
    finalize_func = property(lambda self: self._finalize)

    def begin(self, key: int) -> Any:
        return edge.unwrap(self._init(edge.wrap(np.int64(key))))

    def add(self, state: Any, element: Any) -> Any:
        return edge.unwrap(self._reduce(edge.wrap_all(state), edge.wrap_all(element)))

    def end(self, state: Any) -> Any:
        return edge.unwrap(edge.call(self._finalize, state))


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Apply:
    """One element for each key, when all have been seen."""

    def key(element: Any) -> int:
        return number(edge.call(key_func, element))

    return lambda dataset: dataset._then(
        "_GroupByReducerDataset",
        lambda c: GroupByReducerCursor(c, key, reducer),
        spec=lambda: edge.spec_of(reducer.end(reducer.add(reducer.begin(0), dataset._sample()))),
        unknown=True,
    )


class TFRecordWriter:
    """Writes a dataset of strings as TFRecords; `tf.io.TFRecordWriter` writes them one by one."""

    def __init__(self, filename: Any, compression_type: str | None = None):
        warnings.warn("tf.data.experimental.TFRecordWriter is deprecated: write with tf.io.TFRecordWriter.", DeprecationWarning, stacklevel=2)  # fmt: skip
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Any) -> None:
        from milepost.tf.io import TFRecordWriter as Writer

        if not isinstance(dataset, Dataset):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        with Writer(self._filename, self._compression) as writer:
            for record in dataset.as_numpy_iterator():
                if not isinstance(record, bytes):
                    raise InvalidArgumentError(
                        f"TFRecords are strings, got an element of type {type(record).__name__}."
                    )
                writer.write(record)
