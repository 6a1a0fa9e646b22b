"""Our tf.data.Dataset as data of `fit`, `evaluate` and `predict`. In: a dataset. Out: what Keras' epochs iterate: torch tensors, or numpy arrays for jax.

Keras asks `get_data_adapter` what to do with its data; ours is asked first, so that Keras need not believe TensorFlow is installed.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from keras.src import backend, tree
from keras.src.trainers import data_adapters
from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.data_adapters.data_adapter_utils import unpack_x_y_sample_weight

from milepost.tf.bridge.boundary import as_user, bare
from milepost.tf.data import edge
from milepost.tf.data.dataset import Dataset
from milepost.tf.data.structure import map_structure
from milepost.tf.tensor import Tensor, host

__all__ = ["DatasetAdapter", "install"]


def _weights_of(class_weight: dict[int, float]) -> Callable[[Any], Any]:
    """(x, y) -> (x, y, the weight of each row's class); a class without a weight counts 1."""
    classes = [int(c) for c in class_weight]
    table = np.ones(max(classes, default=0) + 1, backend.floatx())
    table[classes] = list(class_weight.values())

    def weigh(batch: Any) -> Any:
        x, y, sample_weight = unpack_x_y_sample_weight(batch)
        if sample_weight is not None:
            raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
        if tree.is_nested(y):
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        rows = np.asarray(y)
        if rows.ndim >= 2:
            rows = rows.argmax(-1) if rows.shape[-1] > 1 else rows[..., 0]
        rows = np.round(rows).astype(np.int64)
        known = (rows >= 0) & (rows < len(table))
        return x, y, np.where(known, table[np.where(known, rows, 0)], table.dtype.type(1))

    return weigh


def _as_torch(part: Any) -> Any:
    if isinstance(part, (np.ndarray, np.generic)):
        part = edge.wrap(part)
    return bare(part)


def _as_numpy(part: Any) -> Any:
    return host(part._t) if isinstance(part, Tensor) else part


class DatasetAdapter(DataAdapter):  # type: ignore[misc]
    """Each pass opens the dataset anew: a shuffle before it differs from epoch to epoch."""

    def __init__(self, dataset: Dataset, class_weight: dict[int, float] | None = None):
        self._dataset = dataset
        self._weigh = None if class_weight is None else _weights_of(class_weight)

    def _batches(self, convert: Callable[[Any], Any]) -> Iterator[Any]:
        # the functions in a pipeline are the user's: they see our tensors although Keras asks for the batch
        cursor = as_user(self._dataset._open)
        take = cursor.next
        try:
            while True:
                try:
                    batch = as_user(take)
                except StopIteration:
                    return
                yield map_structure(convert, batch if self._weigh is None else self._weigh(batch))
        finally:
            cursor.close()

    def get_numpy_iterator(self) -> Iterator[Any]:
        return self._batches(_as_numpy)

    def get_jax_iterator(self) -> Iterator[Any]:
        return self._batches(_as_numpy)

    def get_torch_dataloader(self) -> Iterator[Any]:
        from keras.src.backend.torch.core import get_device

        device = get_device()
        if str(device) == "cpu":
            return self._batches(_as_torch)

        def placed(part: Any) -> Any:
            made = _as_torch(part)
            return made.to(device, non_blocking=True) if hasattr(made, "to") else made

        return self._batches(placed)

    @property
    def num_batches(self) -> int | None:
        count = self._dataset._cardinality()
        return None if count < 0 else count

    @property
    def batch_size(self) -> int | None:
        first = tree.flatten(self._dataset.element_spec)[0].shape
        return first[0] if first.rank else None

    @property
    def has_partial_batch(self) -> None:
        return None

    @property
    def partial_batch_size(self) -> None:
        return None


def _generated(generator: Any) -> Iterator[Any]:
    """A user's generator, run as the user's code."""
    while True:
        try:
            batch = as_user(next, generator)
        except StopIteration:
            return
        yield batch


def install() -> None:
    theirs = data_adapters.get_data_adapter

    def get_data_adapter(
        x: Any, y: Any = None, sample_weight: Any = None, batch_size: Any = None, steps_per_epoch: Any = None,
        shuffle: Any = False, class_weight: Any = None,
    ) -> Any:  # fmt: skip
        if isinstance(x, Dataset):
            for name, meaning, value in (
                ("y", "the targets", y),
                ("sample_weights", "the sample weights", sample_weight),
            ):
                if value is not None:
                    data_adapters.raise_unsupported_arg(name, meaning, "tf.data.Dataset")
            return DatasetAdapter(x, class_weight)
        if isinstance(x, types.GeneratorType):
            x = _generated(x)
        return theirs(
            x=x, y=y, sample_weight=sample_weight, batch_size=batch_size, steps_per_epoch=steps_per_epoch,
            shuffle=shuffle, class_weight=class_weight,
        )  # fmt: skip

    data_adapters.get_data_adapter = get_data_adapter
