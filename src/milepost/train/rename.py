"""A saved object graph under other names. In: the graph, a mapping of paths. Out: the graph as if it had been saved under the new ones.

After that, matching goes on as always: deferred values, optimizer slots and shared objects need no second way.
An object that several paths lead to is found under each of them, renamed or not. Not here: the matching (`match`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from milepost.formats.objectgraph import Node, ObjectGraph, join, slot_path, unescape

__all__ = ["Mapping_", "renamed", "renaming"]

Mapping_ = Mapping[str, str] | Callable[[str], str | None]
MAX_PATHS = 8  # of one object; more would only be names for names


def renaming(mapping: Mapping_ | None) -> Callable[[str], str | None] | None:
    """Saved path -> live path. A dict's keys are whole paths, or beginnings of paths that end at a "/"; the longest counts."""
    if mapping is None or callable(mapping):
        return mapping
    rules: list[tuple[str, Any]] = sorted(mapping.items(), key=lambda rule: -len(rule[0]))

    def rename(path: str) -> str | None:
        for old, new in rules:
            begin = old.rstrip("/")
            if path == begin:
                return str(new).rstrip("/")
            if not begin or path.startswith(begin + "/"):
                rest = path[len(begin) :].lstrip("/")
                top = str(new).rstrip("/")
                return f"{top}/{rest}" if top else rest
        return path

    return rename


def renamed(graph: ObjectGraph, rename: Callable[[str], str | None]) -> tuple[ObjectGraph, list[str]]:
    """The renamed graph, and each of its objects' path in the file. A path renamed to None is left out."""
    moved: list[tuple[str, int]] = []
    kept: list[tuple[str, int]] = []
    for number, path in _all_paths(graph):
        if graph.nodes[number].attributes or graph.nodes[number].slots:
            target = rename(path)
            if target is not None:
                (kept if target == path else moved).append((target, number))
    old_paths = graph.paths()
    out = _Renamed(graph, old_paths)
    for target, number in [*moved, *kept]:  # who was given a name comes before who has it anyway
        out.put(target, number)
    out.finish({number for _, number in moved + kept})
    made = ObjectGraph(out.nodes)
    made.mark_values()
    return made, out.paths


def _all_paths(graph: ObjectGraph) -> list[tuple[int, str]]:
    """(object, path) for the first few paths to each object, shortest first."""
    found, count, at = [(0, "")], [0] * len(graph.nodes), 0
    while at < len(found):
        number, path = found[at]
        at += 1
        for name, child in graph.nodes[number].children:
            if count[child] < MAX_PATHS:
                count[child] += 1
                found.append((child, join(path, name)))
    return found


class _Renamed:
    """The graph being made: nodes, their paths in the file, and which saved object each one is."""

    def __init__(self, graph: ObjectGraph, paths: list[str]):
        self._graph, self._old_paths = graph, paths
        self.nodes, self.paths = [Node()], [""]
        self._children: list[dict[str, int]] = [{}]
        self._new: dict[int, int] = {}
        self._is: dict[int, int] = {}

    def _add(self, path: str) -> int:
        self.nodes.append(Node())
        self.paths.append(path)
        self._children.append({})
        return len(self.nodes) - 1

    def _edge(self, parent: int, name: str, child: int) -> None:
        self._children[parent][name] = child
        self.nodes[parent].children.append((name, child))

    def _become(self, new: int, old: int) -> None:
        self.nodes[new].attributes = list(self._graph.nodes[old].attributes)
        self.paths[new] = self._old_paths[old]
        self._new[old], self._is[new] = new, old

    def put(self, target: str, old: int) -> None:
        """Let the object stand at a path, unless another one does."""
        names = [unescape(part) for part in target.split("/")] if target else []
        at = 0
        for name in names[:-1]:
            if name not in self._children[at]:
                self._edge(at, name, self._add(join(self.paths[at], name)))
            at = self._children[at][name]
        there = self._children[at].get(names[-1]) if names else 0
        if there is not None:
            if there not in self._is and old not in self._new:
                self._become(there, old)
        elif old in self._new:
            self._edge(at, names[-1], self._new[old])
        else:
            new = self._add(target)
            self._become(new, old)
            self._edge(at, names[-1], new)

    def finish(self, wanted: set[int]) -> None:
        """Slots follow their optimizer and variable; an object whose name was taken stays, unreachable, so that it is reported."""
        for old in sorted(wanted - self._new.keys()):
            self._become(self._add(""), old)
        for old, new in list(self._new.items()):
            for variable, name, value in self._graph.nodes[old].slots:
                if variable in self._new:
                    path = slot_path(self._old_paths[variable], self._old_paths[old], name)
                    self.nodes[new].slots.append((self._new[variable], name, self._copy(value, path)))

    def _copy(self, old: int, path: str) -> int:
        """A slot's value with all below it, under its own names."""
        if old in self._new:
            return self._new[old]
        new = self._add(path)
        self._become(new, old)
        self.paths[new] = path
        for name, child in self._graph.nodes[old].children:
            self._edge(new, name, self._copy(child, join(path, name)))
        return new
