"""Modules that stand before Keras' own: same names, functions wrapped to take and give our tensors, and a few older names kept alive."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from typing import Any

import keras as root

from milepost.tf.bridge.boundary import callee_is_keras
from milepost.tf.bridge.install import install
from milepost.tf.keras.older import OLDER
from milepost.tf.missing import no_such_name

__all__ = ["Facade", "attribute", "root"]

install()


_MISSING = object()
_WRITTEN_IN_TF = (
    "keras.src.legacy.backend"  # its functions call `tf`, which is ours: they take and give our tensors already
)


def _legacy(path: str, name: str) -> Any:
    """Keras keeps a second list of names for `tf.keras`: `losses.MSE`, `optimizers.legacy` and the like."""
    found: Any = importlib.import_module("keras._tf_keras.keras")
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    return getattr(found, name)


_crossings: dict[Any, Any] = {}


def _crossing(function: Any) -> Any:
    """One crossing for a function: `activations.get("relu") is activations.relu`."""
    made = _crossings.get(function)
    if made is None:
        made = callee_is_keras(function)
        if function.__name__ in ("get", "deserialize"):
            made = _giving_ours(made)
        _crossings[function] = made
    return made


def _giving_ours(look_up: Any) -> Any:
    """What is looked up by name is the function the name stands for here, too."""

    @functools.wraps(look_up)
    def found(*args: Any, **kwargs: Any) -> Any:
        value = look_up(*args, **kwargs)
        of_keras = inspect.isfunction(value) and value.__module__.startswith("keras.")
        return _crossing(value) if of_keras and not hasattr(value, "__milepost_crossing__") else value

    return found


def attribute(module: Any, path: str, name: str) -> Any:
    """`path.name` of the facade: Keras' attribute, wrapped by what it is, or the older spelling's stand-in."""
    older = OLDER.get(f"{path}.{name}")
    if older is not None:
        return older()
    try:
        value = getattr(module, name, _MISSING)
        if value is _MISSING:
            value = _legacy(path, name)
    except AttributeError:
        raise no_such_name(name, f"tf.{path}", [n for n in dir(module) if not n.startswith("_")]) from None
    if isinstance(value, types.ModuleType):
        return Facade.of(value, f"{path}.{name}")
    if inspect.isfunction(value) and value.__module__ != _WRITTEN_IN_TF:
        return _crossing(value)
    return value


class Facade(types.ModuleType):
    """One module of Keras, seen from our side."""

    _made: dict[str, Facade] = {}

    def __init__(self, module: Any, path: str):
        super().__init__(f"milepost.tf.{path}", module.__doc__)
        self.__dict__.update(_module=module, _path=path, __path__=[], __file__=getattr(module, "__file__", None))

    @classmethod
    def of(cls, module: Any, path: str) -> Facade:
        made = cls._made.get(path)
        if made is None:
            made = cls._made[path] = cls(module, path)
            sys.modules[f"milepost.tf.{path}"] = made
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = attribute(self._module, self._path, name)
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        older = {p.rpartition(".")[2] for p in OLDER if p.rpartition(".")[0] == self._path}
        return sorted({*dir(self._module), *older})
