"""Older names of `tf.keras` that Keras 3 dropped and tutorials still write. In: nothing. Out: path -> a function giving the stand-in."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

__all__ = ["OLDER"]


def _set_learning_phase() -> Any:
    from milepost.tf.bridge import learning_phase

    return learning_phase.set_learning_phase


def _learning_phase() -> Any:
    from milepost.tf.bridge import learning_phase

    return learning_phase.learning_phase


def _tensorboard() -> Any:
    return importlib.import_module("milepost.integrations.keras").TensorBoard


def _split_dataset() -> Any:
    """Datasets of ours, whatever Keras' backend: it would give torch's."""
    import functools

    from keras.utils import split_dataset

    return functools.partial(split_dataset, preferred_backend="tensorflow")


OLDER: dict[str, Callable[[], Any]] = {
    "keras.callbacks.TensorBoard": _tensorboard,
    "keras.utils.split_dataset": _split_dataset,
    "keras.backend.set_learning_phase": _set_learning_phase,
    "keras.backend.learning_phase": _learning_phase,
}
