"""Keras' text and lookup layers, which are written with TensorFlow's operations whatever the backend: `milepost.tf` answers in their files.

Keras' lazy `tensorflow` (keras_tf_module.py) still says that it is not available; these layers alone are told that it is. Nothing here but
who answers whom: the layers' own code stays Keras'.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from milepost.tf.bridge.boundary import INSIDE, dressed
from milepost.tf.tensor import Tensor, wrap

__all__ = ["exchange", "install"]

_LAYERS = "keras.src.layers.preprocessing"
_FILES = (
    f"{_LAYERS}.index_lookup",
    f"{_LAYERS}.string_lookup",
    f"{_LAYERS}.integer_lookup",
    f"{_LAYERS}.text_vectorization",
    f"{_LAYERS}.hashing",
    f"{_LAYERS}.hashed_crossing",
    f"{_LAYERS}.feature_space",
    "keras.src.utils.tf_utils",
)
_CLASSES = {
    "string_lookup": "StringLookup",
    "integer_lookup": "IntegerLookup",
    "text_vectorization": "TextVectorization",
    "hashing": "Hashing",
    "hashed_crossing": "HashedCrossing",
}  # fmt: skip


class _Ours(types.ModuleType):
    """`milepost.tf`, asked as Keras asks its lazy module."""

    available = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from milepost import tf

        return getattr(tf, name)


_OURS = _Ours("milepost.tf for Keras")


class _Standing:
    """A module with a few names exchanged."""

    def __init__(self, module: Any, **names: Any):
        self._module = module
        self.__dict__.update(names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _as_called(outputs: Any, dtype: Any = None) -> Any:
    """Results stay what they are; `_crossing` opens them where Keras needs torch's."""
    if dtype is not None and isinstance(outputs, Tensor) and outputs.dtype != dtype:
        from milepost.tf.pointwise import cast

        return cast(outputs, dtype)
    return outputs


def _opened(value: Any) -> Any:
    """Numbers as torch tensors; texts, ragged and sparse tensors as they are, for Keras only hands them on."""
    return value._t if isinstance(value, Tensor) and value.dtype.torch is not None else value


def _crossing(call: Callable[..., Any]) -> Callable[..., Any]:
    """A layer's `call`, which works with our tensors although Keras calls it."""
    from keras.src import backend

    on_torch = backend.backend() == "torch"

    @functools.wraps(call)
    def crossing(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        inside = INSIDE.keras
        INSIDE.keras = False
        try:
            result = call(self, dressed(inputs), *args, **kwargs)
        finally:
            INSIDE.keras = inside
        return _opened(result) if inside and on_torch else result

    return crossing


def _operations() -> Any:
    """The few operations of Keras' TensorFlow backend that these layers use."""
    from milepost import tf

    def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
        made = tf.one_hot(tf.cast(x, "int64"), num_classes, axis=axis, dtype=dtype or "float32")
        return tf.sparse.from_dense(made) if sparse else made

    def multi_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
        made = tf.reduce_max(one_hot(x, num_classes, dtype=dtype), axis=1 if len(x.shape) > 1 else 0)
        return tf.sparse.from_dense(made) if sparse else made

    def cast(x: Any, dtype: Any) -> Any:
        return tf.cast(x, dtype)

    def shape(x: Any) -> tuple[Any, ...]:
        return tuple(x.shape)

    made = types.ModuleType("milepost.tf.bridge.tensorflow")
    numpy = types.SimpleNamespace(
        squeeze=tf.squeeze, expand_dims=tf.expand_dims, multiply=tf.multiply, reshape=tf.reshape, sum=tf.reduce_sum
    )
    core = types.SimpleNamespace(cast=cast, shape=shape)
    made.__dict__.update(
        numpy=numpy, core=core, nn=types.SimpleNamespace(one_hot=one_hot, multi_hot=multi_hot), cast=cast, shape=shape
    )
    return made


class _Operations(types.ModuleType):
    """`from keras.src.backend import tensorflow`, made when a layer is first called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__.update({k: v for k, v in vars(_operations()).items() if not k.startswith("__")})
        return self.__dict__[name]


def _ragged_rows_embedded() -> None:
    """An Embedding of ragged numbers is ragged: the one layer of Keras' that TensorFlow's users hand them to."""
    from keras.src.layers import Embedding

    call = Embedding.call

    @functools.wraps(call)
    def crossing(self: Any, inputs: Any) -> Any:
        if not hasattr(inputs, "nested_row_splits"):
            return call(self, inputs)
        return inputs.with_flat_values(wrap(call(self, inputs.flat_values._t)))

    Embedding.call = crossing
    # Keras' layers say no to what is no tensor of theirs, each for itself, when they are made
    Embedding._allow_non_tensor_positional_args = property(lambda self: True, lambda self, value: None)


def _texts_as_data() -> None:
    """Arrays of text in `fit` and `predict`: Keras asks of every array whether it is to be cast, and knows no dtype of text."""
    from keras.src import backend
    from keras.src.trainers.data_adapters import array_slicing

    def is_float_dtype(dtype: Any) -> bool:
        return getattr(dtype, "kind", "") not in ("O", "S", "U", "T") and bool(backend.is_float_dtype(dtype))

    array_slicing.backend = _Standing(backend, is_float_dtype=is_float_dtype)


def _texts_in_shapes() -> None:
    """Keras finds out shapes by calling models on made-up tensors: of text, empty strings."""
    from keras.src import backend, tree
    from keras.src.backend.torch import core

    theirs, KerasTensor = core.compute_output_spec, backend.KerasTensor

    def made_up(x: Any, size: int) -> Any:
        if not isinstance(x, KerasTensor):
            return x
        shape = [size if d is None else d for d in x.shape]
        return wrap(np.full(shape, b"", dtype=object)) if x.dtype == "string" else KerasTensor(shape, x.dtype)

    def described(x: Any) -> Any:
        return KerasTensor(tuple(x.shape), x.dtype.name) if isinstance(x, Tensor) else x

    def common(a: Any, b: Any) -> Any:
        if not isinstance(a, KerasTensor):
            return a
        return KerasTensor([d if d == e else None for d, e in zip(a.shape, b.shape, strict=True)], a.dtype)

    def compute_output_spec(fn: Any, *args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(x, KerasTensor) and x.dtype == "string" for x in tree.flatten((args, kwargs))):
            return theirs(fn, *args, **kwargs)
        results = []
        for size in (2, 3):  # where the results differ, the size is unknown
            some, named = tree.map_structure(lambda x, size=size: made_up(x, size), (args, kwargs))
            results.append(tree.map_structure(described, theirs(fn, *some, **named)))
        return tree.map_structure(common, *results)

    modules: tuple[Any, ...] = (core, backend, sys.modules["keras.src.backend.torch"])
    for module in modules:
        module.compute_output_spec = compute_output_spec


def install() -> None:
    """Once a process, before the first such layer is made. On torch these layers also stand in models, and text is data of `fit`."""
    exchange()
    _ragged_rows_embedded()
    _texts_as_data()
    _texts_in_shapes()


def exchange() -> None:
    """The layers by themselves, on any backend: in pipelines, or called on data."""
    for name in _FILES:
        importlib.import_module(name).tf = _OURS  # type: ignore[attr-defined]
    from keras.src import backend
    from keras.src.utils import backend_utils

    if not hasattr(backend, "tensorflow"):
        backend.tensorflow = _Operations("milepost.tf.bridge.tensorflow")
    # ragged and sparse results are refused by these layers unless the backend is TensorFlow's
    standing = _Standing(backend, backend=lambda: "tensorflow")
    utilities = _Standing(backend_utils, convert_tf_tensor=_as_called)
    for file, kind in _CLASSES.items():
        module: Any = importlib.import_module(f"{_LAYERS}.{file}")
        module.backend, module.backend_utils = standing, utilities
        cls = getattr(module, kind)
        cls.call = _crossing(cls.call)
    # a FeatureSpace's layers all take and give our tensors: none needs Keras' TensorFlow backend
    space: Any = importlib.import_module(f"{_LAYERS}.feature_space")
    space.backend_utils = _Standing(backend_utils, TFGraphScope=contextlib.nullcontext)
