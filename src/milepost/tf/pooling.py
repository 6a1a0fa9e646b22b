"""Pooling over windows of one to three dimensions; dilation and erosion. In: images, channels last. Out: fewer values."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as fn

from milepost.tf import dtypes, failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw
from milepost.tf.convolutions import padded, same_padding, spread_of
from milepost.tf.results import MaxPoolWithArgmax
from milepost.tf.tensor import Tensor, wrap

_MAX = {1: fn.max_pool1d, 2: fn.max_pool2d, 3: fn.max_pool3d}
_MEAN = {1: fn.avg_pool1d, 2: fn.avg_pool2d, 3: fn.avg_pool3d}


def _pool(
    n: int, kind: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None, dilations: Any = 1
) -> Tensor:
    last = data_format is None or data_format.endswith("C")
    t = raw(input)
    if t.ndim != n + 2 or not 1 <= n <= 3:
        raise failures.kernel(
            "MaxPool" if kind == "max" else "AvgPool",
            f"tensor_in must have 3 to 5 dimensions, got {failures.brackets(t.shape)}",
        )
    x = t.movedim(-1, 1) if last else t
    x = x if x.is_floating_point() else x.double()
    kernel, steps, spread = (spread_of(v, n, last) for v in (ksize, strides, dilations))
    if kind == "max":
        made = _MAX[n](padded(x, padding, kernel, steps, spread, float("-inf")), kernel, steps, 0, spread)
    elif spread != [1] * n:
        raise NotImplementedError("Mean pooling with dilations is not there: use dilations=1.")
    else:
        wide = padded(x, padding, kernel, steps, spread)
        made = _MEAN[n](wide, kernel, steps)
        if wide is not x:  # TensorFlow's mean leaves the padding out
            count = padded(torch.ones_like(x[:1, :1]), padding, kernel, steps, spread)
            made = made / _MEAN[n](count, kernel, steps)
    made = made.to(t.dtype)
    return wrap(made.movedim(1, -1) if last else made)


def pool(
    input: Any, window_shape: Any, pooling_type: str, strides: Any = None, padding: Any = "VALID", data_format: str | None = None,
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """MAX or AVG over windows, over as many dimensions as the window has."""
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"pooling_type must be 'MAX' or 'AVG', got {pooling_type!r}")
    n = len(window_shape)
    kind = "max" if pooling_type == "MAX" else "mean"
    return _pool(n, kind, input, window_shape, strides or 1, padding, data_format, dilations or 1)


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """The largest value of each window."""
    return _pool(raw(input).ndim - 2, "max", input, ksize, strides, padding, data_format)


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Tensor:
    """The largest value of each window of a sequence."""
    return _pool(1, "max", input, ksize, strides, padding, data_format)


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Tensor:
    """The largest value of each window of an image."""
    return _pool(2, "max", input, ksize, strides, padding, data_format)


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NDHWC", name: str | None = None
) -> Tensor:
    """The largest value of each window of a volume."""
    return _pool(3, "max", input, ksize, strides, padding, data_format)


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NDHWC", name: str | None = None
) -> Tensor:
    """The mean of each window of a volume."""
    return _pool(3, "mean", input, ksize, strides, padding, data_format)


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """The mean of each window."""
    return _pool(raw(input).ndim - 2, "mean", input, ksize, strides, padding, data_format)


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Tensor:
    """The mean of each window of a sequence."""
    return _pool(1, "mean", input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Tensor:
    """The mean of each window of an image."""
    return _pool(2, "mean", input, ksize, strides, padding, data_format)


def max_pool_with_argmax(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False, name: str | None = None,
) -> MaxPoolWithArgmax:  # fmt: skip
    """The largest values, and their places in each flattened image (or in the whole batch)."""
    t = raw(input)
    n, h, w, c = t.shape
    kernel, steps = spread_of(ksize, 2), spread_of(strides, 2)
    wide = padded(t.movedim(-1, 1), padding, kernel, steps, [1, 1], float("-inf"))
    top = same_padding(h, kernel[0], steps[0], 1)[0] if padding == "SAME" else 0
    left = same_padding(w, kernel[1], steps[1], 1)[0] if padding == "SAME" else 0
    made, place = fn.max_pool2d(wide, kernel, steps, return_indices=True)
    row, column = place // wide.shape[3] - top, place % wide.shape[3] - left
    where = (row * w + column) * c + torch.arange(c).reshape(1, c, 1, 1)
    if include_batch_in_index:
        where = where + torch.arange(n).reshape(n, 1, 1, 1) * (h * w * c)
    return MaxPoolWithArgmax(
        wrap(made.movedim(1, -1)), wrap(where.movedim(1, -1).to(dtypes.as_dtype(output_dtype).torch))
    )


def dilation2d(
    input: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: str | None = None
) -> Tensor:
    """The largest of value + filter in each window."""
    t, f = match("Dilation2D", input, filters)
    steps, spread = spread_of(strides, 2), spread_of(dilations, 2)
    kernel = list(f.shape[:2])
    wide = padded(t.movedim(-1, 1), padding, kernel, steps, spread, float("-inf"))
    height, width = ((wide.shape[2 + i] - (kernel[i] - 1) * spread[i] - 1) // steps[i] + 1 for i in range(2))
    best: Any = None
    for y in range(kernel[0]):
        for x in range(kernel[1]):
            rows = slice(y * spread[0], y * spread[0] + (height - 1) * steps[0] + 1, steps[0])
            columns = slice(x * spread[1], x * spread[1] + (width - 1) * steps[1] + 1, steps[1])
            shifted = wide[:, :, rows, columns] + f[y, x].reshape(1, -1, 1, 1)
            best = shifted if best is None else torch.maximum(best, shifted)
    return wrap(best.movedim(1, -1))


def erosion2d(
    value: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: str | None = None
) -> Tensor:
    """The smallest of value - filter in each window."""
    turned = wrap(raw(filters).flip((0, 1)))
    return wrap(-dilation2d(wrap(-raw(value)), turned, strides, padding, data_format, dilations)._t)
