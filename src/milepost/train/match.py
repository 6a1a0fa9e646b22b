"""Which saved value goes where. In: a checkpoint and a LiveGraph. Out: a growing RestorePlan. Nothing live is changed here.

Breadth first from the two roots, by name, as TensorFlow does it: a saved object is bound to the first live one it meets.
What has no live counterpart yet is remembered as waiting, and `advance` may be called again when there may be more.
Not here: reading and assigning (`assign`), hooks (`pending`), words for people (`status`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from milepost.engines import WAIT, Misfit, Sketch, Spec
from milepost.errors import FormatError
from milepost.formats.bundle import Entry
from milepost.formats.objectgraph import VARIABLE_VALUE, Attribute, Node, ObjectGraph
from milepost.train.reader import CheckpointReader
from milepost.train.rename import Mapping_, renamed, renaming
from milepost.train.walk import LiveGraph

__all__ = ["Assignment", "Mapping_", "Match", "Mismatch", "RestorePlan"]

MAX_SKETCH_DEPTH = 64


class Assignment(NamedTuple):
    """One saved value for one live object."""

    live: int
    attribute: str
    key: str
    entry: Entry
    full_name: str

    @property
    def spec(self) -> Spec:
        return Spec(self.entry.dtype.name, self.entry.shape, self.full_name)


class Mismatch(NamedTuple):
    """A value that met its object and does not fit."""

    path: str
    key: str
    misfit: Misfit


@dataclass(slots=True)
class RestorePlan:
    """What one round of matching found to do."""

    assignments: list[Assignment] = field(default_factory=list)
    adopted: list[tuple[int, str, int]] = field(default_factory=list)  # (parent, name, new child), to be put in place
    slots: list[tuple[int, int, str, int]] = field(default_factory=list)  # (optimizer, variable, name, new slot value)
    mismatches: list[Mismatch] = field(default_factory=list)


class Match:
    """The state of one restore: what is bound, what waits."""

    def __init__(
        self, reader: CheckpointReader, live: LiveGraph, *, cast: bool = False, mapping: Mapping_ | None = None
    ):
        self.reader, self.live, self.cast = reader, live, cast
        graph = reader.graph
        self.by_name = graph is None
        self._rename = renaming(mapping)
        if graph is None:
            self.saved, self.paths = _named(reader), ["", *sorted(reader.keys())]
        elif self._rename is not None:
            self.saved, self.paths = renamed(graph, self._rename)
        else:
            self.saved, self.paths = graph, graph.paths()
        self.bound: dict[int, int] = {}  # saved node -> live node
        self.used: set[tuple[int, str]] = set()  # (saved node, attribute) that found a place
        self.filled: set[tuple[int, str]] = set()  # (live node, attribute) that has its value
        self.inconsistent: list[tuple[str, str]] = []
        self._seconds: list[tuple[int, int]] = []  # (saved, live): a saved object that is bound met another live one
        self._queue: list[int] = []
        # Sketches unfold what is shared: a few hostile diamonds would do so without end.
        self._sketched, self._sketch_limit = 0, 10_000 + 4 * len(self.saved.nodes)
        self.waiting_children: dict[tuple[int, str], int] = {}  # (live parent, name) -> saved node
        self.waiting_attributes: list[tuple[int, Attribute]] = []  # (saved node, attribute)
        self.waiting_slots: list[tuple[int, int, str, int]] = []  # (saved optimizer, variable, name, slot value)
        if self.by_name:
            self._by_name()
        else:
            self._bind(0, 0)
        for number, node in enumerate(self.saved.nodes):
            self.waiting_slots += [(number, *slot) for slot in node.slots]

    @property
    def waiting(self) -> bool:
        return bool(self.waiting_children or self.waiting_attributes or self.waiting_slots)

    def _bind(self, saved: int, live: int) -> None:
        self.bound[saved] = live
        self._queue.append(saved)

    def advance(self) -> RestorePlan:
        """Match as far as the live objects go now."""
        plan = RestorePlan()
        attributes, self.waiting_attributes = self.waiting_attributes, []
        for saved, attribute in attributes:
            self._value(plan, saved, attribute)
        for (parent, name), saved in list(self.waiting_children.items()):
            if saved in self.bound:
                del self.waiting_children[parent, name]
            else:
                self._child(plan, parent, name, saved, grow=False)
        self._drain(plan)
        slots, self.waiting_slots = self.waiting_slots, []
        for waiting in slots:
            self._slot(plan, *waiting)
        self._drain(plan)
        for saved, live in self._seconds:
            self._give_too(plan, saved, live, set())
        self._seconds.clear()
        return plan

    def _drain(self, plan: RestorePlan) -> None:
        bound, nodes, entries = self.bound, self.live.nodes, self.reader.index.entries
        for saved in self._queue:
            node, live = self.saved.nodes[saved], bound[saved]
            for attribute in node.attributes:
                # The common case, without a call: what has the same type and shape, every adapter takes.
                name, full_name, key = attribute
                leaf, entry = nodes[live].leaves.get(name), entries.get(key)
                if (
                    leaf is not None
                    and entry is not None
                    and leaf[1] == entry[1]
                    and leaf[0] == entry[0].name
                    and (live, name) not in self.filled
                ):
                    self.used.add((saved, name))
                    self.filled.add((live, name))
                    plan.assignments.append(Assignment(live, name, key, entry, full_name))
                else:
                    self._value(plan, saved, attribute)
            if not node.children:
                continue
            # A container grows by what the file has more of; one that also has other names is another thing renamed.
            own = self.live.nodes[live]
            grow = own.adapter.by_value or own.children.keys() <= {name for name, _ in node.children}
            there = own.children
            for name, child in node.children:
                number = there.get(name)
                if number is not None and child not in bound:
                    bound[child] = number
                    self._queue.append(child)
                else:
                    self._child(plan, live, name, child, grow=grow)
        self._queue.clear()

    def _value(self, plan: RestorePlan, saved: int, attribute: Attribute) -> None:
        name, full_name, key = attribute
        live = self.bound[saved]
        if (live, name) in self.filled:
            self.used.add((saved, name))  # a live alias of two saved objects: the first value stays
            return
        entry = self.reader.index.entries.get(key)
        if entry is None and {f"{key}-keys", f"{key}-values"} <= self.reader.index.entries.keys():
            for part in ("-keys", "-values"):  # a lookup table of TensorFlow's is one attribute of two tensors
                self._value(plan, saved, (name + part, full_name, key + part))
            self.used.add((saved, name))
            return
        if entry is None:
            raise FormatError("the object graph names a tensor that is not there", where=self.reader.where, got=key)
        spec = Spec(entry.dtype.name, entry.shape, full_name)
        node = self.live.nodes[live]
        misfit = node.adapter.accept(node.obj, name, spec, cast=self.cast)
        if misfit is None:
            self.used.add((saved, name))
            self.filled.add((live, name))
            plan.assignments.append(Assignment(live, name, key, entry, full_name))
        elif misfit.kind == "attribute":
            self.waiting_attributes.append((saved, attribute))
        else:
            plan.mismatches.append(Mismatch(node.path, key, misfit))

    def _child(self, plan: RestorePlan, parent: int, name: str, saved: int, *, grow: bool) -> None:
        number = self.live.nodes[parent].children.get(name)
        if saved in self.bound:
            if number is not None and number != self.bound[saved]:
                self._note_inconsistent(number, saved)
            return
        if number is None:
            node = self.live.nodes[parent]
            if not self._has_values(saved):
                return
            child = node.adapter.adopt(node.obj, name, self.sketch(saved)) if grow else WAIT
            if child is WAIT:
                self.waiting_children[parent, name] = saved
                return
            number = self.live.add(child, f"{node.path}/{name}" if node.path else name)
            plan.adopted.append((parent, name, number))
        self.waiting_children.pop((parent, name), None)
        self._bind(saved, number)

    def _note_inconsistent(self, number: int, saved: int) -> None:
        if self.live.nodes[number].leaves or self.live.nodes[number].children:
            pair = (self.live.nodes[number].path, self.live.nodes[self.bound[saved]].path)
            if pair not in self.inconsistent:
                self.inconsistent.append(pair)
                self._seconds.append((saved, number))

    def _give_too(self, plan: RestorePlan, saved: int, live: int, seen: set[tuple[int, int]]) -> None:
        """Weights that were tied when they were saved, in a model that does not tie them: both get the value, if nothing better came."""
        if (saved, live) in seen:
            return
        seen.add((saved, live))
        node = self.live.nodes[live]
        for name, full_name, key in self.saved.nodes[saved].attributes:
            entry = self.reader.index.entries.get(key)
            if entry is None or (live, name) in self.filled:
                continue
            if (
                node.adapter.accept(node.obj, name, Spec(entry.dtype.name, entry.shape, full_name), cast=self.cast)
                is None
            ):
                self.filled.add((live, name))
                plan.assignments.append(Assignment(live, name, key, entry, full_name))
        for name, child in self.saved.nodes[saved].children:
            number = node.children.get(name)
            if number is not None and self.bound.get(child) != number:
                self._give_too(plan, child, number, seen)

    def _slot(self, plan: RestorePlan, optimizer: int, variable: int, name: str, saved: int) -> None:
        if saved in self.bound:
            return
        if optimizer not in self.bound or variable not in self.bound:
            self.waiting_slots.append((optimizer, variable, name, saved))
            return
        owner, about = self.bound[optimizer], self.bound[variable]
        for slot in self.live.slots:
            if slot.optimizer == owner and slot.variable == about and slot.name == name:
                self._bind(saved, slot.value)
                return
        node = self.live.nodes[owner]
        made = node.adapter.make_slot(node.obj, self.live.nodes[about].obj, name, self.sketch(saved))
        if made is WAIT:
            self.waiting_slots.append((optimizer, variable, name, saved))
            return
        number = self.live.add(made, f"{self.live.nodes[about].path}/{name}")
        plan.slots.append((owner, about, name, number))
        self._bind(saved, number)

    def _has_values(self, saved: int) -> bool:
        node = self.saved.nodes[saved]
        return node.has_values if node.has_values is not None else bool(node.attributes or node.children or node.slots)

    def sketch(self, saved: int, above: tuple[int, ...] = ()) -> Sketch:
        """The saved object as far as the graph tells; a cycle or a bottomless nest ends in an empty sketch."""
        self._sketched += 1
        if saved in above or len(above) > MAX_SKETCH_DEPTH or self._sketched > self._sketch_limit:
            return Sketch({}, {})
        node = self.saved.nodes[saved]
        specs = {}
        for name, full_name, key in node.attributes:
            entry = self.reader.entry(key)
            specs[name] = Spec(entry.dtype.name, entry.shape, full_name)
        return Sketch(specs, {name: self.sketch(child, (*above, saved)) for name, child in node.children})

    def _by_name(self) -> None:
        """A TensorFlow 1 checkpoint knows variables' names alone: a live one's own name or path must be the same."""
        places: dict[str, int] = {}
        for number, live in enumerate(self.live.nodes):
            for leaf in live.leaves.values():
                for name in (leaf.full_name.removesuffix(":0"), live.path):
                    if name and not name.startswith("milepost:"):
                        places.setdefault(name, number)
        for saved in range(1, len(self.saved.nodes)):
            wanted: str | None = self.paths[saved]
            if self._rename is not None:
                wanted = self._rename(self.paths[saved])
            found = places.get(wanted) if wanted is not None else None
            if found is not None:
                self._bind(saved, found)


def _named(reader: CheckpointReader) -> ObjectGraph:
    """A graph for a checkpoint that has none: every tensor a node of its own."""
    nodes = [Node()]
    nodes += [Node([], [(VARIABLE_VALUE, key, key)], has_values=True) for key in sorted(reader.keys())]
    return ObjectGraph(nodes)
