"""Short ways through Keras' layers for the plainest case: a built float32 layer called on one float32 tensor, no masks, no mixed precision.

The result is Keras' own; only the bookkeeping between the call and the kernel is left out. Every other case takes Keras' way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as fn
from keras.src import activations, layers
from keras.src.backend.common.global_state import GLOBAL_STATE_TRACKER
from keras.src.layers.layer import CallContext

from milepost.tf import convert, threads
from milepost.tf.bridge.boundary import INSIDE, bare, dressed
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

__all__ = ["shortened"]

Lane = Callable[[Any], Any]
_hooks = torch.nn.modules.module
_grad_mode = torch._C._set_grad_enabled
_float32 = torch.float32
_ACTIVATIONS: dict[Any, Any] = {
    activations.linear: None,
    activations.relu: torch.relu,
    activations.sigmoid: torch.sigmoid,
    activations.tanh: torch.tanh,
    activations.softmax: lambda t: torch.softmax(t, -1),
    activations.elu: fn.elu,
    activations.selu: fn.selu,
    activations.softplus: fn.softplus,
}


def _dense(layer: Any) -> Lane | None:
    if (
        layer.activation not in _ACTIVATIONS
        or getattr(layer, "lora_enabled", False)
        or getattr(layer, "quantization_mode", None)
    ):
        return None
    act, kernel, bias = _ACTIVATIONS[layer.activation], layer._kernel, layer.bias

    def lane(t: Any) -> Any:
        w = kernel._value
        if t.ndim < 2 or t.shape[-1] != w.shape[0]:
            return None
        threads.work(2 * t.numel() * w.shape[1])
        # not addmm, which rounds otherwise: a layer's first call takes Keras' way, and a resumed run must equal an unbroken one
        out = torch.matmul(t, w) if bias is None else torch.matmul(t, w) + bias._value
        return out if act is None else act(out)

    return lane


def _flatten(layer: Any) -> Lane | None:
    return (
        (lambda t: t.reshape(t.shape[0], -1) if t.ndim > 1 else None) if layer.data_format == "channels_last" else None
    )


def _reshape(layer: Any) -> Lane | None:
    target = tuple(layer.target_shape)
    size = int(np.prod(target)) if -1 not in target else 0

    def lane(t: Any) -> Any:
        return t.reshape((t.shape[0], *target)) if size and t.numel() == size * t.shape[0] else None

    return lane


def _conv2d(layer: Any) -> Lane | None:
    if (
        layer.data_format != "channels_last"
        or layer.activation not in _ACTIVATIONS
        or layer.groups != 1
        or getattr(layer, "lora_enabled", False)
    ):
        return None
    kernel_size, strides, dilation = tuple(layer.kernel_size), tuple(layer.strides), tuple(layer.dilation_rate)
    if layer.padding == "valid":
        padding = (0, 0)
    elif layer.padding == "same" and strides == (1, 1) and all(k % 2 for k in kernel_size):
        padding = ((kernel_size[0] - 1) * dilation[0] // 2, (kernel_size[1] - 1) * dilation[1] // 2)
    else:
        return None
    act, kernel, bias = _ACTIVATIONS[layer.activation], layer._kernel, layer.bias

    def lane(t: Any) -> Any:
        w = kernel._value
        if t.ndim != 4 or t.shape[-1] != w.shape[2]:
            return None
        threads.work(2 * t.numel() * kernel_size[0] * kernel_size[1] * w.shape[3])
        made = fn.conv2d(
            t.permute(0, 3, 1, 2),
            w.permute(3, 2, 0, 1),
            None if bias is None else bias._value,
            strides,
            padding,
            dilation,
        )
        if act is not None:
            made = act(made) if layer.activation is not activations.softmax else torch.softmax(made, 1)
        return made.permute(0, 2, 3, 1)

    return lane


def _max_pool2d(layer: Any) -> Lane | None:
    if layer.data_format != "channels_last" or layer.padding != "valid":
        return None
    size, strides = tuple(layer.pool_size), tuple(layer.strides)

    def lane(t: Any) -> Any:
        return fn.max_pool2d(t.permute(0, 3, 1, 2), size, strides).permute(0, 2, 3, 1) if t.ndim == 4 else None

    return lane


def _softmax(layer: Any) -> Lane | None:
    return (lambda t: torch.softmax(t, layer.axis)) if isinstance(layer.axis, int) else None


def _activation(layer: Any) -> Lane | None:
    return _ACTIVATIONS.get(layer.activation)


_LANES: dict[type, Callable[[Any], Lane | None]] = {
    layers.Dense: _dense,
    layers.Flatten: _flatten,
    layers.Reshape: _reshape,
    layers.Conv2D: _conv2d,
    layers.MaxPooling2D: _max_pool2d,
    layers.Softmax: _softmax,
    layers.Activation: _activation,
}


def _lstm_cell(layer: Any) -> Any:
    """cell(x, [h, c]) -> (h, [h, c]), the gates in one product each."""
    if (
        layer.activation is not activations.tanh
        or layer.recurrent_activation is not activations.sigmoid
        or layer.dropout
        or layer.recurrent_dropout
        or not layer.use_bias
    ):
        return None
    kernel, recurrent, bias = layer.kernel, layer.recurrent_kernel, layer.bias

    def lane(x: Any, h: Any, c: Any) -> Any:
        threads.work(2 * h.numel() * recurrent._value.shape[1])
        # products, sums and their order are Keras' own, so that both ways round alike
        gates = torch.matmul(x, kernel._value) + torch.matmul(h, recurrent._value) + bias._value
        i, f, g, o = gates.chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, [h, c]

    return lane


def _plain_policy(layer: Any) -> bool:
    policy = layer._dtype_policy
    return (
        policy.compute_dtype == "float32"
        and policy.variable_dtype == "float32"
        and policy.quantization_mode is None
        and layer.activity_regularizer is None
        and not layer._remat_mode
        and not layer._forward_hooks
        and not layer._forward_pre_hooks
    )


def _own_call(layer: Any) -> bool:
    """Whether the user wrote `call`."""
    return not type(layer).call.__module__.startswith("keras.") if hasattr(type(layer).call, "__module__") else False


_UNKNOWN, _NONE, _KERNEL, _CELL, _USER = range(5)


def _choose(layer: Any) -> tuple[int, Any]:
    """Which way this layer may take, once it is built."""
    if not _plain_policy(layer):
        return _NONE, None
    kind = type(layer)
    if kind in _LANES:
        lane = _LANES[kind](layer)
        return (_KERNEL, lane) if lane is not None else (_NONE, None)
    if kind is layers.LSTMCell:
        lane = _lstm_cell(layer)
        return (_CELL, lane) if lane is not None else (_NONE, None)
    if _own_call(layer) and not layer._call_has_mask_arg and layer._convert_input_args:
        names = list(layer._call_signature.parameters.values())
        plain = names and all(p.kind is p.POSITIONAL_OR_KEYWORD for p in names)
        if plain and all(part.built for part in layer._flatten_layers()):
            default = layer._call_signature.parameters["training"].default if layer._call_has_training_arg else None
            return _USER, default if default is not type(names[0]).empty else None
    return _NONE, None


def _state(name: str) -> Any:
    return getattr(GLOBAL_STATE_TRACKER, name, None)


def _size(value: Any) -> int:
    shape = getattr(value, "shape", ())
    return int(np.prod([d or 1 for d in shape]))


def _tensor(value: Any) -> Any:
    """The float32 (or integer) torch tensor of an input, or None for one that needs Keras' way."""
    if type(value) is Tensor:
        t = value._t
        if type(t) is np.ndarray:
            return None
        if t.requires_grad and not NOW.recording:
            t = t.detach()
    elif type(value) is torch.Tensor:
        t = value
    elif type(value) is np.ndarray:
        if value.dtype.kind not in "fiub":
            return None
        t = convert.to_torch(value)
    else:
        return None
    if t.is_meta or hasattr(t, "_keras_mask") or (NOW.device is not None and t.device.type == "cpu"):
        return None  # Keras' way brings it to its device
    if t.dtype is not _float32 and t.is_floating_point():
        t = t.to(_float32)
    return t


def shortened(full: Callable[..., Any]) -> Callable[..., Any]:
    """`Layer.__call__` with the short ways in front of the full one."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        known = self.__dict__.get("_milepost_lane")
        if (
            known is None
            or known[0] == _NONE
            or not args
            or _hooks._global_forward_hooks
            or _hooks._global_forward_pre_hooks
            or _state("stateless_scope") is not None
            or _state("autocast_scope") is not None
            or _state("distribution") is not None
            or _state("torch_device") is not None
        ):
            result = full(self, *args, **kwargs)
            if known is None and self.built and _state("stateless_scope") is None:
                self.__dict__["_milepost_lane"] = _choose(self)
                if hasattr(self, "kernel_size"):  # a convolution of some kind
                    threads.work(
                        2 * _size(args[0]) * int(np.prod(self.kernel_size)) * (getattr(self, "filters", 1) or 1)
                    )
            return result
        t = _tensor(args[0])
        if t is None:
            return full(self, *args, **kwargs)
        way, lane = known
        inside = INSIDE.keras
        quiet = not inside and not NOW.recording and torch.is_grad_enabled()
        if way == _USER:
            return _through_user(self, lane, full, t, inside, quiet, args, kwargs)
        if t.dtype is not _float32 or (kwargs and kwargs.keys() != {"training"}):
            return full(self, *args, **kwargs)
        if quiet:
            _grad_mode(False)
        try:
            if way == _CELL:
                states = _states(args)
                made = None if states is None else lane(t, *states)
            else:
                made = lane(t) if len(args) == 1 else None
        finally:
            if quiet:
                _grad_mode(True)
        if made is None:
            return full(self, *args, **kwargs)
        if inside:
            return made
        return wrap(made) if way == _KERNEL else dressed(made)

    __call__.__wrapped__ = full  # type: ignore[attr-defined]
    return __call__


def _states(args: Any) -> Any:
    if len(args) != 2 or len(args[1]) != 2:
        return None
    h, c = (_tensor(s) for s in args[1])
    return None if h is None or c is None or h.ndim != 2 or h.dtype is not _float32 else (h, c)


def _through_user(
    layer: Any, default: Any, full: Any, t: Any, inside: bool, quiet: bool, args: Any, kwargs: dict[str, Any]
) -> Any:  # fmt: skip
    """A layer whose `call` the user wrote: its `training` is found as Keras finds it, then `call` runs."""
    if len(args) != 1 or any(isinstance(v, (Tensor, np.ndarray, torch.Tensor)) for v in kwargs.values()):
        return full(layer, *args, **kwargs)
    context = _state("current_call_ctx")
    entry = context is None
    if entry:
        context = CallContext(entry_layer=layer)
        GLOBAL_STATE_TRACKER.current_call_ctx = context
        if layer._losses or layer._layers:
            layer._clear_losses()
    training = kwargs.get("training")
    if "training" not in kwargs:
        training = getattr(context, "training", None)
        training = default if training is None else training
    context.training = training
    if layer._call_has_training_arg and training is not None:
        kwargs["training"] = training
    elif "training" in kwargs and not layer._call_has_training_arg:
        kwargs.pop("training")
    if quiet:
        _grad_mode(False)
    try:
        result = layer.call(t if inside else wrap(t), **kwargs)
        return bare(result) if inside else dressed(result)
    finally:
        if quiet:
            _grad_mode(True)
        if entry:
            GLOBAL_STATE_TRACKER.current_call_ctx = None
