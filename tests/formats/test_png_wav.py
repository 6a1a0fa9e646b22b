"""Images and sounds we encode are what other programs decode."""

from __future__ import annotations

import io
import wave
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from milepost.formats import png, wav

PIXELS = st.tuples(st.integers(1, 90), st.integers(1, 90), st.integers(1, 4)).flatmap(
    lambda shape: hnp.arrays(np.uint8, shape, elements=st.integers(0, 255), fill=st.integers(0, 255))
)


@given(pixels=PIXELS)
def test_png_is_what_pillow_decodes(pixels: np.ndarray[Any, Any]) -> None:
    """Any size, 1–4 channels, with and without row filters, pixel for pixel."""
    decoded = np.asarray(Image.open(io.BytesIO(png.encode(pixels))))
    assert np.array_equal(decoded.reshape(pixels.shape), pixels)


def test_filters_make_photographs_smaller() -> None:
    """A smooth picture is smaller than its raw rows compressed."""
    y, x = np.mgrid[:256, :256]
    smooth = np.stack([x, y, (x + y) // 2], 2).astype(np.uint8) + np.random.default_rng(0).integers(
        0, 3, (256, 256, 3), np.uint8
    )
    import zlib

    assert len(png.encode(smooth)) < 0.8 * len(zlib.compress(smooth.tobytes(), 6))


def test_wav_is_what_wave_decodes() -> None:
    """Rate, channels and samples."""
    samples = np.array([[0, -1], [32767, -32768]], np.int16)
    with wave.open(io.BytesIO(wav.encode(samples, 8000))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate(), file.getnframes()) == (2, 2, 8000, 2)
        assert file.readframes(2) == samples.tobytes()
