"""Random numbers without state: the same for the same seed of two numbers, TensorFlow's own (gamma, Poisson and binomial: torch's)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from milepost.tf import dtypes, generators, philox
from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.random import categories_from, normal_from, poisson_from, truncated_from, uniform_from
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap


def _torch_generator(seed: Any) -> Any:
    place = philox.of_seed(seed)
    return torch.Generator().manual_seed((place.key ^ place.high) & 0x7FFFFFFFFFFFFFFF)


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None, alg: Any = "auto_select"
) -> Tensor:  # fmt: skip
    """Evenly spread in [minval, maxval); integers of the whole range where both are None."""
    return uniform_from(philox.of_seed(seed), as_dims(shape), minval, maxval, as_dtype(dtype))


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None, alg: Any = "auto_select"
) -> Tensor:  # fmt: skip
    """Normally distributed."""
    return normal_from(philox.of_seed(seed), as_dims(shape), mean, stddev, as_dtype(dtype))


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None, alg: Any = "auto_select"
) -> Tensor:  # fmt: skip
    """Normally distributed, nothing beyond two standard deviations."""
    return truncated_from(philox.of_seed(seed), as_dims(shape), mean, stddev, as_dtype(dtype))


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normally distributed between bounds, by the inverse of the distribution function."""
    mean, spread, low, high = (to_torch(v, hint=dtypes.float32).double() for v in (means, stddevs, minvals, maxvals))
    first, last = (torch.special.ndtr((bound - mean) / spread) for bound in (low, high))
    part = stateless_uniform(shape, seed, dtype=dtypes.float64)._t
    made = torch.special.ndtri(first + (last - first) * part) * spread + mean
    return wrap(torch.clamp(made, low, high).float())


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None, alg: Any = None
) -> Tensor:
    """Class numbers, by unnormalised log-probabilities."""
    return categories_from(lambda: philox.of_seed(seed), logits, num_samples, dtype)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """Poisson distributed, of mean lam; the shape ends with lam's."""
    rate = to_torch(lam, hint=dtypes.float32)
    dims = as_dims(shape)
    return poisson_from(_torch_generator(seed), (), wrap(rate.expand(dims)), as_dtype(dtype))


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Gamma distributed; the shape ends with alpha's."""
    kind = as_dtype(dtype)
    wide = to_torch(alpha, hint=kind).to(kind.torch).expand(as_dims(shape)).contiguous()
    made = torch._standard_gamma(wide, generator=_torch_generator(seed))
    return wrap(made if beta is None else made / to_torch(beta, hint=kind).to(kind.torch))


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """How many of so many tries succeed."""
    tries = to_torch(counts, hint=dtypes.float32).float().expand(as_dims(shape)).contiguous()
    chance = to_torch(probs, hint=dtypes.float32).float().expand(as_dims(shape)).contiguous()
    return wrap(torch.binomial(tries, chance, generator=_torch_generator(seed)).to(as_dtype(output_dtype).torch))


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """New seeds of one, a row each."""
    kind = dtypes.of_torch(raw(seed).dtype)
    return stateless_uniform([int(num), 2], seed, None, None, kind)


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed of one and a number."""
    kind = dtypes.of_torch(raw(seed).dtype)
    number = to_torch(data, hint=kind).to(kind.torch)
    return wrap(torch.stack([stateless_uniform([], seed, None, None, kind)._t, number]))


def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None) -> Tensor:
    """The rows in an order the seed decides (not TensorFlow's own)."""
    t = raw(value)
    return wrap(t[philox.order(philox.of_seed(seed), t.shape[0])])


experimental = SimpleNamespace(
    Generator=generators.Generator,
    Algorithm=generators.Algorithm,
    create_rng_state=generators.create_rng_state,
    get_global_generator=generators.get_global_generator,
    set_global_generator=generators.set_global_generator,
    stateless_split=split,
    stateless_fold_in=fold_in,
    stateless_shuffle=stateless_shuffle,
)
