"""`compile(steps_per_execution=n)` on Keras' torch backend, which knows only 1: n batches are run between two rounds of callbacks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from keras.src import tree
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


def install() -> None:
    for name, combine in (("train_function", _last), ("test_function", _last), ("predict_function", _joined)):
        setattr(Model, f"make_{name}", _several(name, combine))
