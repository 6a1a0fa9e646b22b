"""XPlanes of TensorFlow and jax become the same columns as traces; damage is one clear error."""

from __future__ import annotations

import random

import pytest

from milepost.errors import FormatError, MilepostError
from milepost.formats.wire import encode_varint
from milepost.formats.xplane import XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata, read_xplane


def line(name: str, start_ns: int, *events: XEvent) -> bytes:
    bodies = [event.encode() for event in events]
    return XLine(id=3, name=name, timestamp_ns=start_ns).encode() + b"".join(
        bytes((4 << 3 | 2,)) + encode_varint(len(body)) + body for body in bodies
    )


def space() -> bytes:
    step = XStat(metadata_id=1, int64_value=12)
    events = [
        XEvent(metadata_id=1, offset_ps=0, duration_ps=10_000_000, stats=[step]),
        XEvent(metadata_id=2, offset_ps=2_000_000, duration_ps=3_000_000, stats=[XStat(metadata_id=2, ref_value=3)]),
        XEvent(metadata_id=99, offset_ps=6_000_000, duration_ps=1),
    ]
    plane = XPlane(
        name="/host:CPU",
        lines=[line("python", 5_000, *events)],
        event_metadata={
            1: XEventMetadata(id=1, name="train"),
            2: XEventMetadata(id=2, name="x", display_name="MatMul"),
        },
        stat_metadata={
            1: XStatMetadata(id=1, name="step_num"),
            2: XStatMetadata(id=2, name="tf_op"),
            3: XStatMetadata(id=3, name="matmul_1"),
        },
    )
    return XSpace(planes=[plane], hostnames=["here"]).encode()


def test_planes_lines_names_steps_and_stats():
    trace = read_xplane(space())
    assert [trace.strings[i] for i in trace.name] == ["train", "MatMul", ""]
    assert trace.start.tolist() == [0, 2000, 6000]
    assert trace.duration.tolist() == [10_000, 3000, 0]
    assert trace.parent.tolist() == [-1, 0, 0]
    assert trace.step.tolist() == [12, -1, -1]
    assert trace.arguments(int(trace.args[0])) == {"step_num": 12}
    assert trace.arguments(int(trace.args[1])) == {"tf_op": "matmul_1"}
    assert (trace.tracks[0].process, trace.tracks[0].thread) == ("/host:CPU", "python")


@pytest.mark.parametrize("data", [b"", b"hello", b"\x00\x01", b"\xff" * 40, b"\x0a\xff\xff\xff\xff\x7f"])
def test_what_is_no_xplane_is_refused(data):
    with pytest.raises(FormatError):
        read_xplane(data)


def test_random_damage_never_crashes():
    chance, whole = random.Random(3), space()
    for _ in range(5000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)) :]
        try:
            trace = read_xplane(bytes(data))
        except MilepostError:
            continue
        for place in trace.args.tolist():
            trace.arguments(place)
