"""Time by call path. In: a kinded trace. Out: a flame graph: nodes with a parent, a name, total and own time, in columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from milepost.store.profile.kinds import STATE, Kinded

__all__ = ["Flame", "flame"]

MAX_NODES = 20_000  # thinner paths than fit a screen are left out, the widest kept


@dataclass(frozen=True, slots=True)
class Flame:
    """Node 0 is everything; a node stands after its parent."""

    name: list[str]
    parent: NDArray[np.int64]
    total: NDArray[np.int64]
    own: NDArray[np.int64]
    calls: NDArray[np.int64]


def flame(kinded: Kinded, *, python: bool) -> Flame:
    """Of the sampled Python frames (`python=True`), or of ops and spans."""
    trace = kinded.trace
    layer = np.array([(t.layer == "python") for t in trace.tracks] or [False], np.bool_)
    chosen = layer[trace.track] if python else ~layer[trace.track] & ~kinded.device_track[trace.track]
    if python and not chosen.any():  # torch with stacks has its frames among the ops
        chosen = kinded.kind == 5
    chosen &= kinded.kind != STATE
    capture = [i for i, text in enumerate(trace.strings) if text in ("milepost_capture", "Trace")]
    chosen &= ~np.isin(trace.category, capture)
    node = np.zeros(len(trace), np.int64)
    names, parents, totals, owns, calls = [-1], [-1], [0], [0], [0]
    for depth in range(int(trace.depth.max(initial=-1)) + 1):
        rows = np.flatnonzero(chosen & (trace.depth == depth))
        if not len(rows):
            continue
        up = trace.parent[rows]
        above = np.where((up >= 0) & chosen[np.maximum(up, 0)], node[np.maximum(up, 0)], 0)
        key = above << 32 | trace.name[rows]
        unique, inverse = np.unique(key, return_inverse=True)
        node[rows] = len(names) + inverse
        totals += np.bincount(inverse, weights=trace.duration[rows]).astype(np.int64).tolist()
        owns += np.bincount(inverse, weights=trace.own[rows]).astype(np.int64).tolist()
        calls += np.bincount(inverse).tolist()
        names += (unique & 0xFFFFFFFF).tolist()
        parents += (unique >> 32).tolist()
    totals[0] = sum(t for t, p in zip(totals, parents, strict=True) if p == 0)
    return _widest(trace.strings, names, parents, totals, owns, calls)


def _widest(
    strings: list[str], names: list[int], parents: list[int], totals: list[int], owns: list[int], calls: list[int]
) -> Flame:
    total = np.array(totals, np.int64)
    keep = np.arange(len(total))
    if len(total) > MAX_NODES:
        # a parent is never thinner than its child, so cutting by width keeps whole paths
        keep = np.sort(np.argsort(-total, kind="stable")[:MAX_NODES])
        keep = keep if keep[0] == 0 else np.concatenate(([0], keep))
    place = np.full(len(total), -1, np.int64)
    place[keep] = np.arange(len(keep))
    parent = np.array(parents, np.int64)[keep]
    parent = np.where(parent >= 0, place[np.maximum(parent, 0)], -1)
    parent[1:] = np.where(parent[1:] < 0, 0, parent[1:])
    return Flame(
        ["everything" if i == 0 else strings[names[i]] for i in keep.tolist()],
        parent, total[keep], np.maximum(np.array(owns, np.int64)[keep], 0), np.array(calls, np.int64)[keep],
    )  # fmt: skip
