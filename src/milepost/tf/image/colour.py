"""Colours and their numbers: dtypes, grey, hue and saturation, brightness, contrast. In: images, channels last."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.image.geometry import back, batch_of
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality", "adjust_saturation", "convert_image_dtype",
    "grayscale_to_rgb", "hsv_to_rgb", "per_image_standardization", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "yiq_to_rgb",
    "yuv_to_rgb",
]  # fmt: skip


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """Integers are their full range, floats [0, 1]."""
    t, wanted = raw(image), as_dtype(dtype)
    have = dtypes.of_torch(t.dtype)
    if have is wanted:
        return wrap(t)
    if have.is_integer and wanted.is_integer:
        a, b = have.max, wanted.max
        return wrap((t.double() * ((b + 1) / (a + 1))).floor().to(wanted.torch))
    if have.is_integer:
        return wrap(t.to(wanted.torch) * (1.0 / have.max))
    if wanted.is_integer:
        scaled = t * (wanted.max + 0.5)
        return wrap((scaled.clamp(wanted.min, wanted.max) if saturate else scaled).to(wanted.torch))
    return wrap(t.to(wanted.torch))


def _as_float(image: Any) -> tuple[Any, dtypes.DType]:
    t = raw(image)
    kind = dtypes.of_torch(t.dtype)
    return (t if kind.is_floating else convert_image_dtype(image, dtypes.float32)._t), kind


def _as_before(t: Any, kind: dtypes.DType) -> Tensor:
    return wrap(t) if kind.is_floating else convert_image_dtype(wrap(t), kind, saturate=True)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """One channel of brightness."""
    t, kind = _as_float(images)
    if t.shape[-1] != 3:
        raise failures.kernel(
            "MatMul",
            f"Matrix size-incompatible: In[0]: {failures.brackets(t.reshape(-1, t.shape[-1]).shape)}, In[1]: [3,1]",
        )
    weights = torch.tensor([0.2989, 0.5870, 0.1140], dtype=t.dtype, device=t.device)
    return _as_before((t * weights).sum(-1, keepdim=True), kind)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """The one channel three times."""
    t = raw(images)
    if t.ndim < 3 or t.shape[-1] != 1:
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    return wrap(t.expand(*t.shape[:-1], 3).clone())


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation, value, all in [0, 1]."""
    t = raw(images)
    r, g, b = t.unbind(-1)
    high, low = t.amax(-1), t.amin(-1)
    spread = high - low
    safe = torch.where(spread == 0, torch.ones_like(spread), spread)
    hue = torch.where(high == r, (g - b) / safe, torch.where(high == g, 2 + (b - r) / safe, 4 + (r - g) / safe)) / 6
    hue = torch.where(spread == 0, torch.zeros_like(hue), hue % 1)
    saturation = torch.where(
        high == 0, torch.zeros_like(high), spread / torch.where(high == 0, torch.ones_like(high), high)
    )
    return wrap(torch.stack([hue, saturation, high], -1))


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Back to red, green, blue."""
    h, s, v = raw(images).unbind(-1)
    parts = [v - v * s * (torch.minimum((n + h * 6) % 6, 4 - (n + h * 6) % 6)).clamp(0, 1) for n in (5, 3, 1)]
    return wrap(torch.stack(parts, -1))


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """Brighter by delta."""
    t, kind = _as_float(image)
    return _as_before(t + float(delta), kind)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Farther from, or nearer to, each channel's mean."""
    t, kind = _as_float(images)
    mean = t.mean((-3, -2), keepdim=True)
    return _as_before((t - mean) * float(contrast_factor) + mean, kind)


def adjust_gamma(image: Any, gamma: float = 1, gain: float = 1) -> Tensor:
    """gain · xᵞ."""
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    t, kind = _as_float(image)
    return _as_before(gain * t**gamma, kind)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """The colours turned."""
    t, kind = _as_float(image)
    hsv = rgb_to_hsv(wrap(t))._t
    turned = torch.cat([(hsv[..., :1] + float(delta)) % 1, hsv[..., 1:]], -1)
    return _as_before(hsv_to_rgb(wrap(turned))._t, kind)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """The colours stronger."""
    t, kind = _as_float(image)
    h, s, v = rgb_to_hsv(wrap(t))._t.unbind(-1)
    return _as_before(hsv_to_rgb(wrap(torch.stack([h, (s * float(saturation_factor)).clamp(0, 1), v], -1)))._t, kind)


def per_image_standardization(image: Any) -> Tensor:
    """Mean 0 and variance 1."""
    t, added = batch_of(image)
    t = t.float()
    size = float(np.prod(t.shape[1:]))
    mean = t.mean((1, 2, 3), keepdim=True)
    spread = t.std((1, 2, 3), correction=0, keepdim=True).clamp(min=1 / size**0.5)
    return back((t - mean) / spread, added)


def _mixed(images: Any, matrix: list[list[float]]) -> Tensor:
    t = raw(images)
    if t.shape[-1] != 3:
        raise ValueError(f"The last dimension of the images must be 3, got shape {tuple(t.shape)}.")
    return wrap(t @ torch.tensor(matrix, dtype=t.dtype, device=t.device))


def rgb_to_yiq(images: Any) -> Tensor:
    """Brightness and two colour differences (NTSC)."""
    return _mixed(images, [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]])  # fmt: skip


def yiq_to_rgb(images: Any) -> Tensor:
    """Back to red, green, blue."""
    return _mixed(images, [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]])


def rgb_to_yuv(images: Any) -> Tensor:
    """Brightness and two colour differences (PAL)."""
    return _mixed(images, [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]])  # fmt: skip


def yuv_to_rgb(images: Any) -> Tensor:
    """Back to red, green, blue."""
    return _mixed(images, [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]])


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None) -> Tensor:
    """As it looks after JPEG of this quality."""
    from milepost.tf.io.image import decode_jpeg, encode_jpeg

    kind = dtypes.of_torch(raw(image).dtype)
    small = convert_image_dtype(image, dtypes.uint8, saturate=True)
    coded = encode_jpeg(small, quality=int(jpeg_quality))
    return convert_image_dtype(decode_jpeg(coded, channels=small.shape[-1]), kind, saturate=True)
