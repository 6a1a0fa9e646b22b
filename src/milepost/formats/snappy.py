"""Snappy blocks, read only. In: compressed bytes. Out: the plain ones, or a FormatError.

TensorFlow never writes them in a checkpoint, but its readers accept them in an index, so ours must.
A block can grow by a factor of 22 at most (a three-byte copy makes 64 bytes): a longer claim is refused before allocating.
"""

from __future__ import annotations

from milepost.errors import FormatError, TruncatedError
from milepost.formats.wire import decode_varint

__all__ = ["MAX_GROWTH", "decompress"]

MAX_GROWTH = 22


def decompress(data: bytes | memoryview) -> bytes:
    """The plain bytes of one raw (unframed) snappy block."""
    view = memoryview(data)
    wanted, at = decode_varint(view, 0)
    if wanted > MAX_GROWTH * len(view) + 64:
        raise FormatError("a snappy block claims more than it can hold", got=wanted, want=f"≤ {MAX_GROWTH * len(view)}")
    out = bytearray()
    end = len(view)
    while at < end:
        tag = view[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = (tag >> 2) + 1
            if length > 60:
                extra = length - 60
                if end - at < extra:
                    raise TruncatedError("a snappy block ends inside a length")
                length = int.from_bytes(view[at : at + extra], "little") + 1
                at += extra
            if length > end - at:
                raise TruncatedError("a snappy literal runs past its block", got=length, want=end - at)
            out += view[at : at + length]
            at += length
        else:
            extra = (0, 1, 2, 4)[kind]
            if end - at < extra:
                raise TruncatedError("a snappy block ends inside a copy")
            offset = int.from_bytes(view[at : at + extra], "little")
            at += extra
            if kind == 1:
                length, offset = (tag >> 2 & 7) + 4, offset | (tag >> 5) << 8
            else:
                length = (tag >> 2) + 1
            if not 0 < offset <= len(out):
                raise FormatError("a snappy copy reaches before its block", got=offset, want=f"1…{len(out)}")
            start = len(out) - offset
            if offset >= length:
                out += out[start : start + length]
            else:  # source and target overlap: the last `offset` bytes repeat
                out += (bytes(out[start:]) * (length // offset + 1))[:length]
        if len(out) > wanted:
            break
    if len(out) != wanted:
        raise FormatError("a snappy block unfolds to another length than it claims", got=len(out), want=wanted)
    return bytes(out)
