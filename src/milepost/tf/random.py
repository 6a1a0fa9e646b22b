"""`tf.random`: TensorFlow's own numbers for the same seeds (`philox`); gamma and Poisson repeat, but are torch's. Stateless forms: random_stateless.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures, generators, philox
from milepost.tf.candidates import (
    all_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.generators import Algorithm, Generator, create_rng_state, get_global_generator, set_global_generator
from milepost.tf.shapes import as_dims
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "Algorithm", "Generator", "all_candidate_sampler", "categorical", "create_rng_state", "gamma", "get_global_generator",
    "log_uniform_candidate_sampler", "normal", "poisson", "set_global_generator", "set_seed", "shuffle", "truncated_normal", "uniform",
    "uniform_candidate_sampler",
]  # fmt: skip

_STATELESS = [
    "fold_in", "split", "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal",
    "stateless_parameterized_truncated_normal", "stateless_poisson", "stateless_truncated_normal", "stateless_uniform", "experimental",
]  # fmt: skip


def set_seed(seed: int) -> None:
    """Everything that is random from here on repeats with the same seed: tf.random, and Keras' initialisers and layers."""
    from milepost.tf.keras_seeds import follow

    torch.manual_seed(int(seed))
    philox.forget(int(seed))
    generators.forget()
    follow(int(seed))


def stream(seed: Any) -> Any:
    """A torch generator, for what is not drawn by TensorFlow's own method."""
    place = philox.of_operation(("torch",), seed)
    key, low, high = place.take(1)
    return torch.Generator().manual_seed((key * 0x9E3779B97F4A7C15 + high * 0xBB67AE85 + low) & 0x7FFFFFFFFFFFFFFF)


def drawn(make: Callable[[], Any], dims: tuple[int, ...], op: str, kind: dtypes.DType) -> Any:
    """What `make` draws, in this shape and on this device; a function that is being recorded draws anew at every run."""
    if dims and min(dims) < 0:
        raise failures.kernel(op, f"Dimension {min(dims)} must be >= 0")
    trace = NOW.trace
    if trace is None:
        made = make().reshape(dims)
        return made if NOW.device is None else made.to(NOW.device)
    empty = torch.empty(dims, dtype=kind.torch, device=NOW.device)
    trace._written(empty)
    trace.on_host(lambda out: out._t.copy_(make().reshape(dims)), (wrap(empty),))
    return empty


def _floating(kind: dtypes.DType) -> None:
    if not kind.is_floating:
        raise failures.not_converted(0.0, kind)


def uniform_from(place: Any, dims: tuple[int, ...], low: Any, high: Any, kind: dtypes.DType) -> Tensor:
    """Evenly spread in [low, high), drawn from a place (or a function that says where)."""
    at = place if callable(place) else place.copy
    count = math.prod(dims)
    if kind.is_integer:
        if kind.size < 4:
            raise ValueError(
                f"Argument `dtype` got invalid value {kind}. Accepted dtypes are (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int32, "
                "tf.int64, tf.uint32, tf.uint64)."
            )
        if high is None and low is not None:
            raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
        if high is None:
            return wrap(drawn(lambda: philox.ints(at(), count, 0, None, kind), dims, "RandomUniformInt", kind))
        first, last = int(low), int(high)
        if first >= last:
            raise failures.kernel("RandomUniformInt", f"Need minval < maxval, got {first} >= {last}")
        return wrap(drawn(lambda: philox.ints(at(), count, first, last, kind), dims, "RandomUniformInt", kind))
    base = drawn(lambda: philox.uniform(at(), count, kind), dims, "RandomUniform", kind)
    if type(low) in (int, float) and (high is None or type(high) in (int, float)):
        top = 1 if high is None else high
        return wrap(base if (low, top) == (0, 1) else base * (top - low) + low)
    a, b = to_torch(low, kind), to_torch(1 if high is None else high, kind)
    return wrap(base * (b - a) + a)


def normal_from(place: Any, dims: tuple[int, ...], mean: Any, stddev: Any, kind: dtypes.DType) -> Tensor:
    """Normally distributed, drawn from a place."""
    _floating(kind)
    at = place if callable(place) else place.copy
    base = drawn(lambda: philox.normal(at(), math.prod(dims), kind), dims, "RandomStandardNormal", kind)
    return _scaled(base, mean, stddev, kind)


def truncated_from(place: Any, dims: tuple[int, ...], mean: Any, stddev: Any, kind: dtypes.DType) -> Tensor:
    """Normally distributed within two standard deviations, drawn from a place."""
    _floating(kind)
    at = place if callable(place) else place.copy
    base = drawn(lambda: philox.truncated(at(), math.prod(dims), kind), dims, "TruncatedNormal", kind)
    return _scaled(base, mean, stddev, kind)


def _scaled(base: Any, mean: Any, stddev: Any, kind: dtypes.DType) -> Tensor:
    if type(mean) in (int, float) and type(stddev) in (int, float):
        return wrap(base if (mean, stddev) == (0, 1) else base * stddev + mean)
    return wrap(base * to_torch(stddev, kind) + to_torch(mean, kind))


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Evenly spread in [minval, maxval)."""
    kind = as_dtype(dtype)
    if kind is dtypes.float32 and maxval is None and minval == 0 and NOW.trace is None and type(shape) is tuple:
        dims = as_dims(shape)  # the commonest case, without detours
        if not dims or min(dims) >= 0:
            made = philox.uniform(philox.of_operation(("uniform", kind), seed), math.prod(dims), kind).view(dims)
            return wrap(made if NOW.device is None else made.to(NOW.device))
    return uniform_from(lambda: philox.of_operation(("uniform", kind), seed), as_dims(shape), minval, maxval, kind)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed."""
    kind = as_dtype(dtype)
    return normal_from(lambda: philox.of_operation(("normal", kind), seed), as_dims(shape), mean, stddev, kind)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """Normally distributed, nothing beyond two standard deviations."""
    kind = as_dtype(dtype)
    return truncated_from(lambda: philox.of_operation(("truncated", kind), seed), as_dims(shape), mean, stddev, kind)


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The rows in random order."""
    t = raw(value)
    if not t.ndim:
        return wrap(t)
    kind = dtypes.string if type(t) is np.ndarray else dtypes.of_torch(t.dtype)
    count = t.shape[0]
    order = drawn(
        lambda: philox.order(philox.of_operation(("shuffle", kind), seed), count),
        (count,),
        "RandomShuffle",
        dtypes.int64,
    )
    return wrap(t[order.cpu().numpy()] if type(t) is np.ndarray else t[order.to(t.device)])


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Draws class numbers, by unnormalised log-probabilities."""
    return categories_from(lambda: philox.of_operation(("categorical",), seed), logits, num_samples, dtype)


def categories_from(at: Callable[[], Any], logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    """Class numbers drawn from a place."""
    kind = dtypes.int64 if dtype is None else as_dtype(dtype)
    t, samples = raw(logits).detach(), int(num_samples)
    if t.ndim != 2:
        raise failures.kernel("Multinomial", f"logits should be a matrix, got shape {failures.brackets(t.shape)}")
    if NOW.trace is not None:
        NOW.trace.values_read(t)  # the classes depend on the logits of each run
    made = philox.categories(at(), t.float().cpu(), samples).to(kind.torch)
    return wrap(made if NOW.device is None else made.to(NOW.device))


def poisson(shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None) -> Tensor:
    """Poisson distributed, of mean lam."""
    return poisson_from(stream(seed), shape, lam, as_dtype(dtype))


def poisson_from(generator: Any, shape: Any, lam: Any, kind: dtypes.DType) -> Tensor:
    """Poisson distributed, by a torch generator."""
    rate = to_torch(lam, hint=dtypes.float32)
    rate = rate if rate.is_floating_point() else rate.float()
    wide = rate.expand((*as_dims(shape), *rate.shape)).contiguous()
    return wrap(torch.poisson(wide, generator=generator).to(kind.torch))


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Gamma distributed."""
    kind = as_dtype(dtype)
    a = to_torch(alpha, hint=kind).to(kind.torch)
    b = None if beta is None else to_torch(beta, hint=kind).to(kind.torch)
    if b is not None:
        a = a.expand(torch.broadcast_shapes(a.shape, b.shape))
    wide = a.expand((*as_dims(shape), *a.shape)).contiguous()
    made = torch._standard_gamma(wide, generator=stream(seed))
    return wrap(made if b is None else made / b)


failures.guard(globals(), __all__, "uniform normal set_seed")


def __getattr__(name: str) -> Any:
    """The stateless forms load when they are first used."""
    if name in _STATELESS:
        from milepost.tf import random_stateless

        return getattr(random_stateless, name)
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.random", [*__all__, *_STATELESS])
