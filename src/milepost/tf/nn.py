"""`tf.nn`: activations, losses on logits, convolutions, pooling, normalisation — torch's kernels in TensorFlow's layout (channels last)."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as fn

from milepost.tf import blocks, counting, dtypes, failures, gathering, linalg, reductions, sorting
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw, to_torch
from milepost.tf.pointwise import log_sigmoid, sigmoid, softplus, softsign, tanh, unary
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "atrous_conv2d",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "batch_normalization",
    "bias_add",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "convolution",
    "crelu",
    "depth_to_space",
    "depthwise_conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_sigmoid",
    "log_softmax",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool_with_argmax",
    "moments",
    "relu",
    "relu6",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "zero_fraction",
]  # fmt: skip

_ONEDNN = bool(torch.backends.mkldnn.is_available())

relu = unary("Relu", torch.relu, "max(x, 0).")
relu6 = unary("Relu6", fn.relu6, "min(max(x, 0), 6).")
elu = unary("Elu", fn.elu, "x, or eˣ - 1 below 0.")
selu = unary("Selu", fn.selu, "The self-normalising elu.")
moments = reductions.moments
in_top_k = counting.in_top_k
top_k = sorting.top_k
l2_normalize = linalg.l2_normalize
space_to_depth, depth_to_space = blocks.space_to_depth, blocks.depth_to_space


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x, or alpha · x below 0."""
    return wrap(fn.leaky_relu(raw(features), float(alpha)))


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the normal distribution function of x."""
    return wrap(fn.gelu(raw(features), approximate="tanh" if approximate else "none"))


def silu(features: Any, beta: float = 1.0, name: str | None = None) -> Tensor:
    """x · sigmoid(beta · x)."""
    t = raw(features)
    return wrap(t * torch.sigmoid(t * beta))


swish = silu


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """relu of x and of -x, side by side."""
    t = raw(features)
    return wrap(torch.relu(torch.cat([t, -t], axis)))


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """eˣ / Σ eˣ along the last axis."""
    t, a = raw(logits), -1 if axis is None else int(axis)
    if not t.ndim or not t.is_floating_point():
        raise failures.kernel(
            "Softmax", f"logits must be floating point and at least a vector, got shape {failures.brackets(t.shape)}"
        )
    if (
        _ONEDNN
        and t.dtype is torch.float32
        and t.device.type == "cpu"
        and not t.requires_grad
        and NOW.trace is None
        and a == -1
    ):
        return wrap(t.to_mkldnn().softmax(-1).to_dense())  # TensorFlow's kernel: the same bits
    return wrap(torch.softmax(t, a))


def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Logarithm of softmax."""
    return wrap(torch.log_softmax(raw(logits), -1 if axis is None else int(axis)))


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """-Σ labels · log softmax(logits)."""
    x = raw(logits)
    y = to_torch(labels, hint=dtypes.of_torch(x.dtype)).to(x.dtype)
    if x.shape != y.shape:
        raise failures.shapes_differ("SoftmaxCrossEntropyWithLogits", x.shape, y.shape)
    return wrap(-(y * torch.log_softmax(x, axis)).sum(axis))


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """The same for labels given as class numbers."""
    x, y = raw(logits), raw(labels).long()
    if tuple(y.shape) != tuple(x.shape[:-1]):
        raise ValueError(
            f"`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape={tuple(y.shape)} and "
            f"logits.shape={tuple(x.shape)}"
        )
    made = fn.cross_entropy(x.reshape(-1, x.shape[-1]), y.reshape(-1), reduction="none")
    return wrap(made.reshape(y.shape))


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Cross entropy of independent yes/no classes."""
    x, y = match("SigmoidCrossEntropy", logits, labels)
    if x.shape != y.shape:
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({tuple(x.shape)} vs {tuple(y.shape)})."
        )
    return wrap(fn.binary_cross_entropy_with_logits(x, y, reduction="none"))


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """The same, with the positive class weighted."""
    x, y = match("WeightedCrossEntropy", logits, labels)
    return wrap(fn.binary_cross_entropy_with_logits(x, y, reduction="none", pos_weight=raw(pos_weight).to(x.dtype)))


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """Poisson loss of log-predictions."""
    x, y = match("LogPoissonLoss", log_input, targets)
    return wrap(fn.poisson_nll_loss(x, y, True, compute_full_loss, reduction="none"))


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Σ t² / 2."""
    return wrap((raw(t) ** 2).sum() / 2)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """Which part of the values is 0."""
    return wrap((raw(value) == 0).float().mean())


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """A vector added to the channels."""
    x, b = match("BiasAdd", value, bias)
    if b.shape[0] != x.shape[1 if data_format in ("NCHW", "NCW") else -1]:
        raise failures.kernel(
            "BiasAdd",
            f"Must provide as many biases as the last dimension of the input tensor: {failures.brackets(b.shape)} vs. {failures.brackets(x.shape)}",
        )
    return wrap(x + (b.reshape(-1, *[1] * (x.ndim - 2)) if data_format in ("NCHW", "NCW") else b))


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Each value 0 with probability `rate`, the others scaled up."""
    from milepost.tf.random import uniform

    t, p = raw(x), float(rate)
    if not 0 <= p < 1:
        raise ValueError(f"`rate` must be a scalar or scalar tensor in the range [0, 1). Received: rate={rate}")
    if p == 0:
        return wrap(t)
    keep = uniform(t.shape if noise_shape is None else noise_shape, seed=seed)._t.to(t.device) >= p
    return wrap(t * keep.to(t.dtype) / (1 - p))


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Tensor:
    """The rows of a table."""
    found = gathering.gather(params, ids)
    if max_norm is None:
        return found
    t = found._t
    axes = tuple(range(raw(ids).ndim, t.ndim))
    norm = (t * t).sum(axes, keepdim=True).sqrt()
    return wrap(t * max_norm / torch.clamp(norm, min=float(max_norm)))


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float, name: str | None = None
) -> Tensor:
    """(x - mean) / √(variance + ε) · scale + offset."""
    t = raw(x)
    factor = torch.rsqrt(raw(variance) + variance_epsilon)
    if scale is not None:
        factor = factor * raw(scale)
    made = (t - raw(mean)) * factor
    return wrap(made if offset is None else made + raw(offset))


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5, name: str | None = None
) -> Tensor:
    """Each channel divided by its neighbours' strength."""
    t = raw(input).movedim(-1, 1)
    size = 2 * depth_radius + 1
    return wrap(fn.local_response_norm(t, size, alpha * size, beta, bias).movedim(1, -1))


# --- convolution and pooling -------------------------------------------------------------------------------------------


def _spread(value: Any, n: int, channel_last: bool = True) -> list[int]:
    """strides or kernel sizes as TensorFlow allows them: one number, n numbers, or n + 2 with batch and channel."""
    listed = [int(v) for v in value] if isinstance(value, (list, tuple)) or hasattr(value, "__len__") else [int(value)]
    if len(listed) == 1:
        return listed * n
    if len(listed) == n:
        return listed
    return listed[1 : n + 1] if channel_last else listed[2:]


def _same(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """TensorFlow's SAME: as many outputs as inputs / stride, the odd one at the end."""
    total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def _padded(
    t: Any, padding: Any, kernel: list[int], strides: list[int], dilations: list[int], value: float = 0.0
) -> Any:
    """The channels-first input with TensorFlow's padding round it."""
    n = len(kernel)
    if isinstance(padding, (list, tuple)):
        sides = [tuple(int(v) for v in s) for s in (padding[1 : n + 1] if len(padding) == n + 2 else padding)]
    elif padding.upper() == "VALID":
        return t
    elif padding.upper() == "SAME":
        sides = [_same(t.shape[2 + i], kernel[i], strides[i], dilations[i]) for i in range(n)]
    else:
        raise ValueError(f"padding must be 'VALID' or 'SAME', got {padding!r}")
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
    x = x.movedim(-1, 1) if last else x
    kernel = w.permute(n + 1, n, *range(n))
    if x.shape[1] % max(kernel.shape[1], 1) or (
        groups == 1 and x.shape[1] != kernel.shape[1] and x.shape[1] % kernel.shape[1]
    ):
        raise failures.kernel(
            f"Conv{n}D", f"input depth must be evenly divisible by filter depth: {x.shape[1]} vs {kernel.shape[1]}"
        )
    steps, spread = _spread(strides, n, last), _spread(1 if dilations is None else dilations, n, last)
    groups = groups if groups > 1 else x.shape[1] // kernel.shape[1]
    made = _CONV[n](_padded(x, padding, list(kernel.shape[2:]), steps, spread), kernel, None, steps, 0, spread, groups)
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


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of conv2d by its input: upsampling."""
    from milepost.tf.shapes import as_dims

    last = data_format is None or data_format.endswith("C")
    x, w = match("Conv2DBackpropInput", input, filters)
    x = x.movedim(-1, 1) if last else x
    kernel = w.permute(3, 2, 0, 1)
    steps = _spread(strides, 2, last)
    dims = as_dims(output_shape)
    wanted = dims[1:3] if last else dims[2:]
    full = fn.conv_transpose2d(x, kernel, None, steps)
    cut = [(_same(wanted[i], kernel.shape[2 + i], steps[i], 1)[0] if padding == "SAME" else 0) for i in range(2)]
    need = [max(cut[i] + wanted[i] - full.shape[2 + i], 0) for i in range(2)]
    full = fn.pad(full, [0, need[1], 0, need[0]]) if any(need) else full
    made = full[:, :, cut[0] : cut[0] + wanted[0], cut[1] : cut[1] + wanted[1]]
    return wrap(made.movedim(1, -1) if last else made)


_MAX = {1: fn.max_pool1d, 2: fn.max_pool2d, 3: fn.max_pool3d}
_MEAN = {1: fn.avg_pool1d, 2: fn.avg_pool2d, 3: fn.avg_pool3d}


def _pool(n: int, kind: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None) -> Tensor:
    last = data_format is None or data_format.endswith("C")
    t = raw(input)
    x = t.movedim(-1, 1) if last else t
    kernel, steps = _spread(ksize, n, last), _spread(strides, n, last)
    ones = [1] * n
    if kind == "max":
        made = _MAX[n](_padded(x, padding, kernel, steps, ones, float("-inf")), kernel, steps)
    else:
        wide = _padded(x, padding, kernel, steps, ones)
        made = _MEAN[n](wide, kernel, steps)
        if wide is not x:  # TensorFlow's mean leaves the padding out
            count = _padded(torch.ones_like(x[:1, :1]), padding, kernel, steps, ones)
            made = made / _MEAN[n](count, kernel, steps)
    return wrap(made.movedim(1, -1) if last else made)


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


def max_pool_with_argmax(input: Any, ksize: Any, strides: Any, padding: Any, **_: Any) -> tuple[Tensor, Tensor]:
    """The largest values, and their places in each flattened image."""
    t = raw(input)
    _, h, w, c = t.shape
    kernel, steps = _spread(ksize, 2), _spread(strides, 2)
    wide = _padded(t.movedim(-1, 1), padding, kernel, steps, [1, 1], float("-inf"))
    top = _same(h, kernel[0], steps[0], 1)[0] if padding == "SAME" else 0
    left = _same(w, kernel[1], steps[1], 1)[0] if padding == "SAME" else 0
    made, place = fn.max_pool2d(wide, kernel, steps, return_indices=True)
    row, column = place // wide.shape[3] - top, place % wide.shape[3] - left
    channel = torch.arange(c, device=t.device).reshape(1, c, 1, 1)
    return wrap(made.movedim(1, -1)), wrap(((row * w + column) * c + channel).movedim(1, -1))
