"""The native scan against bytes nobody should have written: no crash, no hang, bounded memory, everything good kept."""

from __future__ import annotations

import os
import resource
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost._native.crc32c import masked_crc32c
from milepost._native.scan import EventScan
from milepost.formats.event import Event, PluginData, Summary, SummaryMetadata, SummaryValue, TensorProto
from milepost.formats.record import frame
from milepost.testing.logs import file_header, scalar_event, session_start


def values(scan: EventScan) -> dict[bytes, list[float]]:
    """Tag -> values of all that waits in the scan."""
    tags = scan.slots()
    return {
        tags[slot][0]: np.frombuffer(points[9], np.float64 if points[1] else np.float32).tolist()
        for slot, points, _ in scan.drain()
        if points is not None
    }


def scanned(data: bytes) -> tuple[dict[bytes, list[float]], EventScan]:
    scan = EventScan()
    assert scan.feed_bytes(data) is False
    return values(scan), scan


SMALL = file_header() + b"".join(scalar_event("loss", i, i / 4) for i in range(6))


def test_a_file_cut_at_every_byte_gives_what_is_whole_and_goes_on_when_the_rest_comes() -> None:
    """Every prefix is read to its last whole record; feeding the rest gives the same as reading at once."""
    ends = [len(file_header())]
    for i in range(6):
        ends.append(ends[-1] + len(scalar_event("loss", i, i / 4)))
    for cut in range(len(SMALL) + 1):
        scan = EventScan()
        scan.feed_bytes(SMALL[:cut])
        whole = sum(end <= cut for end in ends)
        first = values(scan).get(b"loss", [])
        assert first == [i / 4 for i in range(max(whole - 1, 0))]
        assert scan.truncated == (cut not in (0, *ends))
        assert scan.offset == max([0, *(end for end in ends if end <= cut)])
        scan.feed_bytes(SMALL)
        assert first + values(scan).get(b"loss", []) == [i / 4 for i in range(6)]
        assert scan.counts[1] == 0
        assert not scan.truncated


def test_every_flipped_bit_is_noticed_and_costs_one_record_at_most() -> None:
    """A flip anywhere drops the record it is in, counts it, and loses nothing else."""
    data = SMALL + scalar_event("loss", 6, 6 / 4)
    expected = [i / 4 for i in range(7)]
    for at in range(len(SMALL)):  # not in the last record: nothing after it to find the way again
        for bit in (0, 3, 7):
            broken = bytearray(data)
            broken[at] ^= 1 << bit
            found, scan = scanned(bytes(broken))
            got = found.get(b"loss", [])
            assert scan.counts[1] == 1, at
            missing = [v for v in expected if v not in got]
            assert len(missing) == (0 if at < len(file_header()) else 1), at
            assert got == [v for v in expected if v in got]
            assert scan.offset == len(data)
            (offset, length, _reason) = scan.bad[0]
            assert offset <= at < offset + length


def test_a_flip_in_the_last_record_waits_as_a_tail_or_is_counted() -> None:
    """With nothing after it the damage is either a counted record or a place where the file ends."""
    start = len(SMALL)
    data = SMALL + scalar_event("loss", 6, 1.5)
    for at in range(start, len(data)):
        broken = bytearray(data)
        broken[at] ^= 16
        found, scan = scanned(bytes(broken))
        assert found[b"loss"] == [i / 4 for i in range(6)]
        assert scan.counts[1] == 1 or (scan.truncated and scan.offset == start)


@pytest.mark.parametrize("length", [2**31 - 1, 2**31, 2**32, 2**40, 2**63, 2**64 - 1])
def test_a_hostile_length_allocates_nothing_and_hides_nothing_after_it(length: int) -> None:
    """A header with a right checksum that announces gigabytes: memory stays, and what follows is found."""
    word = struct.pack("<Q", length)
    lie = word + struct.pack("<I", masked_crc32c(word))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found, scan = scanned(SMALL + lie + scalar_event("after", 1, 2.0))
    assert found[b"after"] == [2.0]
    assert len(found[b"loss"]) == 6
    assert scan.counts[1] == 1
    assert scan.bad[0][0] == len(SMALL)
    alone, waiting = scanned(SMALL + lie)
    assert len(alone[b"loss"]) == 6
    assert waiting.truncated
    assert waiting.offset == len(SMALL)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_a_sparse_two_gigabyte_record_is_refused_by_its_checksum_in_bounded_memory(tmp_path: Path) -> None:
    """The bytes are there (a hole in the file), the checksum is not: nothing is allocated for it."""
    length = 96 << 20
    word = struct.pack("<Q", length)
    path = tmp_path / "events.out.tfevents.1.h"
    with path.open("wb") as stream:
        stream.write(SMALL + word + struct.pack("<I", masked_crc32c(word)))
        stream.seek(length + 4, os.SEEK_CUR)
        stream.write(scalar_event("after", 1, 2.0))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fd = os.open(path, os.O_RDONLY)
    scan = EventScan()
    scan.feed(fd, os.fstat(fd).st_size)
    os.close(fd)
    assert values(scan)[b"after"] == [2.0]
    assert scan.counts[1] == 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_zeros_at_the_end_are_a_tail_and_become_data_when_they_are_overwritten() -> None:
    """A file system may show zeros where data will be: wait there, and try the same place again."""
    scan = EventScan()
    scan.feed_bytes(SMALL + bytes(300))
    assert scan.truncated
    assert scan.offset == len(SMALL)
    assert len(values(scan)[b"loss"]) == 6
    scan.feed_bytes(SMALL + scalar_event("loss", 6, 9.0) + bytes(300))
    assert values(scan)[b"loss"] == [9.0]
    scan.feed_bytes(SMALL + scalar_event("loss", 6, 9.0) + bytes(300) + scalar_event("loss", 7, 10.0))
    assert values(scan)[b"loss"] == [10.0]
    assert scan.counts[1] == 1


def test_a_torn_record_followed_by_others_is_skipped() -> None:
    """A writer killed in the middle of a record, and another that went on in the same file."""
    torn = scalar_event("loss", 6, 1.0)
    for cut in range(1, len(torn)):
        found, scan = scanned(SMALL + torn[:cut] + b"".join(scalar_event("loss", i, i / 4) for i in range(6, 12)))
        assert found[b"loss"] == [i / 4 for i in range(12)], cut
        assert scan.counts[1] == 1


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.binary(max_size=80))
def test_any_bytes_are_survived(noise: bytes, payload: bytes) -> None:
    """Garbage between records, and garbage inside a well framed record, lose only themselves."""
    found, scan = scanned(SMALL + frame(payload) + noise + SMALL)
    assert found[b"loss"][:6] == [i / 4 for i in range(6)]
    assert found[b"loss"][-6:] == [i / 4 for i in range(6)]
    assert scan.counts[1] <= 2 + len(noise) // 16


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_events_inside_right_frames_are_survived(data: st.DataObject) -> None:
    """Any change of an event's own bytes, with checksums made right again, is an event or a bad record, never a crash."""
    event = bytearray(
        Event(
            wall_time=2.0, step=5,
            summary=Summary(value=[SummaryValue(tag="a", simple_value=1.0), SummaryValue(tag="b" * 20, simple_value=2.0)]),
        ).encode()
    )  # fmt: skip
    for _ in range(data.draw(st.integers(1, 6))):
        event[data.draw(st.integers(0, len(event) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(event)))
    scan = EventScan()
    scan.feed_bytes(frame(bytes(event)) + frame(bytes(event[:cut])) + SMALL)
    assert values(scan)[b"loss"][-6:] == [i / 4 for i in range(6)]


def test_ten_thousand_tags_and_tags_that_are_no_text() -> None:
    """Tags are bytes; as many as there are."""
    names = [f"layer/{i}/grad".encode() for i in range(10_000)] + [b"\xff\xfe\x00", b""]
    found, scan = scanned(b"".join(scalar_event(name, 1, float(i)) for i, name in enumerate(names)))
    assert len(found) == 10_002
    assert found[b"\xff\xfe\x00"] == [10_000.0]
    assert [row[0] for row in scan.slots()] == names


def test_tags_without_end_are_refused_at_a_limit() -> None:
    """A quarter of a million tags a file, 64 kB a tag; the rest is counted as bad, what was there goes on."""
    limit = 1 << 18
    names = (b"%d" % i for i in range(limit + 10))
    data = b"".join(scalar_event(name, 1, 1.0) for name in names) + scalar_event(b"7", 2, 2.0)
    scan = EventScan()
    scan.feed_bytes(data)
    assert scan.slot_count == limit
    assert scan.counts[1] == 10
    assert scan.seen(7)[0] == 2
    long, scan = scanned(scalar_event("t" * 70_000, 1, 1.0) + scalar_event("t" * 60_000, 1, 1.0))
    assert [len(tag) for tag in long] == [60_000]
    assert scan.counts[1] == 1


def test_steps_and_times_at_their_limits() -> None:
    """Negative steps, the largest ones, and times that are not finite."""
    steps = [0, -1, 2**63 - 1, -(2**63)]
    scan = EventScan()
    scan.feed_bytes(b"".join(scalar_event("x", s, 1.0, wall_time=float("nan")) for s in steps))
    (_, points, _) = scan.drain()[0]
    assert points is not None
    assert np.frombuffer(points[7], np.int64).tolist() == steps
    assert np.isnan(np.frombuffer(points[8], np.float64)).all()
    assert scan.extent == (None, None, None)


def test_a_scan_resumed_from_its_state_goes_on_as_if_never_stopped() -> None:
    """state() and resume() at every record of a file with sessions, damage and two tags."""
    records = [file_header(), *(scalar_event("a", i, i) for i in range(3)), session_start(2), b"xxxx"]
    records += [scalar_event("b", 1, 5.0), scalar_event("a", 2, 7.0), scalar_event("a", 3, 8.0)]
    data = b"".join(records)
    whole, reference = scanned(data)
    for cut in range(len(data)):
        first = EventScan()
        first.feed_bytes(data[:cut])
        before = values(first)
        again = EventScan.resume(first.state())
        again.feed_bytes(data)
        after = values(again)
        assert {tag: before.get(tag, []) + after.get(tag, []) for tag in whole} == whole
        assert again.counts == reference.counts
        assert again.bad == reference.bad
        assert again.sessions == reference.sessions
        assert again.extent == reference.extent
        assert [again.seen(i) for i in range(again.slot_count)] == [reference.seen(i) for i in range(2)]


def test_a_limit_stops_between_records_and_nothing_is_lost() -> None:
    """Large files come in portions."""
    scan, got = EventScan(), []
    while scan.feed_bytes(SMALL, 2):
        got += values(scan)[b"loss"]
    got += values(scan).get(b"loss", [])
    assert got == [i / 4 for i in range(6)]


def test_values_alike_but_for_the_number_and_values_almost_alike() -> None:
    """The short cut for tensors takes what is alike, and nothing that differs in type, shape, plugin or length."""

    def event(step: int, tensor: TensorProto, plugin: str = "scalars") -> bytes:
        metadata = SummaryMetadata(plugin_data=PluginData(plugin_name=plugin))
        value = SummaryValue(tag="t", tensor=tensor, metadata=metadata)
        return frame(Event(wall_time=1.0, step=step, summary=Summary(value=[value])).encode())

    def content(number: float) -> TensorProto:
        return TensorProto(dtype=1, content=struct.pack("<f", number))

    found, scan = scanned(
        event(1, content(1.5)) + event(2, content(2.5)) + event(200, content(3.5)) + event(4, TensorProto(dtype=1, float_val=[4.5]))
        + event(5, TensorProto(dtype=1, float_val=[5.5])) + event(6, TensorProto(dtype=3, content=struct.pack("<i", 6)))
        + event(7, content(7.5), "scalarz") + event(8, content(8.5)) + event(9, TensorProto(dtype=3, content=struct.pack("<i", 9)))
    )  # fmt: skip
    assert found[b"t"] == [1.5, 2.5, 3.5, 4.5, 5.5, 6, 7.5, 8.5, 9]
    assert scan.counts == (9, 0, 9)


def test_records_larger_than_the_window_are_read(tmp_path: Path) -> None:
    """A blob of some megabytes between scalars."""
    big = frame(Event(wall_time=1.0, step=3, graph_def=os.urandom(3 << 20)).encode())
    path = tmp_path / "f"
    path.write_bytes(SMALL + big + SMALL + big)
    fd = os.open(path, os.O_RDONLY)
    scan = EventScan()
    scan.feed(fd, os.fstat(fd).st_size)
    os.close(fd)
    drained = scan.drain()
    assert [points[0] for _, points, _ in drained if points] == [12]
    assert [blobs[0] for _, _, blobs in drained if blobs] == [2]
    assert scan.counts[1] == 0
