"""The table of ops. In: a kinded trace. Out: calls, total and own time by name, by name and shape, or by module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from milepost.store.profile.intervals import Stretches
from milepost.store.profile.kinds import COPY, INPUT, KERNEL, KINDS, OP, PYTHON, SPAN, Kinded

__all__ = ["BY", "OpRow", "op_table", "python_functions"]

BY = ("name", "shape", "module")
MAX_ROWS = 5000


@dataclass(frozen=True, slots=True)
class OpRow:
    name: str
    detail: str  # the shape or module, when grouped by it
    kind: str
    calls: int
    total: int  # nanoseconds, an op inside itself counted once
    own: int
    longest: int

    @property
    def mean(self) -> float:
        return self.total / self.calls if self.calls else 0.0


def _inside_itself(kinded: Kinded, rows: Any) -> Any:
    """Whether an ancestor has the same name: a recursion must not count its time twice."""
    trace = kinded.trace
    inside = np.zeros(len(rows), np.bool_)
    parent = trace.parent[rows]
    name = trace.name[rows]
    for _ in range(int(trace.depth.max(initial=0))):
        alive = parent >= 0
        if not alive.any():
            break
        inside |= alive & (trace.name[np.maximum(parent, 0)] == name)
        parent = np.where(alive, trace.parent[np.maximum(parent, 0)], -1)
    return inside


def _modules(kinded: Kinded, rows: Any) -> Any:
    """The nearest enclosing span or torch module of each event, as an index into the strings; -1: none."""
    trace = kinded.trace
    is_module = np.array([text.startswith("nn.Module: ") for text in trace.strings] or [False], np.bool_)
    scope = np.isin(kinded.kind, (SPAN, INPUT)) | is_module[trace.name]
    found = np.full(len(rows), -1, np.int64)
    parent = trace.parent[rows].astype(np.int64)
    for _ in range(int(trace.depth.max(initial=0))):
        hit = (found < 0) & (parent >= 0) & scope[np.maximum(parent, 0)]
        found = np.where(hit, trace.name[np.maximum(parent, 0)], found)
        parent = np.where((found < 0) & (parent >= 0), trace.parent[np.maximum(parent, 0)], -1)
        if not (parent >= 0).any():
            break
    return found


def python_functions(kinded: Kinded, python: Stretches, thread: str) -> list[OpRow]:
    """Functions of a thread by the time Python itself ran in them: what they waited for, or computed natively, is not theirs."""
    trace = kinded.trace
    rows = kinded.which(PYTHON)
    same = np.array([track.thread == thread for track in trace.tracks] or [False], np.bool_)
    if same[
        trace.track[rows]
    ].any():  # other threads' functions were waiting or running at the same time: not in this one's time
        rows = rows[same[trace.track[rows]]]
    if not len(rows) or not len(python.start):
        return op_table(kinded, python=True)
    end = trace.start[rows] + trace.duration[rows]
    total = np.zeros(len(trace), np.int64)
    total[rows] = python.measure(trace.start[rows], end)
    own = total.copy()
    inner = rows[trace.parent[rows] >= 0]
    np.subtract.at(own, trace.parent[inner], total[inner])
    names, inverse = np.unique(trace.name[rows], return_inverse=True)
    outer = ~_inside_itself(kinded, rows)
    sums = [
        np.bincount(inverse, weights=w).astype(np.int64)
        for w in (total[rows] * outer, np.maximum(own[rows], 0), np.ones(len(rows)))
    ]
    longest = np.zeros(len(names), np.int64)
    np.maximum.at(longest, inverse, total[rows])
    order = np.argsort(-sums[1], kind="stable")[:MAX_ROWS].tolist()
    return [
        OpRow(
            trace.strings[names[i]],
            "",
            "python",
            int(sums[2][i]),
            int(sums[0][i]),
            int(sums[1][i]),
            int(longest[i]),
        )
        for i in order
    ]


def op_table(kinded: Kinded, by: str = "name", *, python: bool = False) -> list[OpRow]:
    """Rows by falling own time; `python=True` for functions instead of ops."""
    trace = kinded.trace
    rows = kinded.which(PYTHON) if python else kinded.which(OP, KERNEL, COPY)
    if not len(rows):
        return []
    if by == "shape":
        detail = trace.shape[rows].astype(np.int64)
    elif by == "module":
        detail = _modules(kinded, rows)
    else:
        detail = np.full(len(rows), -1, np.int64)
    kind = kinded.kind[rows].astype(np.int64)
    key = (trace.name[rows].astype(np.int64) << 36) | ((detail + 1) << 4) | kind
    unique, inverse = np.unique(key, return_inverse=True)
    count = len(unique)
    calls = np.bincount(inverse, minlength=count)
    outer = ~_inside_itself(kinded, rows)
    total = np.bincount(inverse, weights=trace.duration[rows] * outer, minlength=count).astype(np.int64)
    own = np.bincount(inverse, weights=trace.own[rows], minlength=count).astype(np.int64)
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, inverse, trace.duration[rows])
    order = np.argsort(-own, kind="stable")[:MAX_ROWS]
    made = []
    for i in order.tolist():
        value = int(unique[i])
        inner = (value >> 4 & 0xFFFFFFFF) - 1
        made.append(
            OpRow(
                trace.strings[value >> 36],
                trace.strings[inner] if inner >= 0 else "",
                KINDS[value & 15],
                int(calls[i]),
                int(total[i]),
                int(own[i]),
                int(longest[i]),
            )
        )
    return made
