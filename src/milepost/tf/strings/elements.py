"""A Python function of every string of a tensor, whatever holds them. In: a tensor (dense or ragged) or text. Out: the same arrangement of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes
from milepost.tf.convert import Composite, raw, to_torch
from milepost.tf.tensor import Tensor, wrap

__all__ = ["column", "each", "number", "one", "plural", "text"]


def text(value: Any) -> Any:
    """The strings as an array of bytes objects."""
    t = raw(value) if isinstance(value, Tensor) else to_torch(value, dtypes.string if _number(value) else None)
    if type(t) is not np.ndarray:
        if isinstance(value, (list, tuple)) and not t.numel():  # an empty list has no dtype of its own
            return np.empty(tuple(t.shape), dtype=object)
        raise TypeError(f"Expected a tensor of strings, got {dtypes.of_torch(t.dtype).name}.")
    return t


def _number(value: Any) -> bool:
    return isinstance(value, (int, float))


def one(value: Any) -> bytes:
    """A single string: a Python one, or a scalar tensor's."""
    if isinstance(value, str):
        return value.encode()
    return value if isinstance(value, bytes) else bytes(text(value)[()])


def column(values: list[Any]) -> Any:
    """A one-dimensional array of objects."""
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def each(value: Any, function: Callable[[bytes], Any]) -> Any:
    """Strings from strings."""
    try:
        t = text(value)
    except Composite as found:
        return found.value.with_flat_values(each(found.value.flat_values, function))
    return wrap(column([function(v) for v in t.reshape(-1).tolist()]).reshape(t.shape))


def number(value: Any, function: Callable[[bytes], Any], dtype: Any) -> Any:
    """Numbers from strings."""
    try:
        t = text(value)
    except Composite as found:
        return found.value.with_flat_values(number(found.value.flat_values, function, dtype))
    return wrap(torch.tensor([function(v) for v in t.reshape(-1).tolist()], dtype=dtype).reshape(t.shape))


def plural(value: Any, function: Callable[[bytes], list[Any]], pack: Callable[[list[Any]], Any]) -> Any:
    """Several results from each string: one more dimension, ragged; of a single string, a vector."""
    from milepost.tf.ragged import RaggedTensor
    from milepost.tf.ragged.make import from_tensor
    from milepost.tf.ragged.partition import from_lengths

    if isinstance(value, RaggedTensor):
        return value.with_flat_values(plural(value.flat_values, function, pack))
    t = text(value)
    if not t.ndim:
        return wrap(pack(function(t[()])))
    if t.ndim > 1:
        held = from_tensor(wrap(t), ragged_rank=t.ndim - 1)
        return held.with_flat_values(plural(held.flat_values, function, pack))
    parts = [function(v) for v in t.tolist()]
    splits = from_lengths([len(p) for p in parts])
    return RaggedTensor._made(wrap(pack([item for part in parts for item in part])), splits)
