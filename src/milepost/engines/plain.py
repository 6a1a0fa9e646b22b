"""Plain Python and numpy. In: numbers, strings, None, arrays, containers, dataclasses, state_dict objects. Out: adapters.

A Python value is one variable to TensorFlow; `full_name` keeps its Python kind, so that a list or dict that is still empty when
it is restored can take its entries from the file alone. Not here: any engine, random generators (randomness.py).
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import random
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final, final

import numpy as np

from milepost.engines.adapter import VARIABLE_VALUE, WAIT, Adapter, Leaf, Misfit, Sketch, Spec, Value

__all__ = ["KINDS", "PY_STATE", "adapter_for", "array_leaf", "build", "kind_of", "numpy_dtype", "python_value"]

PY_STATE: Final = "py_state"  # TensorFlow's attribute of a PythonState: one string of bytes
TAG: Final = "milepost:"
KINDS: Final = ("int", "bigint", "float", "complex", "bool", "str", "bytes", "none", "numpy")

_INT64 = range(-(2**63), 2**63)


def kind_of(spec: Spec) -> str:
    """The Python kind a value was saved as, "" when it was a variable of some engine."""
    return spec.full_name.removeprefix(TAG) if spec.full_name.startswith(TAG) else ""


def _encode(value: Any) -> tuple[str, str, np.ndarray[Any, Any]]:
    """A Python value -> (kind, attribute, host array)."""
    if value is None:
        return "none", VARIABLE_VALUE, np.empty((0,), np.uint8)
    if isinstance(value, (bool, np.bool_)):
        return "bool", VARIABLE_VALUE, np.asarray(value, np.bool_)
    if isinstance(value, np.generic) and not isinstance(
        value, (str, bytes)
    ):  # keeps its width: np.float32(1) is a float32 scalar
        return "numpy", VARIABLE_VALUE, np.asarray(value)
    if isinstance(value, int):
        if value in _INT64:
            return "int", VARIABLE_VALUE, np.asarray(value, np.int64)
        return "bigint", VARIABLE_VALUE, _string(str(int(value)).encode())
    if isinstance(value, float):
        return "float", VARIABLE_VALUE, np.asarray(value, np.float64)
    if isinstance(value, complex):
        return "complex", VARIABLE_VALUE, np.asarray(value, np.complex128)
    if isinstance(value, str):
        return "str", VARIABLE_VALUE, _string(value.encode("utf-8", "surrogatepass"))
    return "bytes", PY_STATE, _string(bytes(value))


def _string(value: bytes) -> np.ndarray[Any, Any]:
    array = np.empty((), object)
    array[()] = value
    return array


def python_value(value: Value, like: Any = None) -> Any:
    """The Python value a saved one stands for; of the live value's type where the file does not say."""
    array, kind = value.array, kind_of(value.spec)
    if like is None and kind == "torch" and "torch" in sys.modules:  # a tensor where the live run has None so far
        from milepost.engines import torch

        return torch.from_host(array, value.spec)
    if like is None and kind == "jax" and "jax" in sys.modules:
        from milepost.engines import jax

        return jax.from_host(array, value.spec)
    if value.spec.shape != () and kind != "none":
        return np.array(array)
    item: Any = array[()] if kind != "none" else None
    match kind:
        case "none":
            return None
        case "bool":
            return bool(item)
        case "int":
            return int(item)
        case "bigint":
            return int(item)
        case "float":
            return float(item)
        case "complex":
            return complex(item)
        case "str":
            return item.decode("utf-8", "surrogatepass")
        case "bytes":
            return bytes(item)
        case "numpy" if not isinstance(like, (int, float, complex, str, bytes)) or isinstance(like, np.generic):
            return item
    # a variable of TensorFlow or of another engine: the live value says what it is wanted as
    if value.spec.dtype == "string":
        return bytes(item) if isinstance(like, bytes) else item.decode("utf-8", "surrogatepass")
    if isinstance(like, np.generic):
        return array.astype(like.dtype)[()]
    return type(like)(item) if isinstance(like, (bool, int, float, complex)) else item.item()


@final
class _Scalar(Adapter):
    """A number, string, bytes or None: a value without identity, replaced as a whole."""

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        kind, attribute, array = _encode(obj)
        dtype = "string" if array.dtype == object else array.dtype.name
        return {attribute: Leaf(dtype, array.shape, lambda: array, TAG + kind, shared=False)}

    def identity(self, obj: Any) -> int | None:
        return None

    def accept(self, obj: Any, attribute: str, saved: Spec, *, cast: bool = False) -> Misfit | None:
        if attribute not in (VARIABLE_VALUE, PY_STATE):
            return Misfit("attribute", attribute, VARIABLE_VALUE)
        kind = kind_of(saved)
        if obj is None or kind == "none":  # `best = None` becomes a number, and the other way round
            return None
        if saved.shape != ():
            return Misfit("shape", str(saved.shape), "()")
        if isinstance(obj, (str, bytes)) != (saved.dtype == "string" and kind != "bigint"):
            return Misfit("dtype", kind or saved.dtype, type(obj).__name__)
        if isinstance(obj, (bool, np.bool_)) != (saved.dtype == "bool") and not cast:
            return Misfit("dtype", kind or saved.dtype, type(obj).__name__)
        if "complex" in saved.dtype and not isinstance(obj, (complex, np.complexfloating)):
            return Misfit("dtype", saved.dtype, type(obj).__name__)
        # an int that became a float in the run (or in another engine) is the same number: best = 0, then 0.93
        if kind in ("int", "bigint", "float", "numpy") or isinstance(obj, float):
            return None
        if isinstance(obj, int) and saved.dtype.startswith(("float", "bfloat")) and not cast:
            return Misfit("dtype", saved.dtype, "int")
        return None

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        (value,) = values.values()
        return python_value(value, obj)


def array_leaf(array: np.ndarray[Any, Any], full_name: str = TAG + "numpy") -> Leaf:
    """The leaf of a numpy array: its own memory, or bytes strings for text."""
    kind = array.dtype.kind
    if kind in "USO":
        if kind == "O" and not all(item is None or isinstance(item, (str, bytes)) for item in array.flat):
            raise TypeError("an array of Python objects can be saved only if every element is a string or bytes")
        return Leaf("string", array.shape, lambda: _strings(array), full_name, shared=False)
    name = _dtype_name(array.dtype)
    if kind in "VMm" and name.startswith(("void", "record", "datetime", "timedelta")):
        raise TypeError(f"an array of dtype {array.dtype} cannot be saved; save its fields as arrays of numbers")
    return Leaf(name, array.shape, lambda: array, full_name)


@functools.cache
def _dtype_name(dtype: np.dtype[Any]) -> str:
    return dtype.name  # numpy spells it anew at every call


def _strings(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    out = np.empty(array.shape, object)
    flat = [item.encode() if isinstance(item, str) else bytes(item or b"") for item in array.ravel().tolist()]
    out.reshape(-1)[:] = flat
    return out


@final
class _Array(Adapter):
    """A numpy array: restored in place, so that every view of it sees the values."""

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        return {VARIABLE_VALUE: array_leaf(obj)}

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        array = values[VARIABLE_VALUE].array
        if obj.dtype.kind in "US":  # fixed-width text: a longer string needs a new array
            items = array.ravel().tolist()
            new = np.array([item.decode() for item in items] if obj.dtype.kind == "U" else items, obj.dtype.kind)
            new = new.reshape(array.shape)
            if new.dtype.itemsize > obj.dtype.itemsize or not obj.flags.writeable:
                return new
            array = new
        elif (
            obj.dtype.isbuiltin == 2
            and array.dtype != obj.dtype
            and values[VARIABLE_VALUE].spec.dtype == obj.dtype.name
        ):
            array = array.view(obj.dtype)  # the bits of a dtype numpy itself lacks
        if not obj.flags.writeable:
            return array.astype(obj.dtype)
        np.copyto(obj, array, casting="unsafe")
        return obj


@final
class _Dict(Adapter):
    """A dict with string (or int) keys."""

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return [(key if type(key) is str else _key_name(key, obj), value) for key, value in obj.items()]

    def glance(self, obj: Any) -> Any:
        return len(obj)

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        keys = {key if isinstance(key, str) else _key_name(key, obj): key for key in obj}
        all_int = bool(obj) and all(type(key) is int for key in obj)
        for name, child in children.items():
            key = keys.get(name, int(name) if all_int and name.lstrip("-").isdigit() else name)
            if key not in obj or obj[key] is not child:
                obj[key] = child
        return obj

    def adopt(self, obj: Any, name: str, sketch: Sketch) -> Any:
        return build(sketch)


def _key_name(key: Any, obj: Any) -> str:
    if isinstance(key, str):
        return str(key)
    if type(key) is int:
        if str(key) in obj:
            raise TypeError(f"the keys {key!r} and {str(key)!r} would have the same name in a checkpoint")
        return str(key)
    raise TypeError(f"a key of type {type(key).__name__} has no name in a checkpoint; use strings or ints")


@final
class _List(Adapter):
    """A list or deque: children are named by position."""

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return [(str(i), child) for i, child in enumerate(obj)]

    def glance(self, obj: Any) -> Any:
        return len(obj)

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        for name, child in sorted(children.items(), key=lambda item: int(item[0])):
            if int(name) < len(obj):
                obj[int(name)] = child
            elif int(name) == len(obj):
                obj.append(child)
        return obj

    def adopt(self, obj: Any, name: str, sketch: Sketch) -> Any:
        return build(sketch) if name.isdigit() else WAIT


@final
class _Tuple(Adapter):
    """A tuple or named tuple: rebuilt when a child is replaced."""

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        names = getattr(obj, "_fields", None) or map(str, range(len(obj)))
        return list(zip(names, obj, strict=True))

    def identity(self, obj: Any) -> int | None:
        return id(obj) if obj else None  # () is one object in all of Python

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        items = [children.get(name, child) for name, child in self.children(obj)]
        if all(new is old for new, old in zip(items, obj, strict=True)):
            return obj
        return type(obj)._make(items) if hasattr(obj, "_make") else type(obj)(items)


@final
class _Dataclass(Adapter):
    """A dataclass: children are its fields; a frozen one is copied with new fields. `metadata={"static": True}` leaves a field out."""

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return [
            (f.name, getattr(obj, f.name)) for f in dataclasses.fields(obj) if _is_state(f) and hasattr(obj, f.name)
        ]

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        changed = {name: child for name, child in children.items() if getattr(obj, name, WAIT) is not child}
        if not changed:
            return obj
        frozen = type(obj).__dataclass_params__.frozen
        target = copy.copy(obj) if frozen else obj
        for name, child in changed.items():
            if frozen:
                object.__setattr__(target, name, child)
            else:
                setattr(target, name, child)
        return target


def _is_state(field: dataclasses.Field[Any]) -> bool:
    return not field.metadata.get("static") and field.metadata.get("pytree_node", True)


@final
class _StateDict(Adapter):
    """Anything with state_dict() and load_state_dict(): its state is a dict of values, loaded as a whole."""

    by_value = True

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return _DICT.children(obj.state_dict())

    def glance(self, obj: Any) -> Any:
        return None  # it takes what the file has at once

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        obj.load_state_dict(_DICT.replace(dict(obj.state_dict()), children))
        return obj

    def adopt(self, obj: Any, name: str, sketch: Sketch) -> Any:
        return build(sketch, tensors=True)


@final
class _GetState(Adapter):
    """Anything with get_state() and set_state(): its state is one child, whatever it is made of."""

    by_value = True

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return [("state", obj.get_state())]

    def glance(self, obj: Any) -> Any:
        return None  # it takes what the file has at once

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        obj.set_state(children["state"])
        return obj

    def adopt(self, obj: Any, name: str, sketch: Sketch) -> Any:
        return build(sketch, tensors=True) if name == "state" else WAIT


def build(sketch: Sketch, *, tensors: bool = False) -> Any:
    """A plain value of the sketched form, if it was plain when it was saved: numbers, arrays, lists, dicts. WAIT otherwise.

    With `tensors`, also engine tensors that were no part of a model: for state that is loaded as a whole.
    """
    if not sketch.children:
        if len(sketch.attributes) != 1:
            return WAIT
        (spec,) = sketch.attributes.values()
        kind = kind_of(spec)
        if kind == "torch" and tensors and "torch" in sys.modules:
            from milepost.engines import torch

            return torch.empty(spec)
        if kind not in KINDS:
            return WAIT
        if kind == "numpy" and spec.shape != ():
            return np.empty(spec.shape, object if spec.dtype == "string" else numpy_dtype(spec.dtype))
        return None  # a value: assign puts the right one in its place
    if sketch.attributes:
        return WAIT
    built = {name: build(child, tensors=tensors) for name, child in sketch.children.items()}
    if any(child is WAIT for child in built.values()):
        return WAIT
    if list(built) == [str(i) for i in range(len(built))]:
        return list(built.values())
    return built


def numpy_dtype(name: str) -> np.dtype[Any]:
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes  # only reached for arrays that ml_dtypes made

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return found


_SCALAR, _ARRAY, _DICT, _LIST, _TUPLE = _Scalar(), _Array(), _Dict(), _List(), _Tuple()
_DATACLASS, _STATE_DICT, _GET_STATE = _Dataclass(), _StateDict(), _GetState()


def adapter_for(obj: Any) -> Adapter | None:
    """The adapter of a plain object. The interface an object offers comes before what it happens to derive from."""
    if obj is None or isinstance(obj, (bool, int, float, complex, str, bytes, np.generic)):
        return None if isinstance(obj, enum.Enum) else _SCALAR  # an enum would come back as a bare number
    if isinstance(obj, type):
        return None  # a class is no object of the run, even if its instances have state
    if isinstance(obj, np.ndarray):
        return None if isinstance(obj, np.ma.MaskedArray) else _ARRAY  # a mask would be lost without a word
    if type(obj).__module__.partition(".")[0] in ("random", "numpy") or isinstance(obj, random.Random):
        from milepost.engines.randomness import generator_adapter

        return generator_adapter(obj)
    if callable(getattr(obj, "state_dict", None)) and callable(getattr(obj, "load_state_dict", None)):
        return _STATE_DICT
    if callable(getattr(obj, "get_state", None)) and callable(getattr(obj, "set_state", None)):
        return _GET_STATE
    if isinstance(obj, dict):
        return _DICT
    if isinstance(obj, (list, deque)):
        return _LIST
    if isinstance(obj, tuple):
        return _TUPLE
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return _DATACLASS
    return None
