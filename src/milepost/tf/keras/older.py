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


def _tfsm_layer() -> Any:
    from milepost.tf.bridge.export import TFSMLayer

    return TFSMLayer


def _tensorboard() -> Any:
    return importlib.import_module("milepost.integrations.keras").TensorBoard


def _split_dataset() -> Any:
    """Datasets of ours, whatever Keras' backend: it would give torch's."""
    import functools

    from keras.utils import split_dataset

    return functools.partial(split_dataset, preferred_backend="tensorflow")


def _int_shape() -> Any:
    def int_shape(x: Any) -> tuple[int | None, ...]:
        """A plain tuple: Keras leaves a shape that is a tuple of some kind as it is."""
        return tuple(x.shape)

    return int_shape


def _softmax() -> Any:
    def softmax(x: Any, axis: int = -1) -> Any:
        """As Keras' own, which notes the logits on the tensor it gives; ours carry no notes."""
        from milepost.tf import nn

        return nn.softmax(x, axis=axis)

    return softmax


def _sigmoid() -> Any:
    from milepost.tf.pointwise import sigmoid

    return sigmoid


OLDER: dict[str, Callable[[], Any]] = {
    "keras.callbacks.TensorBoard": _tensorboard,
    "keras.layers.TFSMLayer": _tfsm_layer,
    "keras.utils.split_dataset": _split_dataset,
    "keras.backend.int_shape": _int_shape,
    "keras.backend.softmax": _softmax,
    "keras.backend.sigmoid": _sigmoid,
    "keras.backend.set_learning_phase": _set_learning_phase,
    "keras.backend.learning_phase": _learning_phase,
}
