"""`tf.zeros_initializer` and its like: Keras' initialisers under TensorFlow's names."""

from __future__ import annotations

from typing import Any

__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]


def _keras() -> Any:
    from milepost.tf import keras

    return keras.initializers


def zeros_initializer() -> Any:
    """All 0."""
    return _keras().Zeros()


def ones_initializer() -> Any:
    """All 1."""
    return _keras().Ones()


def constant_initializer(value: Any = 0, support_partition: bool = False) -> Any:
    """All the same value."""
    return _keras().Constant(value)


def random_normal_initializer(mean: float = 0.0, stddev: float = 0.05, seed: Any = None) -> Any:
    """Normally distributed."""
    return _keras().RandomNormal(mean, stddev, seed)


def random_uniform_initializer(minval: float = -0.05, maxval: float = 0.05, seed: Any = None) -> Any:
    """Evenly spread."""
    return _keras().RandomUniform(minval, maxval, seed)
