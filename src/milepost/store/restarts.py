"""Which points count after a restart. In: a tag's points, file by file, and where sessions started. Out: kept positions.

A restart is (a) a session start: a resumed writer said from which step it goes on (`purge_step`), also the first time;
(b) a step below the one before it; (c) the first step of a later file at or below the last one of the file before.
keep-last drops what an earlier session wrote at or after the restart's step, as TensorBoard does. Equal steps within a
file are data, not restarts: a log that never counts its steps keeps all its points (TensorBoard keeps one).
keep-all and split drop nothing; split tells where each part begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from milepost.errors import UsageError
from milepost.store.columns import Ints, PointColumns

__all__ = ["MODES", "Kept", "Part", "Restarts", "check_mode", "keep"]

Restarts = Literal["keep-last", "keep-all", "split"]
MODES: tuple[Restarts, ...] = ("keep-last", "keep-all", "split")

_NEVER = np.iinfo(np.int64).max


def check_mode(mode: str) -> Restarts:
    for known in MODES:
        if mode == known:
            return known
    raise UsageError("no such way to treat restarts", got=repr(mode), want=" or ".join(map(repr, MODES)))


@dataclass(frozen=True, slots=True)
class Part:
    """One file's points of a tag, and the steps of all session starts in that file."""

    points: PointColumns
    starts: Sequence[int]
    count: int  # points that counted when the snapshot was taken


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left: `mask` is None when everything is; `restart_steps` and `segments` tell of each restart."""

    mask: NDArray[np.bool_] | None
    segments: Ints  # positions, among the kept points, at which a part begins; the first is 0
    restart_steps: tuple[int, ...]


def keep(parts: Sequence[Part], step: Ints, mode: Restarts) -> Kept:
    """`step` is the concatenation of all parts' steps."""
    calm = len(parts) <= 1 and not any(p.points.unordered or p.starts for p in parts)
    if calm or len(step) == 0:
        return Kept(None, np.zeros(min(len(step), 1), np.int64), ())
    where, floor = _restart_points(parts, step)
    if len(where) == 0:
        return Kept(None, np.zeros(1, np.int64), ())
    inside = where < len(step)
    steps = tuple(int(s) for s in floor)
    if mode != "keep-last":
        return Kept(None, np.concatenate(([0], where[inside & (where > 0)])), steps)
    # a point stays when its step is below every restart that comes after it
    lowest = np.full(len(step) + 1, _NEVER, np.int64)
    np.minimum.at(lowest, where, floor)
    lowest = np.minimum.accumulate(lowest[::-1])[::-1]
    mask = step < lowest[1:]
    # a restart at position p works on the points before p, that is on [0, p): shift by one is exactly lowest[i + 1]
    starts = np.concatenate(([0], np.cumsum(mask)[where[inside & (where > 0)] - 1]))
    segments = np.unique(starts[starts < int(mask.sum())])
    return Kept(None if mask.all() else mask, segments.astype(np.int64), steps)


def _restart_points(parts: Sequence[Part], step: Ints) -> tuple[Ints, Ints]:
    """(positions, steps from which earlier points go); a position of len(step) is a start that nothing followed yet."""
    where: list[Ints] = []
    floor: list[Ints] = []
    at = 0
    for part in parts:
        count, end = part.count, at + part.count
        mine = step[at:end]
        if part.points.unordered:
            back = np.flatnonzero(mine[1:] < mine[:-1]) + 1
            where.append(back + at)
            floor.append(mine[back])
        if at and count and mine[0] <= step[at - 1]:
            where.append(np.array([at]))
            floor.append(mine[:1])
        if part.starts:
            positions = _start_positions(part) + at
            steps = np.array(part.starts, np.int64)
            told = positions > 0  # the first session of a run starts before its first point
            where.append(positions[told])
            floor.append(steps[told])
        at = end
    if not where:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    places, steps_from = np.concatenate(where), np.concatenate(floor)
    order = np.argsort(places, kind="stable")
    places, first = np.unique(places[order], return_index=True)  # a start and the step after it are one restart
    return places, np.minimum.reduceat(steps_from[order], first)


def _start_positions(part: Part) -> Ints:
    """For each session start of the file, how many of the tag's points came before it."""
    positions = np.full(len(part.starts), part.count, np.int64)
    done = 0
    for position, starts in part.points.marks:
        if position >= part.count:
            break
        positions[done:starts] = position
        done = max(done, starts)
    return positions
