"""String tensors in a data file. In: a list of byte strings. Out: their bytes and checksum, or back.

    varint length… | masked crc32c of the lengths: 4 bytes | the strings one after another

The checksum runs over each length as a little-endian uint32 (uint64 from 2**32 on) and not over its varint, then over
the four checksum bytes, then over the strings. Not here: shapes and keys (`bundle`).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from milepost._native.crc32c import crc32c, mask
from milepost.errors import CorruptionError, FormatError, TruncatedError
from milepost.formats.wire import decode_varint, encode_varint

__all__ = ["decode_strings", "encode_strings"]


def _length_bytes(length: int) -> bytes:
    return struct.pack("<I", length) if length <= 0xFFFF_FFFF else struct.pack("<Q", length)


def encode_strings(strings: Sequence[bytes]) -> tuple[bytes, int]:
    """The tensor's bytes and its unmasked crc."""
    crc = crc32c(b"".join(_length_bytes(len(s)) for s in strings))
    check = struct.pack("<I", mask(crc))
    body = b"".join(strings)
    crc = crc32c(body, crc32c(check, crc))
    return b"".join([*(encode_varint(len(s)) for s in strings), check, body]), crc


def decode_strings(data: memoryview, count: int, *, where: str, crc: int | None) -> list[bytes]:
    """The `count` strings of a tensor. `crc` is the masked checksum to hold, None to believe the bytes."""
    if count + 4 > len(data):
        raise TruncatedError("a string tensor is too short for its shape", where=where, got=len(data), want=count + 4)
    lengths, at = [], 0
    try:
        for _ in range(count):
            length, at = decode_varint(data, at)
            lengths.append(length)
    except FormatError as error:
        raise FormatError(f"a string tensor's lengths are damaged: {error}", where=where) from None
    if at + 4 + sum(lengths) != len(data):
        raise FormatError(
            "a string tensor's lengths do not add up", where=where, got=at + 4 + sum(lengths), want=len(data)
        )
    if crc is not None:
        found = crc32c(b"".join(map(_length_bytes, lengths)))
        if struct.pack("<I", mask(found)) != data[at : at + 4] or mask(crc32c(data[at:], found)) != crc:
            raise CorruptionError(
                "the tensor does not match its checksum", where=where, got=f"{mask(crc32c(data[at:], found)):08x}",
                want=f"{crc:08x}",
            )  # fmt: skip
    at += 4
    out = []
    for length in lengths:
        out.append(bytes(data[at : at + length]))
        at += length
    return out
