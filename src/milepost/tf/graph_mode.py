"""Switches `tf` between doing and writing down: while a graph is being built, its public functions give nodes (graph_v1.py)."""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["is_on", "on", "switch"]

_SPACES = ("math", "nn", "random", "linalg", "image", "signal", "strings", "bitwise", "debugging")
# These act at once in a graph too: they make no tensor, or look after the program itself.
_AT_ONCE = frozenset(
    [
        "as_dtype",
        "executing_eagerly",
        "get_logger",
        "function",
        "device",
        "is_tensor",
        "custom_gradient",
        "enable_eager_execution",
        "constant_initializer",
        "ones_initializer",
        "zeros_initializer",
        "random_normal_initializer",
        "random_uniform_initializer",
        "init_scope",
        "set_seed",
        "type_spec_from_value",
        "grad_pass_through",
        "recompute_grad",
        "inside_function",
        "is_symbolic_tensor",
        "get_current_name_scope",
        "get_static_value",
        "broadcast_static_shape",
        "get_global_generator",
        "set_global_generator",
        "set_log_device_placement",
        "enable_check_numerics",
        "disable_check_numerics",
    ]
)
_saved: list[tuple[Any, str, Any]] = []
_depth = 0


def is_on() -> bool:
    """Whether calls are written down."""
    return _depth > 0


def _replace(module: Any, name: str, value: Any) -> None:
    _saved.append((module, name, getattr(module, name)))
    setattr(module, name, value)


def switch(wanted: bool) -> None:
    """Once more on, or once less."""
    global _depth
    if wanted:
        _depth += 1
        if _depth == 1:
            _enter()
    elif _depth:
        _depth -= 1
        if not _depth:
            while _saved:
                module, name, value = _saved.pop()
                setattr(module, name, value)


def _enter() -> None:
    from milepost.tf import derivatives_v1, graph_v1

    tf = importlib.import_module("milepost.tf")
    found = []
    for module in [tf, *[getattr(tf, space) for space in _SPACES]]:
        for name in list(module.__all__):
            try:
                value = getattr(module, name)
            except (AttributeError, ImportError):
                continue
            if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) and name not in _AT_ONCE:
                found.append((module, name, value))
    # only now, when every file is loaded: one that is loaded later would take the replacement for the function itself
    for module, name, value in found:
        _replace(module, name, graph_v1.deferring(value))
    _replace(tf, "Variable", graph_v1.VariableNode)
    _replace(tf, "gradients", derivatives_v1.gradients)
    _replace(tf, "control_dependencies", _control_dependencies)
    _replace(tf, "group", lambda *inputs, **_: graph_v1.defer(lambda *values: None, *inputs, name="group_deps"))
    _replace(tf, "no_op", lambda name=None: graph_v1.defer(lambda: None, name=name or "NoOp"))
    _replace(tf, "executing_eagerly", lambda: False)


@contextmanager
def _control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Nodes made inside run after these."""
    from milepost.tf.graph_v1 import GRAPHS, Node

    graph = GRAPHS.current
    before = list(graph.controls)
    graph.controls += [c for c in control_inputs or () if isinstance(c, Node)]
    try:
        yield
    finally:
        graph.controls[:] = before


@contextmanager
def on() -> Iterator[None]:
    """Calls inside are written down."""
    switch(True)
    try:
        yield
    finally:
        switch(False)
