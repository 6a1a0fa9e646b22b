"""What is this object? In: any object. Out: the Adapter that answers for its type. Not here: walking, matching, files.

An Adapter has no state of its own; it answers the same few questions for every object of its kind:

    children   ordered (local name, child) pairs            leaves     the object's own values, by attribute name
    slots      state kept per *other* variable (optimizers) identity   what makes two references one object
    accept     would this saved value fit? (planning)       assign     take saved values (in place where possible)
    replace    take new children (restore of immutables)    adopt      make a child that only the file knows
    make_slot  make an optimizer slot the file knows        set_slot   put it in place
    watch      tell when children may have appeared         glance     cheaply: may there be new children?
    coverage   all state the engine knows of, for the guard at save

Values travel as host numpy arrays beside a Spec. Strings are object arrays of bytes. A dtype numpy lacks (bfloat16, float8…)
may travel as unsigned integers of its width: `Spec.dtype` says what the bits mean.
Children may be made for the occasion (copies of state): whoever walks keeps them alive, or ids would be used twice.
`children` and `leaves` raise TypeError for what has no place in a checkpoint; the walk adds the path and makes it an UntrackableError.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

__all__ = [
    "VARIABLE_VALUE", "WAIT", "Adapter", "Leaf", "Misfit", "Sketch", "Slot", "Spec", "Value",
    "detect", "fits", "pulse", "register", "sizes",
]  # fmt: skip

VARIABLE_VALUE: Final = "VARIABLE_VALUE"  # TensorFlow's name for the value of a variable


class Spec(NamedTuple):
    """What is known of a value without its bytes. `dtype` is numpy's (or ml_dtypes') name, "string" for bytes of any length.

    `full_name` is a variable's own name, or "milepost:<kind>" for a value that is no variable (see plain.KINDS).
    """

    dtype: str
    shape: tuple[int, ...]
    full_name: str = ""


class Leaf(NamedTuple):
    """One value of a live object. `read()` brings it to the host; `shared` says that the array is the live object's own memory."""

    dtype: str
    shape: tuple[int, ...]
    read: Callable[[], np.ndarray[Any, Any]]
    full_name: str = ""
    shared: bool = True

    @property
    def spec(self) -> Spec:
        return Spec(self.dtype, self.shape, self.full_name)


class Value(NamedTuple):
    """One saved value on its way into a live object."""

    array: np.ndarray[Any, Any]
    spec: Spec


class Misfit(NamedTuple):
    """Why a saved value cannot go into a live object. `kind` is "shape", "dtype" or "attribute"."""

    kind: str
    got: str  # what the file has
    want: str  # what the live object needs


class Slot(NamedTuple):
    """State an optimizer keeps for one variable: `value` is an object like any other, with an adapter of its own."""

    variable: Any
    name: str
    value: Any


class Sketch(NamedTuple):
    """A saved object as far as the file's graph tells: enough to make a plain one of the same form."""

    attributes: Mapping[str, Spec]
    children: Mapping[str, Sketch]


class _Wait:
    def __repr__(self) -> str:
        return "WAIT"


WAIT: Final = _Wait()  # answer of adopt / make_slot: not mine to make, it has to wait until the object exists

Poke = Callable[[], None]
Undo = Callable[[], None]


class Adapter:
    """The questions. Subclasses are final; the answers given here are those of an object without values."""

    engine: str = "plain"
    # the children are a copy of the object's state: `replace` is the only way in, and wanted whenever a descendant was restored
    by_value: bool = False

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        """Ordered (local name, child) pairs; the order is TensorFlow's where TensorFlow knows the object."""
        return ()

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        """The object's own values by attribute name. Only dtype and shape are looked at; bytes move in `Leaf.read`."""
        return {}

    def slots(self, obj: Any) -> Iterable[Slot]:
        """State kept per variable. The variable is found by identity among the walked objects."""
        return ()

    def identity(self, obj: Any) -> int | None:
        """Equal for references to one object; None for a value without identity (numbers, strings, jax arrays)."""
        return id(obj)

    def accept(self, obj: Any, attribute: str, saved: Spec, *, cast: bool = False) -> Misfit | None:
        """None when `assign` would take this value. Asked for the whole plan before anything is assigned."""
        leaf = self.leaves(obj).get(attribute)
        if leaf is None:
            return Misfit("attribute", attribute, "/".join(self.leaves(obj)) or "no values")
        return fits(leaf.spec, saved, cast=cast)

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        """Take accepted values. Returns `obj`, or the object that stands in its place from now on (its parents get `replace`)."""
        raise NotImplementedError(f"{type(obj).__name__} has no values to assign")

    def replace(self, obj: Any, children: Mapping[str, Any]) -> Any:
        """Take the children given here (all live children by name, new or not). Returns `obj` or what stands in its place."""
        raise NotImplementedError(f"{type(obj).__name__} has no children to replace")

    def adopt(self, obj: Any, name: str, sketch: Sketch) -> Any:
        """A new child for a name that only the file has, made from its sketch; WAIT when an object of the user's must come first.

        The new child is not put in place yet: it is restored like a live one and then given to `replace`.
        """
        return WAIT

    def make_slot(self, obj: Any, variable: Any, name: str, sketch: Sketch) -> Any:
        """A new value for the slot `name` of `variable`, made from its sketch; WAIT when that is too early.

        It is not put in place yet: it is restored like a live one and then given to `set_slot`.
        """
        return WAIT

    def set_slot(self, obj: Any, variable: Any, name: str, value: Any) -> None:
        """Put a new or replaced slot value in place."""
        raise NotImplementedError(f"{type(obj).__name__} has no slots")

    def watch(self, obj: Any, poke: Poke) -> Undo | None:
        """Arrange for `poke()` whenever children or values may have appeared; returns how to stop, or None if there is no way."""
        return None

    def glance(self, obj: Any) -> Any:
        """A value that differs when children or values may have appeared. Asked before every forward while something waits
        here, so it has to be cheap."""
        return [name for name, _ in self.children(obj)], list(self.leaves(obj))

    def coverage(self, obj: Any) -> Iterable[tuple[str, Any]]:
        """(readable name, state object) for all state the engine knows below `obj`; asked where the walk enters an engine."""
        return ()


def fits(live: Spec, saved: Spec, *, cast: bool = False) -> Misfit | None:
    """Compare a saved value with the place it would go to."""
    if live.shape != saved.shape:
        return Misfit("shape", str(saved.shape), str(live.shape))
    if live.dtype != saved.dtype and not (cast and "string" not in (live.dtype, saved.dtype)):
        return Misfit("dtype", saved.dtype, live.dtype)
    return None


# ---------------------------------------------------------------------------------------------------------------- detection

# root package of a class in the type's method resolution order -> the module here that knows it; the first answer counts
_ENGINES: Final[dict[str, str]] = {
    "keras": "milepost.engines.keras",
    "flax": "milepost.engines.flax",
    "torch": "milepost.engines.torch",
    "jax": "milepost.engines.jax",
    "jaxlib": "milepost.engines.jax",
}
_CONTAINERS: Final = (list, dict, tuple)
_registered: dict[type, Adapter] = {}
_known: dict[type, Adapter] = {}


def register(kind: type, adapter: Adapter) -> None:
    """Let `adapter` answer for `kind` and its subclasses (rooms above bring their own objects: Checkpoint, tf.Module …)."""
    _registered[kind] = adapter
    _known.clear()


def detect(obj: Any) -> Adapter | None:
    """The adapter of an object, or None if nobody knows what it is. No engine is imported for it."""
    kind = type(obj)
    try:
        return _known[kind]
    except KeyError:
        adapter = _find(obj)
        if adapter is not None:  # an unknown type may become known: a pytree is often registered after its class
            _known[kind] = adapter
        return adapter


def _find(obj: Any) -> Adapter | None:
    import importlib

    kind = type(obj)
    for base in kind.__mro__:
        if base in _registered:
            return _registered[base]
    asked: set[str] = set()
    for base in kind.__mro__:
        root = base.__module__.partition(".")[0]
        module = _ENGINES.get(root)
        # the user's class can only derive from an engine's class once that engine is imported
        if module is None or module in asked or root not in sys.modules:
            continue
        asked.add(module)
        adapter: Adapter | None = importlib.import_module(module).adapter_for(obj)
        if adapter is not None:
            return adapter
    from milepost.engines import plain

    found = plain.adapter_for(obj)
    if found is None and "jax" in sys.modules and "jax.tree_util" in sys.modules:
        return importlib.import_module("milepost.engines.jax").pytree_adapter(obj)  # type: ignore[no-any-return]
    return found


def sizes(place: Mapping[str, Any]) -> tuple[int, int]:
    """What `glance` needs to know of an object's attributes: how many there are, and how much its containers hold."""
    held = 0
    for value in place.values():
        if type(value) in _CONTAINERS or isinstance(value, (list, dict)):
            held += len(value)
    return len(place), held


def pulse(poke: Poke) -> Undo:
    """Call `poke` right before any module runs forward or any optimizer steps, in each engine the process has imported.

    It is how entries of plain dicts and lists, which cannot be watched, are noticed before they are first used.
    """
    import importlib

    undos: list[Undo] = []
    for root, module in _ENGINES.items():
        if root in sys.modules and root != "jaxlib":
            begin = getattr(importlib.import_module(module), "pulse", None)
            if begin is not None:
                undos.append(begin(poke))

    def undo() -> None:
        while undos:
            undos.pop()()

    return undo
