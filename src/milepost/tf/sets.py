"""`tf.sets`: the last dimension of a tensor as a set. In: dense or sparse tensors. Out: sparse tensors, each set in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.failures import InvalidArgumentError
from milepost.tf.sparse.tensor import SparseTensor, places, sizes
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["difference", "intersection", "size", "union"]


def _sets(value: Any) -> tuple[tuple[int, ...], dict[tuple[int, ...], set[Any]], Any]:
    """The shape of the sets' places, the set at each place, and the dtype of members."""
    if isinstance(value, SparseTensor):
        made: dict[tuple[int, ...], set[Any]] = {}
        for place, member in zip(places(value).tolist(), host(raw(value.values)).tolist(), strict=True):
            made.setdefault(tuple(place[:-1]), set()).add(member)
        return tuple(sizes(value)[:-1]), made, value.dtype
    tensor = convert_to_tensor(value)
    array = host(raw(tensor))
    if array.ndim < 1:
        raise ValueError("tf.sets takes tensors of rank 1 or more.")
    outer = array.shape[:-1]
    return outer, {place: set(array[place].tolist()) for place in np.ndindex(*outer)}, tensor.dtype


def _combined(a: Any, b: Any, together: Callable[[set[Any], set[Any]], set[Any]]) -> SparseTensor:
    outer, first, dtype = _sets(a)
    shape, second, other = _sets(b)
    if outer != shape:
        raise InvalidArgumentError(f"Mismatched shapes of sets: {outer} and {shape}.")
    if dtype is not other:
        raise TypeError(f"Types don't match, {dtype} vs {other}.")
    made = {place: sorted(together(first.get(place, set()), second.get(place, set()))) for place in np.ndindex(*outer)}
    at = [(*place, n) for place, members in made.items() for n in range(len(members))]
    flat = [member for members in made.values() for member in members]
    values: Any = np.empty(len(flat), dtype=object) if dtype.torch is None else np.asarray(flat, dtype.as_numpy_dtype)
    if dtype.torch is None:
        values[:] = flat
    held = wrap(values if dtype.torch is None else torch.from_numpy(values))
    widest = max((len(members) for members in made.values()), default=0)
    return SparseTensor(np.array(at, np.int64).reshape(-1, len(outer) + 1), held, [*outer, widest])


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Members of both."""
    return _combined(a, b, set.__and__)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Members of either."""
    return _combined(a, b, set.__or__)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Members of one that are not in the other."""
    return _combined(a, b, set.__sub__ if aminusb else lambda x, y: y - x)


def size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different members each set has."""
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {type(a).__name__}.")
    outer, made, _ = _sets(a)
    counts = np.zeros(outer, np.int32)
    for place, members in made.items():
        counts[place] = len(members)
    return wrap(torch.from_numpy(counts))
