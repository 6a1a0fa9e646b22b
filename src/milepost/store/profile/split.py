"""Where the time of a step goes. In: a kinded trace. Out: compute, input, copy, Python and idle nanoseconds of each step.

Every nanosecond of a step is counted once. With a device, what the device does comes first (while it computes, the host
may do what it likes); without one, the thread that runs the steps decides, and input comes first, because ops inside a
data loader are input. Not here: sentences about it (`advice`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from milepost.store.profile.intervals import NOTHING, Stretches, stretches
from milepost.store.profile.kinds import COPY, INPUT, KERNEL, OP, PYTHON, RUNTIME, SPAN, STATE, STEP, Kinded

__all__ = ["PARTS", "Split", "split"]

PARTS = ("compute", "input", "copy", "python", "idle")
SHORT_GAP = 1_000_000  # without a host sampler: a shorter pause between ops is Python at work, a longer one is a wait
STATE_TID_OFFSET = 1 << 32  # as the writer numbers the tracks of thread states

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Split:
    step: Ints  # step numbers, -1 when the trace has no steps and the whole capture is one
    start: Ints
    end: Ints
    parts: dict[str, Ints]  # PARTS -> nanoseconds of each step
    waiting: Ints  # of which the thread was ready but had no core
    thread: str
    sampled: bool  # whether the host's states were sampled or guessed from gaps
    python: Stretches = NOTHING  # when Python itself ran on that thread

    @property
    def length(self) -> Ints:
        return self.end - self.start

    @property
    def total(self) -> dict[str, int]:
        return {name: int(values.sum()) for name, values in self.parts.items()}

    @property
    def share(self) -> dict[str, float]:
        whole = max(int(self.length.sum()), 1)
        return {name: value / whole for name, value in self.total.items()}


def _of(kinded: Kinded, mask: NDArray[np.bool_]) -> Stretches:
    trace = kinded.trace
    return stretches(trace.start[mask], trace.start[mask] + trace.duration[mask])


def split(kinded: Kinded) -> Split:
    trace, kind = kinded.trace, kinded.kind
    steps, start, end, main = _steps(kinded)
    on_device = kinded.device_track[trace.track] if len(trace) else np.zeros(0, np.bool_)
    here = trace.track == main if main >= 0 else np.ones(len(trace), np.bool_)
    tid, pid = (trace.tracks[main].tid, trace.tracks[main].pid) if main >= 0 else ("", "")
    same_thread = np.array([t.tid == tid and t.pid == pid for t in trace.tracks] or [False], np.bool_)[trace.track]
    python, native, waiting = _states(kinded, tid, pid)
    sampled = bool(python.total or native.total or _has_states(kinded))

    kernels = _of(kinded, (kind == KERNEL) & on_device)
    device_copies = _of(kinded, (kind == COPY) & on_device)
    ops = _of(kinded, np.isin(kind, (OP, KERNEL)) & ~on_device)
    copies = _of(kinded, (kind == COPY) & ~on_device)
    inputs = _of(kinded, (kind == INPUT) & (here | same_thread))
    frames = _of(kinded, np.isin(kind, (PYTHON, RUNTIME)) & same_thread & ~on_device) if not sampled else NOTHING

    if kinded.has_device:
        compute = kernels
        copy = device_copies - compute
        data = inputs - (compute | copy)
        host = (ops | copies | python | native | frames) - (compute | copy | data)
    else:
        data = inputs
        copy = copies - data
        # Sampled stretches are right to a few milliseconds, ops to a microsecond: where both speak, ops do.
        compute = (ops | native) - (data | copy)
        host = (python | frames) - (data | copy | compute)
    taken = compute | copy | data | host
    if not sampled:
        host = host | (_gaps(taken, start, end) - taken)
        taken = taken | host
    parts = {
        name: found.measure(start, end)
        for name, found in zip(PARTS[:4], (compute, data, copy, host), strict=True)
    }  # fmt: skip
    parts["idle"] = (end - start) - sum(parts.values(), np.zeros(len(start), np.int64))
    name = trace.tracks[main].thread if main >= 0 else ""
    return Split(steps, start, end, parts, waiting.measure(start, end), name, sampled, python)


def _steps(kinded: Kinded) -> tuple[Ints, Ints, Ints, int]:
    """Steps of the thread that has most; or the whole capture as one. Also the track that runs them."""
    trace = kinded.trace
    marked = (
        np.flatnonzero((kinded.kind == STEP) & ~kinded.device_track[trace.track]) if len(trace) else np.zeros(0, int)
    )
    if len(marked):
        main = int(np.bincount(trace.track[marked]).argmax())
        marked = marked[trace.track[marked] == main]
        marked = marked[trace.depth[marked] == trace.depth[marked].min()]  # a step inside a step is no other step
        return trace.step[marked], trace.start[marked], trace.start[marked] + trace.duration[marked], main
    capture = _capture_event(kinded)
    if capture is not None:
        start, end = capture
    elif len(trace):
        start, end = int(trace.start.min()), int((trace.start + trace.duration).max())
    else:
        start = end = 0
    main = _busiest(kinded)
    return np.array([-1], np.int64), np.array([start], np.int64), np.array([end], np.int64), main


def _capture_event(kinded: Kinded) -> tuple[int, int] | None:
    trace = kinded.trace
    try:
        category = trace.strings.index("milepost_capture")
    except ValueError:
        return None
    rows = np.flatnonzero(trace.category == category)
    return (int(trace.start[rows[0]]), int(trace.start[rows[0]] + trace.duration[rows[0]])) if len(rows) else None


def _busiest(kinded: Kinded) -> int:
    """Without steps: the main thread if a capture of ours names it, else the host track with most time at the top."""
    trace = kinded.trace
    for number, track in enumerate(trace.tracks):
        if track.thread == "MainThread" and not track.layer:
            return number
    top = np.flatnonzero((trace.depth == 0) & np.isin(kinded.kind, (OP, PYTHON, COPY, SPAN, RUNTIME)))
    if not len(top):
        return -1
    return int(np.bincount(trace.track[top], weights=trace.duration[top].astype(np.float64)).argmax())


def _has_states(kinded: Kinded) -> bool:
    return bool((kinded.kind == STATE).any())


def _states(kinded: Kinded, tid: str, pid: str) -> tuple[Stretches, Stretches, Stretches]:
    """Sampled Python, native and waiting time of one thread. A wait for a core belongs to what was going on before it."""
    trace = kinded.trace
    wanted = str(int(tid) + STATE_TID_OFFSET) if tid.isdigit() else "MainThread state"
    tracks = [i for i, t in enumerate(trace.tracks) if t.pid == pid and t.tid == wanted] or [
        i for i, t in enumerate(trace.tracks) if t.thread == "MainThread state"
    ]
    rows = np.flatnonzero((kinded.kind == STATE) & np.isin(trace.track, tracks[:1]))
    names = np.array(trace.strings, object)[trace.name[rows]] if len(rows) else np.zeros(0, object)
    code = np.select([names == "python", names == "native", names == "waiting for a core"], [1, 2, 3], 0)
    waiting = code == 3
    for row in np.flatnonzero(waiting).tolist():
        before = code[row - 1] if row else 0
        after = code[row + 1] if row + 1 < len(code) else 0
        code[row] = before if before in (1, 2) else after if after in (1, 2) else 1
    start, end = trace.start[rows], trace.start[rows] + trace.duration[rows]
    return (
        stretches(start[code == 1], end[code == 1]),
        stretches(start[code == 2], end[code == 2]),
        stretches(start[waiting], end[waiting]),
    )


def _gaps(taken: Stretches, start: Ints, end: Ints) -> Stretches:
    """The short pauses between stretches, inside the steps."""
    edges_low = np.sort(np.concatenate((taken.end, start)))
    edges_high = np.sort(np.concatenate((taken.start, end)))
    if not len(edges_low):
        return NOTHING
    at = np.searchsorted(edges_high, edges_low)
    good = at < len(edges_high)
    low, high = edges_low[good], edges_high[at[good]]
    short = high - low < SHORT_GAP
    return stretches(low[short], high[short])
