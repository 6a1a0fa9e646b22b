"""The native buffer writes the same bytes as the readable codec and framing, for every tag, step, time and value."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost._native.event_buffer import EventBuffer, Template
from milepost.formats.event import Event
from milepost.formats.record import frame, records
from milepost.formats.scalar_event import clean_tag, simple_template, tensor_template

TAGS = st.text(max_size=40)
STEPS = st.integers(-(2**63), 2**63 - 1)
TIMES = st.floats(0, 4e9)


@given(tag=TAGS, step=STEPS, moment=TIMES, value=st.floats(width=32), description=st.text(max_size=10))
def test_scalars_are_whole_events(tag: str, step: int, moment: float, value: float, description: str) -> None:
    """A tensor scalar and a simple one decode to what went in, bit for bit."""
    buffer = EventBuffer(1 << 20)
    assert buffer.append_scalar(tensor_template(tag, description), value, step, moment) == 2
    assert buffer.append_scalar(simple_template(tag), value, step, moment) == 1
    assert buffer.records == 2
    first, second = (Event.decode(payload) for payload in records(buffer.take()))
    for event in (first, second):
        assert (event.step, event.wall_time) == (step, moment)
        assert event.summary is not None
        assert event.summary.value[0].tag == clean_tag(tag)
    assert first.summary is not None
    tensor, metadata = first.summary.value[0].tensor, first.summary.value[0].metadata
    assert tensor is not None
    assert tensor.content == struct.pack("<f", value)
    assert metadata is not None
    assert metadata.summary_description == description
    assert second.summary is not None
    assert struct.pack("<f", second.summary.value[0].simple_value) == struct.pack("<f", value)


@given(value=st.floats())
def test_double_precision_is_exact(value: float) -> None:
    """A float64 keeps all its bits."""
    buffer = EventBuffer(1 << 20)
    buffer.append_scalar(tensor_template("x", double_precision=True), value, 1, 2.0)
    (payload,) = records(buffer.take())
    event = Event.decode(payload)
    assert event.summary is not None
    assert event.summary.value[0].tensor is not None
    assert event.summary.value[0].tensor.content == struct.pack("<d", value)


@given(payloads=st.lists(st.binary(max_size=300), max_size=20))
def test_whole_payloads_are_framed_like_the_readable_codec(payloads: list[bytes]) -> None:
    """`append` is `formats.record.frame`."""
    buffer = EventBuffer(1 << 20)
    for payload in payloads:
        buffer.append(payload)
    chunks: list[bytes] = []
    buffer.take_into(chunks)
    assert b"".join(chunks) == b"".join(map(frame, payloads))
    assert len(buffer) == buffer.records == 0


def test_limit_and_wake() -> None:
    """A full buffer refuses, an empty one takes a record of any size, and `wake_at` is answered once."""
    buffer = EventBuffer(1 << 14)
    buffer.wake_at = 3
    answers = [buffer.append(b"x" * 5000) for _ in range(5)]
    assert answers == [1, 1, 2, 0, 0]
    buffer.take()
    assert buffer.append(b"x" * (1 << 20)) == 1
    buffer.urgent = True
    assert buffer.append(b"") == 0
    buffer.take()
    assert [buffer.append(b"") for _ in range(3)] == [2, 2, 2]


@pytest.mark.parametrize("from_end", [3, 0, -1, 100])
def test_a_hole_must_lie_inside(from_end: int) -> None:
    """A template cannot write outside itself."""
    with pytest.raises(ValueError, match="outside"):
        Template(b"12345678", from_end)


def test_tags_are_valid_utf8() -> None:
    """One bad byte in a tag would cost a protobuf reader the whole event: it is written as an escape."""
    assert clean_tag(b"\xff\xfeloss") == "\\xff\\xfeloss"
    assert clean_tag("a\udcffb") == "a\\udcffb"
    assert clean_tag("\ud800") == "\\ud800"
    assert clean_tag("损失") == "损失"
