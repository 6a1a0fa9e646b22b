"""Teaches the Keras of this process our tensors: conversion, operators of its variables, and the crossings of boundary.py. Runs once, before `tf.keras` is used.

Nothing of Keras' results changes: only what goes in and comes out at the user's side.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import keras
import numpy as np
import torch
from keras.src import constraints, initializers, losses, metrics, models, regularizers
from keras.src.backend.common.dtypes import PYTHON_DTYPES_MAP
from keras.src.backend.common.variables import Variable as AnyKerasVariable
from keras.src.layers import Embedding, Masking
from keras.src.layers.layer import Layer
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.optimizers.schedules.learning_rate_schedule import LearningRateSchedule
from keras.src.trainers.trainer import Trainer

from milepost.tf import convert, recorded
from milepost.tf.arithmetic import OPERATORS
from milepost.tf.bridge.boundary import INSIDE, callee_is_keras, callee_is_user
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap
from milepost.tf.variables import enlist

__all__ = ["install"]

_USER_METHODS: dict[Any, tuple[str, ...]] = {
    Layer: ("call", "train_step", "test_step", "predict_step", "compute_loss", "compute_metrics"),
    losses.Loss: ("call",),
    metrics.Metric: ("update_state", "result", "reset_state"),
    regularizers.Regularizer: ("__call__",),
    constraints.Constraint: ("__call__",),
    LearningRateSchedule: ("__call__",),
}
_KERAS_METHODS: dict[Any, tuple[str, ...]] = {
    metrics.Metric: ("update_state", "result", "reset_state", "__call__"),
    initializers.Initializer: ("__call__",),
    regularizers.Regularizer: ("__call__",),
    constraints.Constraint: ("__call__",),
    LearningRateSchedule: ("__call__",),
    Embedding: ("compute_mask",),
    Masking: ("compute_mask",),
    Trainer: ("test_step", "predict_step", "compute_loss", "compute_metrics"),
}
_TRAINER = ("evaluate", "predict", "test_on_batch", "predict_on_batch")
_TRAINING = ("fit", "train_on_batch")

_done = False


def install() -> None:
    """Once a process; later calls do nothing."""
    global _done
    if _done:
        return
    _done = True
    if keras.backend.backend() != "torch":
        from milepost.tf.bridge import other_backend

        other_backend.install()
        return
    from milepost.tf.bridge import (
        datasets,
        executions,
        export,
        keras_tf_module,
        lanes,
        looks,
        metric_lanes,
        text_layers,
        updates,
        upkeep,
        user_code,
    )  # fmt: skip

    PYTHON_DTYPES_MAP["int"] = "int64"  # an optimizer counts its steps in int64, as in TensorFlow and its checkpoints
    _conversion()
    _variables()
    Layer.__call__ = lanes.shortened(callee_is_keras(Layer.__call__))
    losses.Loss.__call__ = callee_is_keras(losses.Loss.__call__)
    BaseOptimizer.apply_gradients = _apply_gradients
    BaseOptimizer.apply = callee_is_keras(BaseOptimizer.apply)
    updates.install()
    for name in _TRAINER:
        setattr(models.Model, name, callee_is_keras(getattr(models.Model, name)))
    for name in _TRAINING:
        setattr(models.Model, name, callee_is_keras(getattr(models.Model, name), training=True))
    metric_lanes.install()
    for base, names in _KERAS_METHODS.items():
        for kind in _family(base):
            for name in names:
                if name in vars(kind):
                    setattr(kind, name, callee_is_keras(vars(kind)[name]))
    for kind in _family(Trainer):
        if "train_step" in vars(kind):
            kind.train_step = callee_is_keras(kind.train_step, training=True)
    for base, names in _USER_METHODS.items():
        user_code.watch_subclasses(base, names, callee_is_user)
    _accept_our_functions()
    models.Model.build = _build(models.Model.build)
    upkeep.install()
    looks.install()
    executions.install()
    datasets.install()
    export.install()
    keras_tf_module.install()
    text_layers.install()
    user_code.install()


def _build(theirs: Any) -> Any:
    """`model.build(input_shape=[64, 784])` of a model with a `call` of its own makes its variables, as older Keras did."""

    @functools.wraps(theirs)
    def build(self: Any, input_shape: Any = None, *args: Any, **kwargs: Any) -> Any:
        own = (
            not INSIDE.keras
            and not type(self).__module__.startswith("keras.")
            and type(self).build is models.Model.build
        )
        plain = (
            isinstance(input_shape, (list, tuple))
            and input_shape
            and all(d is None or isinstance(d, int) for d in input_shape)
        )
        if own and plain and not self.built and self._layers and not args and not kwargs:
            example = torch.zeros([1 if d is None else int(d) for d in input_shape], device=NOW.device)
            try:
                self(wrap(example))
            except Exception as error:
                raise ValueError(
                    f"{type(self).__name__} cannot be built by calling it on float32 values of shape {tuple(example.shape)}: {error} "
                    "Call it once on real data instead."
                ) from error
            return None
        return theirs(self, input_shape, *args, **kwargs)

    return build


def _accept_our_functions() -> None:
    """`Dense(activation=tf.keras.activations.relu)`: Keras gets its own function back, and knows its name."""
    from keras.src import activations

    def opened(get: Any) -> Any:
        def look_up(identifier: Any, *args: Any, **kwargs: Any) -> Any:
            if hasattr(identifier, "__milepost_crossing__") and hasattr(identifier, "__wrapped__"):
                identifier = identifier.__wrapped__
            return get(identifier, *args, **kwargs)

        return look_up

    for module in (activations, constraints, initializers, losses, metrics, regularizers):
        module.get = opened(module.get)


def _apply_gradients(self: Any, grads_and_vars: Any, **_: Any) -> Any:
    """`apply_gradients(zip(grads, variables))`; a pair without gradient is left out, as in TensorFlow."""
    pairs = list(grads_and_vars)
    if pairs and all(g is None for g, _ in pairs):
        raise ValueError("No gradients provided for any variable.")
    if not pairs:
        raise ValueError(
            "apply_gradients was given no variables: is the model built? Call it once on data, or model.build(input_shape), first."
        )
    self.apply([g if type(g) is Tensor else _dense(g, v) for g, v in pairs], [v for _, v in pairs])
    return self._iterations


def _dense(gradient: Any, variable: Any) -> Any:
    """IndexedSlices written by hand as the whole gradient they stand for."""
    from milepost.tf.slices import IndexedSlices

    if not isinstance(gradient, IndexedSlices):
        return gradient
    if gradient.dense_shape is None:
        gradient = IndexedSlices(gradient.values, gradient.indices, list(variable.shape))
    return gradient.__tf_tensor__()


def _family(base: Any) -> set[Any]:
    found, waiting = {base}, [base]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            if kind not in found:
                found.add(kind)
                waiting.append(kind)
    return {k for k in found if k.__module__.startswith("keras.")}


def _conversion() -> None:
    """Keras' `convert_to_tensor` opens our tensors, in every module that took the name."""
    from keras.src.backend.torch import core

    theirs, theirs_is = core.convert_to_tensor, core.is_tensor

    def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
        if isinstance(x, Tensor):
            if type(x._t) is np.ndarray:  # texts: Keras only hands them from layer to layer
                return x
            x = x._t
        elif type(x) is list or type(x) is tuple:
            x = [v._t if isinstance(v, Tensor) else v for v in x]
        if dtype == "string" or (isinstance(x, np.ndarray) and x.dtype.kind in "OSU"):
            return convert.convert_to_tensor(x)
        return theirs(x, dtype, sparse, ragged)

    def is_tensor(x: Any) -> bool:
        return theirs_is(x) or isinstance(x, Tensor)

    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("keras.src"):
            for name, value in list(vars(module).items()):
                if value is theirs:
                    setattr(module, name, convert_to_tensor)
                elif value is theirs_is and module is not core:
                    setattr(module, name, is_tensor)


def _variables() -> None:
    """`layer.kernel * x` and the like: on the user's side our operators answer, in Keras its own."""
    from keras.src.backend.torch.core import Variable as KerasVariable

    def choose(name: str, ours: Any) -> Any:
        theirs = getattr(KerasVariable, name)

        def operator(self: Any, *other: Any) -> Any:
            return theirs(self, *other) if INSIDE.keras else ours(self, *other)

        return operator

    for name, ours in OPERATORS.items():
        if hasattr(AnyKerasVariable, name):
            setattr(KerasVariable, name, choose(name, ours))
    KerasVariable.__hash__ = object.__hash__  # compared by value, kept in sets by identity, as Keras' own code expects
    KerasVariable.__array_priority__ = 100.0
    theirs = KerasVariable.__getitem__

    def read(self: Any, key: Any) -> Any:
        if INSIDE.keras:
            return theirs(self, key)
        from milepost.tf.indexing import index

        return index(self, key)

    KerasVariable.__getitem__ = read
    begin = KerasVariable._initialize

    def initialize(self: Any, value: Any) -> None:
        if NOW.trace is not None:
            NOW.trace.variable_made()
        begin(self, value)
        enlist(self)

    KerasVariable._initialize = initialize
    write = KerasVariable._direct_assign

    def direct_assign(self: Any, value: Any) -> None:
        if recorded.BOXES:
            recorded.keep(self._value)
        write(self, value)

    KerasVariable._direct_assign = direct_assign
    convert.register_variables(KerasVariable)
