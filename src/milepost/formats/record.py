"""TFRecord framing: `u64 length | u32 masked crc of it | data | u32 masked crc of data`, all little-endian.

In: payload bytes. Out: framed bytes, or payloads with the place where the good bytes end.
A file that is still being written ends anywhere, so a short tail is a *value* (`ScanEnd.TAIL`), not an error.
Not here: files, events, the native scan of whole logs (`_native.scan`).
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from milepost._native.crc32c import masked_crc32c
from milepost.errors import CorruptionError

__all__ = ["HEADER_BYTES", "MAX_RECORD_BYTES", "OVERHEAD_BYTES", "RecordEnd", "ScanEnd", "frame", "records"]

HEADER_BYTES = 12
FOOTER_BYTES = 4
OVERHEAD_BYTES = HEADER_BYTES + FOOTER_BYTES
MAX_RECORD_BYTES = 1 << 31  # protobuf's own limit; a longer length is damage, not data

_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")


def frame(payload: bytes | bytearray | memoryview) -> bytes:
    """One record, ready to be appended to a file."""
    length = _LENGTH.pack(len(payload))
    return b"".join((length, _CRC.pack(masked_crc32c(length)), payload, _CRC.pack(masked_crc32c(payload))))


class ScanEnd(enum.Enum):
    CLEAN = "clean"  # the bytes end where a record ends
    TAIL = "tail"  # the last record is not (yet) whole


@dataclass(slots=True)
class RecordEnd:
    """Filled in when `records` is exhausted: where the next record begins and how the bytes ended."""

    offset: int = 0
    how: ScanEnd = ScanEnd.CLEAN


def records(data: bytes | bytearray | memoryview, end: RecordEnd | None = None) -> Iterator[memoryview]:
    """The payloads in `data`, each checksum verified. Raises CorruptionError at the first bad one."""
    view, at = memoryview(data), 0
    end = end or RecordEnd()
    while at < len(view):
        if len(view) - at < HEADER_BYTES:
            end.how = ScanEnd.TAIL
            break
        length = _LENGTH.unpack_from(view, at)[0]
        if _CRC.unpack_from(view, at + 8)[0] != masked_crc32c(view[at : at + 8]) or length > MAX_RECORD_BYTES:
            raise CorruptionError("record length does not match its checksum", where=f"byte {at}")
        begin = at + HEADER_BYTES
        if len(view) - begin < length + FOOTER_BYTES:
            end.how = ScanEnd.TAIL
            break
        payload = view[begin : begin + length]
        if _CRC.unpack_from(view, begin + length)[0] != masked_crc32c(payload):
            raise CorruptionError("record does not match its checksum", where=f"byte {at}")
        at = begin + length + FOOTER_BYTES
        end.offset = at
        yield payload
