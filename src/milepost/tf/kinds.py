"""What goes into a tf.function and what comes out: which arguments are of one kind, and results as tensors. In: Python values. Out: keys and tensors."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import torch

from milepost.tf import convert, dtypes
from milepost.tf.shapes import TensorShape, TensorSpec
from milepost.tf.structure import map_structure
from milepost.tf.tensor import Tensor, wrap
from milepost.tf.trace import Trace

__all__ = ["argument", "beside", "kind_of", "number", "outward", "result_of", "specs", "symbolic"]


def specs(value: Any) -> Any:
    return map_structure(lambda v: TensorSpec.from_tensor(v) if isinstance(v, Tensor) else v, value)


def beside(value: Any, spec: Any) -> list[tuple[Any, TensorSpec]]:
    """The values that stand where the specs of a structure stand; a spec takes a whole list."""
    if isinstance(spec, TensorSpec):
        return [(value, spec)]
    if isinstance(spec, dict):
        return [pair for k in sorted(spec, key=str) for pair in beside(value[k], spec[k])]
    return [pair for v, s in zip(value, spec, strict=True) for pair in beside(v, s)]


def outward(result: Any) -> Any:
    """Python's own numbers and text come out of a tf.function as tensors."""
    if type(result) is Tensor or result is None:
        return result
    return map_structure(number, result)


def number(value: Any) -> Any:
    if isinstance(value, (bool, float, int, str, bytes, np.ndarray, np.generic)):
        return convert.convert_to_tensor(value)
    if isinstance(value, (TensorShape, dtypes.DType)):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None values; "
            f"found return value of type {type(value).__name__}, which is not a Tensor or ExtensionType."
        )
    return value


def argument(trace: Trace, value: Any, with_graph: bool) -> Any:
    if isinstance(value, Tensor):
        if not isinstance(value._t, torch.Tensor):
            return value
        own = trace.argument(value._t)
        return wrap(own.requires_grad_(True) if with_graph and own.is_floating_point() else own)
    if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, np.character):
        return wrap(trace.argument(convert.to_torch(value)))
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        return wrap(trace.argument(value))
    if hasattr(type(value), "_answer"):
        trace.stay_eager("the row splits of a ragged tensor, or the places of a sparse one, decide what is computed")
    return value


def result_of(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return wrap(value.detach())
    if isinstance(value, Tensor) and isinstance(value._t, torch.Tensor) and value._t.requires_grad:
        return wrap(value._t.detach())
    if isinstance(value, convert.variable_types):
        return wrap(convert.raw(value).clone())
    return number(value)


def kind_of(value: Any, tensors: list[Any]) -> Any:
    """What makes two arguments the same to a trace; tensors' values are collected, Python's are part of it."""
    kind = type(value)
    if kind is Tensor or isinstance(value, Tensor):
        t = value._t
        if not isinstance(t, torch.Tensor):
            return ("text", t.shape)
        tensors.append(t)
        return (t.shape, t.dtype)
    if kind is np.ndarray or isinstance(value, np.generic):
        t = convert.to_torch(value)
        tensors.append(t)
        return (t.shape, t.dtype)
    if value is None or kind in (int, float, bool, str, bytes):
        return (kind, value)
    if kind is list or kind is tuple:
        return (kind, *[kind_of(v, tensors) for v in value])
    if kind is dict:
        return (dict, *[(k, kind_of(value[k], tensors)) for k in sorted(value, key=str)])
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        tensors.append(value.detach())
        return (value.shape, value.dtype)
    if isinstance(value, dtypes.DType):
        return value
    if hasattr(kind, "_answer"):  # ragged and sparse tensors: see argument
        return kind
    return Same(value)


class Same:
    """Stands for one object as long as it lives: another object at the same address is not the same."""

    __slots__ = ("_number", "_reference")

    def __init__(self, value: Any):
        self._number = id(value)
        try:
            self._reference: Any = weakref.ref(value)
        except TypeError:  # kept alive instead
            self._reference = lambda: value

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._reference() is not None and self._reference() is other._reference()


def symbolic(args: Any) -> bool:
    """Whether Keras is only finding out shapes."""
    return any(
        type(a).__name__ == "KerasTensor" or (isinstance(a, Tensor) and getattr(a._t, "is_meta", False)) for a in args
    )
