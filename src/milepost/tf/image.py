"""`tf.image`: sizes, crops, flips, colours of images [height, width, channels] or batches of them. Encoding is in `tf.io`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as fn

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation", "central_crop", "convert_image_dtype",
    "crop_to_bounding_box", "flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb", "pad_to_bounding_box", "per_image_standardization",
    "psnr", "random_brightness", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down", "random_hue", "random_saturation",
    "resize", "resize_with_crop_or_pad", "resize_with_pad", "rgb_to_grayscale", "rgb_to_hsv", "rot90", "total_variation", "transpose",
]  # fmt: skip


class ResizeMethod:
    """How `resize` reads between pixels."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"


def _batch(images: Any) -> tuple[Any, bool]:
    """[batch, height, width, channels], and whether the batch was added."""
    t = raw(images)
    if t.ndim not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    return (t.unsqueeze(0), True) if t.ndim == 3 else (t, False)


def _back(t: Any, added: bool) -> Tensor:
    return wrap(t.squeeze(0) if added else t)


def resize(
    images: Any, size: Any, method: str = ResizeMethod.BILINEAR, preserve_aspect_ratio: bool = False, antialias: bool = False, name: str | None = None
) -> Tensor:  # fmt: skip
    """Another size: float32, except for `nearest`, which keeps the dtype."""
    t, added = _batch(images)
    height, width = as_dims(size)
    if height <= 0 or width <= 0:
        raise failures.kernel("ResizeBilinear", "output dimensions must be positive")
    if preserve_aspect_ratio:
        scale = min(height / t.shape[1], width / t.shape[2])
        height, width = max(round(scale * t.shape[1]), 1), max(round(scale * t.shape[2]), 1)
    if method == "nearest":
        rows = _nearest(t.shape[1], height)
        columns = _nearest(t.shape[2], width)
        return _back(t.index_select(1, rows.to(t.device)).index_select(2, columns.to(t.device)), added)
    if method not in ("bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
        raise ValueError(f"Resize method is not implemented: {method!r}")
    if method not in ("bilinear", "bicubic", "area"):
        raise NotImplementedError(
            f"tf.image.resize(method={method!r}) is not there: use 'bicubic' with antialias=True."
        )
    first = t.movedim(-1, 1).float()
    smooth = antialias and method != "area"
    made = fn.interpolate(
        first, (height, width), mode=method, antialias=smooth, **({} if method == "area" else {"align_corners": False})
    )
    return _back(made.movedim(1, -1), added)


def _nearest(have: int, want: int) -> Any:
    """The middle of each new pixel, in old pixels."""
    middles = (torch.arange(want, dtype=torch.float64) + 0.5) * have / want
    return middles.floor().long().clamp(0, have - 1)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The part at this corner, of this size."""
    t, added = _batch(image)
    y, x, h, w = int(offset_height), int(offset_width), int(target_height), int(target_width)
    if y < 0 or x < 0 or h <= 0 or w <= 0 or y + h > t.shape[1] or x + w > t.shape[2]:
        raise ValueError(
            f"height must be >= target + offset: box {(y, x, h, w)} does not fit an image of {tuple(t.shape[1:3])}."
        )
    return _back(t[:, y : y + h, x : x + w], added)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Zeros round it, to this size."""
    t, added = _batch(image)
    y, x = int(offset_height), int(offset_width)
    below, right = int(target_height) - y - t.shape[1], int(target_width) - x - t.shape[2]
    if min(y, x, below, right) < 0:
        raise ValueError("height and width must be <= target - offset")
    return _back(fn.pad(t, [0, 0, x, right, y, below]), added)


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The middle, cut or padded to this size."""
    t, added = _batch(image)
    h, w = int(target_height), int(target_width)
    y, x = max((t.shape[1] - h) // 2, 0), max((t.shape[2] - w) // 2, 0)
    t = t[:, y : y + min(h, t.shape[1]), x : x + min(w, t.shape[2])]
    top, left = (h - t.shape[1]) // 2, (w - t.shape[2]) // 2
    return _back(fn.pad(t, [0, 0, left, w - t.shape[2] - left, top, h - t.shape[1] - top]), added)


def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = ResizeMethod.BILINEAR, antialias: bool = False
) -> Tensor:
    """Resized without distortion, then padded."""
    made = resize(image, (target_height, target_width), method, True, antialias)
    return resize_with_crop_or_pad(made, target_height, target_width)


def central_crop(image: Any, central_fraction: float) -> Tensor:
    """The middle part."""
    if not 0 < central_fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    t, added = _batch(image)
    y = int((t.shape[1] - t.shape[1] * central_fraction) / 2)
    x = int((t.shape[2] - t.shape[2] * central_fraction) / 2)
    return _back(t[:, y : t.shape[1] - y, x : t.shape[2] - x], added)


def flip_left_right(image: Any) -> Tensor:
    """Mirrored."""
    return wrap(raw(image).flip(-2))


def flip_up_down(image: Any) -> Tensor:
    """Upside down."""
    return wrap(raw(image).flip(-3))


def transpose(image: Any, name: str | None = None) -> Tensor:
    """Height and width exchanged."""
    return wrap(raw(image).transpose(-3, -2))


def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """Turned by quarter turns, against the clock."""
    return wrap(torch.rot90(raw(image), int(k), (-3, -2)))


def _chance(seed: Any) -> float:
    from milepost.tf.random import uniform

    return float(uniform((), seed=seed))


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """Mirrored half of the time."""
    return flip_left_right(image) if _chance(seed) < 0.5 else wrap(raw(image))


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """Upside down half of the time."""
    return flip_up_down(image) if _chance(seed) < 0.5 else wrap(raw(image))


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of this size from a random place."""
    from milepost.tf.random import uniform

    return _cropped(value, size, lambda rank: uniform((rank,), 0, 2**31 - 1, dtypes.int32, seed))


def _cropped(value: Any, size: Any, draw: Any) -> Tensor:
    t, dims = raw(value), as_dims(size)
    if len(dims) != t.ndim or any(want > have for have, want in zip(t.shape, dims, strict=True)):
        raise failures.InvalidArgumentError(f"Need value.shape >= size, got {np.array(t.shape)} {np.array(dims)}")
    starts = draw(t.ndim).numpy().tolist()
    key = [slice(s % (n - w + 1), s % (n - w + 1) + w) for s, n, w in zip(starts, t.shape, dims, strict=True)]
    return wrap(t[tuple(key)])


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
    weights = torch.tensor([0.2989, 0.5870, 0.1140], dtype=t.dtype, device=t.device)
    return _as_before((t * weights).sum(-1, keepdim=True), kind)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """The one channel three times."""
    t = raw(images)
    return wrap(t.expand(*t.shape[:-1], 3))


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


def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """Brighter or darker by up to max_delta."""
    return adjust_brightness(image, (_chance(seed) * 2 - 1) * max_delta)


def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Contrast by a random factor."""
    return adjust_contrast(image, lower + _chance(seed) * (upper - lower))


def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """Saturation by a random factor."""
    return adjust_saturation(image, lower + _chance(seed) * (upper - lower))


def random_hue(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """Hue turned by up to max_delta."""
    return adjust_hue(image, (_chance(seed) * 2 - 1) * max_delta)


def per_image_standardization(image: Any) -> Tensor:
    """Mean 0 and variance 1."""
    t, added = _batch(image)
    t = t.float()
    size = float(np.prod(t.shape[1:]))
    mean = t.mean((1, 2, 3), keepdim=True)
    spread = t.std((1, 2, 3), correction=0, keepdim=True).clamp(min=1 / size**0.5)
    return _back((t - mean) / spread, added)


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """Peak signal to noise ratio."""
    x, y = raw(a).float(), raw(b).float()
    error = ((x - y) ** 2).mean((-3, -2, -1))
    return wrap(20 * torch.log10(error.new_tensor(float(max_val))) - 10 * torch.log10(error))


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """How much neighbouring pixels differ, in all."""
    t, added = _batch(images)
    made = (t[:, 1:] - t[:, :-1]).abs().sum((1, 2, 3)) + (t[:, :, 1:] - t[:, :, :-1]).abs().sum((1, 2, 3))
    return _back(made, added)


def __getattr__(name: str) -> Any:
    """Encoding and decoding live in `tf.io`, and have names here too."""
    import importlib

    coded = importlib.import_module("milepost.tf.io.image")
    if name in getattr(coded, "__all__", ()):
        return getattr(coded, name)
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.image", [*__all__, *getattr(coded, "__all__", ())])
