"""Activations: what a layer does to each value, and softmax. In: a tensor. Out: one of the same shape (crelu: twice as wide)."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as fn

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw
from milepost.tf.pointwise import FLOATS, unary
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

_ONEDNN = bool(torch.backends.mkldnn.is_available())

relu = unary("Relu", torch.relu, "max(x, 0).")
relu6 = unary("Relu6", lambda t: fn.relu6(t) if t.is_floating_point() else t.clamp(0, 6), "min(max(x, 0), 6).")
elu = unary("Elu", fn.elu, "x, or eˣ - 1 below 0.", FLOATS)
selu = unary("Selu", fn.selu, "The self-normalising elu.", FLOATS)


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x, or alpha · x below 0."""
    t = raw(features)
    t = t if t.is_floating_point() else t.float()
    return wrap(fn.leaky_relu(t, float(alpha)))


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the normal distribution function of x."""
    t = raw(features)
    if not t.is_floating_point():
        raise ValueError(
            f"`features.dtype` must be a floating point tensor.Received:features.dtype={dtypes.of_torch(t.dtype)!r}"
        )
    return wrap(fn.gelu(t, approximate="tanh" if approximate else "none"))


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
        if t.ndim:
            raise failures.refused("Softmax", dtypes.of_torch(t.dtype), FLOATS, "logits:T -> softmax:T")
        raise failures.AbortedError(
            "{{function_node __wrapped__Softmax_device_/job:localhost/replica:0/task:0/device:CPU:0}} Input dims must be <= 5 and >=1 "
            "[Op:Softmax] name: "
        )
    if not -t.ndim <= a < t.ndim:
        raise failures.kernel("Softmax", f"`axis` {a} is out of range for a tensor of {t.ndim} dimensions")
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
    t, a = raw(logits), -1 if axis is None else int(axis)
    if not t.is_floating_point():
        raise failures.refused("LogSoftmax", dtypes.of_torch(t.dtype), FLOATS, "logits:T -> logsoftmax:T")
    if not -t.ndim <= a < t.ndim:
        raise failures.kernel("LogSoftmax", f"`axis` {a} is out of range for a tensor of {t.ndim} dimensions")
    return wrap(torch.log_softmax(t, a))
