"""The one table of values whose object does not exist yet. In: a Match that still waits. Out: values assigned as objects appear.

The newest restore comes first, and an object keeps the value of the newest restore that had one for it. Engines tell when
something may have appeared (`watch`, `pulse`); then, and only then, the waiting places are looked at again.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

from milepost.engines import pulse
from milepost.train import assign
from milepost.train.fetch import Fetched
from milepost.train.match import Match, RestorePlan

__all__ = ["Deferred", "drop", "keep", "poke"]

MAX_DEFERRED = 8  # restores that never complete are forgotten, oldest first: they keep their objects alive

_numbers = itertools.count(1)
_table: list[Deferred] = []  # newest first
_lock = threading.RLock()
_busy = False
_undo_pulse: Callable[[], None] | None = None


class Deferred:
    """One restore and what it still has to give."""

    def __init__(self, match: Match, root: Any, on_misfit: Callable[[RestorePlan], None]):
        self.number = next(_numbers)
        self.match, self.root, self._on_misfit = match, root, on_misfit
        self.claimed: set[int] = set()  # identities of live objects that have this restore's value
        self._watched: dict[int, Callable[[], None]] = {}

    def note(self, plan: RestorePlan) -> None:
        for a in plan.assignments:
            node = self.match.live.nodes[a.live]
            identity = node.adapter.identity(node.obj)
            if identity is not None:
                self.claimed.add(identity)

    def watch(self) -> None:
        """Ask the engines to tell when one of the waiting places may have been filled."""
        live = self.match.live
        parents = {parent for parent, _ in self.match.waiting_children}
        parents |= {self.match.bound[saved] for saved, _ in self.match.waiting_attributes}
        parents |= {self.match.bound[s[0]] for s in self.match.waiting_slots if s[0] in self.match.bound}
        for number in list(self._watched):
            if number not in parents:
                self._watched.pop(number)()
        for number in parents - self._watched.keys():
            node = live.nodes[number]
            undo = node.adapter.watch(node.obj, poke)
            if undo is not None:
                self._watched[number] = undo

    def unwatch(self) -> None:
        while self._watched:
            self._watched.popitem()[1]()

    def retry(self, newer: set[int]) -> None:
        """Look at the waiting places again."""
        match = self.match
        for parent in {parent for parent, _ in match.waiting_children}:
            match.live.refresh(parent)
        for saved, _ in match.waiting_attributes:
            match.live.refresh(match.bound[saved])
        if match.waiting_slots:
            match.live.look_for_slots()
        plan = match.advance()
        kept = []
        for a in plan.assignments:
            node = match.live.nodes[a.live]
            if node.adapter.identity(node.obj) not in newer:
                kept.append(a)
        plan.assignments = kept
        if plan.mismatches:
            self._on_misfit(plan)
        if plan.assignments or plan.adopted or plan.slots:
            assign.apply(Fetched(match.reader, plan.assignments), plan, match.live)
            self.note(plan)


def keep(deferred: Deferred) -> None:
    """Enter a restore that still waits; an earlier one of the same root with less to say is forgotten."""
    global _undo_pulse
    with _lock:
        for other in [d for d in _table if d.root is deferred.root]:
            drop(other)
        _table.insert(0, deferred)
        for other in _table[MAX_DEFERRED:]:
            drop(other)
        deferred.watch()
        if _undo_pulse is None:
            _undo_pulse = pulse(poke)


def drop(deferred: Deferred) -> None:
    global _undo_pulse
    with _lock:
        deferred.unwatch()
        if deferred in _table:
            _table.remove(deferred)
        if not _table and _undo_pulse is not None:
            undo, _undo_pulse = _undo_pulse, None
            undo()


def waits(deferred: Deferred) -> bool:
    return deferred in _table


def poke() -> None:
    """Something may have appeared. Cheap when nothing waits."""
    global _busy
    if not _table:
        return
    with _lock:
        if _busy:  # assigning makes engines call back
            return
        _busy = True
        try:
            newer: set[int] = set()
            for deferred in list(_table):
                deferred.retry(newer)
                newer |= deferred.claimed
                if deferred.match.waiting:
                    deferred.watch()
                else:
                    drop(deferred)
        finally:
            _busy = False
