"""`tf.quantization`: numbers rounded as an 8-bit model would have them, for training; gradients pass through. Quantised kernels are not there."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw, to_torch
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_per_channel",
]


def _rounded(x: Any, low: Any, high: Any, bits: int, narrow: bool) -> Tensor:
    """x in steps of the range, which is moved a little so that 0 is one of them."""
    first, last = int(narrow), 2**bits - 1
    step = ((high - low) / (last - first)).detach()
    zero = (first - low.detach() / step).round().clamp(first, last)
    bottom, top = (low + ((first - zero) * step - low).detach()), (high + ((last - zero) * step - high).detach())
    inside = torch.minimum(torch.maximum(x, bottom), top)
    made = torch.floor((inside - bottom) * (1 / step) + 0.5) * step + bottom
    return wrap(inside + (made - inside).detach())


def fake_quant_with_min_max_args(
    inputs: Any, min: float = -6, max: float = 6, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """In 2 to the power num_bits steps between two numbers."""
    x = raw(inputs)
    low, high = (torch.tensor(float(v), dtype=x.dtype) for v in (min, max))
    return _rounded(x, low, high, int(num_bits), narrow_range)


def fake_quant_with_min_max_vars(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """The same between two variables, which learn where the range ends."""
    x = raw(inputs)
    low, high = (to_torch(v, dtypes.of_torch(x.dtype)) for v in (min, max))
    return _rounded(x, low, high, int(num_bits), narrow_range)


fake_quant_with_min_max_vars_per_channel = fake_quant_with_min_max_vars


failures.guard(globals(), __all__)
