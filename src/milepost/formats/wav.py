"""WAV, 16-bit PCM. In: int16 samples [frames, channels], a rate. Out: the file's bytes. Not here: floats, other encodings."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

__all__ = ["encode"]


def encode(samples: np.ndarray[Any, Any], sample_rate: int) -> bytes:
    """The WAV of `samples`."""
    channels = samples.shape[1]
    data = np.ascontiguousarray(samples, "<i2").tobytes()
    form = struct.pack("<HHIIHH", 1, channels, sample_rate, sample_rate * channels * 2, channels * 2, 16)
    return b"".join(
        (
            b"RIFF",
            struct.pack("<I", 36 + len(data)),
            b"WAVEfmt ",
            struct.pack("<I", 16),
            form,
            b"data",
            struct.pack("<I", len(data)),
            data,
        )
    )
