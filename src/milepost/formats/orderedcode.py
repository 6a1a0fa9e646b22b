"""OrderedCode, the byte order-preserving spelling of slice keys. In: names and numbers. Out: bytes that sort alike.

A tensor saved in parts has one entry per part, under `slice_key(name, part)`. Not here: which parts there are (`bundle`).
"""

from __future__ import annotations

import re

from milepost.errors import FormatError

__all__ = ["FULL", "Slice", "encode_number", "encode_signed", "encode_string", "slice_key"]

Slice = tuple[tuple[int, int], ...]  # (start, length) per dimension; length -1: the whole dimension
FULL = (0, -1)
_SPECIAL = re.compile(rb"[\0\xff]")


def encode_number(value: int) -> bytes:
    """A length byte, then the value, big-endian and minimal."""
    size = (value.bit_length() + 7) // 8
    return bytes((size,)) + value.to_bytes(size, "big")


def encode_string(text: bytes) -> bytes:
    """00 → 00 ff, ff → ff 00, then 00 01: no string is a prefix of another's code."""
    return _SPECIAL.sub(lambda found: b"\0\xff" if found[0] == b"\0" else b"\xff\0", text) + b"\0\x01"


def encode_signed(value: int) -> bytes:
    """One to ten bytes; as many leading header bits as bytes, inverted for negatives."""
    if -64 <= value < 64:
        return bytes((0x80 ^ (value & 0xFF),))
    magnitude = value if value >= 0 else ~value
    size = magnitude.bit_length() // 7 + 1
    if size > 10:
        raise FormatError("a slice number needs more than 64 bits", got=value)
    body = bytearray((value & (1 << 8 * size) - 1).to_bytes(size, "big"))
    header = ((1 << size) - 1) << (16 - size)  # `size` ones from the top of two bytes
    body[0] ^= header >> 8
    if size > 1:
        body[1] ^= header & 0xFF
    return bytes(body)


def slice_key(name: bytes, part: Slice) -> bytes:
    """The index key of one part of tensor `name`."""
    out = [encode_number(0), encode_string(name), encode_number(len(part))]
    for start, length in part:
        out += (encode_signed(start), encode_signed(length))
    return b"".join(out)
