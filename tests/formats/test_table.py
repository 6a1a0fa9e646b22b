"""LevelDB tables: what is built is read back; damage is named; hostile tables stay bounded."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost._native.crc32c import masked_crc32c
from milepost.errors import CorruptionError, FormatError, TruncatedError
from milepost.formats import snappy, table
from milepost.formats.wire import encode_varint

pairs = st.dictionaries(st.binary(max_size=40), st.binary(max_size=300), min_size=1, max_size=80)


def built(rows: dict[bytes, bytes]) -> bytes:
    keys = sorted(rows)
    return table.build(keys, [rows[key] for key in keys])


@given(pairs)
def test_tables_come_back(rows: dict[bytes, bytes]) -> None:
    """Any set of keys and values survives, in key order."""
    read = table.parse(built(rows))
    assert dict(zip(read.keys, read.values, strict=True)) == rows
    assert read.keys == sorted(rows)


def test_large_tables_have_several_blocks() -> None:
    """Beyond the block size a new block begins, and an entry of twice the block size gets one of its own."""
    rows = {f"key{i:06d}".encode(): bytes([i % 251]) * 100 for i in range(8000)}
    rows[b"key000100x"] = b"z" * (2 * table.BLOCK_BYTES)
    data = built(rows)
    read = table.parse(data)
    assert dict(zip(read.keys, read.values, strict=True)) == rows


def test_every_flipped_bit_of_a_block_is_noticed() -> None:
    """No damage to a table goes by unnoticed, wherever it is."""
    data = built({f"k{i}".encode(): b"v" * i for i in range(30)})
    for bit in range(8 * len(data)):
        bad = bytearray(data)
        bad[bit // 8] ^= 1 << bit % 8
        with pytest.raises(FormatError):
            table.parse(bytes(bad), where="x.index")


def test_errors_name_the_block() -> None:
    """A bad checksum names file and byte."""
    data = bytearray(built({b"a": b"1"}))
    data[0] ^= 1
    with pytest.raises(CorruptionError, match=r"x\.index at byte 0.*checksum"):
        table.parse(data, where="x.index")


@pytest.mark.parametrize("size", [0, 1, 47])
def test_short_files_are_truncated(size: int) -> None:
    """Fewer bytes than a footer are called too short."""
    with pytest.raises(TruncatedError, match="too short"):
        table.parse(bytes(size))


def test_other_files_are_no_tables() -> None:
    """The magic number decides."""
    with pytest.raises(FormatError, match="magic"):
        table.parse(b"PK" * 100)


def _raw_table(blocks: list[bytes], handles: list[tuple[bytes, int, int]] | None = None) -> bytes:
    """A table from block contents, each with a right checksum: what a hostile writer would make."""
    out = bytearray()
    places = []
    for block in blocks:
        places.append((len(out), len(block)))
        out += block + b"\0" + struct.pack("<I", masked_crc32c(block + b"\0"))
    rows = handles if handles is not None else [(bytes([0xFE, i]), *p) for i, p in enumerate(places)]
    body = b"".join(
        encode_varint(0) + encode_varint(len(k)) + encode_varint(len(h := encode_varint(at) + encode_varint(n))) + k + h
        for k, at, n in rows
    ) + struct.pack("<II", 0, 1)
    meta_at = len(out)
    out += TAIL + b"\0" + struct.pack("<I", masked_crc32c(TAIL + b"\0"))
    at = len(out)
    out += body + b"\0" + struct.pack("<I", masked_crc32c(body + b"\0"))
    footer = encode_varint(meta_at) + encode_varint(len(TAIL)) + encode_varint(at) + encode_varint(len(body))
    return bytes(out) + footer.ljust(40, b"\0") + table.MAGIC


def _entry(shared: int, key: bytes, value: bytes) -> bytes:
    return encode_varint(shared) + encode_varint(len(key)) + encode_varint(len(value)) + key + value


TAIL = struct.pack("<II", 0, 1)


@pytest.mark.parametrize(
    ("block", "says"),
    [
        (encode_varint(0) + encode_varint(2**60) + encode_varint(1) + b"x" + TAIL, "runs past"),
        (encode_varint(5) + encode_varint(1) + encode_varint(1) + b"xy" + TAIL, "shares more"),
        (_entry(0, b"b", b"") + _entry(0, b"a", b"") + TAIL, "order"),
        (b"\xff" * 12 + TAIL, "run past"),
        (struct.pack("<I", 2**31), "restart list"),
        (b"\0", "restart count"),
    ],
)
def test_hostile_blocks(block: bytes, says: str) -> None:
    """Lengths that lie are refused before anything is read or allocated, though the checksum is right."""
    with pytest.raises(FormatError, match=says):
        table.parse(_raw_table([block]))


def test_a_block_cannot_be_named_twice() -> None:
    """An index that leads to the same block again and again ends with an error, not with endless memory."""
    block = _entry(0, b"a", b"1") + TAIL
    with pytest.raises(FormatError, match="order"):
        table.parse(_raw_table([block], [(b"x", 0, len(block)), (b"y", 0, len(block))]))


def test_key_bombs_are_bounded() -> None:
    """Prefix compression cannot unfold a small file to gigabytes of keys."""
    long = b"k" * (1 << 20)
    body = _entry(0, long, b"") + b"".join(_entry(len(long), i.to_bytes(3, "big"), b"") for i in range(100_000))
    with pytest.raises(FormatError, match="unfold"):
        table.parse(_raw_table([body + TAIL]))


def test_snappy_blocks_are_read() -> None:
    """Type 1 blocks: literals, and copies with one and two byte offsets, overlapping ones included."""
    plain = b"abcd" * 20 + b"xyz"
    packed = encode_varint(len(plain)) + bytes([3 << 2]) + b"abcd" + bytes([(63 << 2) | 2, 4, 0])
    packed += bytes([((8 - 4) << 2) | 1, 4]) + bytes([((4 - 4) << 2) | 1, 4]) + bytes([2 << 2]) + b"xyz"
    assert snappy.decompress(packed) == plain


@pytest.mark.parametrize(
    "bad", [b"\xff\xff\xff\xff\x0f\x00a", b"\x05\x01\x00", b"\x04\x0cab", b"\x02\x00a", b"\x01\x04ab", b""]
)
def test_bad_snappy_is_refused(bad: bytes) -> None:
    """Claims beyond what can be there, copies from nowhere, literals past the end."""
    with pytest.raises(FormatError):
        snappy.decompress(bad)


@given(st.binary(max_size=200))
def test_any_bytes_as_snappy(data: bytes) -> None:
    """Random bytes give bytes or a FormatError, nothing else."""
    try:
        snappy.decompress(data)
    except FormatError:
        pass
