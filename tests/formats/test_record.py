"""TFRecord framing: exact bytes, a short tail is a value, damage is an error with its place."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.errors import CorruptionError
from milepost.formats.record import MAX_RECORD_BYTES, RecordEnd, ScanEnd, frame, masked_crc32c, records


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_what_is_framed_is_read(payloads: list[bytes]) -> None:
    """Every payload, empty ones too, in order; the end is clean and at the end."""
    data, end = b"".join(map(frame, payloads)), RecordEnd()
    assert [bytes(p) for p in records(data, end)] == payloads
    assert end == RecordEnd(len(data), ScanEnd.CLEAN)


def test_truncation_at_every_byte_is_a_tail() -> None:
    """A live file ends anywhere: whole records are read, the rest waits at its offset."""
    first, second = frame(b"first"), frame(b"second record")
    data = first + second
    for size in range(len(first), len(data)):
        end = RecordEnd()
        assert [bytes(p) for p in records(data[:size], end)] == [b"first"]
        assert end.offset == len(first)
        assert end.how is (ScanEnd.CLEAN if size == len(first) else ScanEnd.TAIL)


def test_every_bit_flip_is_noticed() -> None:
    """In length, checksum and payload alike; never a wrong payload."""
    data = frame(b"some payload")
    for bit in range(len(data) * 8):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CorruptionError, match="byte 0"):
            list(records(damaged))


def test_a_huge_length_is_damage_even_with_a_right_checksum() -> None:
    """Nothing is allocated for what a hostile header announces."""
    length = struct.pack("<Q", MAX_RECORD_BYTES + 1)
    with pytest.raises(CorruptionError):
        list(records(length + struct.pack("<I", masked_crc32c(length)) + b"x" * 100))
