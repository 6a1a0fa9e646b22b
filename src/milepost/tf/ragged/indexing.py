"""`ragged[...]`: rows, slices of rows, new axes. In: a RaggedTensor and a key. Out: a Tensor or RaggedTensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf import failures
from milepost.tf.ragged import partition, rows
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.tensor import Tensor

__all__ = ["index"]


def index(rt: Any, key: Any) -> Any:
    """rt[key]."""
    if isinstance(key, RaggedTensor) or (isinstance(key, (Tensor, np.ndarray)) and np.ndim(key)):
        from milepost.tf.ragged import boolean_mask

        return boolean_mask(rt, key)
    return _outer(rt, _spelled(rt, list(key) if isinstance(key, (tuple, list)) else [key]))


def _spelled(rt: Any, keys: list[Any]) -> list[Any]:
    """The keys with the ellipsis written out."""
    places = [place for place, k in enumerate(keys) if k is Ellipsis]
    if not places:
        return keys
    if len(places) > 1:
        raise ValueError("Only one ellipsis is allowed in a slice.")
    taken = sum(1 for k in keys if k is not None and k is not Ellipsis)
    return keys[: places[0]] + [slice(None)] * (len(rt.shape) - taken) + keys[places[0] + 1 :]


def _bound(value: Any) -> int | None:
    return None if value is None else int(value)


def _plain(key: slice) -> slice:
    return slice(_bound(key.start), _bound(key.stop), _bound(key.step))


def _whole(key: Any) -> bool:
    return isinstance(key, slice) and key == slice(None)


def _number(key: Any) -> int:
    if isinstance(key, (bool, str, float)) or not hasattr(key, "__index__"):
        raise TypeError(f"Ragged tensors are indexed with numbers, slices, `...` and tf.newaxis; got {key!r}.")
    return int(key.__index__())


def _outer(rt: Any, keys: list[Any]) -> Any:
    if not keys:
        return rt
    if isinstance(rt, Tensor):
        return rt[tuple(keys)]  # type: ignore[index]
    first, rest = keys[0], keys[1:]
    if first is None:
        from milepost.tf.ragged.shaping import expand_dims

        return expand_dims(_outer(rt, rest), 0)
    count = len(rt)
    if isinstance(first, slice):
        if not _whole(first):
            rt = rows.take(rt, np.arange(count)[_plain(first)])
        return _inner(rt, rest)
    row = _number(first)
    if not -count <= row < count:
        raise IndexError(f"Row key {row} out of bounds")
    row %= count
    start, limit = int(rt._splits[row]), int(rt._splits[row + 1])
    values = rt._values
    part = rows.take(values, np.arange(start, limit)) if isinstance(values, RaggedTensor) else values[start:limit]
    return _outer(part, rest)


def _inner(rt: RaggedTensor, keys: list[Any]) -> Any:
    """The keys of the dimensions after the first, which is taken whole."""
    if not keys or all(_whole(k) for k in keys):
        return rt
    first, rest = keys[0], keys[1:]
    if first is None:
        from milepost.tf.ragged.shaping import expand_dims

        return expand_dims(_inner(rt, rest), 1)
    sizes = partition.lengths(rt._splits)
    if isinstance(first, slice):
        if not _whole(first):
            rt = _sliced(rt, _plain(first), sizes)
        if not rest or all(_whole(k) for k in rest):
            return rt
        values = rt._values
        below = _inner(values, rest) if isinstance(values, RaggedTensor) else values[(slice(None), *rest)]
        return rt.with_values(below)
    column = _number(first)
    if rt._uniform is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    if not -rt._uniform <= column < rt._uniform:
        raise failures.kernel("StridedSlice", f"slice index {column} of dimension 1 out of bounds.")
    taken = rows.take(rt._values, rt._splits[:-1] + column % rt._uniform)
    return _inner(taken, rest) if isinstance(taken, RaggedTensor) else taken[(slice(None), *rest)]


def _sliced(rt: RaggedTensor, key: slice, sizes: Any) -> RaggedTensor:
    """A slice of every row."""
    step = 1 if key.step is None else key.step
    if step == 0:
        raise failures.kernel("StridedSlice", "strides[0] must be non-zero")
    low, high = (0, sizes) if step > 0 else (-1, sizes - 1)

    def end(bound: int | None, otherwise: Any) -> Any:
        if bound is None:
            return otherwise
        return np.clip(bound + sizes if bound < 0 else np.full_like(sizes, bound), low, high)

    start = end(key.start, np.zeros_like(sizes) if step > 0 else sizes - 1)
    stop = end(key.stop, sizes if step > 0 else np.full_like(sizes, -1))
    counts = np.maximum((stop - start + step - (1 if step > 0 else -1)) // step, 0)
    steps = partition.ranges(np.zeros_like(counts), counts) * step
    chosen = np.repeat(rt._splits[:-1] + start, counts) + steps
    uniform = int(counts[0]) if rt._uniform is not None and len(counts) else None
    return rt._like(rows.take(rt._values, chosen), partition.from_lengths(counts, rt._splits.dtype), uniform)
