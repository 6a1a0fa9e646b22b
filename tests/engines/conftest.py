"""A save and a restore in memory, as short as the adapters allow: what `milepost.train` does with a file, without the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from milepost.engines import WAIT, Sketch, Slot, Value, detect


@dataclass
class Node:
    obj: Any
    values: dict[str, Value]
    children: dict[str, Node] = field(default_factory=dict)
    slots: list[tuple[Node, str, Node]] = field(default_factory=list)

    def sketch(self) -> Sketch:
        return Sketch({n: v.spec for n, v in self.values.items()}, {n: c.sketch() for n, c in self.children.items()})

    def flat(self, path: str = "") -> dict[str, np.ndarray[Any, Any]]:
        out = dict.fromkeys([path], next(iter(self.values.values())).array) if self.values else {}
        for name, child in self.children.items():
            out |= child.flat(f"{path}/{name}" if path else name)
        return out


class Journey:
    """save(obj) -> Node; restore(node, obj) -> what stands in the object's place, and the paths that still wait."""

    def save(self, obj: Any) -> Node:
        self.seen: dict[int, Node] = {}
        self.keep: list[Any] = []
        slots: list[tuple[Node, Slot]] = []
        root = self._save(obj, slots)
        for owner, slot in slots:
            owner.slots.append((self.seen[id(slot.variable)], slot.name, self._save(slot.value, slots)))
        return root

    def _save(self, obj: Any, slots: list[tuple[Node, Slot]]) -> Node:
        adapter = detect(obj)
        assert adapter is not None, type(obj)
        key = adapter.identity(obj)
        if key is not None and key in self.seen:
            return self.seen[key]
        values = {n: Value(np.array(leaf.read()), leaf.spec) for n, leaf in adapter.leaves(obj).items()}
        node = Node(obj, values)
        self.keep.append(obj)
        if key is not None:
            self.seen[key] = node
        for name, child in adapter.children(obj):
            node.children[name] = self._save(child, slots)
        slots.extend((node, slot) for slot in adapter.slots(obj))
        return node

    def restore(self, saved: Node, live: Any) -> Any:
        self.waiting: list[str] = []
        self.bound: dict[int, Any] = {}
        pending: list[tuple[Node, Any]] = []
        new, _ = self._restore(saved, live, "", pending)
        for node, owner in pending:
            adapter = detect(owner)
            assert adapter is not None
            there = {(id(s.variable), s.name): s.value for s in adapter.slots(owner)}
            for variable, name, value in node.slots:
                target = self.bound[id(variable)]
                old = there.get((id(target), name), WAIT)
                slot = adapter.make_slot(owner, target, name, value.sketch()) if old is WAIT else old
                assert slot is not WAIT, name
                made, _ = self._restore(value, slot, name, [])
                if made is not old:
                    adapter.set_slot(owner, target, name, made)
        return new

    def _restore(self, saved: Node, live: Any, path: str, pending: list[tuple[Node, Any]]) -> tuple[Any, bool]:
        if id(saved) in self.bound:
            return self.bound[id(saved)], False
        adapter = detect(live)
        assert adapter is not None, path
        if adapter.identity(live) is not None:
            self.bound[id(saved)] = live
        changed = False
        new = live
        if saved.values:
            for name, value in saved.values.items():
                assert adapter.accept(live, name, value.spec) is None, (path, adapter.accept(live, name, value.spec))
            new, changed = adapter.assign(live, saved.values), True
        children = dict(adapter.children(live))
        replaced = False
        for name, child in saved.children.items():
            before = children.get(name, WAIT)
            target = adapter.adopt(live, name, child.sketch()) if before is WAIT else before
            if target is WAIT:
                self.waiting.append(f"{path}/{name}")
                continue
            children[name], touched = self._restore(child, target, f"{path}/{name}", pending)
            changed |= touched
            replaced |= children[name] is not before
        if replaced or (adapter.by_value and changed):
            new = adapter.replace(new, children)
        if saved.slots:
            pending.append((saved, live))
        return new, changed or replaced


@pytest.fixture
def journey() -> Journey:
    return Journey()
