"""Nested elements: tuples, named tuples, dicts and single components. In: structures. Out: structures of the same shape.

A list is data (it becomes a tensor), not structure, as in tf.data. Not here: datasets, tensors' own meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["cell", "flatten", "is_nest", "map_one", "map_structure", "pack_like", "to_numpy"]


def is_nest(value: Any) -> bool:
    return isinstance(value, (tuple, Mapping))


def flatten(value: Any) -> Iterator[Any]:
    """The components, dicts in sorted key order as TensorFlow walks them."""
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield from flatten(value[key])
    elif isinstance(value, tuple):
        for item in value:
            yield from flatten(item)
    else:
        yield value


def map_one(function: Callable[[Any], Any], value: Any) -> Any:
    """`map_structure` of one structure: what every element goes through, so the common kinds come first."""
    kind = type(value)
    if kind is np.ndarray:
        return function(value)
    if kind is tuple:
        return tuple([function(v) if type(v) is np.ndarray else map_one(function, v) for v in value])
    if kind is dict:
        return {k: function(v) if type(v) is np.ndarray else map_one(function, v) for k, v in value.items()}
    return map_structure(function, value) if isinstance(value, (tuple, Mapping)) else function(value)


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    """The same nest with `function` applied to the components; the nests must agree."""
    first = structures[0]
    if isinstance(first, Mapping):
        for other in structures[1:]:
            if not isinstance(other, Mapping) or set(other) != set(first):
                raise TypeError(f"The two structures don't have the same keys: {sorted(first)} and {other!r}.")
        made = {key: map_structure(function, *(s[key] for s in structures)) for key in first}
        return made if type(first) is dict else type(first)(made)  # type: ignore[call-arg]
    if isinstance(first, tuple):
        for other in structures[1:]:
            if not isinstance(other, tuple) or len(other) != len(first):
                raise TypeError(f"The two structures don't have the same number of elements: {first!r} and {other!r}.")
        items = [map_structure(function, *parts) for parts in zip(*structures, strict=True)]
        return type(first)(*items) if hasattr(first, "_fields") else tuple(items)
    for other in structures[1:]:
        if is_nest(other):
            raise TypeError(f"The two structures don't have the same nesting: {first!r} and {other!r}.")
    return function(*structures)


def pack_like(structure: Any, flat: Iterator[Any]) -> Any:
    """The components of `flat` in the nest of `structure`."""
    if isinstance(structure, Mapping):
        made = {key: pack_like(structure[key], flat) for key in sorted(structure)}
        return {key: made[key] for key in structure}
    if isinstance(structure, tuple):
        items = [pack_like(item, flat) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else tuple(items)
    return next(flat)


def cell(value: Any) -> np.ndarray[Any, Any]:
    """One text as an array."""
    made = np.empty((), dtype=object)
    made[()] = value
    return made


def to_numpy(value: Any) -> Any:
    """One component as the array tf.constant would make of it: Python floats are float32, Python ints int32, text bytes."""
    kind = type(value)
    if kind is np.ndarray:
        return value if value.dtype.kind not in "OUS" else _texts(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return _texts(np.asarray(value))
    if hasattr(value, "numpy"):
        if hasattr(value, "nested_row_splits"):  # a ragged tensor is a component as it is
            return value
        value = value.numpy()
        return _texts(cell(value) if isinstance(value, bytes) else np.asarray(value))
    if isinstance(value, (bytes, str)):
        return _texts(cell(value))
    if value is None or hasattr(value, "dense_shape"):
        return value
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        from milepost.tf.convert import convert_to_tensor

        return to_numpy(convert_to_tensor(value))
    array = np.asarray(value, dtype=object) if _first(value, bytes) else _rectangle(value)
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype == np.int64 and not _first(value, (np.ndarray, np.generic)):
        return array.astype(np.int32) if array.size == 0 or np.abs(array).max() < 2**31 else array
    return _texts(array)


def _rectangle(value: Any) -> np.ndarray[Any, Any]:
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None


def _first(value: Any, kinds: Any) -> bool:
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, kinds)


def _holds_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensors(v) for v in value) if len(value) < 100 else _holds_tensors(value[0])
    return hasattr(value, "numpy")


def _texts(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Text travels as an object array of bytes: numpy's own S type drops trailing zeros."""
    kind = array.dtype.kind
    if kind not in "USO":
        return array
    flat = [item if type(item) is bytes else _encoded(item) for item in array.ravel().tolist()]
    made = np.empty(len(flat), dtype=object)
    made[:] = flat
    return made.reshape(array.shape)


def _encoded(item: Any) -> bytes:
    if isinstance(item, str):
        return item.encode()
    if isinstance(item, (bytes, bytearray)):
        return bytes(item)
    raise ValueError(f"Attempt to convert a value ({item!r}) with an unsupported type ({type(item)}) to a Tensor.")
