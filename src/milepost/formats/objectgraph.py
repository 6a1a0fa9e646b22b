"""The object graph of a checkpoint: who holds what under which name. In: nodes, or their bytes. Out: the other one.

    Checkpoint(model=m)  →  node 0 --model--> node 1 --w--> node 2 {VARIABLE_VALUE: "model/w/.ATTRIBUTES/VARIABLE_VALUE"}

A node's id is its place in the list; 0 is the root. Names in keys are escaped so that "/" only ever separates them.
Not here: walking live objects (`train.walk`), matching (`train.match`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from milepost._native import objectgraph as native
from milepost.errors import FormatError

__all__ = [
    "GRAPH_KEY", "VARIABLE_VALUE", "Attribute", "Node", "ObjectGraph", "Slot", "attribute_key", "escape", "join",
    "slot_path", "unescape",
]  # fmt: skip

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
VARIABLE_VALUE = "VARIABLE_VALUE"
_ATTRIBUTES = "/.ATTRIBUTES/"
_SLOT = "/.OPTIMIZER_SLOT/"
MAX_PATH = 1024  # characters; longer ones are shown by their end

Attribute = tuple[str, str, str]  # name, full name, key
Slot = tuple[int, str, int]  # id of the variable, slot name, id of the slot variable


def escape(name: str) -> str:
    """One path component: "." → "..", then "/" → ".S"."""
    return name.replace(".", "..").replace("/", ".S") if "." in name or "/" in name else name


def unescape(name: str) -> str:
    """What `escape` was given."""
    if "." not in name:
        return name
    out, at = [], 0
    while at < len(name):
        two = name[at : at + 2]
        if two == ".." or two == ".S":
            out.append("." if two == ".." else "/")
            at += 2
        else:
            out.append(name[at])
            at += 1
    return "".join(out)


def join(path: str, name: str) -> str:
    """The path of the child `name` of the object at `path` ("" is the root)."""
    return f"{path}/{escape(name)}" if path else escape(name)


def attribute_key(path: str, attribute: str) -> str:
    """The tensor's key in the bundle. The root's own attributes have no leading slash."""
    return f"{path}{_ATTRIBUTES}{escape(attribute)}" if path else f"{_ATTRIBUTES[1:]}{escape(attribute)}"


def slot_path(variable: str, optimizer: str, slot: str) -> str:
    """Where a slot variable's own attributes live: below its variable."""
    return f"{variable}{_SLOT}{optimizer}/{escape(slot)}"


@dataclass(slots=True)
class Node:
    """One saved object."""

    children: list[tuple[str, int]] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    saver: tuple[str, str] | None = None
    has_values: bool | None = None


@dataclass(slots=True)
class ObjectGraph:
    """All saved objects; node 0 is the root."""

    nodes: list[Node]

    def encode(self) -> bytes:
        return native.encode([(n.children, n.attributes, n.slots, n.saver, n.has_values) for n in self.nodes])

    @classmethod
    def decode(cls, data: bytes, *, where: str = "object graph") -> ObjectGraph:
        """Raises FormatError when the bytes are no graph or an edge leads nowhere."""
        try:
            raw = native.decode(data)
        except native.BadGraph as error:
            raise FormatError(error.args[0], where=f"{where} at byte {error.args[1]}") from None
        count = len(raw)
        if not count:
            raise FormatError("the object graph has no root", where=where)
        for i, (children, _, slots, _, _) in enumerate(raw):
            for name, target in children:
                if not 0 <= target < count:
                    raise FormatError(
                        f"node {i}'s child {name!r} does not exist", where=where, got=target, want=f"0…{count - 1}"
                    )
            for variable, name, target in slots:
                if not (0 <= target < count and 0 <= variable < count):
                    raise FormatError(f"node {i}'s slot {name!r} does not exist", where=where)
        return cls([Node(*parts) for parts in raw])

    def mark_values(self) -> None:
        """Fill in `has_values`: true for nodes with attributes, and for all that lead to one."""
        inner: list[tuple[int, Node]] = []  # those whose answer depends on others
        for i, node in enumerate(self.nodes):
            node.has_values = bool(node.attributes or node.slots or node.saver)
            if node.children and not node.has_values:
                inner.append((i, node))
        parents: dict[int, list[int]] = {}
        ready: list[int] = []
        for i, node in inner:
            if any(self.nodes[target].has_values for _, target in node.children):
                node.has_values = True
                ready.append(i)
            for _, target in node.children:
                if self.nodes[target].children:
                    parents.setdefault(target, []).append(i)
        while ready:
            for i in parents.get(ready.pop(), ()):
                if not self.nodes[i].has_values:
                    self.nodes[i].has_values = True
                    ready.append(i)

    def paths(self) -> list[str]:
        """The shortest path of each node (ties: first in child order), as in its keys; unreachable nodes get ""."""
        found = [""] * len(self.nodes)
        seen = [False] * len(self.nodes)
        seen[0] = True
        queue = [0]
        for i in queue:
            for name, target in self.nodes[i].children:
                if not seen[target]:
                    seen[target] = True
                    # a hostile chain of objects must not make paths of its own length, each
                    found[target] = join(found[i] if len(found[i]) < MAX_PATH else "…", name)
                    queue.append(target)
        self._slot_paths(found, seen)
        return found

    def _slot_paths(self, found: list[str], seen: list[bool]) -> None:
        for i, node in enumerate(self.nodes):
            for variable, name, target in node.slots:
                if not seen[target]:
                    found[target] = slot_path(found[variable], found[i], name)

    def attributes(self) -> Iterable[tuple[int, Attribute]]:
        for i, node in enumerate(self.nodes):
            for attribute in node.attributes:
                yield i, attribute
