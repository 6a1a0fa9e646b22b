"""Graphs. In: GraphDef, RunMetadata or Keras' JSON from a log. Out: columns of nodes and edges. Layout is the page's."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import ApiError, answer
from milepost.board.live import Live
from milepost.board.media.samples import find, series_of
from milepost.errors import MilepostError
from milepost.formats.graphdef import AttrValue, GraphDef, NodeDef, RunMetadata

__all__ = ["graph", "graph_data", "graphs", "graphs_data"]

MAX_NODES = 200_000
MAX_GRAPH_BYTES = 256 * 1024 * 1024
MAX_ATTRIBUTE = 200
MAX_ATTRIBUTES = 40
DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    9: "int64",
    10: "bool",
    14: "bfloat16",
    19: "float16",
    22: "uint32",
    23: "uint64",
}
Node = tuple[str, str, list[str], str, dict[str, str], str]  # name, op, inputs, device, attributes, shape of the output


def graphs(live: Live, request: Request) -> Response:
    return answer(request, graphs_data(live), live.cursor)


def graphs_data(live: Live) -> dict[str, Any]:
    found = []
    for run in live.run_ids():
        for tag, series in live.media(run, "graphs").items():
            if not len(series):
                continue
            plugin = series.metadata.plugin
            kind = (
                "keras"
                if plugin == "graph_keras_model"
                else "profile"
                if "run_metadata" in plugin or tag == "__run_metadata__"
                else "op"
            )
            found.append({"run": run, "tag": tag, "kind": kind, "bytes": series.blob(len(series) - 1).length})
    return {"graphs": found}


def graph(live: Live, request: Request) -> Response:
    run, series = series_of(live, request, "graphs")
    return answer(request, graph_data(live, run, series.tag), live.cursor)


def graph_data(live: Live, run: str, tag: str) -> dict[str, Any]:
    series = find(live, run, "graphs", tag)
    if not len(series):
        raise ApiError("not_found", f"no graph {tag!r} in run {run!r}", where=tag)
    if series.blob(len(series) - 1).length > MAX_GRAPH_BYTES:
        raise ApiError("too_large", "the graph is larger than is shown", where=tag)
    try:
        found = series[len(series) - 1]
        if found.form == "keras":
            kind, nodes = "keras", keras_nodes(found.data)
        elif found.form == "graph_def":
            nodes = list(op_nodes(GraphDef.decode(found.data).node))
            kind = "torch" if any(n[1].startswith(("aten::", "prim::", "onnx::")) for n in nodes[:2000]) else "op"
        elif found.form == "run_metadata":
            kind, nodes = "profile", metadata_nodes(RunMetadata.decode(found.data))
        else:
            raise ApiError("unsupported_media", f"a graph as {found.form} is not shown", where=tag)
    except (MilepostError, ValueError, RecursionError) as fault:
        raise ApiError("unsupported_media", f"the graph cannot be read: {fault}", where=tag) from fault
    return columns(kind, nodes)


def columns(kind: str, nodes: list[Node]) -> dict[str, Any]:
    cut = len(nodes) > MAX_NODES
    nodes = nodes[:MAX_NODES]
    place = {node[0]: i for i, node in enumerate(nodes)}
    source, target, control, label = [], [], [], []
    for i, node in enumerate(nodes):
        for wire in node[2]:
            name = wire.lstrip("^")
            at = place.get(name)
            if at is None:
                # "scope/op:1" is the second output of scope/op
                at = place.get(name.rpartition(":")[0]) if ":" in name else None
            if at is not None:
                source.append(at)
                target.append(i)
                control.append(wire.startswith("^"))
                label.append(nodes[at][5])
    return {
        "kind": kind, "name": [n[0] for n in nodes], "op": [n[1] for n in nodes], "device": [n[3] for n in nodes], "shape": [n[5] for n in nodes], "attrs": [n[4] for n in nodes],
        "edges": {"from": source, "to": target, "control": control, "label": label}, "count": len(place), "cut": cut,
    }  # fmt: skip


def op_nodes(nodes: Iterable[NodeDef]) -> Iterable[Node]:
    for node in nodes:
        shapes = node.attr.get("_output_shapes")
        yield node.name, node.op, list(node.input), node.device, attributes(node.attr), first_shape(shapes)


def first_shape(attr: AttrValue | None) -> str:
    shapes = attr.list.shape if attr is not None and attr.list is not None else []
    if not shapes or shapes[0].unknown_rank:
        return ""
    return "×".join("?" if d.size < 0 else str(d.size) for d in shapes[0].dim)


def attributes(found: dict[str, AttrValue]) -> dict[str, str]:
    return {key: text[:MAX_ATTRIBUTE] for key, value in list(found.items())[:MAX_ATTRIBUTES] if (text := shown(value))}


def shown(value: AttrValue) -> str:
    if value.s is not None:
        return value.s.decode("utf-8", "replace")
    for number in (value.i, value.f, value.b):
        if number is not None:
            return str(number)
    if value.type is not None:
        return DTYPES.get(value.type, f"type {value.type}")
    if value.shape is not None:
        return "×".join(str(d.size) for d in value.shape.dim) or "scalar"
    if value.list is not None:
        several = [
            *(s.decode("utf-8", "replace") for s in value.list.s[:20]),
            *map(str, [*value.list.i[:20], *value.list.f[:20], *value.list.b[:20]]),
        ]
        several += ["×".join(str(d.size) for d in shape.dim) for shape in value.list.shape[:20]]
        return ", ".join(several)
    return ""


def metadata_nodes(metadata: RunMetadata) -> list[Node]:
    """All the graphs a trace holds; those whose outermost names are another's, too, are told apart by number."""
    nodes: list[Node] = []
    taken: set[str] = set()
    for number, function in enumerate(metadata.function_graphs):
        inner = function.pre_optimization_graph or function.post_optimization_graph
        if inner is None:
            continue
        outermost = {node.name.partition("/")[0] for node in inner.node}
        prefix = f"function_{number}/" if outermost & taken else ""
        taken |= outermost
        nodes += [
            (prefix + n, op, [prefixed(prefix, i) for i in ins], dev, at, sh)
            for n, op, ins, dev, at, sh in op_nodes(inner.node)
        ]
    if not nodes:
        for part in metadata.partition_graphs:
            nodes += op_nodes(part.node)
    return nodes


def prefixed(prefix: str, wire: str) -> str:
    return f"^{prefix}{wire[1:]}" if wire.startswith("^") else prefix + wire


def keras_nodes(data: bytes) -> list[Node]:
    """Layers of a Keras model as nodes; nested models are scopes. Reads the JSON of Keras 2 and 3."""
    model = json.loads(data)
    nodes: list[Node] = []
    layers(model, "", nodes, 0)
    return nodes


def layers(model: Any, scope: str, nodes: list[Node], depth: int) -> None:
    if depth > 20 or not isinstance(model, dict):
        return
    config = model.get("config", model)
    found = config.get("layers", []) if isinstance(config, dict) else config
    before: str | None = None
    for layer in found if isinstance(found, list) else []:
        if not isinstance(layer, dict):
            continue
        inner: dict[str, Any] = layer["config"] if isinstance(layer.get("config"), dict) else {}
        name = str(layer.get("name") or inner.get("name") or f"layer_{len(nodes)}")
        kind = str(layer.get("class_name", "Layer"))
        path = f"{scope}{name}"
        # Sequential lists no connections: each layer follows the one before
        inputs = (
            [f"{scope}{source}" for source in inbound(layer.get("inbound_nodes"), 0)]
            if "inbound_nodes" in layer
            else ([before] if before else [])
        )
        facts = {
            k: str(v)[:MAX_ATTRIBUTE]
            for k, v in list(inner.items())[:MAX_ATTRIBUTES]
            if isinstance(v, str | int | float | bool) and k != "name"
        }
        shape = inner.get("batch_shape") or inner.get("batch_input_shape")
        label = "×".join("?" if d is None else str(d) for d in shape) if isinstance(shape, list) else ""
        if "layers" in inner:
            layers(layer, path + "/", nodes, depth + 1)
        nodes.append((path, kind, list(dict.fromkeys(inputs)), "", facts, label))
        before = path


def inbound(value: Any, depth: int) -> list[str]:
    """Names of the layers that feed one, from either form of `inbound_nodes`."""
    if depth > 20:
        return []
    if isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__" and isinstance(value.get("config"), dict):
            history = value["config"].get("keras_history")
            return [str(history[0])] if isinstance(history, list) and history else []
        return [name for v in value.values() for name in inbound(v, depth + 1)]
    if isinstance(value, list):
        if len(value) >= 3 and isinstance(value[0], str) and isinstance(value[1], int) and isinstance(value[2], int):
            return [value[0]]
        return [name for v in value for name in inbound(v, depth + 1)]
    return []
