"""Normalisation and its statistics, biases, dropout. In: activations. Out: the same shape."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as fn

from milepost.tf import failures, reductions
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """A vector added to the channels."""
    x, b = match("BiasAdd", value, bias)
    if b.ndim != 1 or x.ndim < 2:
        raise failures.kernel(
            "BiasAdd",
            f"Biases must be 1D, the input at least 2D: {failures.brackets(b.shape)}, {failures.brackets(x.shape)}",
        )
    if b.shape[0] != x.shape[1 if data_format in ("NCHW", "NCW") else -1]:
        raise failures.kernel(
            "BiasAdd",
            f"Must provide as many biases as the last dimension of the input tensor: {failures.brackets(b.shape)} vs. {failures.brackets(x.shape)}",
        )
    return wrap(x + (b.reshape(-1, *[1] * (x.ndim - 2)) if data_format in ("NCHW", "NCW") else b))


def _dropped(x: Any, rate: Any, noise_shape: Any, draw: Any) -> Tensor:
    t, p = raw(x), float(rate)
    if not t.is_floating_point():
        raise ValueError(
            f"x has to be a floating point tensor since it's going to be scaled. Got a {wrap(t).dtype} tensor instead."
        )
    if not 0 <= p < 1:
        raise ValueError(f"`rate` must be a scalar or scalar tensor in the range [0, 1). Received: rate={rate}")
    if p == 0:
        return wrap(t)
    wanted = t.shape if noise_shape is None else as_dims(noise_shape)
    keep = draw([n if k == -1 else k for n, k in zip(t.shape, wanted, strict=True)])._t.to(t.device) >= p
    return wrap(torch.where(keep, t / (1 - p), torch.zeros_like(t)))


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Each value 0 with probability `rate`, the others scaled up."""
    from milepost.tf.random import uniform

    return _dropped(x, rate, noise_shape, lambda shape: uniform(shape, seed=seed))


def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: str = "auto_select", noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """The same, always alike for the same seed of two numbers."""
    from milepost.tf.random import stateless_uniform

    return _dropped(x, rate, noise_shape, lambda shape: stateless_uniform(shape, seed))


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
    t = raw(input)
    size = 2 * depth_radius + 1
    around = fn.pad(t * t, [depth_radius, depth_radius]).unfold(-1, size, 1).sum(-1)
    return wrap(t * (bias + alpha * around) ** -beta)


def batch_norm_with_global_normalization(
    input: Any, mean: Any, variance: Any, beta: Any, gamma: Any, variance_epsilon: float, scale_after_normalization: bool, name: str | None = None
) -> Tensor:  # fmt: skip
    """`batch_normalization` with scale only where it is asked for."""
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon
    )


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance of values that count more or less."""
    t, weights = match("Mul", x, frequency_weights)
    dims = reductions.axes_of(t, axes, "Mean")
    weights = weights.expand_as(t)
    total = weights.sum(dims, keepdim=True)
    mean = (t * weights).sum(dims, keepdim=True) / total
    variance = (weights * (t - mean) ** 2).sum(dims, keepdim=True) / total
    if keepdims:
        return wrap(mean), wrap(variance)
    shape = [n for i, n in enumerate(t.shape) if i not in dims]
    return wrap(mean.reshape(shape)), wrap(variance.reshape(shape))


def sufficient_statistics(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Count, sum and sum of squares, from which moments follow."""
    t = raw(x)
    dims = reductions.axes_of(t, axes, "Sum")
    count = 1
    for a in dims:
        count *= t.shape[a]
    moved = t if shift is None else t - raw(shift)
    sums = moved.sum(dims, keepdim=keepdims), (moved * moved).sum(dims, keepdim=keepdims)
    made = torch.tensor(count, dtype=t.dtype), *sums
    return (*(wrap(m) for m in made), None if shift is None else wrap(raw(shift)))


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance of `sufficient_statistics`."""
    inverse = 1 / raw(counts)
    moved = raw(mean_ss) * inverse
    mean = moved if shift is None else moved + raw(shift)
    return wrap(mean), wrap(raw(variance_ss) * inverse - moved * moved)
