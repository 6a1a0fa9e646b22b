"""The columns a timeline draws. In: a kinded trace. Out: events by lane (a track's nesting level), each lane sorted by start.

Lanes of one track lie together, tracks in a reader's order: spans and steps, threads, sampled frames, states, device streams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.formats.trace import Trace, Track
from milepost.store.profile.kinds import STATE, Kinded

__all__ = ["Timeline", "timeline"]


@dataclass(frozen=True, slots=True)
class Timeline:
    row: NDArray[np.uint32]  # of the trace, by lane and start
    lane_begin: NDArray[np.uint32]  # first event of each lane, and one more
    lane_track: NDArray[np.uint32]
    tracks: list[int]  # numbers of the trace's tracks, in drawing order
    flow_source: NDArray[np.uint32]  # places in `row`
    flow_target: NDArray[np.uint32]


def _rank(kinded: Kinded, number: int, track: Track, kinds: set[int]) -> tuple[Any, ...]:
    if kinded.device_track[number]:
        group = 3
    elif STATE in kinds:
        group = 1
    elif track.process in ("Spans", "Traces", ""):
        group = 4
    else:
        group = 0 if track.thread.startswith(("MainThread", "python")) else 2
    # a thread, its sampled frames and its state stay side by side
    return (group if group > 2 else 0 if group <= 1 and "MainThread" in track.thread else group, track.order, track.pid,
            track.thread.removesuffix(" state"), track.thread.endswith(" state"), track.layer, number)  # fmt: skip


def timeline(kinded: Kinded) -> Timeline:
    trace: Trace = kinded.trace
    used = np.unique(trace.track).tolist()
    kinds = {number: set(np.unique(kinded.kind[trace.track == number]).tolist()) for number in used}
    order = sorted(used, key=lambda n: _rank(kinded, n, trace.tracks[n], kinds[n]))
    place = np.zeros(len(trace.tracks) + 1, np.int64)
    place[order] = np.arange(len(order))
    deepest = int(trace.depth.max(initial=0)) + 1
    lane = place[trace.track] * deepest + trace.depth
    row = np.argsort(lane, kind="stable")
    lanes, begin = np.unique(lane[row], return_index=True)
    where = np.empty(len(row), np.int64)
    where[row] = np.arange(len(row))
    return Timeline(
        row.astype(np.uint32),
        np.append(begin, len(row)).astype(np.uint32),
        (lanes // deepest).astype(np.uint32),
        order,
        where[trace.flows.source].astype(np.uint32),
        where[trace.flows.target].astype(np.uint32),
    )
