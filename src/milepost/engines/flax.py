"""Flax NNX. In: modules, optimizers, rngs, variables, states. Out: adapters. Linen's parameters are plain pytrees (jax.py)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, final

import jax

from milepost.engines import jax as jax_engine
from milepost.engines.adapter import VARIABLE_VALUE, Adapter, Leaf, Value

__all__ = ["adapter_for"]


def _get(variable: Any) -> Any:
    return variable.get_value() if hasattr(variable, "get_value") else variable.value


def _set(variable: Any, value: Any) -> None:
    if hasattr(variable, "set_value"):
        variable.set_value(value)
    else:
        variable.value = value


@final
class _Variable(Adapter):
    """A Param, BatchStat, RngKey, …: mutable, holding one array or a tree of them."""

    engine = "flax"
    by_value = True  # NNX hands out a copy of a tree it holds

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        value = _get(obj)
        return {VARIABLE_VALUE: jax_engine.array_leaf(value)} if isinstance(value, jax.Array) else {}

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        value = _get(obj)
        return () if isinstance(value, jax.Array) else [("value", value)]

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        _set(obj, jax_engine.restored(_get(obj), values[VARIABLE_VALUE]))
        return obj

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        if "value" in children:
            _set(obj, children["value"])
        return obj


@final
class _Module(Adapter):
    """A module, optimizer, rng stream, list or dict of NNX: its attributes that NNX itself counts as data."""

    engine = "flax"

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        nodes = getattr(obj, "_pytree__nodes", None)
        hidden = ("_pytree__state", "_pytree__nodes", "_object__state")
        return [
            (name, value)
            for name, value in vars(obj).items()
            if name not in hidden and (nodes.get(name) if nodes is not None else _is_data(value))
        ]

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        for name, child in children.items():
            if vars(obj).get(name) is not child:
                setattr(obj, name, child)
        return obj

    def coverage(self, obj: Any) -> Iterable[tuple[str, Any]]:
        nnx = sys.modules["flax.nnx"]
        for path, part in nnx.iter_graph(obj):
            if isinstance(part, nnx.Variable):
                yield ".".join(map(str, path)), part


def _is_data(value: Any) -> bool:
    """Older NNX does not mark data: variables, modules and containers of them."""
    if isinstance(value, (list, tuple)):
        return any(_is_data(item) for item in value)
    if isinstance(value, dict):
        return any(_is_data(item) for item in value.values())
    return isinstance(value, jax.Array) or _kind(value) is not None


@final
class _State(Adapter):
    """nnx.State: a mapping of variables, as nnx.state and nnx.split give it."""

    engine = "flax"

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return [(str(name), child) for name, child in obj.items()]

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        keys = {str(key): key for key in obj}
        for name, child in children.items():
            if name in keys and obj[keys[name]] is not child:
                obj[keys[name]] = child
        return obj


_VARIABLE, _MODULE, _STATE = _Variable(), _Module(), _State()


def _kind(obj: Any) -> Adapter | None:
    nnx = sys.modules.get("flax.nnx")
    if nnx is None:
        return None
    known = vars(nnx)  # not getattr: NNX warns of names it has given up
    if isinstance(obj, tuple(known[name] for name in ("Variable", "VariableState") if name in known)):
        return _VARIABLE
    if isinstance(obj, nnx.State):
        return _STATE
    roots = tuple(known[name] for name in ("Pytree", "Object", "Module") if name in known)
    return _MODULE if isinstance(obj, roots) else None


def adapter_for(obj: Any) -> Adapter | None:
    return _kind(obj)
