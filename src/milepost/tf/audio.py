"""`tf.audio`: 16-bit PCM WAV files as float32 samples in [-1, 1], and back. In: bytes. Out: bytes."""

from __future__ import annotations

import io
import wave
from typing import Any, NamedTuple

import numpy as np

from milepost.tf.convert import constant, convert_to_tensor
from milepost.tf.failures import InvalidArgumentError
from milepost.tf.tensor import Tensor

__all__ = ["DecodeWav", "decode_wav", "encode_wav"]

_SCALE = 32768.0
_SAMPLE_BYTES = 2


class DecodeWav(NamedTuple):
    """Samples by channels, and the samples in a second."""

    audio: Tensor
    sample_rate: Tensor


def decode_wav(contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None) -> DecodeWav:  # fmt: skip
    """The sound of a WAV file's bytes; cut or filled with silence to `desired_samples`, its last channel repeated to `desired_channels`."""
    data = bytes(np.asarray(convert_to_tensor(contents).numpy()).item())
    try:
        with wave.open(io.BytesIO(data)) as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            frames = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise InvalidArgumentError(f"Header mismatch: this is not a PCM WAV file ({error}).") from None
    if width != _SAMPLE_BYTES:
        raise InvalidArgumentError(f"Can only read 16-bit WAV files, but received {8 * width}")
    samples = np.frombuffer(frames[: len(frames) - len(frames) % (channels * width)], "<i2").reshape(-1, channels)
    sound = samples.astype(np.float32) / np.float32(_SCALE)
    if desired_channels > 0:
        sound = sound[:, np.minimum(np.arange(desired_channels), channels - 1)]
    if desired_samples > 0:
        sound = np.pad(sound[:desired_samples], ((0, max(0, desired_samples - len(sound))), (0, 0)))
    return DecodeWav(constant(sound), constant(rate, "int32"))


def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """The bytes of a WAV file with these samples (samples by channels); what is outside [-1, 1] is clipped."""
    sound = np.asarray(convert_to_tensor(audio, "float32").numpy())
    if sound.ndim != 2:
        raise InvalidArgumentError(f"audio must be 2-dimensional but got shape {list(sound.shape)}")
    steps = np.clip(np.rint(sound * np.float32(_SCALE)), -_SCALE, _SCALE - 1).astype("<i2")
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(sound.shape[1])
        file.setsampwidth(_SAMPLE_BYTES)
        file.setframerate(int(convert_to_tensor(sample_rate).numpy()))
        file.writeframes(steps.tobytes())
    return constant(made.getvalue())
