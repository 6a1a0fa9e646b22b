"""Values put at coordinates: scatter_nd and the tensor_scatter_nd family. In: a tensor (or a shape), coordinates, values. Out: a new tensor."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import is_tensor, raw, to_torch
from milepost.tf.failures import told
from milepost.tf.gathering import integers, within
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap


@told("Scatter")
def _scattered(op: str, tensor: Any, indices: Any, updates: Any, how: str) -> Tensor:
    t, index = raw(tensor), integers(op, indices)
    kind = dtypes.string if type(t) is np.ndarray else dtypes.of_torch(t.dtype)
    new = raw(updates) if is_tensor(updates) else to_torch(updates, kind)
    if new.dtype != t.dtype:
        have = dtypes.string if type(new) is np.ndarray else dtypes.of_torch(new.dtype)
        raise failures.dtype_mismatch(op, kind, have, 2)
    depth = index.shape[-1]
    wanted = (*index.shape[:-1], *t.shape[depth:])
    if new.ndim and tuple(new.shape) != wanted:
        shapes = f"Indices shape: {failures.brackets(index.shape)}, updates shape:{failures.brackets(new.shape)}"
        raise failures.kernel(op, f"Outer dimensions of indices and update must match. {shapes}", None)
    within(op, index, t.shape, "shape")
    places = tuple(index[..., d] for d in range(depth))
    if type(t) is np.ndarray:
        made = t.copy()
        made[tuple(p.numpy() for p in places)] = new
        return wrap(made)
    new = new.expand(wanted)
    if how == "set":
        return wrap(t.index_put(places, new))
    if how in ("add", "sub"):
        return wrap(t.index_put(places, new if how == "add" else -new, accumulate=True))
    outer = t.shape[:depth]
    rows = functools.reduce(operator.mul, outer, 1)
    place = torch.zeros_like(places[0])
    for d, part in enumerate(places):
        place = place * outer[d] + part
    flat = t.reshape(rows, -1)
    source = new.reshape(-1, flat.shape[1])
    made = flat.scatter_reduce(0, place.reshape(-1, 1).expand_as(source), source, how)
    return wrap(made.reshape(t.shape))


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with other values at these coordinates."""
    return _scattered("TensorScatterUpdate", tensor, indices, updates, "set")


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with these values added."""
    return _scattered("TensorScatterAdd", tensor, indices, updates, "add")


def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with these values taken away."""
    return _scattered("TensorScatterSub", tensor, indices, updates, "sub")


def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with the larger of old and new."""
    return _scattered("TensorScatterMax", tensor, indices, updates, "amax")


def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, name: str | None = None, **_: Any) -> Tensor:
    """A copy with the smaller of old and new."""
    return _scattered("TensorScatterMin", tensor, indices, updates, "amin")


@told("ScatterNd")
def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None, **_: Any) -> Tensor:
    """Zeros with these values added at these coordinates."""
    new, index, dims = raw(updates), raw(indices), as_dims(shape)
    outer = index.ndim - 1
    if tuple(new.shape[:outer]) != tuple(index.shape[:-1]):
        raise failures.kernel(
            "ScatterNd",
            f"Dimensions [0,{outer}) of indices[shape={failures.brackets(index.shape)}] must match dimensions [0,{outer}) of "
            f"updates[shape={failures.brackets(new.shape)}]",
            None,
        )
    zeros = torch.zeros(dims, dtype=new.dtype, device=new.device)
    return _scattered("ScatterNd", wrap(zeros), indices, wrap(new), "add")
