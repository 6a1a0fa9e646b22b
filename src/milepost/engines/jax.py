"""JAX. In: arrays, typed random keys, custom pytree nodes. Out: adapters. Dicts, lists, tuples, dataclasses answer through plain.py.

jax arrays are values: a restored one is a new array with the old one's sharding, and its container gets it.
Not here: flax (flax.py), Keras on jax (keras.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, final

import jax
import numpy as np
from jax.tree_util import default_registry

from milepost.engines.adapter import VARIABLE_VALUE, Adapter, Leaf, Spec, Value
from milepost.engines.plain import TAG, numpy_dtype

__all__ = ["adapter_for", "array_leaf", "from_host", "restored"]


def array_leaf(array: Any) -> Leaf:
    """The leaf of a jax array; a typed random key is the data of its key."""
    if not array.is_fully_addressable:
        raise TypeError("an array with shards on other processes; gather it first, or save each process's shards")
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key):
        data = jax.random.key_data(array)
        return Leaf(data.dtype.name, tuple(data.shape), lambda: np.asarray(data), TAG + "jax", shared=False)
    # immutable, so a view of its memory is as good as a copy
    return Leaf(array.dtype.name, tuple(array.shape), lambda: np.asarray(array), TAG + "jax", shared=False)


def restored(old: Any, value: Value) -> Any:
    """A new array with a saved value and the old array's dtype, kind and placement."""
    with jax.ensure_compile_time_eval():  # a deferred value may arrive while jax is tracing
        return _restored(old, *value)


def _restored(old: Any, array: np.ndarray[Any, Any], spec: Spec) -> Any:
    if jax.dtypes.issubdtype(old.dtype, jax.dtypes.prng_key):
        new = jax.random.wrap_key_data(jax.numpy.array(array, copy=True), impl=jax.random.key_impl(old))
        return jax.device_put(new, old.sharding) if old.committed else new
    array = _typed(array, spec)
    if array.dtype != old.dtype:
        array = array.astype(old.dtype)
    # always a copy: jax would otherwise keep pointing into the file's mapping
    if old.committed:
        return jax.device_put(np.array(array), old.sharding, may_alias=False)
    return jax.numpy.array(array, copy=True)


def _typed(array: np.ndarray[Any, Any], spec: Spec) -> np.ndarray[Any, Any]:
    dtype = numpy_dtype(spec.dtype)
    return array if array.dtype == dtype else array.view(dtype)  # the bits of a dtype numpy itself lacks


def from_host(array: np.ndarray[Any, Any], spec: Spec) -> Any:
    """A new array on the default device; always a copy of the file's bytes."""
    with jax.ensure_compile_time_eval():
        return jax.numpy.array(_typed(array, spec), copy=True)


@final
class _Array(Adapter):
    """A jax array: a value without identity."""

    engine = "jax"

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        return {VARIABLE_VALUE: array_leaf(obj)}

    def identity(self, obj: Any) -> int | None:
        return None

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        return restored(obj, values[VARIABLE_VALUE])


@final
class _Pytree(Adapter):
    """A type that was registered as a pytree node: rebuilt from its children."""

    engine = "jax"

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        pairs, _ = default_registry.flatten_one_level_with_keys(obj)
        return [(_name(key), child) for key, child in pairs]

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        new = [children.get(name, child) for name, child in self.children(obj)]
        one_level = jax.tree_util.tree_structure(obj, is_leaf=lambda part: part is not obj)
        return jax.tree_util.tree_unflatten(one_level, new)


def _name(key: Any) -> str:
    for attribute in ("key", "idx", "name"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


_ARRAY, _PYTREE = _Array(), _Pytree()


def adapter_for(obj: Any) -> Adapter | None:
    if isinstance(obj, jax.core.Tracer):
        return None  # a value that does not exist yet: saving inside jit makes no sense
    if isinstance(obj, jax.Array):
        return _ARRAY
    return None


def pytree_adapter(obj: Any) -> Adapter | None:
    """For a type nobody else knows: does jax know how to take it apart?"""
    try:
        known = default_registry.flatten_one_level(obj)
    except Exception:  # a user's own flatten function may fail in any way
        return None
    return None if known is None else _PYTREE
