"""The rule of resynchronising, written down plainly in Python, against the native scan on damaged files."""

from __future__ import annotations

import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost._native.crc32c import masked_crc32c
from milepost._native.scan import EventScan
from milepost.errors import FormatError
from milepost.formats.event import Event
from milepost.formats.record import frame
from milepost.testing.logs import file_header, scalar_event

RECORDS = [file_header(), *(scalar_event("x", i, float(i)) for i in range(12))]


def header(data: bytes, at: int) -> int | None:
    """The length a header at `at` tells, if twelve bytes there are one."""
    if at + 12 > len(data):
        return None
    (length,) = struct.unpack_from("<Q", data, at)
    (crc,) = struct.unpack_from("<I", data, at + 8)
    return length if length < 1 << 31 and masked_crc32c(data[at : at + 8]) == crc else None


def whole(data: bytes, at: int) -> bool:
    """Whether a whole, right record with something in it begins at `at`."""
    length = header(data, at)
    if not length or at + 16 + length > len(data):
        return False
    return masked_crc32c(data[at + 12 : at + 12 + length]) == struct.unpack_from("<I", data, at + 12 + length)[0]


def by_the_rule(data: bytes) -> tuple[list[float], int, int, bool]:
    """(values of x, bad records, where reading stops, whether inside a record)."""
    values: list[float] = []
    bad, at = 0, 0
    while at < len(data):
        length = header(data, at)
        after = at + 16 + (length or 0)
        if length is None and at + 12 > len(data):
            return values, bad, at, True
        if (
            length is not None
            and after <= len(data)
            and (whole(data, at) or (length == 0 and data[at + 12 : at + 16] == struct.pack("<I", masked_crc32c(b""))))
        ):
            try:
                event = Event.decode(data[at + 12 : at + 12 + length])
                values += [
                    v.simple_value for v in (event.summary.value if event.summary else []) if v.simple_value is not None
                ]
            except FormatError:
                bad += 1
            at = after
            continue
        if length is None:
            found = (
                next((p for p in range(at + 1, len(data) - 11) if header(data, p) is not None), None)
                if at + 17 <= len(data)
                else None
            )
        elif after > len(data):  # unfinished, unless a whole record follows
            found = next((p for p in range(at + 12, len(data) - 11) if whole(data, p)), None)
        elif after == len(data) or header(data, after) is not None:
            found = after
        else:
            found = next((p for p in range(at + 12, len(data) - 11) if header(data, p) is not None), None)
        if found is None:
            return values, bad, at, True
        bad += 1
        at = found
    return values, bad, at, False


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Records with flips, holes, noise, repeats and a cut."""
    parts: list[bytes] = []
    for record in RECORDS:
        fate = draw(st.sampled_from(["good"] * 8 + ["flip", "cut", "noise", "zeros", "lost"]))
        if fate == "flip":
            broken = bytearray(record)
            broken[draw(st.integers(0, len(record) - 1))] ^= 1 << draw(st.integers(0, 7))
            parts.append(bytes(broken))
        elif fate == "cut":
            parts.append(record[: draw(st.integers(1, len(record) - 1))])
        elif fate == "noise":
            parts += [draw(st.binary(min_size=1, max_size=30)), record]
        elif fate == "zeros":
            parts += [bytes(draw(st.integers(1, 40))), record]
        elif fate == "good":
            parts.append(record)
    data = b"".join(parts)
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


@settings(max_examples=300, deadline=None)
@given(damaged())
def test_the_scan_does_what_the_rule_says(data: bytes) -> None:
    """Same points, same count of bad records, same place to go on, at any damage."""
    scan = EventScan()
    scan.feed_bytes(data)
    got: list[float] = []
    for _, points, _ in scan.drain():
        if points is not None:
            got += np.frombuffer(points[9], np.float32).tolist()
    values, bad, at, inside = by_the_rule(data)
    assert (got, scan.counts[1], scan.offset, scan.truncated) == (values, bad, at, inside)


@settings(max_examples=150, deadline=None)
@given(damaged(), st.data())
def test_reading_in_portions_loses_nothing_that_reading_at_once_finds(data: bytes, draw: st.DataObject) -> None:
    """However the bytes arrive, points found at once are found, too, and the end is the same."""
    scan, got = EventScan(), []
    for cut in [*sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=4))), len(data)]:
        scan.feed_bytes(data[:cut])
        for _, points, _ in scan.drain():
            if points is not None:
                got += np.frombuffer(points[9], np.float32).tolist()
    values, _, at, _ = by_the_rule(data)
    assert set(values) <= set(got)
    assert scan.offset >= at or scan.truncated


def test_a_torn_header_at_the_end_of_what_is_written_hides_no_record() -> None:
    """A live file that ends just where a torn record would: what comes next shows that a record had begun inside it."""
    payload = b"\x09\0\0\0\0\0\0\xf0\x3f*\n\n\x08\n\x01x\x15\0\0\x40\x40"  # x = 3.0 at step 0
    torn = frame(b"-" * (len(payload) + 3))[:12]
    data = torn + frame(payload) + frame(payload)
    scan, got = EventScan(), []
    for cut in (len(torn) + len(payload) + 3 + 4, len(data)):
        scan.feed_bytes(data[:cut])
        for _, points, _ in scan.drain():
            if points is not None:
                got += np.frombuffer(points[9], np.float32).tolist()
    assert got == [3.0, 3.0]
