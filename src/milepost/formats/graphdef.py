"""GraphDef and RunMetadata, the messages TensorBoard's graph page reads. Schemas and attribute makers only.

In / out: see `wire`. Not here: how a model becomes nodes (`engines.graph_*`), events (`event`).
"""

from __future__ import annotations

from dataclasses import dataclass

from milepost.formats.event import Dim, TensorShape
from milepost.formats.wire import (
    BOOL,
    BYTES,
    ENUM,
    FLOAT,
    INT32,
    INT64,
    STRING,
    Message,
    field,
    map_field,
    message_field,
)

__all__ = ["AttrList", "AttrValue", "FunctionGraphs", "GraphDef", "NodeDef", "RunMetadata", "Versions", "shape_attr"]


@dataclass(slots=True)
class AttrList(Message):
    s: list[bytes] = field(2, BYTES, repeated=True)
    i: list[int] = field(3, INT64, repeated=True)
    f: list[float] = field(4, FLOAT, repeated=True)
    b: list[bool] = field(5, BOOL, repeated=True)
    type: list[int] = field(6, ENUM, repeated=True)
    shape: list[TensorShape] = message_field(7, TensorShape, repeated=True)


@dataclass(slots=True)
class AttrValue(Message):
    list: AttrList | None = message_field(1, AttrList)
    s: bytes | None = field(2, BYTES, optional=True)
    i: int | None = field(3, INT64, optional=True)
    f: float | None = field(4, FLOAT, optional=True)
    b: bool | None = field(5, BOOL, optional=True)
    type: int | None = field(6, ENUM, optional=True)
    shape: TensorShape | None = message_field(7, TensorShape)


@dataclass(slots=True)
class NodeDef(Message):
    name: str = field(1, STRING)
    op: str = field(2, STRING)
    input: list[str] = field(3, STRING, repeated=True)
    device: str = field(4, STRING)
    attr: dict[str, AttrValue] = map_field(5, STRING, AttrValue)


@dataclass(slots=True)
class Versions(Message):
    producer: int = field(1, INT32)
    min_consumer: int = field(2, INT32)


@dataclass(slots=True)
class GraphDef(Message):
    node: list[NodeDef] = message_field(1, NodeDef, repeated=True)
    library: bytes | None = field(2, BYTES, optional=True)
    versions: Versions | None = message_field(4, Versions)


@dataclass(slots=True)
class FunctionGraphs(Message):
    partition_graphs: list[GraphDef] = message_field(1, GraphDef, repeated=True)
    pre_optimization_graph: GraphDef | None = message_field(2, GraphDef)
    post_optimization_graph: GraphDef | None = message_field(3, GraphDef)


@dataclass(slots=True)
class RunMetadata(Message):
    partition_graphs: list[GraphDef] = message_field(3, GraphDef, repeated=True)
    function_graphs: list[FunctionGraphs] = message_field(4, FunctionGraphs, repeated=True)


def shape_attr(shapes: list[tuple[int | None, ...] | None]) -> AttrValue:
    """`_output_shapes`, from which TensorBoard labels edges; an unknown size is -1, None an unknown rank."""
    made = [
        TensorShape(unknown_rank=True)
        if shape is None
        else TensorShape(dim=[Dim(size=-1 if size is None else size) for size in shape])
        for shape in shapes
    ]
    return AttrValue(list=AttrList(shape=made))
