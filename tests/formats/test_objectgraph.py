"""The object graph: bytes and back, paths, and graphs that lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.errors import FormatError
from milepost.formats.objectgraph import Node, ObjectGraph, attribute_key, escape, join, unescape

names = st.text(max_size=12)


@st.composite
def graphs(draw: st.DrawFn) -> ObjectGraph:
    count = draw(st.integers(1, 12))
    ids = st.integers(0, count - 1)
    return ObjectGraph(
        [
            Node(
                draw(st.lists(st.tuples(names, ids), max_size=4)),
                draw(st.lists(st.tuples(names, names, names), max_size=2)),
                draw(st.lists(st.tuples(ids, names, ids), max_size=2)),
                draw(st.one_of(st.none(), st.tuples(names, names))),
                draw(st.one_of(st.none(), st.booleans())),
            )
            for _ in range(count)
        ]
    )


@given(graphs())
def test_graphs_come_back(graph: ObjectGraph) -> None:
    """Any graph, cycles and shared nodes included, survives; its paths are found."""
    assert ObjectGraph.decode(graph.encode()) == graph
    graph.mark_values()
    assert len(graph.paths()) == len(graph.nodes)


@given(names)
def test_escaping_is_undone(name: str) -> None:
    """Escaped names have no "/" and come back."""
    assert "/" not in escape(name)
    assert unescape(escape(name)) == name


def test_keys() -> None:
    """The spelling TensorFlow uses."""
    assert escape("a/b.c") == "a.Sb..c"
    assert attribute_key(join("m", "w"), "VARIABLE_VALUE") == "m/w/.ATTRIBUTES/VARIABLE_VALUE"


@given(st.binary(max_size=200))
def test_any_bytes_as_graph(data: bytes) -> None:
    """Random bytes give a graph or a FormatError."""
    try:
        ObjectGraph.decode(data)
    except FormatError:
        pass


@pytest.mark.parametrize("target", [5, -1])
def test_edges_to_nowhere(target: int) -> None:
    """A child that does not exist is refused."""
    with pytest.raises(FormatError, match="does not exist"):
        ObjectGraph.decode(ObjectGraph([Node([("x", target)])]).encode())


def test_values_reach_upwards() -> None:
    """has_values is true for what leads to a value, through cycles too."""
    graph = ObjectGraph([Node([("a", 1), ("e", 3)]), Node([("b", 2), ("up", 0)]), Node([], [("V", "", "k")]), Node()])
    graph.mark_values()
    assert [n.has_values for n in graph.nodes] == [True, True, True, False]
