"""Typed-array columns in one buffer. In: a header and numpy columns. Out: bytes a browser maps without copying. Nothing about series.

Layout: "MPF1", u32 header length, JSON header padded to a multiple of 8, then the columns, each 8-byte aligned.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.board.http.envelope import encode

__all__ = ["MAGIC", "Columns", "unpack"]

MAGIC = b"MPF1"
TYPES = {"u1": "<u1", "u4": "<u4", "f4": "<f4", "f8": "<f8"}
NAMES = {np.dtype(code): name for name, code in TYPES.items()}
NAMES |= {kind.newbyteorder(">"): name for kind, name in NAMES.items()}


PADDING = [b"\0" * n for n in range(8)]


class Columns:
    """Collects columns; `add` gives the reference that stands in the header."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, column: NDArray[Any]) -> list[Any]:
        name = NAMES[column.dtype]
        data = column.astype(TYPES[name], copy=False).tobytes()
        reference = [name, self._size, len(column)]
        padding = -len(data) % 8
        self._parts.append(data)
        if padding:
            self._parts.append(PADDING[padding])
        self._size += len(data) + padding
        return reference

    def add_steps(self, column: NDArray[np.int64]) -> list[Any]:
        """The same of whole numbers that ascend: their ends tell."""
        base = int(column[0]) if len(column) else 0
        if not len(column) or int(column[-1]) - base < 2**32:
            return [*self.add((column - base).astype(np.uint32)), base]
        return [*self.add(column.astype(np.float64)), 0]

    def add_x(self, column: NDArray[Any]) -> list[Any]:
        """An x column: whole numbers within 32 bits of their least travel as u4 offsets and a base."""
        if column.dtype.kind == "i" and len(column):
            base, top = int(column.min()), int(column.max())
            if top - base < 2**32:
                return [*self.add((column - base).astype(np.uint32)), base]
        return [*self.add(column.astype(np.float64)), 0]

    def pack(self, header: dict[str, Any]) -> bytes:
        text = encode(header)
        text += b" " * (-len(text) % 8)
        return b"".join([MAGIC, struct.pack("<I", len(text)), text, *self._parts])


def unpack(data: bytes) -> tuple[dict[str, Any], Any]:
    """The header, and a function from a column reference to its array: what a client does, for tests and reports."""
    import json

    if data[:4] != MAGIC:
        raise ValueError("not a frame")
    (length,) = struct.unpack_from("<I", data, 4)
    start = 8 + length

    def column(reference: list[Any]) -> NDArray[Any]:
        values = np.frombuffer(data, TYPES[reference[0]], reference[2], start + reference[1])
        return values.astype(np.float64) + reference[3] if len(reference) > 3 else values

    return json.loads(data[8:start]), column
