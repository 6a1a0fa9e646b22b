"""Hostile media: headers are believed only as far as they can be true, and only types that run nothing pass."""

from __future__ import annotations

import io
import struct
import wave
import zlib

import numpy as np
import pytest
from PIL import Image

from milepost.board.media.sniff import Refused, picture, sound


def png(width: int, height: int, *, pixels: bytes | None = None) -> bytes:
    """A PNG with a true checksum whose header says what it likes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    data = zlib.compress(b"\0" * 10) if pixels is None else pixels
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", data)
        + chunk(b"IEND", b"")
    )


def encoded(kind: str, size: tuple[int, int] = (31, 17)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (10, 200, 30)).save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "mime"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("BMP", "image/bmp"), ("WEBP", "image/webp")],
)
def test_real_pictures_are_known_by_their_header(kind: str, mime: str) -> None:
    found = picture(encoded(kind))
    assert (found.type, found.width, found.height) == (mime, 31, 17)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "SVG"),
        (b'<?xml version="1.0"?><svg/>', "SVG"),
        (b"<!DOCTYPE html><script>alert(1)</script>", "HTML"),
        (png(50_000, 50_000), "50000×50000"),
        (png(8_000, 8_000), "fewer pixels"),
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n", "cut short"),
        (b"GIF89a\x01", "cut short"),
        (b"\xff\xd8\xff\xe0", "no frame"),
        (b"RIFF\x00\x00\x00\x00WEBPxxxx", "no picture"),
        (b"hello", "not a picture"),
    ],
)
def test_hostile_pictures_are_refused_with_a_reason(data: bytes, why: str) -> None:
    with pytest.raises(Refused, match=why):
        picture(data)


def test_a_picture_cut_anywhere_is_refused_or_known_never_a_crash() -> None:
    """Every prefix of every kind gives a value or `Refused`."""
    for kind in ("PNG", "JPEG", "GIF", "BMP", "WEBP"):
        whole = encoded(kind)
        for end in range(len(whole)):
            try:
                picture(whole[:end])
            except Refused:
                pass
    whole = encoded("PNG")
    for end in range(len(whole)):
        with pytest.raises(Refused):
            picture(whole[:end])


def test_a_flipped_header_is_noticed() -> None:
    data = bytearray(encoded("PNG"))
    data[18] ^= 1
    with pytest.raises(Refused, match="checksum"):
        picture(bytes(data))


def wav(seconds: float = 0.1) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(np.zeros((int(8000 * seconds), 2), "<i2").tobytes())
    return out.getvalue()


def test_real_sound_is_measured() -> None:
    found = sound(wav(0.25))
    assert (found.rate, found.channels, found.seconds) == (8000, 2, 0.25)


@pytest.mark.parametrize("end", [0, 4, 11, 12, 20, 30, 43, 44, 100])
def test_cut_sound_is_refused(end: int) -> None:
    with pytest.raises(Refused):
        sound(wav()[:end])


def test_sound_that_makes_no_sense_is_refused() -> None:
    data = bytearray(wav())
    struct.pack_into("<H", data, 22, 0)  # no channels
    with pytest.raises(Refused, match="no sense"):
        sound(bytes(data))
    with pytest.raises(Refused, match="not a WAV"):
        sound(b"ID3" + b"\0" * 100)
