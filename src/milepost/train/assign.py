"""A plan becomes true, all of it or nothing. In: a RestorePlan. Out: changed live objects.

Everything that can fail is done first: every value fits (the plan says so), every byte is there and matches its
checksum. Then objects that load their state as a whole, which may still refuse; they are put back if one does. Then the
rest, read straight into the live memory where that is possible. Not here: deciding (`match`), reading (`fetch`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from milepost.engines import Spec, Value
from milepost.errors import RestoreError
from milepost.train.fetch import Fetched
from milepost.train.match import Assignment, RestorePlan
from milepost.train.snapshot import as_bytes
from milepost.train.walk import LiveGraph, LiveNode, readable

__all__ = ["apply"]

READ_BYTES = 16 << 20  # how much is read ahead of being assigned


def apply(fetched: Fetched, plan: RestorePlan, live: LiveGraph) -> None:
    """Change the live objects. Raises RestoreError, with everything as before, when an object refuses its state."""
    wholes = _wholes(live, plan)
    inside = {number for numbers in wholes.values() for number in numbers}
    rest = [a for a in plan.assignments if a.live not in inside] if inside else plan.assignments
    changed = _apply_wholes(fetched, live, plan, wholes, inside) if wholes else set()
    changed |= set(_assign_all(fetched, live, rest))
    adopted: set[int] = set()
    for parent, name, number in plan.adopted:
        if parent not in inside:
            live.nodes[parent].children[name] = number
            adopted.add(parent)
    _replace_upwards(live, changed, adopted, done=inside)
    for optimizer, variable, name, number in plan.slots:
        node = live.nodes[optimizer]
        node.adapter.set_slot(node.obj, live.nodes[variable].obj, name, live.nodes[number].obj)
    for slot in live.slots:
        if slot.value in changed:
            node = live.nodes[slot.optimizer]
            node.adapter.set_slot(node.obj, live.nodes[slot.variable].obj, slot.name, live.nodes[slot.value].obj)


def _assign_all(fetched: Fetched, live: LiveGraph, assignments: list[Assignment]) -> list[int]:
    """Assign, a bounded number of bytes at a time; the nodes for which another object now stands."""
    replaced: list[int] = []
    direct: list[tuple[Assignment, np.ndarray[Any, Any]]] = []
    batch: list[Assignment] = []
    size = 0
    for a in assignments:
        if a.key not in fetched.small:
            target = _own_memory(live, a) if fetched.is_plain(a) else None
            if target is not None:
                direct.append((a, target))
                continue
            size += a.entry.size
        batch.append(a)
        if size > READ_BYTES:
            _assign_batch(fetched, live, batch, replaced)
            batch, size = [], 0
    _assign_batch(fetched, live, batch, replaced)
    fetched.read_into(direct)
    return replaced


def _own_memory(live: LiveGraph, a: Assignment) -> np.ndarray[Any, Any] | None:
    """The live value's memory, if bytes of the file can be read right into it."""
    leaf = live.nodes[a.live].leaves.get(a.attribute)
    if leaf is None or not leaf.shared or leaf.dtype != a.entry.dtype.name or leaf.shape != a.entry.shape:
        return None
    array = leaf.read()
    if not array.flags.writeable or not array.flags.c_contiguous or not array.dtype.isnative:
        return None
    return as_bytes(array) if array.nbytes == a.entry.size else None


def _assign_batch(fetched: Fetched, live: LiveGraph, batch: list[Assignment], replaced: list[int]) -> None:
    by_node: dict[int, dict[str, Value]] = {}
    for a, array in zip(batch, fetched.arrays(batch), strict=True):
        if not _fill(live.nodes[a.live], a, array):
            by_node.setdefault(a.live, {})[a.attribute] = Value(array, a.spec)
    for number, values in by_node.items():
        node = live.nodes[number]
        new = node.adapter.assign(node.obj, values)
        if new is not node.obj:
            replaced.append(number)
            node.obj = new


def _fill(node: LiveNode, a: Assignment, source: np.ndarray[Any, Any]) -> bool:
    """Put a value into the live object's own memory, where it has one that the value fits; whether it was done."""
    leaves, entry = node.leaves, a.entry
    leaf = leaves.get(a.attribute)
    if (
        leaf is None
        or not leaf.shared
        or leaf.dtype != entry.dtype.name
        or leaf.shape != entry.shape
        or len(leaves) > 1
    ):
        return False  # an object of several values takes them together
    target = leaf.read()
    if not target.flags.writeable:
        return False
    if target.dtype != source.dtype and target.dtype.isnative:
        source = source.view(target.dtype)  # numpy may lack the type: then one of them is its bits
    np.copyto(target, source)
    return True


def _wholes(live: LiveGraph, plan: RestorePlan) -> dict[int, list[int]]:
    """Objects that take their state as a whole and have something to take -> all nodes of that state."""
    candidates = [number for number, node in enumerate(live.nodes) if node.adapter.by_value]
    if not candidates:
        return {}
    touched = {a.live for a in plan.assignments}
    extra: dict[int, list[int]] = {}
    for parent, _, child in plan.adopted:
        touched |= {child, parent}
        extra.setdefault(parent, []).append(child)
    out: dict[int, list[int]] = {}
    for number in candidates:
        below: list[int] = [number]
        seen = {number}
        for at in below:
            for child in [*live.nodes[at].children.values(), *extra.get(at, ())]:
                if child not in seen:
                    seen.add(child)
                    below.append(child)
        if touched.intersection(below):
            out[number] = below
    return out


def _apply_wholes(
    fetched: Fetched, live: LiveGraph, plan: RestorePlan, wholes: dict[int, list[int]], inside: set[int]
) -> set[int]:
    """Objects with load_state_dict, set_state …: any may refuse, so the former state is kept until all agreed."""
    assignments = [a for a in plan.assignments if a.live in inside]
    former = {number: live.nodes[number].obj for number in inside}
    old_children = {number: dict(live.nodes[number].children) for number in inside}
    values: list[tuple[int, dict[str, Value]]] = []
    for number in {a.live for a in assignments}:
        node = live.nodes[number]
        if node.leaves and not node.adapter.by_value:
            kept = {n: Value(np.array(leaf.read()), Spec(*leaf.spec)) for n, leaf in node.leaves.items()}
            values.append((number, kept))
    tried: list[int] = []
    try:
        _assign_all(fetched, live, assignments)
        for parent, name, number in plan.adopted:
            if parent in inside:
                live.nodes[parent].children[name] = number
        _replace_upwards(live, {a.live for a in assignments}, inside, done=set(), only=inside, tried=tried)
    except Exception as error:
        for number, children in old_children.items():
            live.nodes[number].children = children
        for number, obj in former.items():
            live.nodes[number].obj = obj
        for number, kept in values:
            node = live.nodes[number]
            node.obj = node.adapter.assign(node.obj, kept)
        _replace_upwards(live, {n for n, _ in values}, set(tried), done=set(), only=set(tried))
        raise RestoreError(
            f"an object refused its saved state: {error}",
            where=readable(live.nodes[tried[-1]].path) if tried else None,
            todo="nothing was changed",
        ) from error
    return {number for number in wholes if live.nodes[number].obj is not former[number]}


def _replace_upwards(
    live: LiveGraph,
    changed: set[int],
    forced: set[int],
    *,
    done: set[int],
    only: set[int] | None = None,
    tried: list[int] | None = None,
) -> None:
    """Give parents their new children, from the leaves to the root; a parent may itself be replaced by that."""
    changed = set(changed)
    if not changed and not forced:
        return
    for number in _children_first(live):
        if number in done or (only is not None and number not in only):
            continue
        node = live.nodes[number]
        if not node.children or (number not in forced and changed.isdisjoint(node.children.values())):
            continue
        if tried is not None:
            tried.append(number)
        new = node.adapter.replace(node.obj, {name: live.nodes[c].obj for name, c in node.children.items()})
        if new is not node.obj or node.adapter.by_value:
            changed.add(number)
        node.obj = new


def _children_first(live: LiveGraph) -> list[int]:
    """All nodes, each after what is below it; a cycle is cut where it closes."""
    order: list[int] = []
    seen: set[int] = set()
    for root in [0, *range(len(live.nodes))]:
        stack: list[tuple[int, Iterator[int]]] = []
        if root not in seen:
            seen.add(root)
            stack.append((root, iter(live.nodes[root].children.values())))
        while stack:
            number, children = stack[-1]
            for child in children:
                if child not in seen:
                    seen.add(child)
                    stack.append((child, iter(live.nodes[child].children.values())))
                    break
            else:
                order.append(number)
                stack.pop()
    return order
