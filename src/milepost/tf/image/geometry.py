"""Which part of an image, and which way up: crops, pads, flips, turns. In: [height, width, channels] or batches of them."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as fn

from milepost.tf.convert import raw
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "central_crop", "crop_to_bounding_box", "flip_left_right", "flip_up_down", "pad_to_bounding_box", "resize_with_crop_or_pad", "rot90",
    "transpose",
]  # fmt: skip


def batch_of(images: Any) -> tuple[Any, bool]:
    """[batch, height, width, channels], and whether the batch was added."""
    t = raw(images)
    if t.ndim not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    return (t.unsqueeze(0), True) if t.ndim == 3 else (t, False)


def back(t: Any, added: bool) -> Tensor:
    return wrap(t.squeeze(0) if added else t)


def at_least_3d(image: Any) -> Any:
    t = raw(image)
    if t.ndim < 3:
        raise ValueError(f"'image' (shape {wrap(t).shape}) must be at least three-dimensional.")
    return t


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The part at this corner, of this size."""
    t, added = batch_of(image)
    y, x, h, w = int(offset_height), int(offset_width), int(target_height), int(target_width)
    if y < 0 or x < 0 or h <= 0 or w <= 0 or y + h > t.shape[1] or x + w > t.shape[2]:
        raise ValueError(
            f"height must be >= target + offset: box {(y, x, h, w)} does not fit an image of {tuple(t.shape[1:3])}."
        )
    return back(t[:, y : y + h, x : x + w], added)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Zeros round it, to this size."""
    t, added = batch_of(image)
    y, x = int(offset_height), int(offset_width)
    below, right = int(target_height) - y - t.shape[1], int(target_width) - x - t.shape[2]
    if min(y, x, below, right) < 0:
        raise ValueError("height and width must be <= target - offset")
    return back(fn.pad(t, [0, 0, x, right, y, below]), added)


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The middle, cut or padded to this size."""
    t, added = batch_of(image)
    h, w = int(target_height), int(target_width)
    y, x = max((t.shape[1] - h) // 2, 0), max((t.shape[2] - w) // 2, 0)
    t = t[:, y : y + min(h, t.shape[1]), x : x + min(w, t.shape[2])]
    top, left = (h - t.shape[1]) // 2, (w - t.shape[2]) // 2
    return back(fn.pad(t, [0, 0, left, w - t.shape[2] - left, top, h - t.shape[1] - top]), added)


def central_crop(image: Any, central_fraction: float) -> Tensor:
    """The middle part."""
    if not 0 < central_fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    t, added = batch_of(image)
    y = int((t.shape[1] - t.shape[1] * central_fraction) / 2)
    x = int((t.shape[2] - t.shape[2] * central_fraction) / 2)
    return back(t[:, y : t.shape[1] - y, x : t.shape[2] - x], added)


def flip_left_right(image: Any) -> Tensor:
    """Mirrored."""
    return wrap(at_least_3d(image).flip(-2))


def flip_up_down(image: Any) -> Tensor:
    """Upside down."""
    return wrap(at_least_3d(image).flip(-3))


def transpose(image: Any, name: str | None = None) -> Tensor:
    """Height and width exchanged."""
    return wrap(at_least_3d(image).transpose(-3, -2))


def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """Turned by quarter turns, against the clock."""
    return wrap(torch.rot90(at_least_3d(image), int(k), (-3, -2)))
