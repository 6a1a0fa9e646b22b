"""PNG, 8 bits a channel. In: a uint8 array [height, width, 1–4]. Out: the file's bytes. Not here: scaling, reading, other depths.

Why not Pillow: this needs only zlib, gives the GIL back while it compresses, and costs no import.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

__all__ = ["encode"]

_COLOUR_TYPE = {1: 0, 2: 4, 3: 2, 4: 6}  # grey, grey + alpha, RGB, RGBA
_FILTERS_FROM = 4096  # bytes; below, a filter gains less than it costs


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))


def _filtered(rows: np.ndarray[Any, Any], channels: int) -> bytes:
    """Each row with its filter byte: of none, left and up, the one whose signed bytes sum to least, as the standard advises."""
    height, width = rows.shape
    out = np.zeros((height, width + 1), np.uint8)
    if rows.size < _FILTERS_FROM:
        out[:, 1:] = rows
        return out.tobytes()
    left = rows.copy()
    left[:, channels:] -= rows[:, :-channels]
    above = rows.copy()
    above[1:] -= rows[:-1]
    ways = (rows, left, above)
    weights = np.stack([np.abs(way.view(np.int8).astype(np.int16)).sum(1, dtype=np.int64) for way in ways])
    best = weights.argmin(0)
    out[:, 0] = best
    for number, way in enumerate(ways):
        chosen = best == number
        out[chosen, 1:] = way[chosen]
    return out.tobytes()


def encode(pixels: np.ndarray[Any, Any], level: int = 6) -> bytes:
    """The PNG of `pixels`."""
    height, width, channels = pixels.shape
    rows = np.ascontiguousarray(pixels, np.uint8).reshape(height, width * channels)
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPE[channels], 0, 0, 0)
    data = zlib.compress(_filtered(rows, channels), level)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")
