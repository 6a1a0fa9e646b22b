"""Keras 3 on any backend. In: variables, layers, models, optimizers, metrics, seed generators. Out: adapters.

Names and edges are those tf.train.Checkpoint gives the same Keras objects, so that TensorFlow restores ours and we restore
TensorFlow's; on top come what TensorFlow loses: layers in lists and dicts, seed generators, metrics.
A layer or optimizer without variables yet is watched through its `build`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, final

import keras
import numpy as np

from milepost.engines.adapter import (
    VARIABLE_VALUE,
    Adapter,
    Leaf,
    Misfit,
    Poke,
    Spec,
    Undo,
    Value,
    detect,
    fits,
    sizes,
)  # fmt: skip
from milepost.engines.parts import Parts, holds_parts

__all__ = ["adapter_for", "pulse"]

# Keras' own bookkeeping: second references to what has a name elsewhere, or state of one fit() call
_BOOKKEEPING: Final = frozenset({
    "_tracker", "_layers", "_metrics", "_seed_generators", "_torch_params", "_compiled_trainable_state", "_compile_metrics",
    "_compile_loss", "_loss_tracker", "_operations_by_depth", "_nodes_by_depth", "_nodes", "_inbound_nodes", "_outbound_nodes",
    "_inputs", "_outputs", "_inputs_struct", "_outputs_struct", "_losses", "_loss_ids", "_losses_override", "_parameters",
    "_buffers", "_modules", "_trainable_variables_indices", "history",
})  # fmt: skip
_LAYER_ONLY: Final = frozenset(
    {"_trainable_variables", "_non_trainable_variables"}
)  # of an optimizer these are TensorFlow's names

_Variable: Final = keras.Variable
_Layer: Final = keras.layers.Layer
_Optimizer: Final = keras.optimizers.Optimizer
_Metric: Final = keras.metrics.Metric
_SeedGenerator: Final = keras.random.SeedGenerator
_Operation: Final = keras.Operation


def _is_part(value: Any) -> bool:
    if isinstance(value, (_Variable, _Layer, _Optimizer, _Metric, _SeedGenerator)):
        return True
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, (torch.nn.Module, torch.nn.Parameter))


@final
class _VariableAdapter(Adapter):
    """A keras.Variable; its name for TensorFlow is its path."""

    engine = "keras"

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        if obj._value is None:
            return {}  # made in a symbolic scope, not initialised yet
        if obj.name == "iteration" and _dtype(obj) == "int32":
            # an optimizer's counter: 64 bits on TensorFlow, which converts nothing when it restores
            return {VARIABLE_VALUE: Leaf("int64", (), lambda: _host(obj).astype(np.int64), obj.path, shared=False)}
        shared = keras.backend.backend() == "torch" and obj._value.device.type == "cpu"
        return {VARIABLE_VALUE: Leaf(_dtype(obj), tuple(obj.shape), lambda: _host(obj), obj.path, shared)}

    def accept(self, obj: Any, attribute: str, saved: Spec, *, cast: bool = False) -> Misfit | None:
        if attribute != VARIABLE_VALUE:
            return Misfit("attribute", attribute, VARIABLE_VALUE)
        live = Spec(_dtype(obj), tuple(obj.shape))
        # counters and seeds are int32 on one backend and int64 or uint32 on another: the same numbers
        whole = all(dtype.startswith(("int", "uint")) for dtype in (live.dtype, saved.dtype))
        return fits(live, saved, cast=cast or whole)

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        value = values[VARIABLE_VALUE]
        if obj._value is None:
            # made during shape inference: the saved value is what it will be initialised with
            obj._initializer = _constant(value)
            return obj
        inner = detect(obj._value)
        if keras.backend.backend() == "torch" and inner is not None:
            inner.assign(obj._value, {VARIABLE_VALUE: value})
        elif keras.backend.backend() == "jax":
            from milepost.engines.jax import restored

            obj._value = restored(obj._value, value)
        else:
            obj.assign(value.array.astype(_dtype(obj)))
        return obj


def _constant(value: Value) -> Callable[..., Any]:
    if keras.backend.backend() == "torch":
        from milepost.engines.torch import from_host

        tensor = from_host(value.array, value.spec)
    else:
        from milepost.engines.plain import numpy_dtype

        tensor = np.array(value.array).view(numpy_dtype(value.spec.dtype))
    return lambda shape, dtype=None: keras.ops.convert_to_tensor(tensor, dtype=dtype)


def _dtype(variable: Any) -> str:
    # int64 is wanted of torch where Keras says int32; what counts is what lies in memory
    inner = variable._value
    return (
        str(getattr(inner, "dtype", variable.dtype)).removeprefix("torch.")
        if inner is not None
        else str(variable.dtype)
    )


def _host(variable: Any) -> np.ndarray[Any, Any]:
    inner = detect(variable._value)
    if inner is not None:
        return inner.leaves(variable._value)[VARIABLE_VALUE].read()
    return np.asarray(variable)


@final
class _Object(Adapter):
    """A layer, model, optimizer, metric or seed generator: the attributes that hold Keras state, under their own names."""

    engine = "keras"

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        is_layer = isinstance(obj, _Layer)
        if is_layer and hasattr(obj, "jax_state_sync"):
            obj.jax_state_sync()  # inside fit() on jax the weights live in the training loop; bring them home first
        for name, value in _attributes(obj):
            if name in _BOOKKEEPING or (is_layer and name in _LAYER_ONLY):
                continue
            if isinstance(obj, (_Metric, _SeedGenerator)) and name == "_variables":
                continue
            if _is_part(value):
                yield name, value
            elif holds_parts(value, _is_part):
                yield name, Parts(value, _is_part)
        # a Sequential that could not become a functional model has its layers in its list alone
        if isinstance(obj, keras.Sequential) and getattr(obj, "_functional", None) is None:
            yield "_layers", Parts(vars(obj)["_layers"], _is_part)

    def watch(self, obj: Any, poke: Poke) -> Undo | None:
        if isinstance(obj, (_Layer, _Optimizer)):
            return _after(vars(obj), "build", obj.build, poke)
        if isinstance(obj, _Metric) and hasattr(obj, "_build"):  # those that learn their shape from the first labels
            return _after(vars(obj), "_build", obj._build, poke)
        return None

    def glance(self, obj: Any) -> Any:
        place = vars(obj)
        return len(place.get("_modules", ())), sizes(place)

    def coverage(self, obj: Any) -> Iterable[tuple[str, Any]]:
        for variable in obj.variables if hasattr(obj, "variables") else ():
            yield variable.path, variable


def _attributes(obj: Any) -> Iterator[tuple[str, Any]]:
    # On torch, layers are submodules. They come first: most are made before variables and the optimizer, and where two paths
    # are equally short the order decides which one names the tensor.
    yield from list(vars(obj).get("_modules", {}).items())
    yield from list(vars(obj).items())


def _symbolic() -> bool:
    """Inside Keras' shape inference, variables have no values yet and an assignment would go nowhere."""
    from keras.src.backend.common.stateless_scope import in_stateless_scope

    return bool(in_stateless_scope())


def _after(place: dict[str, Any], name: str, original: Callable[..., Any], poke: Poke) -> Undo:
    """Let `poke` follow each call of an instance's method."""
    had, active = name in place, [True]

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        if active and not _symbolic():
            poke()
        return result

    place[name] = wrapped

    def undo() -> None:
        active.clear()  # a wrapper of someone else may still hold this one
        if place.get(name) is wrapped:
            if had:
                place[name] = original
            else:
                del place[name]

    return undo


_VARIABLE, _OBJECT = _VariableAdapter(), _Object()


def adapter_for(obj: Any) -> Adapter | None:
    if isinstance(obj, _Variable):
        return _VARIABLE
    if isinstance(obj, (_Layer, _Optimizer, _Metric, _SeedGenerator)):
        return _OBJECT
    return None


def pulse(poke: Poke) -> Undo:
    """Poke before any layer runs and any optimizer applies, and after a model was built symbolically by fit()."""
    undos = [_around(_Layer, "__call__", before=poke), _around(_Optimizer, "apply", before=poke)]
    trainer = next((c for c in keras.Model.__mro__ if "_symbolic_build" in vars(c)), None)
    if trainer is not None:
        undos.append(_around(trainer, "_symbolic_build", after=poke))

    def undo() -> None:
        for stop in undos:
            stop()

    return undo


def _around(owner: type, name: str, before: Poke | None = None, after: Poke | None = None) -> Undo:
    """Wrap a method of a Keras class while something is pending; taken back by the Undo."""
    had, active = name in vars(owner), [True]
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if active and before is not None and not _symbolic():
            before()
        result = original(*args, **kwargs)
        if active and after is not None and not _symbolic():
            after()
        return result

    setattr(owner, name, wrapped)

    def undo() -> None:
        active.clear()
        if vars(owner).get(name) is not wrapped:
            return  # someone wrapped it after us: theirs to keep, ours is silent
        if had:
            setattr(owner, name, original)
        else:
            delattr(owner, name)

    return undo
