"""Serialised Examples as datasets of features. In: files of Examples, feature descriptions. Out: batches of tensors by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from milepost.tf.data.base import AUTOTUNE
from milepost.tf.data.dataset import Dataset
from milepost.tf.data.files import TFRecordDataset

__all__ = ["make_batched_features_dataset", "parse_example_dataset"]


def parse_example_dataset(
    features: dict[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[Dataset], Dataset]:
    """A dataset of batches of serialised Examples, parsed."""
    from milepost.tf.io import parse_example

    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    return lambda dataset: dataset.map(lambda batch: parse_example(batch, features), num_parallel_calls)


def make_batched_features_dataset(
    file_pattern: Any, batch_size: Any, features: dict[str, Any], reader: Any = None, label_key: str | None = None,
    reader_args: Any = None, num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None, prefetch_buffer_size: Any = None, reader_num_threads: Any = None,
    parser_num_threads: Any = None, sloppy_ordering: bool = False, drop_final_batch: bool = False,
) -> Dataset:  # fmt: skip
    """Batches of the features of TFRecord files; with the label apart when it is named."""
    read = TFRecordDataset if reader is None else reader
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset: Any = files.interleave(lambda path: read(path, *(reader_args or ())), reader_num_threads or 1, 1)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs).batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: {sorted(features)}."
            )

        def apart(parsed: dict[str, Any]) -> Any:
            label = parsed.pop(label_key)
            return parsed, label

        dataset = dataset.map(apart)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)  # type: ignore[no-any-return]
