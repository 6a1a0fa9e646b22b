"""A graph from watching calls. In: "this layer begins with these inputs / ends with these outputs". Out: nodes.

Tensors are known by identity while the watch lasts, so an edge is true when a layer's output itself reaches the next
layer. Where plain arithmetic lies between, the new tensor is nobody's output; then the edge comes from the call that
ended last in the same scope, which is where the value came from in all but branching code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from milepost.engines.graph import MAX_NODES, GraphNode, Shape

__all__ = ["CallWatch"]


class CallWatch:
    def __init__(self, tensors_in: Callable[[Any], Iterable[Any]], describe: Callable[[Any], tuple[Shape, str]]):
        self._tensors_in, self._describe = tensors_in, describe
        self.nodes: list[GraphNode] = []
        self.cut = False
        self._producer: dict[int, str] = {}
        self._alive: list[Any] = []  # keeps every tensor seen, so that no two have one id
        self._scopes: list[str] = []
        self._last: dict[str, str] = {}
        self._used: dict[str, int] = {}
        self._opened: list[tuple[int, tuple[str, ...]]] = []

    def _unique(self, name: str) -> str:
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        return name if not count else self._unique(f"{name}_{count}")

    def _add(self, node: GraphNode) -> None:
        if len(self.nodes) < MAX_NODES:
            self.nodes.append(node)
        else:
            self.cut = True

    def _keep(self, tensor: Any, producer: str) -> None:
        self._alive.append(tensor)
        self._producer[id(tensor)] = producer

    def input(self, name: str, value: Any) -> None:
        """A tensor that comes from outside."""
        for tensor in self._tensors_in(value):
            shape, dtype = self._describe(tensor)
            path = self._unique(name)
            self._add(GraphNode(path, "Placeholder", (), (shape,), dtype))
            self._keep(tensor, path)

    def begin(self, local: str, inputs: Any) -> None:
        scope = "/".join((*self._scopes, local)) if self._scopes else local
        before = self._last.get("/".join(self._scopes))
        tensors = list(self._tensors_in(inputs))
        if not any(id(t) in self._producer for t in tensors):
            # the first call inside another one works on what that was given, converted perhaps on the way
            source = before or next(iter(self._opened[-1][1] if self._opened else ()), None)
            if source is not None:
                for tensor in tensors:
                    self._keep(tensor, source)
        known = tuple(dict.fromkeys(name for t in tensors if (name := self._producer.get(id(t)))))
        scope = self._unique(scope)
        self._scopes = scope.split("/")
        self._opened.append((len(self.nodes), known))

    def end(self, kind: str, outputs: Any, attributes: dict[str, str]) -> None:
        """A layer without layers of its own becomes a node; one with them is a scope, and passes its parts' outputs on."""
        scope = "/".join(self._scopes)
        began, inputs = self._opened.pop()
        parent = "/".join(self._scopes[:-1])
        tensors = list(self._tensors_in(outputs))
        if len(self.nodes) == began:
            shapes, dtypes = zip(*map(self._describe, tensors), strict=True) if tensors else ((), ("",))
            self._add(GraphNode(scope, kind, inputs, tuple(shapes), dtypes[0], attributes))
            last = scope
        else:
            last = self._last.get(scope, self.nodes[-1].name)
        for tensor in tensors:
            if id(tensor) not in self._producer or len(self.nodes) == began + 1:
                self._keep(tensor, last)
        self._last[parent] = last
        self._scopes = self._scopes[:-1]

    def fail(self) -> None:
        """A call ended with an exception: forget its scope."""
        self._opened.pop()
        self._scopes = self._scopes[:-1]
