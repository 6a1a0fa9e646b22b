"""Images and audio. In: arrays [k, height, width, channels] or [k, frames, channels]. Out: events with PNG or WAV inside.

The caller pays for a copy of at most `max_outputs` items; scaling and compression happen on the log's thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.engines.host import to_host
from milepost.errors import SummaryError
from milepost.formats import png, wav
from milepost.formats.event import TensorProto
from milepost.formats.plugins import AUDIO, IMAGES, WAV, AudioPluginData
from milepost.formats.tensor_proto import from_array
from milepost.summary.context import current, resolve_step
from milepost.summary.emit import later, metadata_for, recorder

__all__ = ["audio", "image", "to_pcm", "to_pixels"]


def _limited(what: str, data: Any, rank: int, axes: str, max_outputs: int) -> tuple[np.ndarray[Any, Any], int]:
    """The first `max_outputs` items on the host; only they are copied."""
    if not hasattr(data, "shape"):
        data = to_host(data)
    if len(data.shape) != rank:
        raise SummaryError(f"{what} have the shape {axes}", got=f"shape {tuple(data.shape)}", want=f"rank {rank}")
    if max_outputs < 0:
        raise SummaryError("max_outputs is a count", got=max_outputs, want="0 or more")
    taken = to_host(data[:max_outputs])
    if taken.dtype.kind not in "fiub":
        raise SummaryError(f"{what} are numbers", got=taken.dtype, want="floats or integers")
    return taken, int(data.shape[0])


def to_pixels(images: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """uint8 from floats in [0, 1] or from integers over their whole range, saturating: TensorFlow's own arithmetic."""
    if images.dtype == np.uint8:
        return images
    if images.dtype.kind == "b":
        return images.astype(np.uint8) * 255
    if images.dtype.kind == "f":
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = images * images.dtype.type(255.5)  # so that 1.0 gives 255 and n/255 gives n
            pixels: np.ndarray[Any, Any] = np.nan_to_num(scaled.clip(0, 255), nan=0.0).astype(np.uint8)
            return pixels
    top = np.iinfo(images.dtype).max
    if top > 255:
        return (images // ((top + 1) // 256)).clip(0, 255).astype(np.uint8)
    return images.clip(0, 255).astype(np.uint8) * ((255 + 1) // (top + 1))


def image(name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None) -> bool:
    """Write up to `max_outputs` images of a batch [k, height, width, channels].

    1 channel is grey, 2 grey and alpha, 3 RGB, 4 RGBA. Floats lie in [0, 1], uint8 in [0, 255]; what lies outside is clipped.
    """
    writer = recorder()
    if writer is None:
        return False
    step = resolve_step(step)
    images, _ = _limited("images", data, 4, "[k, height, width, channels]", max_outputs)
    height, width, channels = images.shape[1:]
    if channels not in (1, 2, 3, 4):
        raise SummaryError("images have 1 to 4 channels", got=channels, want="1, 2, 3 or 4")
    if height == 0 or width == 0:
        raise SummaryError("an image has at least one pixel", got=f"{height}×{width}")

    def make() -> TensorProto:
        encoded = [png.encode(pixels) for pixels in to_pixels(images)]
        return from_array([str(width).encode(), str(height).encode(), *encoded])

    return later(writer, current.scope + name, make, metadata_for(IMAGES, description), step, images.nbytes)


def to_pcm(samples: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """16-bit samples from floats in [-1, 1], saturating."""
    scaled = np.nan_to_num(samples.astype(np.float32).clip(-1, 1)) * np.float32(32768)
    rounded: np.ndarray[Any, Any] = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    return rounded.clip(-32768, 32767).astype(np.int16)


def audio(
    name: str, data: Any, sample_rate: int, step: Any = None, max_outputs: int = 3, encoding: str | None = None,
    description: str | None = None,
) -> bool:  # fmt: skip
    """Write up to `max_outputs` clips of a batch [k, frames, channels] of floats in [-1, 1], as 16-bit WAV."""
    writer = recorder()
    if writer is None:
        return False
    if encoding is None:
        encoding = "wav"
    if encoding != "wav":
        raise SummaryError("audio is encoded as WAV", got=encoding, want="'wav' or None")
    step = resolve_step(step)
    clips, _ = _limited("audio clips", data, 3, "[k, frames, channels]", max_outputs)
    rate = int(sample_rate)

    def make() -> TensorProto:
        pairs = np.empty((len(clips), 2), object)
        for number, clip in enumerate(clips):
            pairs[number] = (wav.encode(to_pcm(clip), rate), b"")
        return from_array(pairs)

    content = AudioPluginData(encoding=WAV).encode()
    return later(writer, current.scope + name, make, metadata_for(AUDIO, description, content), step, clips.nbytes)
