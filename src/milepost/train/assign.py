"""A plan becomes true, all of it or nothing. In: a RestorePlan. Out: changed live objects.

Everything that can fail is done first: every value fits (the plan says so), every byte is there and matches its
checksum. Then objects that load their state as a whole, which may still refuse; they are put back if one does. Then the
rest, read straight into the live memory where that is possible. Not here: deciding (`match`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from milepost._native.crc32c import mask
from milepost.engines import Spec, Value
from milepost.errors import CorruptionError, RestoreError
from milepost.formats.dtypes import STRING
from milepost.train.match import Assignment, RestorePlan
from milepost.train.reader import CheckpointReader
from milepost.train.snapshot import as_bytes
from milepost.train.walk import LiveGraph, readable

__all__ = ["apply", "verify"]

DIRECT_ABOVE = 64 << 10  # bytes; below it one more copy is cheaper than asking twice for the live memory
READ_BYTES = 16 << 20  # how much is read ahead of being assigned


def _is_plain(reader: CheckpointReader, a: Assignment) -> bool:
    swapped = reader.index.big_endian
    return a.entry.dtype is not STRING and not a.entry.slices and not swapped and a.entry.dtype.itemsize > 0


def verify(reader: CheckpointReader, plan: RestorePlan) -> None:
    """Read every byte the plan needs and hold it against its checksum, in bounded memory."""
    shards: dict[int, list[Assignment]] = {}
    for a in plan.assignments:
        if _is_plain(reader, a):
            shards.setdefault(a.entry.shard, []).append(a)
        else:
            reader.get(a.key)  # decodes and verifies; strings are small
    for shard, wanted in shards.items():
        unique = {a.key: a for a in wanted}  # two live objects may take one saved value
        spans = sorted((*reader.span(a.key, a.entry), a.key) for a in unique.values())
        if reader.verify_mode != "full":
            continue
        file = reader.file(shard)
        for group in _apart(spans):
            crcs = file.checksum([s[0] for s in group], [s[1] for s in group])
            for crc, (offset, size, key) in zip(crcs, group, strict=True):
                stored = unique[key].entry.crc
                if mask(crc) != stored:
                    raise CorruptionError(
                        f"the tensor does not match its checksum (bytes {offset}…{offset + size} of {file.path})",
                        where=f"tensor {key!r} of {reader.where}", got=f"{mask(crc):08x}", want=f"{stored:08x}",
                    )  # fmt: skip


def _apart(spans: list[tuple[int, int, str]]) -> Iterator[list[tuple[int, int, str]]]:
    """Groups of spans that do not overlap: a hostile index may name the same bytes many times."""
    group: list[tuple[int, int, str]] = []
    end = 0
    for span in spans:
        if group and span[0] < end:
            yield group
            group = []
        group.append(span)
        end = span[0] + span[1]
    if group:
        yield group


def apply(reader: CheckpointReader, plan: RestorePlan, live: LiveGraph) -> None:
    """Change the live objects. Raises RestoreError, with everything as before, when an object refuses its state."""
    wholes = _wholes(live, plan)
    inside = {number for numbers in wholes.values() for number in numbers}
    first = [a for a in plan.assignments if a.live in inside]
    rest = [a for a in plan.assignments if a.live not in inside]
    changed = _apply_wholes(reader, live, plan, wholes, first) if wholes else set()
    changed |= {number for number, _ in _assign_all(reader, live, rest)}
    for _, _, _, number in plan.slots:
        changed.add(number)
    adopted: dict[int, dict[str, int]] = {}
    for parent, name, number in plan.adopted:
        if parent not in inside:
            adopted.setdefault(parent, {})[name] = number
    for parent, children in adopted.items():
        live.nodes[parent].children.update(children)
    _replace_upwards(live, changed, set(adopted), done=inside)
    for optimizer, variable, name, number in plan.slots:
        node = live.nodes[optimizer]
        node.adapter.set_slot(node.obj, live.nodes[variable].obj, name, live.nodes[number].obj)
    replaced_slots = {s.value for s in live.slots} & changed
    for slot in live.slots:
        if slot.value in replaced_slots:
            node = live.nodes[slot.optimizer]
            node.adapter.set_slot(node.obj, live.nodes[slot.variable].obj, slot.name, live.nodes[slot.value].obj)


def _assign_all(reader: CheckpointReader, live: LiveGraph, assignments: list[Assignment]) -> list[tuple[int, Any]]:
    """Assign, a bounded number of bytes at a time; (node, former object) of those that another object now stands for."""
    replaced: list[tuple[int, Any]] = []
    direct: dict[int, list[tuple[int, int, np.ndarray[Any, Any]]]] = {}
    batch: list[Assignment] = []
    size = 0
    for a in sorted(assignments, key=lambda a: (a.entry.shard, a.entry.offset)):
        target = _own_memory(live, a) if a.entry.size >= DIRECT_ABOVE and _is_plain(reader, a) else None
        if target is not None:
            direct.setdefault(a.entry.shard, []).append((*reader.span(a.key, a.entry), target))
            continue
        batch.append(a)
        size += a.entry.size
        if size > READ_BYTES:
            _assign_batch(reader, live, batch, replaced)
            batch, size = [], 0
    _assign_batch(reader, live, batch, replaced)
    for shard, spans in direct.items():
        while spans:
            # Two live arrays may take one saved value: then the spans are read in turns.
            now, later, end = [], [], -1
            for span in spans:
                if span[0] >= end:
                    now.append(span)
                    end = span[0] + span[1]
                else:
                    later.append(span)
            reader.file(shard).read_into([s[0] for s in now], [s[1] for s in now], [s[2] for s in now])
            spans = later
    return replaced


def _own_memory(live: LiveGraph, a: Assignment) -> np.ndarray[Any, Any] | None:
    """The live value's memory, if bytes of the file can be read right into it."""
    leaf = live.nodes[a.live].leaves.get(a.attribute)
    if leaf is None or not leaf.shared or leaf.dtype != a.spec.dtype or leaf.shape != a.spec.shape:
        return None
    array = leaf.read()
    if not array.flags.writeable or not array.flags.c_contiguous or not array.dtype.isnative:
        return None
    # An adapter may hand out a copy after all (odd strides, lazy conjugates): the same memory twice is no copy.
    if array.nbytes != a.entry.size or array.__array_interface__["data"] != leaf.read().__array_interface__["data"]:
        return None
    return as_bytes(array)


def _assign_batch(
    reader: CheckpointReader, live: LiveGraph, batch: list[Assignment], replaced: list[tuple[int, Any]]
) -> None:
    arrays = _read_batch(reader, batch)
    by_node: dict[int, dict[str, Value]] = {}
    for a, array in zip(batch, arrays, strict=True):
        by_node.setdefault(a.live, {})[a.attribute] = Value(array, a.spec)
    for number, values in by_node.items():
        node = live.nodes[number]
        new = node.adapter.assign(node.obj, values)
        if new is not node.obj:
            replaced.append((number, node.obj))
            node.obj = new


def _read_batch(reader: CheckpointReader, batch: list[Assignment]) -> list[np.ndarray[Any, Any]]:
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    shards: dict[int, list[tuple[int, int, str]]] = {}
    for a in batch:
        if a.key in arrays:
            continue
        if _is_plain(reader, a):
            arrays[a.key] = np.empty(a.entry.shape, a.entry.dtype.numpy)
            shards.setdefault(a.entry.shard, []).append((*reader.span(a.key, a.entry), a.key))
        else:
            arrays[a.key] = reader.get(a.key)
    for shard, spans in shards.items():
        for group in _apart(spans):
            reader.file(shard).read_into(
                [s[0] for s in group], [s[1] for s in group], [as_bytes(arrays[s[2]]) for s in group]
            )
    return [arrays[a.key] for a in batch]


def _wholes(live: LiveGraph, plan: RestorePlan) -> dict[int, list[int]]:
    """Objects that take their state as a whole and have something to take -> all nodes of that state."""
    touched = {a.live for a in plan.assignments}
    for parent, _, number in plan.adopted:
        touched.add(number)
        touched.add(parent)
    out: dict[int, list[int]] = {}
    extra: dict[int, list[int]] = {}
    for parent, _, child in plan.adopted:
        extra.setdefault(parent, []).append(child)
    for number, node in enumerate(live.nodes):
        if not node.adapter.by_value:
            continue
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
    reader: CheckpointReader,
    live: LiveGraph,
    plan: RestorePlan,
    wholes: dict[int, list[int]],
    assignments: list[Assignment],
) -> set[int]:
    """Objects with load_state_dict, set_state …: any may refuse, so the former state is kept until all agreed."""
    inside = {number for numbers in wholes.values() for number in numbers}
    former = {number: live.nodes[number].obj for number in inside}
    old_children = {number: dict(live.nodes[number].children) for number in inside}
    values: list[tuple[int, dict[str, Value]]] = []
    for number in {a.live for a in assignments}:
        node = live.nodes[number]
        if node.leaves and not node.adapter.by_value:
            kept = {n: Value(np.array(leaf.read()), Spec(*leaf.spec)) for n, leaf in node.leaves.items()}
            values.append((number, kept))
    done: set[int] = set()
    try:
        _assign_all(reader, live, assignments)
        for parent, name, number in plan.adopted:
            if parent in inside:
                live.nodes[parent].children[name] = number
        _replace_upwards(live, {a.live for a in assignments}, inside, done=set(), only=inside, tried=done)
    except Exception as error:
        for number, children in old_children.items():
            live.nodes[number].children = children
        for number, obj in former.items():
            live.nodes[number].obj = obj
        for number, kept in values:
            node = live.nodes[number]
            node.obj = node.adapter.assign(node.obj, kept)
        _replace_upwards(live, {n for n, _ in values}, done, done=set(), only=done)
        where = next((readable(live.nodes[n].path) for n in wholes if n in done), None)
        raise RestoreError(
            f"an object refused its saved state: {error}", where=where, todo="nothing was changed; see the cause above"
        ) from error
    return {number for number in wholes if live.nodes[number].obj is not former[number]}


def _replace_upwards(
    live: LiveGraph,
    changed: set[int],
    forced: set[int],
    *,
    done: set[int],
    only: set[int] | None = None,
    tried: set[int] | None = None,
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
            tried.add(number)
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
