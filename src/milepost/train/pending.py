"""The one table of values whose object does not exist yet. In: a Match that still waits. Out: values assigned as objects appear.

The newest restore comes first, and an object keeps the value of the newest restore that had one for it. Engines tell when
something may have appeared (`watch`); for what cannot tell, a glance at each waiting place before every forward (`pulse`) says
whether to look again. A restore that will never complete, such as weights without their optimizer, therefore costs next to nothing.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any

from milepost.engines import pulse
from milepost.train import assign
from milepost.train.fetch import Fetched
from milepost.train.match import Match, RestorePlan

__all__ = ["Deferred", "drop", "keep", "poke"]

MAX_DEFERRED = 8  # restores that never complete are forgotten, oldest first: they keep their objects alive

_numbers = itertools.count(1)
# Newest first. An entry is a weak reference where only the Checkpoint itself lacks something: nothing can come any more when it is
# gone, and a restore of weights alone must not keep a model's memory. Otherwise the objects may outlive it, and the entry is strong.
_table: list[Callable[[], Deferred | None]] = []
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
        self._glances: list[tuple[Callable[[Any], Any], Any, Any]] = []  # how to look, at what, and what was seen

    def note(self, plan: RestorePlan) -> None:
        for a in plan.assignments:
            node = self.match.live.nodes[a.live]
            identity = node.adapter.identity(node.obj)
            if identity is not None:
                self.claimed.add(identity)

    def watch(self) -> None:
        """Ask the engines to tell when one of the waiting places may have been filled."""
        live = self.match.live
        parents = self._places()
        parents |= {self.match.bound[s[0]] for s in self.match.waiting_slots if s[0] in self.match.bound}
        for number in list(self._watched):
            if number not in parents:
                self._watched.pop(number)()
        for number in parents - self._watched.keys():
            node = live.nodes[number]
            undo = node.adapter.watch(node.obj, poke)
            if undo is not None:
                self._watched[number] = undo
        self._glances.clear()
        for number in parents:
            node = live.nodes[number]
            seen = node.adapter.glance(node.obj)
            if seen is not None:
                self._glances.append((node.adapter.glance, node.obj, seen))

    @property
    def waits_for_root_alone(self) -> bool:
        return self._places() <= {0} and not any(s[0] in self.match.bound for s in self.match.waiting_slots)

    @property
    def may_change_unseen(self) -> bool:
        return bool(self._glances)

    def stirred(self) -> bool:
        """Whether a waiting place looks different."""
        return any(glance(obj) != seen for glance, obj, seen in self._glances)

    def unwatch(self) -> None:
        while self._watched:
            self._watched.popitem()[1]()

    def retry(self, newer: set[int]) -> None:
        """Look at the waiting places again, and at those that have only now become waiting places."""
        match = self.match
        looked: set[int] = set()
        while places := self._places() - looked or (not looked and {0}):
            for number in places:
                match.live.refresh(number)
            looked |= places
            if match.waiting_slots:
                match.live.look_for_slots()
            self._give(match.advance(), newer)

    def _places(self) -> set[int]:
        """Live objects that lack something the file has."""
        match = self.match
        return {parent for parent, _ in match.waiting_children} | {match.bound[s] for s, _ in match.waiting_attributes}

    def _give(self, plan: RestorePlan, newer: set[int]) -> None:
        match = self.match
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


def _waiting() -> list[Deferred]:
    """The restores that still wait, newest first."""
    return [deferred for entry in tuple(_table) if (deferred := entry()) is not None]


def _entry(deferred: Deferred) -> Callable[[], Deferred | None]:
    return weakref.ref(deferred) if deferred.waits_for_root_alone else lambda: deferred


def keep(deferred: Deferred) -> None:
    """Enter a restore that still waits; an earlier one of the same root with less to say is forgotten."""
    with _lock:
        for other in [d for d in _waiting() if d.root is deferred.root]:
            drop(other)
        for other in _waiting()[MAX_DEFERRED - 1 :]:
            drop(other)
        deferred.watch()
        _table[:] = [_entry(deferred), *map(_entry, _waiting())]
        _set_pulse()


def drop(deferred: Deferred) -> None:
    with _lock:
        deferred.unwatch()
        _table[:] = [entry for entry in _table if entry() is not deferred]
        _set_pulse()


def _set_pulse() -> None:
    """Feel the engines' pulse as long as some place may change without telling."""
    global _undo_pulse
    wanted = any(deferred.may_change_unseen for deferred in _waiting())
    if wanted and _undo_pulse is None:
        _undo_pulse = pulse(beat)
    elif not wanted and _undo_pulse is not None:
        undo, _undo_pulse = _undo_pulse, None
        undo()


def beat() -> None:
    """A module is about to run, or an optimizer to step: has something appeared?"""
    if not _busy and any(deferred.stirred() for deferred in _waiting()):
        poke()


def waits(deferred: Deferred) -> bool:
    return deferred in _waiting()


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
            for deferred in _waiting():
                deferred.retry(newer)
                newer |= deferred.claimed
                if deferred.match.waiting:
                    deferred.watch()
                else:
                    drop(deferred)
            _table[:] = map(_entry, _waiting())  # who waits for what may have changed
            _set_pulse()
        finally:
            _busy = False
