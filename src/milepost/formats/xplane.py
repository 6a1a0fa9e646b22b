"""XSpace, the profile TensorFlow, jax and XLA write (`.xplane.pb`). In: its bytes. Out: a `Trace`.

A plane is a machine part (host threads, a GPU, a TPU), a line a thread or stream. Names are in tables per plane.
Not here: files, what a name means (`store.profile.kinds`), the hot loop over events (`_native.xplanescan`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from milepost._native import xplanescan
from milepost.errors import FormatError
from milepost.formats.trace import MAX_EVENTS, Points, Trace, Track, assemble
from milepost.formats.wire import BYTES, DOUBLE, INT64, STRING, UINT64, Message, field, map_field, message_field

__all__ = ["XSpace", "read_xplane"]

_YEAR_2001 = 1_000_000_000_000_000_000


@dataclass(slots=True)
class XStat(Message):
    metadata_id: int = field(1, INT64)
    double_value: float | None = field(2, DOUBLE, optional=True)
    uint64_value: int | None = field(3, UINT64, optional=True)
    int64_value: int | None = field(4, INT64, optional=True)
    str_value: str | None = field(5, STRING, optional=True)
    bytes_value: bytes | None = field(6, BYTES, optional=True)
    ref_value: int | None = field(7, UINT64, optional=True)


@dataclass(slots=True)
class XEventMetadata(Message):
    id: int = field(1, INT64)
    name: str = field(2, STRING)
    display_name: str = field(4, STRING)


@dataclass(slots=True)
class XStatMetadata(Message):
    id: int = field(1, INT64)
    name: str = field(2, STRING)


@dataclass(slots=True)
class XEvent(Message):
    metadata_id: int = field(1, INT64)
    offset_ps: int = field(2, INT64)
    duration_ps: int = field(3, INT64)
    stats: list[XStat] = message_field(4, XStat, repeated=True)


@dataclass(slots=True)
class XLine(Message):
    """Without its events: they are read from the same bytes natively."""

    id: int = field(1, INT64)
    name: str = field(2, STRING)
    timestamp_ns: int = field(3, INT64)
    display_name: str = field(11, STRING)


@dataclass(slots=True)
class XPlane(Message):
    id: int = field(1, INT64)
    name: str = field(2, STRING)
    lines: list[bytes] = field(3, BYTES, repeated=True)
    event_metadata: dict[int, XEventMetadata] = map_field(4, INT64, XEventMetadata)
    stat_metadata: dict[int, XStatMetadata] = map_field(5, INT64, XStatMetadata)


@dataclass(slots=True)
class XSpace(Message):
    planes: list[XPlane] = message_field(1, XPlane, repeated=True)
    errors: list[str] = field(2, STRING, repeated=True)
    warnings: list[str] = field(3, STRING, repeated=True)
    hostnames: list[str] = field(4, STRING, repeated=True)


def read_xplane(data: bytes) -> Trace:
    """Columns of an XSpace. Raises FormatError or TruncatedError for anything else."""
    space = XSpace.decode(data)
    if not space.planes:
        raise FormatError("no planes in this profile", got=f"{len(data)} bytes", want="an XSpace message")
    reading = _Reading()
    for plane in space.planes:
        reading.plane(plane)
    return reading.trace({"hostnames": space.hostnames, "warnings": space.warnings + space.errors})


class _Reading:
    def __init__(self) -> None:
        self.strings: list[str] = [""]
        self.ids: dict[str, int] = {"": 0}
        self.tracks: list[Track] = []
        self.columns: list[Any] = []
        self.lines: list[tuple[bytes, XPlane]] = []
        self.count = 0

    def intern(self, text: str) -> int:
        found = self.ids.get(text)
        if found is None:
            found = self.ids[text] = len(self.strings)
            self.strings.append(text)
        return found

    def plane(self, plane: XPlane) -> None:
        names = {i: self.intern(m.display_name or m.name) for i, m in plane.event_metadata.items()}
        step_stat = next((i for i, m in plane.stat_metadata.items() if m.name == "step_num"), 0)
        known = np.array(sorted(names), np.int64)
        interned = np.array([names[i] for i in known.tolist()], np.int32)
        category = self.intern(plane.name)
        for order, raw in enumerate(plane.lines):
            line = XLine.decode(raw)
            found = xplanescan.events(raw, step_stat)
            if found is None:
                raise FormatError("broken events", where=f"plane {plane.name!r}, line {line.name or line.id!r}")
            metadata, offset, length, step, begin, _ = found
            self.count += len(metadata)
            if self.count > MAX_EVENTS:
                raise FormatError("too many events", got=self.count, want=f"at most {MAX_EVENTS}")
            if not len(metadata):
                continue
            at = np.minimum(np.searchsorted(known, metadata), max(len(known) - 1, 0))
            name = np.where(known[at] == metadata, interned[at], 0) if len(known) else np.zeros(len(metadata), np.int32)
            track = len(self.tracks)
            thread = line.display_name or line.name or str(line.id)
            self.tracks.append(Track(plane.name, thread, str(plane.id), str(line.id), "", (0, order)))
            # A place says which line and where in it: 2**23 lines of 2**40 bytes.
            place = np.int64(len(self.lines)) << 40 | begin
            self.lines.append((raw, plane))
            size = len(metadata)
            start = line.timestamp_ns + offset // 1000
            self.columns.append((
                start, (offset + length) // 1000 - offset // 1000, name.astype(np.int32),
                np.full(size, category, np.int32), np.full(size, track, np.int32), step, place,
            ))  # fmt: skip

    def trace(self, about: dict[str, Any]) -> Trace:
        if self.columns:
            start, length, name, category, track, step, place = (
                np.concatenate(column) for column in zip(*self.columns, strict=True)
            )
        else:
            start = length = step = place = np.zeros(0, np.int64)
            name = category = track = np.zeros(0, np.int32)
        nothing = np.zeros(0, np.int64)
        points = Points(nothing, nothing.astype(np.int32), nothing.astype(np.int32), nothing.astype(bool), nothing)
        # Some writers give times since the profile began, others since 1970; only the latter have an origin.
        since_1970 = bool(len(start)) and int(start.min()) > _YEAR_2001
        if since_1970:
            start = start - _YEAR_2001
        return assemble(
            start=start, duration=np.maximum(length, 0), name=name, category=category, track=track,
            shape=np.full(len(start), -1, np.int32), step=step, args=place, strings=self.strings, tracks=self.tracks,
            points=points, origin=_YEAR_2001 if since_1970 else 0, about=about, decode=self.stats,
        )  # fmt: skip

    def stats(self, place: int) -> dict[str, Any]:
        raw, plane = self.lines[place >> 40]
        begin = place & ((1 << 40) - 1)
        event = _event_at(raw, begin)
        found: dict[str, Any] = {}
        for stat in event.stats:
            known = plane.stat_metadata.get(stat.metadata_id)
            found[known.name if known else str(stat.metadata_id)] = _value(stat, plane)
        return found


def _event_at(raw: bytes, begin: int) -> XEvent:
    """The event whose body begins there: its length is the varint just before."""
    for back in range(1, 6):
        if begin - back < 0:
            break
        value, shift = 0, 0
        for byte in raw[begin - back : begin]:
            value |= (byte & 0x7F) << shift
            shift += 7
        if raw[begin - back - 1] == (4 << 3 | 2) and begin + value <= len(raw):
            try:
                return XEvent.decode(raw[begin : begin + value])
            except FormatError:
                continue
    return XEvent()


def _value(stat: XStat, plane: XPlane) -> Any:
    if stat.ref_value is not None:
        known = plane.stat_metadata.get(stat.ref_value)
        return known.name if known else stat.ref_value
    if stat.bytes_value is not None:
        return f"{len(stat.bytes_value)} bytes"
    for value in (stat.double_value, stat.uint64_value, stat.int64_value, stat.str_value):
        if value is not None:
            return value
    return ""
