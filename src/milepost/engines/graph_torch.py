"""A torch module's graph. In: a module and example inputs, or a function to watch. Out: `ModelNodes`, or None if not torch's.

First `torch.export` (every op, scoped by module); when a model cannot be exported, its module calls are watched instead.
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from milepost.engines.graph import MAX_NODES, GraphNode, ModelNodes, Shape
from milepost.engines.graph_calls import CallWatch
from milepost.engines.graph_scopes import Scopes
from milepost.errors import UsageError

__all__ = ["nodes_of", "record_ops"]

_UNSAFE = re.compile(r"[^A-Za-z0-9_.\\/>-]")


def tensors_in(value: Any) -> Iterable[Any]:
    return (leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor))


def describe(tensor: Any) -> tuple[Shape, str]:
    shape = tuple(int(size) if isinstance(size, int) else None for size in tensor.shape)
    return shape, str(tensor.dtype).removeprefix("torch.")


def nodes_of(model: Any, inputs: tuple[Any, ...]) -> ModelNodes | None:
    if not isinstance(model, torch.nn.Module):
        return None
    if not inputs:
        raise UsageError(
            "a torch module has no graph before it is called",
            got="no example inputs",
            todo="give them: graph(model, x)",
        )
    was_training = model.training
    model.eval()  # dropout and batch statistics must not change because somebody looked
    try:
        with torch.no_grad():
            return _exported(model, inputs) or _called(model, inputs)
    finally:
        model.train(was_training)


def _exported(model: torch.nn.Module, inputs: tuple[Any, ...]) -> ModelNodes | None:
    # A model that cannot be exported is no mishap here, so what torch logs and prints of it is not passed on.
    quiet, silenced = logging.root.manager.disable, logging.ERROR
    logging.disable(max(quiet, silenced))
    try:
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            program = torch.export.export(model, inputs)
    except (
        Exception
    ):  # data-dependent control flow and foreign ops, each with an exception of its own: watch calls instead
        return None
    finally:
        logging.disable(quiet)
    signature = program.graph_signature
    parameters = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    names: dict[Any, str] = {}
    nodes: list[GraphNode] = []
    for node in program.graph.nodes:
        value = node.meta.get("val")
        described = [describe(tensor) for tensor in tensors_in(value)]
        shapes, dtype = tuple(shape for shape, _ in described), described[0][1] if described else ""
        sources = tuple(dict.fromkeys(names[source] for source in node.all_input_nodes if source in names))
        if node.op == "placeholder":
            target = parameters.get(node.name)
            # a parameter lies beside the ops of its module
            name, op = (target.replace(".", "/"), "Parameter") if target else (f"input/{node.name}", "Placeholder")
        elif node.op == "output":
            name, op = "output", "Output"
        else:
            name = "/".join((*_scope(node), node.name))
            op = str((getattr(node.target, "_schema", None) and node.target._schema.name) or node.target)
        names[node] = _UNSAFE.sub("_", name)
        if len(nodes) < MAX_NODES:
            nodes.append(GraphNode(names[node], op, sources, shapes, dtype))
    return ModelNodes("torch", "export", tuple(nodes), cut=len(program.graph.nodes) > MAX_NODES)


def _scope(node: Any) -> list[str]:
    """The innermost module's path: `L['self'].encoder.layer` -> encoder, layer."""
    stack = node.meta.get("nn_module_stack") or {}
    path = next(reversed(stack.values()))[0] if stack else ""
    return [part for part in re.sub(r"^L\['self'\]\.?", "", path).split(".") if part]


def _called(model: torch.nn.Module, inputs: tuple[Any, ...]) -> ModelNodes:
    watch = CallWatch(tensors_in, describe)
    names = {module: path.rsplit(".", 1)[-1] or "model" for path, module in model.named_modules()}
    handles = []

    def before(module: Any, args: Any, kwargs: Any) -> None:
        watch.begin(names[module], (args, kwargs))

    def after(module: Any, args: Any, kwargs: Any, outputs: Any) -> None:
        count = sum(p.numel() for p in module.parameters(recurse=False))
        about = {"parameters": str(count)} if count else {}
        watch.end(type(module).__name__, outputs, about)

    for module in names:
        handles.append(module.register_forward_pre_hook(before, with_kwargs=True))
        handles.append(module.register_forward_hook(after, with_kwargs=True))
    try:
        watch.input("input", inputs)
        model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    return ModelNodes("torch", "calls", tuple(watch.nodes), cut=watch.cut)


# the same values under another name: of no interest, and autograd makes one at every turn
_ALIASES = {"aten::detach", "aten::alias"}
BACKWARD = "gradient_tape"  # TensorFlow's name for the scope of what a tape computes


class _OpRecorder(TorchDispatchMode):  # type: ignore[misc]  # torch is Any here
    """Every op that runs inside, within the layers that run it, with its inputs by identity."""

    def __init__(self, scope: str, scopes: Scopes):
        super().__init__()
        self.scope, self.scopes, self.cut = scope, scopes, False
        self.nodes: list[GraphNode] = []
        self.producer: dict[int, str] = {}
        self.alive: list[Any] = []
        self.count: dict[str, int] = {}

    def name(self, op: str) -> str:
        return self.unique(BACKWARD if torch._C._current_autograd_node() is not None else self.scopes.path, op)

    def unique(self, *parts: str) -> str:
        path = _UNSAFE.sub("_", "/".join(part for part in (self.scope, *parts) if part))
        number = self.count.get(path, 0)
        self.count[path] = number + 1
        return path if not number else f"{path}_{number}"

    def keep(self, tensor: Any, name: str) -> None:
        self.alive.append(tensor)
        self.producer[id(tensor)] = name

    def source(self, tensor: Any) -> str:
        found = self.producer.get(id(tensor))
        if found is None:
            weight = self.scopes.weight(tensor)
            leaf = weight is not None or isinstance(tensor, torch.nn.Parameter)
            # a weight lies in its layer, wherever it is used first; what comes from outside, outside all layers
            found = self.unique(weight or ("Parameter" if leaf else "Placeholder"))
            self.add(GraphNode(found, "Parameter" if leaf else "Placeholder", (), (describe(tensor)[0],)))
            self.keep(tensor, found)
        return found

    def add(self, node: GraphNode) -> None:
        if len(self.nodes) < MAX_NODES:
            self.nodes.append(node)
        else:
            self.cut = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if self.cut or self.scopes.building or func.namespace == "profiler":  # a profiler's marks compute nothing
            return result
        if func._schema.name in _ALIASES:
            (made,), (given, *_) = list(tensors_in(result)), tensors_in(args)
            self.keep(made, self.source(given))
        else:
            inputs = tuple(dict.fromkeys(self.source(t) for t in tensors_in((args, kwargs))))
            outputs = [describe(t) for t in tensors_in(result)]
            name = self.name(func._schema.name.split("::")[-1])
            shapes = tuple(shape for shape, _ in outputs)
            self.add(GraphNode(name, func._schema.name, inputs, shapes, outputs[0][1] if outputs else ""))
            for tensor in tensors_in(result):
                self.keep(tensor, name)
        return result


def record_ops(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ModelNodes]:
    """The function's result, and every torch op it ran, forward and backward."""
    with Scopes().followed() as scopes, _OpRecorder(_UNSAFE.sub("_", name), scopes) as recorder:
        result = function(*args, **kwargs)
    return result, ModelNodes("torch", "ops", tuple(_without_slots(recorder)), cut=recorder.cut)


def _without_slots(recorder: _OpRecorder) -> Iterable[GraphNode]:
    """An optimizer's first step makes its slots: constants that nothing computes with, being variables later."""
    used = {source for node in recorder.nodes for source in node.inputs}
    outer = f"{recorder.scope}/" if recorder.scope else ""
    prefixes = tuple(f"{outer}{scope}/" for scope in recorder.scopes.optimizers)
    for node in recorder.nodes:
        if node.inputs or node.name in used or not node.op.startswith("aten::") or not node.name.startswith(prefixes):
            yield node
