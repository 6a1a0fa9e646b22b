"""What a model computes, as plain nodes. In: a model or function and example inputs. Out: `ModelNodes`.

Each adapter (torch, jax, keras) is tried for the objects of its engine only; nothing is imported that the process has not
imported already. Not here: GraphDef bytes (`formats.graphdef`), the public door (`modelgraph`).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from milepost.errors import EngineMissingError, UsageError

__all__ = ["MAX_NODES", "GraphNode", "ModelNodes", "Shape", "nodes_of", "ops_of", "recording"]

MAX_NODES = 100_000  # a graph beyond this cannot be drawn; the rest is left out and `cut` says so

Shape = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """`name` is a path of scopes joined by "/"; `inputs` name earlier nodes."""

    name: str
    op: str
    inputs: tuple[str, ...] = ()
    shapes: tuple[Shape | None, ...] = ()
    dtype: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelNodes:
    kind: str  # "torch", "keras", "jax"
    how: str  # how it was found: "export", "calls", "jaxpr", "config"
    nodes: tuple[GraphNode, ...]
    keras_json: str | None = None  # what TensorBoard's Keras view reads, where the model has it
    cut: bool = False


def nodes_of(model: Any, inputs: tuple[Any, ...]) -> ModelNodes:
    """The nodes of a Keras model, a torch module or a jax function."""
    # Keras on torch makes its layers torch modules, so Keras is asked first.
    for engine in ("keras", "torch", "jax"):
        if engine in sys.modules:
            adapter = importlib.import_module(f"milepost.engines.graph_{engine}")
            found: ModelNodes | None = adapter.nodes_of(model, inputs)
            if found is not None:
                return found
    if not any(engine in sys.modules for engine in ("keras", "torch", "jax")):
        raise EngineMissingError("no engine is loaded whose graph could be taken", got=type(model).__name__)
    raise UsageError(
        "no graph can be taken of this object",
        got=type(model).__name__,
        want="a Keras model, a torch.nn.Module, or a jax function with example inputs",
    )


def recording(function: Callable[..., Any], name: str) -> Callable[..., tuple[Any, ModelNodes | None]]:
    """`function`, but answering also the nodes of what it computed, by watching torch ops while it runs."""
    if "torch" not in sys.modules:
        return lambda *args, **kwargs: (function(*args, **kwargs), None)
    recorder = importlib.import_module("milepost.engines.graph_torch").record_ops
    return lambda *args, **kwargs: recorder(function, name, args, kwargs)


def ops_of(model: Any, inputs: tuple[Any, ...]) -> ModelNodes | None:
    """Every op of one forward call of a Keras model, inside its layers; None where Keras does not compute with torch."""
    keras = sys.modules.get("keras")
    if keras is None or not isinstance(model, keras.layers.Layer) or keras.backend.backend() != "torch":
        return None
    import_module = importlib.import_module
    adapter, torch, recorder = (
        import_module(n) for n in ("milepost.engines.graph_keras", "torch", "milepost.engines.graph_torch")
    )
    given = inputs or adapter.example(model)
    keywords = {"training": False} if adapter.takes_training(model) else {}
    with torch.no_grad():
        found: ModelNodes = recorder.record_ops(model, "", given, keywords)[1]
    return found
