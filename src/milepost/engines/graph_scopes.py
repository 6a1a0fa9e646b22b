"""Where in a model an op runs. In: a stretch of a program. Out, at any moment of it: the layers and modules that are being called, by name.

Ops of a function are drawn inside the layers that compute them; what a layer does to make its weights is no part of what it computes.
Not here: which ops there are (`graph_torch`), one node a layer (`graph_calls`).
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Scopes", "is_keras", "replaced"]

_patching = threading.Lock()  # class attributes are one for the whole process


def replaced(owner: Any, attribute: str, wrap: Callable[[Any], Any]) -> Callable[[], None]:
    """Put `wrap(original)` in the place of a class's method; what undoes it."""
    with _patching:
        original = getattr(owner, attribute)
        setattr(owner, attribute, wrap(original))

    def undo() -> None:
        with _patching:
            setattr(owner, attribute, original)

    return undo


def is_keras(module: Any) -> bool:
    """On torch a Keras layer is a torch module, too: it is followed once, as what it is."""
    keras = sys.modules.get("keras")
    return keras is not None and isinstance(module, keras.layers.Layer)


class Scopes:
    """The calls that are open in this thread, outermost first."""

    def __init__(self) -> None:
        self.building = 0  # > 0: a layer makes its weights
        self.optimizers: set[str] = set()  # scopes of those that ran
        self._open: list[tuple[str, Any, Callable[[Any], Iterable[tuple[str, Any]]]]] = []
        self._weights: dict[int, str] = {}  # id of a weight's tensor -> its path
        self._same: dict[str, list[int]] = {}
        self._owner = threading.get_ident()

    @property
    def path(self) -> str:
        return self._open[-1][0] if self._open else ""

    def weight(self, tensor: Any) -> str | None:
        """The path of a weight that belongs to one of the open calls, or to one that was open before."""
        found = self._weights.get(id(tensor))
        if found is None:
            for path, owner, weights_of in self._open:
                for name, value in weights_of(owner):
                    self._weights.setdefault(id(value), f"{path}/{name}")
            found = self._weights.get(id(tensor))
        if found is None and self._open and is_keras(self._open[-1][1]):
            # a layer may compute with the weights of one it never calls: a recurrent layer with its cell's
            path, owner, weights_of = self._open[-1]
            for part in owner._flatten_layers(include_self=False):
                for name, value in weights_of(part):
                    self._weights.setdefault(id(value), f"{path}/{part.name}/{name}")
            found = self._weights.get(id(tensor))
        return found

    @contextmanager
    def inside(self, name: str, owner: Any, weights_of: Callable[[Any], Iterable[tuple[str, Any]]]) -> Iterator[None]:
        self._push(name, owner, weights_of)
        try:
            yield
        finally:
            self._open.pop()

    def _push(self, name: str, owner: Any, weights_of: Callable[[Any], Iterable[tuple[str, Any]]]) -> None:
        path = f"{self.path}/{name}" if self._open else name
        same = self._same.setdefault(path, [])
        if id(owner) not in same:
            same.append(id(owner))
        # two layers of one name in one place are two scopes; one layer called twice is one
        number = same.index(id(owner))
        self._open.append((path if not number else f"{path}_{number}", owner, weights_of))

    @contextmanager
    def followed(self) -> Iterator[Scopes]:
        """Follow the calls of Keras layers and optimizers and of torch modules."""
        undo: list[Callable[[], None]] = []
        try:
            if "keras" in sys.modules:
                undo += self._follow_keras()
            if "torch" in sys.modules:
                undo += self._follow_torch()
            yield self
        finally:
            for one in reversed(undo):
                one()

    def _follow_keras(self) -> list[Callable[[], None]]:
        keras: Any = importlib.import_module("keras")
        layer, optimizer = keras.layers.Layer, keras.optimizers.Optimizer

        def call(original: Any) -> Any:
            def called(one: Any, *args: Any, **kwargs: Any) -> Any:
                if threading.get_ident() != self._owner:
                    return original(one, *args, **kwargs)
                steps = isinstance(one, optimizer)
                with self.inside(one.name, one, _optimizer_weights if steps else _layer_weights):
                    if steps:
                        self.optimizers.add(self.path)
                    return original(one, *args, **kwargs)

            return called

        def build(original: Any) -> Any:
            def built(one: Any, *args: Any, **kwargs: Any) -> Any:
                mine = threading.get_ident() == self._owner
                self.building += mine
                try:
                    return original(one, *args, **kwargs)
                finally:
                    self.building -= mine

            return built

        undo = [replaced(layer, "__call__", call), replaced(optimizer, "apply", call)]
        if hasattr(layer, "_maybe_build"):
            undo.append(replaced(layer, "_maybe_build", build))
        return undo

    def _follow_torch(self) -> list[Callable[[], None]]:
        modules: Any = importlib.import_module("torch.nn.modules.module")

        def ours(module: Any) -> bool:
            return threading.get_ident() == self._owner and not is_keras(module)

        def before(module: Any, args: Any) -> None:
            if ours(module):
                self._push(type(module).__name__.lower(), module, _torch_weights)

        def after(module: Any, args: Any, outputs: Any) -> None:
            if ours(module):
                self._open.pop()

        return [
            modules.register_module_forward_pre_hook(before).remove,
            modules.register_module_forward_hook(after, always_call=True).remove,
        ]


def _layer_weights(layer: Any) -> Iterable[tuple[str, Any]]:
    yield from _named([*layer._trainable_variables, *layer._non_trainable_variables])


def _optimizer_weights(optimizer: Any) -> Iterable[tuple[str, Any]]:
    yield from _named(optimizer.variables)


def _named(variables: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    for variable in variables:
        value = getattr(variable, "_value", None)
        if value is not None:
            yield variable.name, value


def _torch_weights(owner: Any) -> Iterable[tuple[str, Any]]:
    yield from owner.named_parameters(recurse=False)
    yield from owner.named_buffers(recurse=False)
