"""Other sizes of images: every method of `tf.image.resize`, with and without antialias. In: images, channels last. Out: float32 (nearest: as before).

Bilinear without antialias is torch's own; the others are two matrices of weights, one for rows and one for columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as fn

from milepost.tf import failures
from milepost.tf.convert import raw
from milepost.tf.image.geometry import back, batch_of, resize_with_crop_or_pad
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap

__all__ = ["ResizeMethod", "resize", "resize_with_pad"]


class ResizeMethod:
    """How `resize` reads between pixels."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _lanczos(x: Any, radius: float) -> Any:
    return np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0.0)


def _keys(x: Any) -> Any:
    near, far = ((1.5 * x - 2.5) * x) * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def _mitchell(x: Any) -> Any:
    near = (((7 * x - 12) * x) * x + 16 / 3) / 6
    far = (((-7 / 3 * x + 12) * x - 20) * x + 32 / 3) / 6
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


# Each: how far it reaches, and its weight at a distance.
_KERNELS: dict[str, tuple[float, Any]] = {
    "bilinear": (1, lambda x: np.maximum(1 - x, 0)),
    "bicubic": (2, _keys),
    "mitchellcubic": (2, _mitchell),
    "lanczos3": (3, lambda x: _lanczos(x, 3)),
    "lanczos5": (5, lambda x: _lanczos(x, 5)),
    "gaussian": (1.5, lambda x: np.where(x < 1.5, np.exp(-(x**2) / 0.5), 0.0)),
}


def _weights(have: int, want: int, method: str, antialias: bool) -> Any:
    """[want, have]: how much each old pixel counts in each new one."""
    step = have / want
    if method == "area":
        start = np.arange(want).reshape(-1, 1) * step
        pixel = np.arange(have).reshape(1, -1)
        part = np.minimum(pixel + 1, start + step) - np.maximum(pixel, start)
        made = np.maximum(part, 0)
    else:
        _, kernel = _KERNELS[method]
        spread = max(step, 1.0) if antialias else 1.0
        middle = ((np.arange(want) + 0.5) * step).reshape(-1, 1)
        if method == "bicubic" and not antialias:  # TensorFlow looks its weights up in a table of 1024 places
            middle = np.rint((middle - 0.5) * 1024) / 1024 + 0.5
        made = kernel(np.abs(np.arange(have).reshape(1, -1) + 0.5 - middle) / spread)
    return torch.from_numpy((made / made.sum(1, keepdims=True)).astype(np.float32))


def resize(
    images: Any, size: Any, method: str = ResizeMethod.BILINEAR, preserve_aspect_ratio: bool = False, antialias: bool = False, name: str | None = None
) -> Tensor:  # fmt: skip
    """Another size: float32, except for `nearest`, which keeps the dtype, and for images that have the size already."""
    t, added = batch_of(images)
    dims = as_dims(size)
    if len(dims) != 2:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    height, width = dims
    if height <= 0 or width <= 0:
        raise failures.kernel("ResizeBilinear", "output dimensions must be positive")
    if preserve_aspect_ratio:
        scale = min(height / t.shape[1], width / t.shape[2])
        height, width = max(round(scale * t.shape[1]), 1), max(round(scale * t.shape[2]), 1)
    if method not in _KERNELS and method not in ("nearest", "area"):
        raise ValueError(f"Resize method is not implemented: {method}")
    if (height, width) == tuple(t.shape[1:3]):
        return wrap(raw(images) if method == "nearest" else raw(images).float())
    if method == "nearest":
        rows, columns = _nearest(t.shape[1], height), _nearest(t.shape[2], width)
        return back(t.index_select(1, rows.to(t.device)).index_select(2, columns.to(t.device)), added)
    t = t.float()
    if method == "bilinear" and not antialias:
        made = fn.interpolate(t.movedim(-1, 1), (height, width), mode="bilinear", align_corners=False)
        return back(made.movedim(1, -1), added)
    rows, columns = (
        _weights(have, want, method, antialias).to(t.device)
        for have, want in ((t.shape[1], height), (t.shape[2], width))
    )
    return back(torch.einsum("yh,nhwc,xw->nyxc", rows, t, columns), added)


def _nearest(have: int, want: int) -> Any:
    """The middle of each new pixel, in old pixels."""
    middles = (torch.arange(want, dtype=torch.float64) + 0.5) * have / want
    return middles.floor().long().clamp(0, have - 1)


def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = ResizeMethod.BILINEAR, antialias: bool = False
) -> Tensor:
    """Resized without distortion, then padded."""
    made = resize(image, (target_height, target_width), method, True, antialias)
    return resize_with_crop_or_pad(made, target_height, target_width)
