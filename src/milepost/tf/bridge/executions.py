"""How `fit` goes from batch to batch on Keras' torch backend: `steps_per_execution`, which it knows only as 1, and callbacks at once on a CPU."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from keras.src import tree
from keras.src.backend.torch.core import get_device
from keras.src.callbacks.callback_list import CallbackList
from keras.src.models import Model

__all__ = ["install"]


def _last(results: list[Any]) -> Any:
    return results[-1]


def _joined(results: list[Any]) -> Any:
    return tree.map_structure(lambda *parts: torch.cat(parts), *results)


def _several(name: str, combine: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    make = f"make_{name}"
    theirs = getattr(Model, make)

    @functools.wraps(theirs)
    def making(self: Any, force: bool = False) -> Any:
        steps, before = self.steps_per_execution, getattr(self, name)
        if steps == 1:
            return theirs(self, force)
        self.steps_per_execution = 1
        try:
            theirs(self, force)
        finally:
            self.steps_per_execution = steps
        one = getattr(self, name)
        if one is not before:
            setattr(self, name, lambda data: combine([one([batch]) for batch in data]))
        return getattr(self, name)

    return making


def _at_once(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """Another thread for callbacks helps where values are waited for, on a GPU; on a CPU the two threads only wait for each other."""

    @functools.wraps(theirs)
    def configure(self: Any, callbacks: Any) -> None:
        if str(get_device()) != "cpu":
            theirs(self, callbacks)

    return configure


def install() -> None:
    CallbackList._configure_async_dispatch = _at_once(CallbackList._configure_async_dispatch)
    for name, combine in (("train_function", _last), ("test_function", _last), ("predict_function", _joined)):
        setattr(Model, f"make_{name}", _several(name, combine))
