"""Graphs of the models a program calls while it is watched. In: start and stop. Out: one `ModelNodes` a model.

The first outermost call of each torch module or Keras layer is recorded call by call; later calls of the same model pass
through. Not here: graphs of a model at rest (`graph_torch`, `graph_keras`), ops (`graph_torch.record_ops`).
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from milepost.engines.graph import ModelNodes
from milepost.engines.graph_calls import CallWatch
from milepost.engines.graph_scopes import is_keras

__all__ = ["ModelWatch"]

MAX_MODELS = 32  # a program that makes a model a step must not fill the memory


class _Here(threading.local):
    watch: CallWatch | None = None
    depth: int = 0
    elsewhere: int = 0  # > 0: a function is running whose ops are recorded, its models among them


class ModelWatch:
    def __init__(self) -> None:
        self._seen: dict[int, Any] = {}  # by id, and kept, so that an id is not given twice
        self._found: list[ModelNodes] = []
        self._here = _Here()
        self._undo: list[Any] = []

    def start(self) -> None:
        if "torch" in sys.modules:
            self._start_torch()
        if "keras" in sys.modules:
            self._start_keras()

    def stop(self) -> list[ModelNodes]:
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()
        return self._found

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Models called within belong to what is recorded otherwise."""
        self._here.elsewhere += 1
        try:
            yield
        finally:
            self._here.elsewhere -= 1

    def _begin(self, adapter: Any, model: Any, name: str, inputs: Any) -> bool:
        """Whether this call is being recorded; `_end` must follow when it is."""
        here = self._here
        if here.watch is None:
            if here.elsewhere:
                return False
            if id(model) in self._seen or len(self._found) >= MAX_MODELS:
                return False
            here.watch = CallWatch(adapter.tensors_in, adapter.describe)
            here.watch.input("input", inputs)
        self._seen[id(model)] = model  # a part of a recorded model is no model of its own later
        here.watch.begin(name, inputs)
        here.depth += 1
        return True

    def _end(self, engine: str, kind: str, outputs: Any, about: dict[str, str], *, failed: bool = False) -> None:
        here = self._here
        assert here.watch is not None
        here.depth -= 1
        if failed:
            here.watch.fail()
        else:
            here.watch.end(kind, outputs, about)
        if here.depth == 0:
            self._found.append(ModelNodes(engine, "calls", tuple(here.watch.nodes), cut=here.watch.cut))
            here.watch = None

    def _start_torch(self) -> None:
        adapter: Any = importlib.import_module("milepost.engines.graph_torch")
        modules: Any = importlib.import_module("torch.nn.modules.module")
        open_calls = threading.local()

        def before(module: Any, args: Any) -> None:
            recorded = not is_keras(module) and self._begin(adapter, module, type(module).__name__.lower(), args)
            open_calls.stack = [*getattr(open_calls, "stack", []), recorded]

        def after(module: Any, args: Any, outputs: Any) -> None:
            *open_calls.stack, recorded = open_calls.stack
            if recorded:
                # outputs is None when forward raised: the hook is called always, so that scopes close
                count = sum(p.numel() for p in module.parameters(recurse=False))
                about = {"parameters": str(count)} if count else {}
                self._end("torch", type(module).__name__, outputs, about, failed=outputs is None)

        self._undo.append(modules.register_module_forward_pre_hook(before).remove)
        self._undo.append(modules.register_module_forward_hook(after, always_call=True).remove)

    def _start_keras(self) -> None:
        adapter: Any = importlib.import_module("milepost.engines.graph_keras")
        self._undo.append(adapter.watch_calls(self._begin_keras(adapter), self._end))

    def _begin_keras(self, adapter: Any) -> Any:
        return lambda layer, inputs: self._begin(adapter, layer, layer.name, inputs)
