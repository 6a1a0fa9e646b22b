"""A Keras model's conceptual graph: one node a layer. In: a model, optionally example inputs. Out: `ModelNodes`, or None.

Functional and Sequential models know their graph. A subclassed model is called once, on zeros of the shape it was built
with when no inputs are given, while its layers' calls are watched.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import keras

from milepost.engines.graph import MAX_NODES, GraphNode, ModelNodes, Shape
from milepost.engines.graph_calls import CallWatch
from milepost.engines.graph_scopes import replaced
from milepost.errors import UsageError

__all__ = ["example", "nodes_of", "takes_training", "watch_calls"]


def nodes_of(model: Any, inputs: tuple[Any, ...]) -> ModelNodes | None:
    if not isinstance(model, keras.layers.Layer):
        return None
    if isinstance(model, keras.Sequential) and model.built:
        model = model._functional or model
    if hasattr(model, "_nodes_by_depth"):  # a functional model, and what Sequential is made of
        nodes: list[GraphNode] = []
        _functional(model, "", {}, nodes)
        return ModelNodes("keras", "config", tuple(nodes[:MAX_NODES]), _json(model), cut=len(nodes) > MAX_NODES)
    watch = _watched(model, inputs)
    return ModelNodes("keras", "calls", tuple(watch.nodes), None, cut=watch.cut)


def _json(model: Any) -> str | None:
    try:
        return str(model.to_json())
    except Exception:  # a layer without get_config: the op graph is still there
        return None


def tensors_in(value: Any) -> Iterable[Any]:
    return (leaf for leaf in keras.tree.flatten(value) if keras.ops.is_tensor(leaf) or hasattr(leaf, "shape"))


def describe(tensor: Any) -> tuple[Shape, str]:
    shape = tuple(size if isinstance(size, int) else None for size in tensor.shape)
    return shape, str(keras.backend.standardize_dtype(tensor.dtype))


def _about(layer: Any) -> dict[str, str]:
    about = {"parameters": str(layer.count_params())} if layer.built and layer.weights else {}
    activation = getattr(layer, "activation", None)
    if activation is not None and hasattr(activation, "__name__"):
        about["activation"] = activation.__name__
    return about


def _functional(model: Any, scope: str, outer: dict[int, str], nodes: list[GraphNode]) -> dict[int, str]:
    """Nodes of a functional model; which node made each of its tensors. Models inside are scopes."""
    made = dict(outer)
    for depth in sorted(model._nodes_by_depth, reverse=True):
        for node in model._nodes_by_depth[depth]:
            operation = node.operation
            name = f"{scope}{operation.name}"
            outputs = list(keras.tree.flatten(node.output_tensors))
            if any(id(t) in made for t in outputs):  # an input that the outer model has tied already
                continue
            sources = tuple(dict.fromkeys(made[id(t)] for t in node.input_tensors if id(t) in made))
            if hasattr(operation, "_nodes_by_depth"):
                tied = {
                    id(inner): made[id(t)]
                    for inner, t in zip(operation.inputs, node.input_tensors, strict=False)
                    if id(t) in made
                }
                inside = _functional(operation, f"{name}/", tied, nodes)
                for tensor, inner in zip(outputs, operation.outputs, strict=False):
                    made[id(tensor)] = inside[id(inner)]
                continue
            described = [describe(t) for t in outputs]
            kind = "Placeholder" if isinstance(operation, keras.layers.InputLayer) else type(operation).__name__
            shared = sum(n.name == name or n.name.startswith(f"{name}_") for n in nodes)
            name = f"{name}_{shared}" if any(n.name == name for n in nodes) else name
            about = _about(operation) if isinstance(operation, keras.layers.Layer) else {}
            dtype = described[0][1] if described else ""
            nodes.append(GraphNode(name, kind, sources, tuple(s for s, _ in described), dtype, about))
            made.update((id(t), name) for t in outputs)
    return made


def example(model: Any) -> tuple[Any, ...]:
    """Zeros of the shape the model was built with."""
    shapes = getattr(model, "_build_shapes_dict", None) or {}
    shape = shapes.get("input_shape") or (next(iter(shapes.values())) if len(shapes) == 1 else None)
    if not shape or not all(isinstance(size, int) or size is None for size in shape):
        raise UsageError(
            "this model was never called, so its graph is not known",
            got=type(model).__name__,
            todo="call it once, or give example inputs: graph(model, x)",
        )
    return (keras.ops.zeros(tuple(size or 1 for size in shape), dtype=keras.backend.floatx()),)


def watch_calls(begin: Callable[[Any, Any], bool], end: Callable[..., None]) -> Callable[[], None]:
    """Tell `begin` and `end` of every layer call from now on; what ends that."""
    building = threading.local()

    def call(original: Any) -> Any:
        def watched(layer: Any, *args: Any, **kwargs: Any) -> Any:
            # a model finds its layers' shapes by calling them: that is no call of the model
            if getattr(building, "depth", 0) or not begin(layer, (args, kwargs)):
                return original(layer, *args, **kwargs)
            try:
                result = original(layer, *args, **kwargs)
            except BaseException:
                end("keras", "", None, {}, failed=True)
                raise
            end("keras", type(layer).__name__, result, _about(layer))
            return result

        return watched

    def build(original: Any) -> Any:
        def built(layer: Any, *args: Any, **kwargs: Any) -> Any:
            building.depth = getattr(building, "depth", 0) + 1
            try:
                return original(layer, *args, **kwargs)
            finally:
                building.depth -= 1

        return built

    layer = keras.layers.Layer
    undo = [replaced(layer, "__call__", call)]
    if hasattr(layer, "_maybe_build"):
        undo.append(replaced(layer, "_maybe_build", build))

    def undo_all() -> None:
        for one in reversed(undo):
            one()

    return undo_all


def _watched(model: Any, inputs: tuple[Any, ...]) -> CallWatch:
    inputs = inputs or example(model)
    watch = CallWatch(tensors_in, describe)
    owner = threading.get_ident()
    inside = {id(layer) for layer in model._flatten_layers()}

    def begin(layer: Any, values: Any) -> bool:
        if threading.get_ident() != owner or id(layer) not in inside:
            return False
        watch.begin(layer.name, values)
        return True

    def end(engine: str, kind: str, outputs: Any, about: dict[str, str], *, failed: bool = False) -> None:
        watch.fail() if failed else watch.end(kind, outputs, about)

    undo = watch_calls(begin, end)
    try:
        watch.input("input", inputs)
        model(*inputs, training=False) if takes_training(model) else model(*inputs)
    finally:
        undo()
    return watch


def takes_training(model: Any) -> bool:
    return bool(getattr(model, "_call_has_training_arg", False))
