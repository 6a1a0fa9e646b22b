"""Images changed by chance: flips, crops, colours; stateful ones by `tf.random`'s seeds, stateless ones by a seed of two numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw
from milepost.tf.image import colour, geometry
from milepost.tf.random import uniform
from milepost.tf.random_stateless import stateless_uniform
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    f"{prefix}random_{name}"
    for prefix in ("", "stateless_")
    for name in (
        "brightness",
        "contrast",
        "crop",
        "flip_left_right",
        "flip_up_down",
        "hue",
        "jpeg_quality",
        "saturation",
    )
]


def _flipped(image: Any, flip: Any, draw: Any) -> Tensor:
    t = geometry.at_least_3d(image)
    if t.ndim == 3:
        return flip(image) if float(draw(())) < 0.5 else wrap(t)
    chosen = draw((t.shape[0],))._t.round().reshape(-1, 1, 1, 1) == 1
    return wrap(torch.where(chosen, flip(image)._t, t))


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """Mirrored half of the time."""
    return _flipped(image, geometry.flip_left_right, lambda shape: uniform(shape, seed=seed))


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """Mirrored half of the time."""
    return _flipped(image, geometry.flip_left_right, lambda shape: stateless_uniform(shape, seed))


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """Upside down half of the time."""
    return _flipped(image, geometry.flip_up_down, lambda shape: uniform(shape, seed=seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """Upside down half of the time."""
    return _flipped(image, geometry.flip_up_down, lambda shape: stateless_uniform(shape, seed))


def _cropped(value: Any, size: Any, draw: Any) -> Tensor:
    t, dims = raw(value), as_dims(size)
    if len(dims) != t.ndim or any(want > have for have, want in zip(t.shape, dims, strict=True)):
        raise failures.InvalidArgumentError(f"Need value.shape >= size, got {np.array(t.shape)} {np.array(dims)}")
    starts = draw(t.ndim).numpy().tolist()
    key = [slice(s % (n - w + 1), s % (n - w + 1) + w) for s, n, w in zip(starts, t.shape, dims, strict=True)]
    return wrap(t[tuple(key)])


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of this size from a random place."""
    return _cropped(value, size, lambda rank: uniform((rank,), 0, 2**31 - 1, dtypes.int32, seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """A part of this size from a random place."""
    return _cropped(value, size, lambda rank: stateless_uniform((rank,), seed, 0, 2**31 - 1, dtypes.int32))


def _delta(max_delta: float, limit: float = float("inf")) -> None:
    if max_delta > limit:
        raise ValueError(f"max_delta must be <= {limit}.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")


def _range(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """Brighter or darker by up to max_delta."""
    _delta(max_delta)
    return colour.adjust_brightness(image, uniform((), -max_delta, max_delta, seed=seed))


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Brighter or darker by up to max_delta."""
    _delta(max_delta)
    return colour.adjust_brightness(image, stateless_uniform((), seed, -max_delta, max_delta))


def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Contrast by a random factor."""
    _range(lower, upper)
    return colour.adjust_contrast(image, uniform((), lower, upper, seed=seed))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """Contrast by a random factor."""
    _range(lower, upper)
    return colour.adjust_contrast(image, stateless_uniform((), seed, lower, upper))


def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Saturation by a random factor."""
    _range(lower, upper)
    return colour.adjust_saturation(image, uniform((), lower, upper, seed=seed))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Saturation by a random factor."""
    _range(lower, upper)
    return colour.adjust_saturation(image, stateless_uniform((), seed, lower, upper))


def random_hue(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """Hue turned by up to max_delta."""
    _delta(max_delta, 0.5)
    return colour.adjust_hue(image, uniform((), -max_delta, max_delta, seed=seed))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """Hue turned by up to max_delta."""
    _delta(max_delta, 0.5)
    return colour.adjust_hue(image, stateless_uniform((), seed, -max_delta, max_delta))


def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any = None) -> Tensor:
    """As it looks after JPEG of a random quality."""
    return colour.adjust_jpeg_quality(image, uniform((), min_jpeg_quality, max_jpeg_quality, dtypes.int32, seed))


def stateless_random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any) -> Tensor:
    """As it looks after JPEG of a random quality."""
    drawn = stateless_uniform((), seed, min_jpeg_quality, max_jpeg_quality, dtypes.int32)
    return colour.adjust_jpeg_quality(image, drawn)
