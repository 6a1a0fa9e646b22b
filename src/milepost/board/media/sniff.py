"""What media bytes really are. In: bytes from a log. Out: type and size, read from the header alone; or why they will not be shown.

Nothing is decoded here: a header that announces too much is refused before anybody allocates for it, and only types that a
browser shows without running anything pass (no SVG, no HTML, no XML).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

__all__ = ["MAX_PIXELS", "Picture", "Refused", "Sound", "picture", "sound"]

MAX_PIXELS = 64_000_000
MAX_SIDE = 32_767
MAX_MEDIA_BYTES = 256 * 1024 * 1024
# zlib cannot pack tighter than about 1032:1; a PNG whose data is smaller than this could not hold its announced rows.
MAX_DEFLATE_RATIO = 1040


class Refused(ValueError):
    """Bytes the board will not show, with the reason."""


@dataclass(frozen=True, slots=True)
class Picture:
    type: str
    width: int
    height: int
    frames: int = 1


@dataclass(frozen=True, slots=True)
class Sound:
    type: str
    rate: int
    channels: int
    seconds: float


def picture(data: bytes) -> Picture:
    """Type and size of a PNG, JPEG, GIF, BMP or WebP."""
    if not data:
        raise Refused("the picture is empty")
    if len(data) > MAX_MEDIA_BYTES:
        raise Refused(f"the picture has {len(data)} bytes, more than {MAX_MEDIA_BYTES}")
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            found = _png(data)
        elif data.startswith(b"\xff\xd8\xff"):
            found = _jpeg(data)
        elif data[:6] in (b"GIF87a", b"GIF89a"):
            found = Picture("image/gif", *struct.unpack_from("<HH", data, 6))
        elif data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
            found = Picture("image/bmp", width, abs(height))
        elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            found = _webp(data)
        else:
            head = data[:256].lstrip().lower()
            kind = (
                "an SVG or HTML document"
                if head.startswith((b"<svg", b"<?xml", b"<!doctype", b"<html", b"<!--"))
                else "not a picture the board knows"
            )
            raise Refused(f"this is {kind}; PNG, JPEG, GIF, BMP and WebP are shown")
    except struct.error:
        raise Refused("the picture is cut short") from None
    if not (0 < found.width <= MAX_SIDE and 0 < found.height <= MAX_SIDE) or found.width * found.height > MAX_PIXELS:
        raise Refused(f"the picture announces {found.width}×{found.height} pixels, more than is shown")
    return found


def _png(data: bytes) -> Picture:
    length, kind, width, height, depth, colour = struct.unpack_from(">I4sIIBB", data, 8)
    if kind != b"IHDR" or length != 13:
        raise Refused("the PNG does not begin with its header")
    if zlib.crc32(data[12:29]) != struct.unpack_from(">I", data, 29)[0]:
        raise Refused("the PNG's header fails its checksum")
    if 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and width * height <= MAX_PIXELS:
        _png_chunks(data, width, height, depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(colour, 4))
    return Picture("image/png", width, height)


def _png_chunks(data: bytes, width: int, height: int, bits: int) -> None:
    """Every chunk lies inside the file, there are pixels, and text chunks hide no bomb."""
    at, pixels, ended = 8, 0, False
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if at + 12 + length > len(data):
            raise Refused("the PNG is cut short")
        if kind == b"IDAT":
            pixels += length
        elif kind == b"IEND":
            ended = True
            break
        at += 12 + length
    if not ended or not pixels:
        raise Refused("the PNG is cut short")
    if pixels * MAX_DEFLATE_RATIO + 4096 < (width * bits // 8) * height:
        raise Refused("the PNG holds fewer pixels than it announces")


def _jpeg(data: bytes) -> Picture:
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            raise Refused("the JPEG's markers are broken")
        marker = data[at + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 0x01:
            at += 1 if marker == 0xFF else 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return Picture("image/jpeg", width, height)
        if length < 2:
            break
        at += 2 + length
    raise Refused("the JPEG has no frame header")


def _webp(data: bytes) -> Picture:
    kind = data[12:16]
    if kind == b"VP8X":
        width = int.from_bytes(data[24:27], "little") + 1
        height = int.from_bytes(data[27:30], "little") + 1
    elif kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 ":
        width, height = (v & 0x3FFF for v in struct.unpack_from("<HH", data, 26))
    else:
        raise Refused("the WebP has no picture in it")
    return Picture("image/webp", width, height)


def sound(data: bytes) -> Sound:
    """Rate, channels and length of a WAV. The announced sizes must lie inside the bytes."""
    if len(data) > MAX_MEDIA_BYTES:
        raise Refused(f"the sound has {len(data)} bytes, more than {MAX_MEDIA_BYTES}")
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise Refused("this is not a WAV file")
    at, form = 12, None
    while at + 8 <= len(data):
        kind, length = struct.unpack_from("<4sI", data, at)
        body = at + 8
        if kind == b"fmt ":
            if length < 16 or body + 16 > len(data):
                raise Refused("the WAV's format chunk is cut short")
            form = struct.unpack_from("<HHIIHH", data, body)
        elif kind == b"data":
            if form is None:
                raise Refused("the WAV has no format before its data")
            code, channels, rate, _, align, bits = form
            if (
                code not in (1, 3, 6, 7, 0xFFFE)
                or not 0 < channels <= 64
                or not 0 < rate <= 1_000_000
                or bits not in (8, 16, 24, 32, 64)
            ):
                raise Refused("the WAV's format makes no sense")
            if align != channels * bits // 8:
                raise Refused("the WAV's frame size makes no sense")
            # writers that stream leave the length at its maximum; anything else beyond the end is a cut file
            if body + length > len(data) and length != 0xFFFFFFFF:
                raise Refused("the WAV is cut short")
            return Sound("audio/wav", rate, channels, min(length, len(data) - body) / align / rate)
        at = body + length + (length & 1)
    raise Refused("the WAV holds no sound")
