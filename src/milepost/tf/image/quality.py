"""How images differ, and where they change: PSNR, SSIM, total variation, edges."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as fn

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw
from milepost.tf.image.colour import convert_image_dtype
from milepost.tf.image.geometry import back, batch_of
from milepost.tf.tensor import Tensor, wrap

__all__ = ["image_gradients", "psnr", "sobel_edges", "ssim", "ssim_multiscale", "total_variation"]


def _floats(a: Any, b: Any, max_val: Any) -> tuple[Any, Any, float]:
    """Two images and their largest value as float32."""
    kind = dtypes.of_torch(raw(a).dtype)
    x, y = (convert_image_dtype(v, dtypes.float32)._t for v in (a, b))
    return x, y, float(max_val) / kind.max if kind.is_integer else float(max_val)


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """Peak signal to noise ratio."""
    x, y, largest = _floats(a, b, max_val)
    error = ((x - y) ** 2).mean((-3, -2, -1))
    return wrap(20 * torch.log10(torch.tensor(largest)) - 10 * torch.log10(error))


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """How much neighbouring pixels differ, in all."""
    t, added = batch_of(images)
    made = (t[:, 1:] - t[:, :-1]).abs().sum((1, 2, 3)) + (t[:, :, 1:] - t[:, :, :-1]).abs().sum((1, 2, 3))
    return back(made, added)


def _window(size: int, sigma: float) -> Any:
    places = torch.arange(size, dtype=torch.float32) - (size - 1) / 2
    line = -0.5 * places**2 / sigma**2
    return torch.softmax((line.unsqueeze(0) + line.unsqueeze(1)).reshape(-1), 0).reshape(1, 1, size, size)


def _compared(x: Any, y: Any, largest: float, window: Any, k1: float, k2: float) -> tuple[Any, Any]:
    """SSIM and its contrast part at every place, channels first."""
    channels = x.shape[-1]
    kernel = window.expand(channels, 1, *window.shape[2:])

    def smooth(t: Any) -> Any:
        return fn.conv2d(t.movedim(-1, 1), kernel, groups=channels)

    c1, c2 = (k1 * largest) ** 2, (k2 * largest) ** 2
    mx, my = smooth(x), smooth(y)
    product, squares = mx * my * 2, mx**2 + my**2
    brightness = (product + c1) / (squares + c1)
    contrast = (smooth(x * y) * 2 - product + c2) / (smooth(x * x + y * y) - squares + c2)
    return brightness * contrast, contrast


def _checked(a: Any, b: Any, size: int) -> None:
    x, y = raw(a), raw(b)
    if x.shape != y.shape:
        raise ValueError(f"Shapes {wrap(x).shape} and {wrap(y).shape} are incompatible")
    if x.ndim < 3 or min(x.shape[-3:-1]) < size:
        raise failures.InvalidArgumentError(f"Images of shape {wrap(x).shape} are smaller than the filter of {size}.")


def ssim(
    img1: Any, img2: Any, max_val: Any, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:  # fmt: skip
    """How alike two images look, 1 for the same."""
    _checked(img1, img2, filter_size)
    x, y, largest = _floats(img1, img2, max_val)
    lead = x.shape[:-3]
    x, y = (t.reshape(-1, *t.shape[-3:]) for t in (x, y))
    whole, _ = _compared(x, y, largest, _window(filter_size, filter_sigma), k1, k2)
    made = whole.mean(1) if return_index_map else whole.mean((2, 3)).mean(1)
    return wrap(made.reshape(*lead, *made.shape[1:]))


def ssim_multiscale(
    img1: Any, img2: Any, max_val: Any, power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size: int = 11,
    filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
) -> Tensor:  # fmt: skip
    """The same over several sizes of both."""
    _checked(img1, img2, filter_size)
    x, y, largest = _floats(img1, img2, max_val)
    lead = x.shape[:-3]
    x, y = (t.reshape(-1, *t.shape[-3:]) for t in (x, y))
    made: Any = 1.0
    for level, power in enumerate(power_factors):
        if level:
            x, y = (_halved(t) for t in (x, y))
            _checked(wrap(x), wrap(y), filter_size)
        whole, contrast = _compared(x, y, largest, _window(filter_size, filter_sigma), k1, k2)
        part = (whole if level == len(power_factors) - 1 else contrast).mean((2, 3))
        made = made * torch.relu(part) ** power
    return wrap(made.mean(1).reshape(lead))


def _halved(t: Any) -> Any:
    first = t.movedim(-1, 1)
    odd = [first.shape[3] % 2, first.shape[2] % 2]
    if any(odd):
        first = fn.pad(first, [0, odd[0], 0, odd[1]], mode="replicate")
    return fn.avg_pool2d(first, 2).movedim(1, -1)


def sobel_edges(image: Any) -> Tensor:
    """Change downwards and to the right, in a last dimension of two."""
    t = raw(image)
    if t.ndim != 4:
        raise ValueError(f"The image must have shape [batch, height, width, channels], got {tuple(t.shape)}.")
    down = torch.tensor([[-1.0, -2, -1], [0, 0, 0], [1, 2, 1]], dtype=t.dtype)
    kernel = torch.stack([down, down.T]).unsqueeze(1)
    n, h, w, c = t.shape
    wide = fn.pad(t.movedim(-1, 1).reshape(n * c, 1, h, w), [1, 1, 1, 1], mode="reflect")
    return wrap(fn.conv2d(wide, kernel).reshape(n, c, 2, h, w).permute(0, 3, 4, 1, 2))


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """Differences to the pixel below and to the right; 0 at the last."""
    t = raw(image)
    if t.ndim != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {wrap(t).shape}.")
    down, right = torch.zeros_like(t), torch.zeros_like(t)
    down[:, :-1], right[:, :, :-1] = t[:, 1:] - t[:, :-1], t[:, :, 1:] - t[:, :, :-1]
    return wrap(down), wrap(right)
