"""The messages torch's and tensorboardX's writers leave: TF 1's histogram, image and audio. In: arrays. Out: SummaryValues.

TensorBoard shows them as it shows TF 2's tensors. Not here: when and where they are written (`drop_in`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from milepost.formats import png, wav
from milepost.formats.event import Audio, Dim, Histogram, Image, SummaryValue, TensorProto, TensorShape
from milepost.formats.plugins import TEXT
from milepost.summary.emit import metadata_for

__all__ = ["audio_value", "default_edges", "histogram_value", "image_value", "text_value"]


@lru_cache(maxsize=1)
def default_edges() -> np.ndarray[Any, Any]:
    """TF 1's bucket limits: 1e-12 to 1e20 in steps of ten per cent, both signs, and zero."""
    positive, limit = [], 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    return np.array([-edge for edge in reversed(positive)] + [0.0] + positive)


def histogram_value(tag: str, values: np.ndarray[Any, Any], bins: Any, max_bins: int | None) -> SummaryValue:
    """The histogram of all elements, without the empty buckets at its ends but for one on the left."""
    flat = values.reshape(-1).astype(np.float64)
    if not np.isfinite(flat).all():
        flat = flat[np.isfinite(flat)]  # they have no bucket
    if flat.size == 0:
        return SummaryValue(tag=tag, histo=Histogram(bucket_limit=[0.0], bucket=[0.0]))
    counts, edges = np.histogram(flat, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        every = len(counts) // max_bins
        short = -len(counts) % every
        counts = np.pad(counts, (0, short)).reshape(-1, every).sum(1)
        edges = np.append(edges[:-1:every], edges[-1])
    filled = np.flatnonzero(counts)
    first, last = (int(filled[0]), int(filled[-1])) if filled.size else (0, len(counts) - 1)
    # only right limits are stored: the limit before the first bucket travels as an empty bucket of its own
    kept = np.concatenate([[0] if first == 0 else counts[first - 1 : first], counts[first : last + 1]])
    histogram = Histogram(
        min=float(flat.min()), max=float(flat.max()), num=float(flat.size), sum=float(flat.sum()), sum_squares=float(flat.dot(flat)),
        bucket_limit=edges[first : last + 2].tolist(), bucket=kept.astype(np.float64).tolist(),
    )  # fmt: skip
    return SummaryValue(tag=tag, histo=histogram)


def image_value(
    tag: str, pixels: np.ndarray[Any, Any], encoded: bytes | None = None, size: tuple[int, int] | None = None
) -> SummaryValue:
    """A picture [height, width, channels]; `encoded` and `size` where it was not simply encoded as it is."""
    height, width = size or pixels.shape[:2]
    message = Image(height=height, width=width, colorspace=pixels.shape[2], encoded=encoded or png.encode(pixels))
    return SummaryValue(tag=tag, image=message)


def audio_value(tag: str, samples: np.ndarray[Any, Any], sample_rate: int) -> SummaryValue:
    """Samples [frames, channels] in [-1, 1]."""
    pcm = (np.nan_to_num(samples).clip(-1, 1) * 32767).astype(np.int16)
    return SummaryValue(tag=tag, audio=Audio(
        sample_rate=sample_rate, num_channels=pcm.shape[1], length_frames=pcm.shape[0], encoded=wav.encode(pcm, sample_rate),
        content_type="audio/wav",
    ))  # fmt: skip


def text_value(tag: str, text: str) -> SummaryValue:
    tensor = TensorProto(
        dtype=7, shape=TensorShape([Dim(size=1)]), string_val=[text.encode("utf-8", "backslashreplace")]
    )
    return SummaryValue(tag=tag + "/text_summary", tensor=tensor, metadata=metadata_for(TEXT))
