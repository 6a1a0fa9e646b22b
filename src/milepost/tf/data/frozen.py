"""An iterator's state as one string of bytes, and back. In: nested dicts, lists, tuples, numbers, text, bytes, arrays, and the components
elements may have (sparse and ragged tensors, windows). Out: bytes.

A shuffle buffer grows and shrinks, so an iterator's state has no fixed shape to be matched with: a checkpoint keeps it whole, as
TensorFlow does. The bytes are a length, a JSON skeleton, and the arrays' own bytes one after another. Nothing is executed on reading.
"""

from __future__ import annotations

import base64
import collections
import json
from typing import Any

import numpy as np

from milepost.errors import FormatError
from milepost.tf.data import composite

__all__ = ["freeze", "thaw"]

_HEAD = b"tf.data state 1\n"


def freeze(state: Any) -> bytes:
    """The state as bytes."""
    arrays: list[bytes] = []

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {"dict": [[key, plain(item)] for key, item in value.items()]}
        if isinstance(value, (list, tuple)):
            if hasattr(value, "_fields"):
                return {"named": [type(value).__name__, *value._fields], "items": [plain(item) for item in value]}
            return {"tuple" if isinstance(value, tuple) else "list": [plain(item) for item in value]}
        if isinstance(value, (np.ndarray, np.generic)):
            array = np.asarray(value)
            if array.dtype == object:
                return {"texts": [plain(item) for item in array.ravel().tolist()], "shape": array.shape}
            data = np.ascontiguousarray(array).tobytes()
            arrays.append(data)
            kind = (
                array.dtype.str if array.dtype.kind != "V" else array.dtype.name
            )  # bfloat16 is no type of numpy's own
            return {
                "array": kind,
                "shape": array.shape,
                "bytes": len(data),
                "row": isinstance(value, composite.RaggedRow),
            }
        if isinstance(value, bytes):
            return {"base64": base64.b64encode(value).decode()}
        if value is None or isinstance(value, (bool, int, float, str)):
            return {"plain": value}
        if composite.is_sparse(value):
            parts = (value.indices, value.values, value.dense_shape)
            return {"sparse": [plain(np.asarray(part.numpy())) for part in parts]}
        if composite.is_ragged(value):
            parts = (value.flat_values, *value.nested_row_splits)
            return {"ragged": [plain(np.asarray(part.numpy())) for part in parts]}
        if hasattr(value, "window_elements"):
            return {"window": [plain(item) for item in value.window_elements]}
        raise FormatError(f"a {type(value).__name__} in the state of a dataset's iterator cannot be saved")

    skeleton = json.dumps(plain(state)).encode()
    return b"".join((_HEAD, len(skeleton).to_bytes(8, "little"), skeleton, *arrays))


def thaw(data: bytes) -> Any:
    """The state again; an error for bytes that are none."""
    if not data.startswith(_HEAD):
        raise FormatError("these bytes are no state of a dataset's iterator", got=data[:16], want=_HEAD)
    at = len(_HEAD) + 8
    size = int.from_bytes(data[len(_HEAD) : at], "little")
    if size > len(data) - at:
        raise FormatError("the state of a dataset's iterator is cut short", got=len(data) - at, want=size)
    place = at + size

    def build(node: Any) -> Any:
        nonlocal place
        if "dict" in node:
            return {key: build(item) for key, item in node["dict"]}
        if "list" in node:
            return [build(item) for item in node["list"]]
        if "tuple" in node:
            return tuple(build(item) for item in node["tuple"])
        if "named" in node:
            name, *fields = node["named"]
            return collections.namedtuple(name, fields)(*(build(item) for item in node["items"]))
        if "texts" in node:
            made = np.empty(len(node["texts"]), dtype=object)
            made[:] = [build(item) for item in node["texts"]]
            return made.reshape(node["shape"])
        if "array" in node:
            begin, place = place, place + int(node["bytes"])
            array = np.frombuffer(data[begin:place], _dtype(node["array"])).reshape(node["shape"]).copy()
            return array.view(composite.RaggedRow) if node.get("row") else array
        if "base64" in node:
            return base64.b64decode(node["base64"])
        if "sparse" in node:
            from milepost.tf.sparse import SparseTensor

            return SparseTensor(*(build(item) for item in node["sparse"]))
        if "ragged" in node:
            from milepost.tf import RaggedTensor

            values, *splits = (build(item) for item in node["ragged"])
            return RaggedTensor.from_nested_row_splits(values, splits)
        if "window" in node:
            from milepost.tf.data.grouping import window_of

            return window_of([build(item) for item in node["window"]])
        return node["plain"]

    try:
        return build(json.loads(data[at : at + size]))
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"the state of a dataset's iterator does not make sense: {error}") from error


def _dtype(name: str) -> Any:
    from milepost.tf.dtypes import as_dtype

    return as_dtype(name).as_numpy_dtype if name == "bfloat16" else np.dtype(name)
