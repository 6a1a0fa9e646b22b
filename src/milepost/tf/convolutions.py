"""Convolutions of one to three dimensions and their transposes: torch's kernels in TensorFlow's layout (channels last) and padding."""

from __future__ import annotations

from typing import Any

import torch.nn.functional as fn

from milepost.tf import failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap


def spread_of(value: Any, n: int, channel_last: bool = True) -> list[int]:
    """strides or kernel sizes as TensorFlow allows them: one number, n numbers, or n + 2 with batch and channel."""
    listed = [int(v) for v in value] if isinstance(value, (list, tuple)) or hasattr(value, "__len__") else [int(value)]
    if len(listed) == 1:
        return listed * n
    if len(listed) == n:
        return listed
    return listed[1 : n + 1] if channel_last else listed[2:]


def same_padding(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """TensorFlow's SAME: as many outputs as inputs / stride, the odd one at the end."""
    total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def padded(
    t: Any, padding: Any, kernel: list[int], strides: list[int], dilations: list[int], value: float = 0.0
) -> Any:
    """The channels-first input with TensorFlow's padding round it."""
    n = len(kernel)
    if isinstance(padding, (list, tuple)):
        sides = [tuple(int(v) for v in s) for s in (padding[1 : n + 1] if len(padding) == n + 2 else padding)]
    elif str(padding).upper() == "VALID":
        return t
    elif str(padding).upper() == "SAME":
        sides = [same_padding(t.shape[2 + i], kernel[i], strides[i], dilations[i]) for i in range(n)]
    else:
        raise failures.InvalidArgumentError(
            f'Value for attr \'padding\' of "{padding}" is not in the list of allowed values: "SAME", "VALID", "EXPLICIT"'
        )
    flat = [v for s in reversed(sides) for v in s]
    return fn.pad(t, flat, value=value) if any(flat) else t


_CONV = {1: fn.conv1d, 2: fn.conv2d, 3: fn.conv3d}


def _convolve(
    n: int,
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
    groups: int = 1,
) -> Tensor:
    last = data_format is None or data_format.endswith("C")
    x, w = match(f"Conv{n}D", input, filters)
    if x.ndim != n + 2 or w.ndim != n + 2:
        raise failures.kernel(
            f"Conv{n}D",
            f"input and filter must have {n + 2} dimensions: {failures.brackets(x.shape)}, {failures.brackets(w.shape)}",
        )
    x = x.movedim(-1, 1) if last else x
    kernel = w.permute(n + 1, n, *range(n))
    if x.shape[1] % max(kernel.shape[1], 1) or (
        groups == 1 and x.shape[1] != kernel.shape[1] and x.shape[1] % kernel.shape[1]
    ):
        raise failures.kernel(
            f"Conv{n}D", f"input depth must be evenly divisible by filter depth: {x.shape[1]} vs {kernel.shape[1]}"
        )
    steps, spread = spread_of(strides, n, last), spread_of(1 if dilations is None else dilations, n, last)
    groups = groups if groups > 1 else x.shape[1] // kernel.shape[1]
    wide = padded(x, padding, list(kernel.shape[2:]), steps, spread)
    if kernel.shape[0] % groups:
        raise failures.kernel(
            f"Conv{n}D", f"number of filters {kernel.shape[0]} must be divisible by the {groups} groups of channels"
        )
    for i in range(n):
        if wide.shape[2 + i] < (kernel.shape[2 + i] - 1) * spread[i] + 1:
            raise failures.kernel(
                f"Conv{n}D",
                f"filter {failures.brackets(w.shape)} is larger than the input {failures.brackets(wide.shape)}",
            )
    made = _CONV[n](wide, kernel, None, steps, 0, spread, groups)
    return wrap(made.movedim(1, -1) if last else made)


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over one dimension."""
    return _convolve(1, input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution of images [batch, height, width, channels] with filters [height, width, in, out]."""
    return _convolve(2, input, filters, strides, padding, data_format, dilations)


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over three dimensions."""
    return _convolve(3, input, filters, strides, padding, data_format, dilations)


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Convolution over as many dimensions as the filters have."""
    n = raw(filters).ndim - 2
    return _convolve(n, input, filters, 1 if strides is None else strides, padding, data_format, dilations)


def atrous_conv2d(value: Any, filters: Any, rate: int, padding: Any, name: str | None = None) -> Tensor:
    """Convolution with holes."""
    return _convolve(2, value, filters, 1, padding, "NHWC", rate)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Each channel with filters of its own."""
    x, w = match("DepthwiseConv2dNative", input, filter)
    h, wd, c, m = w.shape
    return _convolve(2, wrap(x), wrap(w.reshape(h, wd, 1, c * m)), strides, padding, data_format, dilations, groups=c)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Depthwise, then 1 × 1."""
    deep = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format or "NHWC", dilations)
    return _convolve(2, deep, pointwise_filter, 1, "VALID", data_format, None)


_TRANSPOSED = {1: fn.conv_transpose1d, 2: fn.conv_transpose2d, 3: fn.conv_transpose3d}


def _transposed(
    n: int, input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any, data_format: str | None, dilations: Any
) -> Tensor:  # fmt: skip
    """The gradient of a convolution by its input: upsampling. The filters are [..., out, in]."""
    last = data_format is None or data_format.endswith("C")
    op = f"Conv{n}DBackpropInput"
    x, w = match(op, input, filters)
    x = x.movedim(-1, 1) if last else x
    kernel = w.permute(n + 1, n, *range(n))
    steps, spread = spread_of(strides, n, last), spread_of(1 if dilations is None else dilations, n, last)
    dims = as_dims(output_shape)
    wanted = dims if len(dims) == n else dims[1 : n + 1] if last else dims[2:]
    if x.shape[1] != kernel.shape[0]:
        raise failures.kernel(op, f"input depth {x.shape[1]} does not match the filters' {kernel.shape[0]}")
    full = _TRANSPOSED[n](x, kernel, None, steps, 0, 0, 1, spread)
    if isinstance(padding, (list, tuple)):
        cut = [int(s[0]) for s in (padding[1 : n + 1] if last else padding[2:])]
    elif padding == "SAME":
        cut = [same_padding(wanted[i], kernel.shape[2 + i], steps[i], spread[i])[0] for i in range(n)]
    else:
        cut = [0] * n
    need = [max(cut[i] + wanted[i] - full.shape[2 + i], 0) for i in range(n)]
    if any(need):
        full = fn.pad(full, [v for extra in reversed(need) for v in (0, extra)])
    for i in range(n):
        full = full.narrow(2 + i, cut[i], wanted[i])
    return wrap(full.movedim(1, -1) if last else full)


def conv1d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME", data_format: str | None = "NWC", dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The gradient of conv1d by its input."""
    return _transposed(1, input, filters, output_shape, strides, padding, data_format, dilations)


def conv2d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME", data_format: str | None = "NHWC", dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The gradient of conv2d by its input."""
    return _transposed(2, input, filters, output_shape, strides, padding, data_format, dilations)


def conv3d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME", data_format: str | None = "NDHWC", dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The gradient of conv3d by its input."""
    return _transposed(3, input, filters, output_shape, strides, padding, data_format, dilations)


def conv_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME", data_format: str | None = None, dilations: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The same, over as many dimensions as the filters have."""
    return _transposed(raw(filters).ndim - 2, input, filters, output_shape, strides, padding, data_format, dilations)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """The gradient of atrous_conv2d by its input."""
    return _transposed(2, value, filters, output_shape, 1, padding, "NHWC", rate)
