"""A capture's file as a `Trace`. In: a path. Out: columns, or one error that says what is wrong and where.

Not here: what the bytes mean (`formats.trace`, `formats.xplane`).
"""

from __future__ import annotations

import os
import zlib

from milepost.errors import FormatError, ProfileError, TruncatedError
from milepost.formats.trace import Trace, read_chrome
from milepost.formats.xplane import read_xplane

__all__ = ["MAX_TRACE_BYTES", "load", "read_bytes"]

MAX_TRACE_BYTES = 4 << 30  # after unpacking: a few kilobytes of gzip can announce more than any memory holds
_GZIP = b"\x1f\x8b"


def read_bytes(path: str) -> bytes:
    """The file's bytes, unpacked if they are gzipped, whatever the name says."""
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            if file.read(2) != _GZIP:
                if size > MAX_TRACE_BYTES:
                    raise ProfileError("the trace is too large", where=path, got=size, want=f"≤ {MAX_TRACE_BYTES}")
                file.seek(0)
                return file.read()
            file.seek(0)
            packed = file.read()
    except OSError as error:
        raise ProfileError("the trace cannot be read", where=path, todo=str(error)) from error
    return _unpack(packed, path)


def _unpack(packed: bytes, path: str) -> bytes:
    pieces: list[bytes] = []
    total = 0
    while packed:  # gzip files may be several, one after the other
        stream = zlib.decompressobj(wbits=31)
        try:
            piece = stream.decompress(packed, MAX_TRACE_BYTES - total + 1)
        except zlib.error as error:
            raise FormatError("the trace is no valid gzip file", where=path, todo=str(error)) from error
        total += len(piece)
        pieces.append(piece)
        if total > MAX_TRACE_BYTES:
            raise ProfileError("the trace unpacks to too much", where=path, want=f"≤ {MAX_TRACE_BYTES} bytes")
        if not stream.eof:
            raise TruncatedError("the gzip file ends too early", where=path, todo=f"{total} bytes could be unpacked")
        packed = stream.unused_data
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def load(path: str) -> Trace:
    """Columns of the trace in that file."""
    data = read_bytes(path)
    try:
        # JSON begins with a bracket; an XSpace with the tag of its first plane.
        if data[:64].lstrip()[:1] in (b"{", b"["):
            return read_chrome(data)
        if ".xplane.pb" in os.path.basename(path):
            return read_xplane(data)
    except FormatError as error:
        raise type(error)(
            error.what, where=_place(path, error), got=error.got, want=error.want, todo=error.todo
        ) from error
    raise FormatError("neither trace JSON nor an XPlane", where=path, got=repr(data[:12]), want="a trace")


def _place(path: str, error: FormatError) -> str:
    return path if error.where is None else f"{path}, {error.where}"
