"""`graph(model)`: a model's nodes and edges as one value, and as the bytes TensorBoard reads. In: a model. Out: `Graph`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from milepost.engines.graph import GraphNode as Node
from milepost.engines.graph import ModelNodes, nodes_of, ops_of, recording
from milepost.engines.graph_watch import ModelWatch
from milepost.formats.graphdef import AttrValue, FunctionGraphs, GraphDef, NodeDef, RunMetadata, Versions, shape_attr

__all__ = ["Graph", "Node", "Watch", "graph", "ops", "record", "run_metadata"]

_PRODUCER = 22  # the GraphDef version TensorBoard's own torch writer names


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in the order in which they are computed."""

    kind: str
    how: str
    nodes: tuple[Node, ...]
    keras_json: str | None = None
    cut: bool = False

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def edges(self) -> list[tuple[str, str]]:
        return [(source, node.name) for node in self.nodes for source in node.inputs]

    def message(self) -> GraphDef:
        return GraphDef(node=[_node_def(node) for node in self.nodes], versions=Versions(producer=_PRODUCER))

    def graph_def(self) -> bytes:
        """A serialized GraphDef, for an event's `graph_def`."""
        return self.message().encode()

    def run_metadata(self) -> bytes:
        """A serialized RunMetadata that holds the graph, for the `graph_run_metadata_graph` plugin."""
        return run_metadata([self])


def run_metadata(graphs: list[Graph]) -> bytes:
    return RunMetadata(function_graphs=[FunctionGraphs(pre_optimization_graph=g.message()) for g in graphs]).encode()


def _node_def(node: Node) -> NodeDef:
    attributes = {key: AttrValue(s=text.encode()) for key, text in node.attributes.items()}
    if node.shapes:
        attributes["_output_shapes"] = shape_attr(list(node.shapes))
    if node.dtype:
        attributes["dtype"] = AttrValue(s=node.dtype.encode())
    return NodeDef(name=node.name, op=node.op, input=list(node.inputs), attr=attributes)


def _graph(found: ModelNodes) -> Graph:
    return Graph(found.kind, found.how, found.nodes, found.keras_json, found.cut)


def graph(model: Any, *inputs: Any) -> Graph:
    """The graph of a Keras model, a torch module or a jax function.

    A built Keras model needs no inputs; torch and jax need example ones.

    >>> import torch
    >>> g = graph(torch.nn.Linear(3, 2), torch.zeros(1, 3))
    >>> sorted(n.op for n in g.nodes)
    ['Output', 'Parameter', 'Parameter', 'Placeholder', 'aten::linear']
    """
    return _graph(nodes_of(model, inputs))


def ops(model: Any, *inputs: Any) -> Graph | None:
    """Every op of a forward call of a Keras model, each in the scope of its layer; None where Keras does not compute with torch.

    A model that was called before needs no inputs.
    """
    found = ops_of(model, inputs)
    return None if found is None else _graph(found)


def record(function: Callable[..., Any], name: str) -> Callable[..., tuple[Any, Graph | None]]:
    """`function`, answering its result and the graph of what it computed (None without torch in the process).

    >>> import torch
    >>> result, seen = record(lambda x: x @ x, "square")(torch.eye(2))
    >>> [n.name for n in seen.nodes]
    ['square/Placeholder', 'square/mm']
    """
    watched = recording(function, name)

    def run(*args: Any, **kwargs: Any) -> tuple[Any, Graph | None]:
        result, found = watched(*args, **kwargs)
        return result, None if found is None else _graph(found)

    return run


class Watch:
    """Graphs of all models called between `start()` and `stop()`; each model once."""

    def __init__(self) -> None:
        self._watch = ModelWatch()

    def start(self) -> None:
        self._watch.start()

    def aside(self) -> AbstractContextManager[None]:
        """Models called within are not this watch's: a function's ops are recorded, and they are among them."""
        return self._watch.aside()

    def stop(self) -> list[Graph]:
        return [_graph(found) for found in self._watch.stop()]
