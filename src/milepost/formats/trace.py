"""A trace in columns: what ran, on which track, from when to when. In: Chrome trace JSON (torch's, jax's, TensorFlow's, ours). Out: `Trace`.

Times are nanoseconds after `Trace.origin`. Events are sorted by track, then start, then falling length, so that a parent
stands before its children. Arguments stay in the file's bytes and are decoded for one event when asked.
Not here: files and gzip (`store.profile.load`), what a category means (`store.profile.kinds`), XPlanes (`xplane`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost._native import tracescan
from milepost.errors import FormatError, TruncatedError

__all__ = ["MAX_EVENTS", "Flows", "Points", "Trace", "Track", "assemble", "read_chrome"]

MAX_EVENTS = 50_000_000
PYTHON_FRAME = "python_frame"  # sampled frames: near, not exact, in time, so they get a track of their own

_STEP_ARGUMENT = re.compile(rb'"step(?:_num)?"\s*:')
_STEP_CATEGORIES = ("", "step", "user_annotation")

Ints = NDArray[np.int64]
Indexes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Track:
    """A thread, a device stream, or another row of the timeline."""

    process: str
    thread: str
    pid: str
    tid: str
    layer: str = ""  # "python": the sampled frames of that thread
    order: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Points:
    """Instants and counters: events without length."""

    time: Ints
    name: Indexes
    track: Indexes
    counter: NDArray[np.bool_]
    args: Ints  # a place, for `Trace.arguments`


@dataclass(frozen=True, slots=True)
class Flows:
    """Arrows: from one event to another."""

    source: Indexes
    target: Indexes


@dataclass(frozen=True, slots=True)
class Trace:
    start: Ints
    duration: Ints
    name: Indexes  # into `strings`
    category: Indexes
    track: Indexes  # into `tracks`
    depth: Indexes
    parent: Indexes  # -1: none
    own: Ints  # duration without that of the children
    shape: Indexes  # into `strings`, -1: not known
    step: Ints  # the step number of a step's event, else -1
    args: Ints
    strings: list[str]
    tracks: list[Track]
    points: Points
    flows: Flows
    origin: int  # unix nanoseconds, 0 when the file does not say
    about: dict[str, Any] = field(default_factory=dict)
    decode: Callable[[int], dict[str, Any]] = field(default=lambda place: {})

    def __len__(self) -> int:
        return len(self.start)

    @property
    def end(self) -> Ints:
        return self.start + self.duration

    def arguments(self, place: int) -> dict[str, Any]:
        """The arguments at a place from `args`; empty when there are none or they cannot be decoded."""
        return {} if place < 0 else self.decode(place)


def assemble(
    *,
    start: Ints,
    duration: Ints,
    name: Indexes,
    category: Indexes,
    track: Indexes,
    shape: Indexes,
    step: Ints,
    args: Ints,
    strings: list[str],
    tracks: list[Track],
    points: Points,
    flow_ends: tuple[Ints, Ints, Indexes, Indexes] | None = None,
    origin: int = 0,
    about: dict[str, Any] | None = None,
    decode: Callable[[int], dict[str, Any]] = lambda place: {},
) -> Trace:
    """Sort, nest and tie arrows; every reader ends here. `flow_ends`: source times, target times, source and target tracks."""
    first = int(min(start.min(initial=1 << 62), points.time.min(initial=1 << 62)))
    first = 0 if first == 1 << 62 else first
    order = np.lexsort((-duration, start, track))
    start, duration, track = start[order] - first, duration[order], track[order].astype(np.int32)
    depth, parent, own = tracescan.nest(track, start, duration)
    moved = Points(points.time - first, points.name, points.track, points.counter, points.args)
    flows = Flows(np.zeros(0, np.int32), np.zeros(0, np.int32))
    if flow_ends is not None and len(flow_ends[0]):
        flows = _tie(start, start + duration, track, depth, parent, flow_ends, first, len(tracks))
    return Trace(
        start, duration, name[order], category[order], track, depth, parent, own, shape[order], step[order], args[order],
        strings, tracks, moved, flows, origin + first if origin else 0, about or {}, decode,
    )  # fmt: skip


def _tie(
    start: Ints, end: Ints, track: Indexes, depth: Indexes, parent: Indexes, ends: tuple[Any, ...], first: int, n: int
) -> Flows:
    """An arrow's end is a time on a track; the event meant is the innermost that holds that time."""
    bounds = np.searchsorted(track, np.arange(n + 1))
    found = []
    for times, tracks in ((ends[0], ends[2]), (ends[1], ends[3])):
        event = np.full(len(times), -1, np.int64)
        for number in np.unique(tracks):
            low, high = bounds[number], bounds[number + 1]
            mine = np.flatnonzero(tracks == number)
            at = times[mine] - first
            index = np.searchsorted(start[low:high], at, side="right") - 1 + low
            # climb while the candidate ended before: at most as many turns as the nesting is deep
            index = np.where(index < low, -1, index)
            for _ in range(int(depth[low:high].max(initial=0)) + 1):
                over = (index >= 0) & (end[np.maximum(index, 0)] < at)
                if not over.any():
                    break
                index = np.where(over, parent[np.maximum(index, 0)], index)
            event[mine] = index
        found.append(event)
    good = (found[0] >= 0) & (found[1] >= 0)
    return Flows(found[0][good].astype(np.int32), found[1][good].astype(np.int32))


def read_chrome(data: bytes) -> Trace:
    """Columns of a Chrome trace. Raises TruncatedError or FormatError, with the byte, for anything else."""
    rows, raw, spans, fault, at = tracescan.scan(data)
    if fault == tracescan.CUT_SHORT:
        raise TruncatedError("the trace ends too early", where=f"byte {at}", todo=f"{len(rows)} events are whole")
    if fault == tracescan.EVENTS_MISSING:
        raise FormatError("no list of events in this JSON", want='"traceEvents"')
    if fault:
        reason = "nested too deeply" if fault == tracescan.NESTED_TOO_DEEP else "no valid trace JSON"
        raise FormatError(f"the trace is {reason}", where=f"byte {at}", todo=f"{len(rows)} events before it are whole")
    if len(rows) > MAX_EVENTS:
        raise FormatError("too many events", got=len(rows), want=f"at most {MAX_EVENTS}")
    return _Chrome(data, rows, raw, spans).trace()


def _text(raw: bytes) -> str:
    if raw[:1] == b'"':
        try:
            return str(json.loads(raw))
        except ValueError:
            return raw[1:-1].decode("utf-8", "replace")
    return raw.decode("utf-8", "replace")


class _Chrome:
    """The one reading of one file."""

    def __init__(self, data: bytes, rows: NDArray[Any], raw: list[bytes], spans: dict[str, tuple[int, int]]):
        self.data, self.rows = data, rows
        self.strings = [_text(item) for item in raw]
        self.strings.append("")  # the name of what has none; also what index -1 finds
        self.spans = spans
        self.of_phase = {chr(code): np.flatnonzero(rows["ph"] == code) for code in np.unique(rows["ph"]) if code}

    def top(self, key: str, default: Any) -> Any:
        begin, end = self.spans.get(key, (0, 0))
        try:
            return json.loads(self.data[begin:end])
        except ValueError:
            return default

    def args(self, place: int) -> dict[str, Any]:
        length = int(place) >> 40
        begin = int(place) & ((1 << 40) - 1)
        try:
            value = json.loads(self.data[begin : begin + length])
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def places(self, which: NDArray[Any]) -> Ints:
        """Byte offset and length in one number: traces are below a terabyte and arguments below 8 MB."""
        at, size = self.rows["args_at"][which], self.rows["args_len"][which].astype(np.int64)
        return np.where((at < 0) | (size >= 1 << 23), np.int64(-1), at | (size << 40))

    def phase(self, *codes: str) -> NDArray[np.int64]:
        found = [self.of_phase[c] for c in codes if c in self.of_phase]
        return np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)

    def trace(self) -> Trace:
        rows = self.rows
        complete, paired, lengths = self.phase("X"), *self.begin_end()
        which = np.concatenate((complete, paired))
        duration = np.concatenate((rows["dur"][complete], lengths))
        duration = np.maximum(duration, 0)
        category = rows["cat"][which]
        sampled = np.zeros(len(which), np.int64)
        if PYTHON_FRAME in self.strings and "milepost" in self.spans:
            sampled = (category == self.strings.index(PYTHON_FRAME)).astype(np.int64)
        point = self.phase("i", "I", "R", "C")
        begins, ends = self.phase("s"), self.phase("f", "t")
        every = np.concatenate((which, point, begins, ends))
        layer = np.concatenate((sampled, np.zeros(len(every) - len(which), np.int64)))
        track, tracks = self.tracks(rows["pid"][every], rows["tid"][every], layer)
        parts = np.split(track, np.cumsum([len(which), len(point), len(begins)]))
        points = Points(
            rows["ts"][point], rows["name"][point], parts[1], rows["ph"][point] == ord("C"), self.places(point)
        )
        base = self.top("baseTimeNanoseconds", 0)
        about = self.top("milepost", {})
        return assemble(
            start=rows["ts"][which], duration=duration, name=rows["name"][which], category=category, track=parts[0],
            shape=rows["shape"][which], step=self.steps(which), args=self.places(which), strings=self.strings,
            tracks=tracks, points=points, flow_ends=self.flow_ends(begins, ends, parts[2], parts[3]),
            origin=base if isinstance(base, int) else 0,
            about=about if isinstance(about, dict) else {}, decode=self.args,
        )  # fmt: skip

    def begin_end(self) -> tuple[NDArray[np.int64], Ints]:
        both = self.phase("B", "E")
        if not len(both):
            return both, np.zeros(0, np.int64)
        both = both[np.argsort(self.rows["ts"][both], kind="stable")]
        _, track = np.unique(
            self.rows["pid"][both].astype(np.int64) << 32 | self.rows["tid"][both], return_inverse=True
        )
        lengths = np.zeros(len(both), np.int64)
        ph, ts = self.rows["ph"][both], np.ascontiguousarray(self.rows["ts"][both])
        tracescan.pair(np.ascontiguousarray(ph), track.astype(np.int32), ts, lengths)
        begins = ph == ord("B")
        last = int(ts[-1])
        lengths = np.where(lengths < 0, last - ts, lengths)  # what never ended lasted until the end
        return both[begins], lengths[begins]

    def tracks(self, pid: Indexes, tid: Indexes, layer: Ints) -> tuple[Indexes, list[Track]]:
        key = (pid.astype(np.int64) + 1) << 33 | (tid.astype(np.int64) + 1) << 1 | layer
        unique, inverse = np.unique(key, return_inverse=True)
        process, thread, orders = self.names()
        found = []
        for item in unique.tolist():
            p, t = self.strings[(item >> 33) - 1], self.strings[(item >> 1 & 0xFFFFFFFF) - 1]
            found.append(
                Track(
                    process.get(p, p),
                    thread.get((p, t), t),
                    p,
                    t,
                    "python" if item & 1 else "",
                    (orders.get((p, ""), 0), orders.get((p, t), 0)),
                )
            )
        return inverse.astype(np.int32).reshape(-1), found

    def names(self) -> tuple[dict[str, str], dict[tuple[str, str], str], dict[tuple[str, str], int]]:
        """What the metadata events call processes and threads."""
        process: dict[str, str] = {}
        labels: dict[str, str] = {}
        thread: dict[tuple[str, str], str] = {}
        orders: dict[tuple[str, str], int] = {}
        which = self.phase("M")[:100_000]
        for row, place in zip(self.rows[which], self.places(which).tolist(), strict=True):
            args = self.args(place) if place >= 0 else {}
            what, p, t = self.strings[row["name"]], self.strings[row["pid"]], self.strings[row["tid"]]
            if what == "process_name":
                process.setdefault(p, str(args.get("name", p)))
            elif what == "process_labels":
                labels[p] = str(args.get("labels", ""))
            elif what == "thread_name":
                thread.setdefault((p, t), str(args.get("name", t)))
            elif what in ("process_sort_index", "thread_sort_index") and isinstance(args.get("sort_index"), int):
                orders[p, "" if what == "process_sort_index" else t] = args["sort_index"]
        for p, label in labels.items():
            if label and label not in process.get(p, ""):
                process[p] = f"{process.get(p, p)} {label}"
        return process, thread, orders

    def steps(self, which: NDArray[np.int64]) -> Ints:
        """Step numbers: ours and jax's in the arguments, torch's in the name."""
        step = np.full(len(which), -1, np.int64)
        names, categories = self.rows["name"][which], self.rows["cat"][which]
        marked = {i: n for i, text in enumerate(self.strings) if (n := _torch_step(text)) >= 0}
        if marked:
            for row in np.flatnonzero(np.isin(names, list(marked))).tolist():
                step[row] = marked[int(names[row])]
        # Few events have such an argument, and millions may be here: look for the words, then for the event around them.
        args_at = self.rows["args_at"][which]
        order = np.argsort(args_at, kind="stable")
        found = np.array([match.start() for match in _STEP_ARGUMENT.finditer(self.data)], np.int64)
        at = np.searchsorted(args_at[order], found, side="right") - 1
        for row in dict.fromkeys(order[at[at >= 0]].tolist()):
            if categories[row] >= 0 and self.strings[categories[row]] not in _STEP_CATEGORIES:
                continue
            args = self.args(int(self.places(which[row : row + 1])[0]))
            value = args.get("step", args.get("step_num"))
            if isinstance(value, int) or (isinstance(value, str) and value.isdigit()):
                step[row] = int(value)
        return step

    def flow_ends(
        self, begins: NDArray[np.int64], ends: NDArray[np.int64], begin_track: Indexes, end_track: Indexes
    ) -> tuple[Ints, Ints, Indexes, Indexes]:
        rows = self.rows
        key_b = (rows["cat"][begins].astype(np.int64) << 32) | (rows["id"][begins] & 0xFFFFFFFF)
        key_e = (rows["cat"][ends].astype(np.int64) << 32) | (rows["id"][ends] & 0xFFFFFFFF)
        unique, first = np.unique(key_b, return_index=True)
        at = np.searchsorted(unique, key_e)
        at = np.minimum(at, max(len(unique) - 1, 0))
        match = np.flatnonzero(unique[at] == key_e) if len(unique) else np.zeros(0, np.int64)
        source = first[at[match]] if len(match) else np.zeros(0, np.int64)
        return rows["ts"][begins][source], rows["ts"][ends][match], begin_track[source], end_track[match]


def _torch_step(name: str) -> int:
    head, _, number = name.partition("#")
    return int(number) if head == "ProfilerStep" and number.isdigit() else -1
