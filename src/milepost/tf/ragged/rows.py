"""The rows of dense values, texts and ragged tensors alike: taken, joined, counted. In: a Tensor or RaggedTensor. Out: one of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes
from milepost.tf.convert import raw
from milepost.tf.ragged import partition
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["blank", "count", "index_tensor", "join", "numbers", "take"]


def numbers(value: Any) -> Any:
    """Row splits, lengths or the like as a numpy array; int32 stays, everything else is int64."""
    array = host(raw(value)) if not isinstance(value, np.ndarray) else value
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"A row partition is made of int32 or int64 numbers, got {array.dtype}.")
    given_as_tensor = isinstance(value, (Tensor, torch.Tensor, np.ndarray))
    return array if array.dtype == np.int32 and given_as_tensor else array.astype(np.int64)


def index_tensor(index: Any, beside: Any) -> Any:
    """An array of indices as torch wants it, where `beside` lies."""
    made = torch.from_numpy(np.ascontiguousarray(index, dtype=np.int64))
    return made if beside.device.type == "cpu" else made.to(beside.device)


def count(values: Any) -> int:
    """How many rows."""
    return len(values._splits) - 1 if not isinstance(values, Tensor) else int(values._t.shape[0])


def take(values: Any, index: Any) -> Any:
    """The rows with these numbers."""
    if isinstance(values, Tensor):
        t = raw(values)
        return wrap(t[index] if type(t) is np.ndarray else t.index_select(0, index_tensor(index, t)))
    splits = values._splits
    sizes = partition.lengths(splits)[index]
    inner = take(values._values, partition.ranges(splits[:-1][index], sizes))
    return values._like(inner, partition.from_lengths(sizes, splits.dtype), values._uniform)


def join(parts: Any) -> Any:
    """All rows of one, then of the next; the parts are of one kind."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], Tensor):
        tensors = [raw(p) for p in parts]
        _same_dtype(parts)
        if type(tensors[0]) is np.ndarray:
            return wrap(np.concatenate(tensors))
        return wrap(torch.cat(tensors))
    lengths = np.concatenate([partition.lengths(p._splits) for p in parts])
    shared = {p._uniform for p in parts}
    return parts[0]._like(
        join([p._values for p in parts]),
        partition.from_lengths(lengths, parts[0]._splits.dtype),
        shared.pop() if len(shared) == 1 else None,
    )


def _same_dtype(parts: list[Any]) -> None:
    from milepost.tf import failures

    for place, part in enumerate(parts):
        if part.dtype is not parts[0].dtype:
            raise failures.dtype_mismatch("ConcatV2", parts[0].dtype, part.dtype, place)


def blank(dtype: dtypes.DType, shape: Any) -> Tensor:
    """Zeros, or empty texts."""
    if dtype.torch is None:
        made = np.empty(shape, dtype=object)
        made.fill(b"")
        return wrap(made)
    return wrap(torch.zeros(shape, dtype=dtype.torch))
