"""From a root object to all that is reachable from it. In: any object. Out: a LiveGraph, in breadth-first order.

The order is TensorFlow's: children as the adapter lists them, each object once, under its shortest path, slot variables
last. Not here: what an object is (`engines`), bytes (`snapshot`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from milepost.engines import Adapter, Leaf, detect
from milepost.errors import CoverageError, UntrackableError
from milepost.formats.objectgraph import join, slot_path, unescape

__all__ = ["LiveGraph", "LiveNode", "LiveSlot", "uncovered", "walk"]


@dataclass(slots=True)
class LiveNode:
    """One live object: its children by name (numbers of other nodes) and its own values by attribute."""

    obj: Any
    adapter: Adapter
    path: str
    children: dict[str, int]
    leaves: Mapping[str, Leaf]


class LiveSlot(NamedTuple):
    """A value an optimizer keeps for a variable; all three are node numbers."""

    optimizer: int
    variable: int
    name: str
    value: int


@dataclass(slots=True)
class LiveGraph:
    """Everything reachable; node 0 is the root. Holding it keeps the objects alive, so identities stay unique."""

    nodes: list[LiveNode] = field(default_factory=list)
    slots: list[LiveSlot] = field(default_factory=list)
    by_identity: dict[int, int] = field(default_factory=dict)

    def find(self, path: str) -> int | None:
        """The node at an escaped path, whatever other paths lead to it."""
        at = 0
        for name in path.split("/") if path else ():
            found = self.nodes[at].children.get(unescape(name))
            if found is None:
                return None
            at = found
        return at

    def add(self, obj: Any, path: str) -> int:
        """The number of `obj`, walked with all that is reachable from it if it is new."""
        known = len(self.nodes)
        number = self._number(obj, path)
        self._spread(known)
        return number

    def refresh(self, number: int) -> None:
        """Look at a node again: its children and values may have appeared since."""
        known = len(self.nodes)
        self._look(number)
        self._spread(known)

    def _spread(self, at: int) -> None:
        while at < len(self.nodes):
            self._look(at)
            at += 1

    def _number(self, obj: Any, path: str) -> int:
        adapter = detect(obj)
        if adapter is None:
            raise UntrackableError(
                f"objects of type {type(obj).__module__}.{type(obj).__qualname__} cannot be saved",
                where=readable(path),
                todo="keep arrays, numbers, strings, containers or engine objects there, or give the class state_dict() and "
                "load_state_dict()",
            )
        identity = adapter.identity(obj)
        if identity is not None:
            known = self.by_identity.get(identity)
            if known is not None:
                return known
            self.by_identity[identity] = len(self.nodes)
        self.nodes.append(LiveNode(obj, adapter, path, {}, {}))
        return len(self.nodes) - 1

    def _look(self, number: int) -> None:
        node = self.nodes[number]
        try:
            node.leaves = node.adapter.leaves(node.obj)
            children = node.adapter.children(node.obj)
        except TypeError as error:
            raise UntrackableError(str(error), where=readable(node.path)) from error
        found: dict[str, int] = {}
        path, before = node.path, node.children
        for name, child in children:
            known = before.get(name) if before else None
            if known is not None and self._is_value(known, child):
                self.nodes[known].obj = child  # a value has no identity: looked at again, its name says which one it is
                found[name] = known
            else:
                found[name] = self._number(child, join(path, name))
        node.children = found

    def _is_value(self, number: int, child: Any) -> bool:
        node, adapter = self.nodes[number], detect(child)
        return adapter is node.adapter and adapter.identity(child) is None and adapter.identity(node.obj) is None

    def look_for_slots(self) -> None:
        """Add what optimizers keep per variable; after all variables are known."""
        self.slots.clear()
        for number in range(len(self.nodes)):
            node = self.nodes[number]
            for slot in node.adapter.slots(node.obj):
                adapter = detect(slot.variable)
                identity = adapter.identity(slot.variable) if adapter else None
                variable = self.by_identity.get(identity) if identity is not None else None
                if variable is not None:
                    path = slot_path(self.nodes[variable].path, node.path, slot.name)
                    self.slots.append(LiveSlot(number, variable, slot.name, self.add(slot.value, path)))


def readable(path: str) -> str:
    """A path for people."""
    return f"(root)/{path}" if path else "(root)"


def walk(root: Any) -> LiveGraph:
    """All that is reachable from `root`. Raises UntrackableError with the path of what cannot be saved."""
    graph = LiveGraph()
    graph.add(root, "")
    graph.look_for_slots()
    return graph


def uncovered(graph: LiveGraph) -> list[str]:
    """State that an engine knows of and the walk did not reach: it would be lost without a word."""
    missing: list[str] = []
    asked: set[int] = set()
    for node in graph.nodes:
        if node.adapter.engine == "plain":
            continue
        for number in node.children.values():
            if graph.nodes[number].adapter.engine == node.adapter.engine:
                asked.add(number)
    for number, node in enumerate(graph.nodes):
        if node.adapter.engine == "plain" or number in asked:
            continue  # asked where the walk enters an engine: its outermost object answers for the inner ones
        for name, state in node.adapter.coverage(node.obj):
            adapter = detect(state)
            identity = adapter.identity(state) if adapter else None
            if identity is None or identity not in graph.by_identity:
                missing.append(f"{readable(node.path)}: {name}")
    return missing


def check_coverage(graph: LiveGraph) -> None:
    missing = uncovered(graph)
    if missing:
        shown = "; ".join(missing[:10]) + (f"; and {len(missing) - 10} more" if len(missing) > 10 else "")
        raise CoverageError(
            f"{len(missing)} pieces of state would not be saved: {shown}",
            todo='reach them from the Checkpoint, or save with CheckpointOptions(coverage="off") if they do not matter',
        )
