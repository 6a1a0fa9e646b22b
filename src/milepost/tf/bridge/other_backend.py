"""Keras on a backend other than torch (`KERAS_BACKEND=jax`): `fit`, `evaluate` and `predict` run there; tensors cross as numpy arrays.

Tapes differentiate torch's operations only, so a model called inside a tape says what to do instead of giving no gradient.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import torch
from keras.src import losses, metrics, models
from keras.src.layers.layer import Layer

from milepost.tf.bridge import datasets, keras_tf_module, text_layers, user_code
from milepost.tf.bridge.boundary import INSIDE as _inside
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

__all__ = ["install"]


def _ours(value: Any) -> Any:
    if not keras.ops.is_tensor(value):
        return value
    made = torch.from_numpy(np.array(value))
    mask = getattr(value, "_keras_mask", None)
    if mask is not None:  # what Embedding says of its steps goes with its result to the next layer
        made._keras_mask = torch.from_numpy(np.array(mask))
    return wrap(made)


def _out(value: Any) -> Any:
    return keras.tree.map_structure(_ours, value)


def _in(value: Any) -> Any:
    if isinstance(value, Tensor):
        mask = getattr(value._t, "_keras_mask", None)
        if mask is None:
            return value.numpy()
        made = keras.ops.convert_to_tensor(value.numpy())
        made._keras_mask = keras.ops.convert_to_tensor(mask.numpy())
        return made
    if type(value) in (list, tuple):
        return type(value)(_in(v) for v in value)
    return {k: _in(v) for k, v in value.items()} if type(value) is dict else value


def _crossing(function: Callable[..., Any], result: Callable[[Any], Any] = _out) -> Callable[..., Any]:
    @functools.wraps(function)
    def cross(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _inside.keras:
            return function(self, *args, **kwargs)
        if NOW.recording:
            raise RuntimeError(
                f"A tape records torch operations, but Keras runs on {keras.backend.backend()}: its gradients would all be None. "
                "Use fit() with this backend, or set KERAS_BACKEND=torch for training loops of your own."
            )
        _inside.keras = True
        try:
            return result(function(self, *_in(args), **_in(kwargs)))
        finally:
            _inside.keras = False

    return cross


def install() -> None:
    datasets.install()
    keras_tf_module.install()
    text_layers.exchange()
    user_code.install()
    Layer.__call__ = _crossing(Layer.__call__)
    losses.Loss.__call__ = _crossing(losses.Loss.__call__)
    metrics.Metric.__call__ = _crossing(metrics.Metric.__call__)
    for name in ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"):
        setattr(models.Model, name, _crossing(getattr(models.Model, name), result=lambda v: v))
