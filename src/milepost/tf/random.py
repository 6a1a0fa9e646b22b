"""`tf.random`: numbers by chance, from one seed for the whole process, from an operation's own seed, or stateless. Not TensorFlow's own sequences."""

from __future__ import annotations

import functools
import itertools
import os
import random as python_random
import sys
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes
from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.shapes import as_dims
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "Generator", "categorical", "gamma", "get_global_generator", "normal", "poisson", "set_global_generator", "set_seed", "shuffle",
    "stateless_normal", "stateless_truncated_normal", "stateless_uniform", "truncated_normal", "uniform",
]  # fmt: skip

_MIX = 0x9E3779B97F4A7C15  # spreads neighbouring seeds apart
_operation_streams: dict[tuple[Any, ...], Any] = {}
_seed: int | None = None  # what set_seed was given
_operations = itertools.count()  # operations without a seed of their own, since then


def set_seed(seed: int) -> None:
    """Everything that is random from here on repeats with the same seed: tf.random, and Keras' initialisers and layers."""
    torch.manual_seed(int(seed))
    _operation_streams.clear()
    global _global_generator, _seed, _operations
    _global_generator, _seed, _operations = None, int(seed), itertools.count()
    _follow(int(seed))


class _Seeds:
    """Where Keras' initialisers and layers take their seeds from: this stream, or (None) Python's `random`, as Keras has it."""

    stream: Any = None
    installed = False


def _follow(seed: int) -> None:
    """From here on Keras' own seeds come from this one, until `keras.utils.set_random_seed` says otherwise."""
    _Seeds.stream = python_random.Random(seed)
    if _Seeds.installed:
        return
    _Seeds.installed = True
    import keras
    from keras.src.random import seed_generator
    from keras.src.utils import rng_utils

    draw, reset = seed_generator.make_default_seed, rng_utils.set_random_seed

    def make_default_seed() -> int:
        return int(draw()) if _Seeds.stream is None else int(_Seeds.stream.randint(1, int(1e9)))

    @functools.wraps(reset)
    def set_random_seed(seed: int) -> None:
        _Seeds.stream = None
        reset(seed)

    keras.utils.set_random_seed = set_random_seed
    for name, module in list(sys.modules.items()):
        if name.startswith("keras.src"):
            for own, value in list(vars(module).items()):
                if value is draw:
                    setattr(module, own, make_default_seed)
                elif value is reset:
                    setattr(module, own, set_random_seed)


def mix(*parts: int) -> int:
    """One seed of several numbers."""
    return int(np.random.SeedSequence([p & 0xFFFF_FFFF_FFFF_FFFF for p in parts]).generate_state(1, np.uint64)[0])


def operation_seed(seed: int | None) -> int:
    """The seed of one input operation (a shuffle): from its own and the process's, else from the system."""
    if seed is not None:
        return mix(_seed or 0, int(seed) + 1)
    return int.from_bytes(os.urandom(8), "little") if _seed is None else mix(_seed, 0, next(_operations))


def stream(seed: Any) -> Any:
    """torch's default generator, or the stream that belongs to an operation's seed."""
    if seed is None:
        return None
    key = (int(seed), torch.initial_seed())
    if key not in _operation_streams:
        _operation_streams[key] = torch.Generator().manual_seed(
            (int(seed) * _MIX ^ torch.initial_seed()) & 0x7FFFFFFFFFFFFFFF
        )
    return _operation_streams[key]


def _stateless(seed: Any) -> Any:
    a, b = (int(v) for v in raw(seed).tolist())
    return torch.Generator().manual_seed((a * _MIX + b) & 0x7FFFFFFFFFFFFFFF)


def _uniform(shape: Any, low: Any, high: Any, kind: dtypes.DType, generator: Any) -> Tensor:
    dims = as_dims(shape)
    if kind.is_integer:
        if high is None:
            raise ValueError("Must specify maxval for integer dtype " + kind.name)
        return wrap(torch.randint(int(low), int(high), dims, dtype=kind.torch, generator=generator, device=NOW.device))
    base = torch.rand(dims, dtype=kind.torch, generator=generator, device=NOW.device)
    top = 1.0 if high is None else high
    if isinstance(low, (int, float)) and isinstance(top, (int, float)):
        return wrap(base if (low, top) == (0, 1) else base * (top - low) + low)
    a, b = to_torch(low, hint=kind), to_torch(top, hint=kind)
    return wrap(base * (b - a) + a)


def _normal(shape: Any, mean: Any, stddev: Any, kind: dtypes.DType, generator: Any) -> Tensor:
    base = torch.randn(as_dims(shape), dtype=kind.torch, generator=generator, device=NOW.device)
    return wrap(base * to_torch(stddev, hint=kind) + to_torch(mean, hint=kind))


def _truncated(shape: Any, mean: Any, stddev: Any, kind: dtypes.DType, generator: Any) -> Tensor:
    base = torch.empty(as_dims(shape), dtype=kind.torch, device=NOW.device)
    torch.nn.init.trunc_normal_(base, 0.0, 1.0, -2.0, 2.0, generator=generator)
    return wrap(base * to_torch(stddev, hint=kind) + to_torch(mean, hint=kind))


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Evenly spread in [minval, maxval)."""
    return _uniform(shape, minval, maxval, as_dtype(dtype), stream(seed))


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed."""
    return _normal(shape, mean, stddev, as_dtype(dtype), stream(seed))


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """Normally distributed, nothing beyond two standard deviations."""
    return _truncated(shape, mean, stddev, as_dtype(dtype), stream(seed))


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    **_: Any,
) -> Tensor:
    """Always the same for the same seed of two numbers."""
    return _uniform(shape, minval, maxval, as_dtype(dtype), _stateless(seed))


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    **_: Any,
) -> Tensor:
    """Always the same for the same seed of two numbers."""
    return _normal(shape, mean, stddev, as_dtype(dtype), _stateless(seed))


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None, **_: Any
) -> Tensor:  # fmt: skip
    """Always the same for the same seed of two numbers."""
    return _truncated(shape, mean, stddev, as_dtype(dtype), _stateless(seed))


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The rows in random order."""
    t = raw(value)
    order = torch.randperm(t.shape[0], generator=stream(seed))
    return wrap(t[order.numpy()] if type(t) is np.ndarray else t[order.to(t.device)])


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Draws class numbers, by unnormalised log-probabilities."""
    kind = dtypes.int64 if dtype is None else as_dtype(dtype)
    p = torch.softmax(raw(logits).detach().float(), -1)
    return wrap(torch.multinomial(p, int(num_samples), True, generator=stream(seed)).to(kind.torch))


def poisson(shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None) -> Tensor:
    """Poisson distributed, of mean lam."""
    kind = as_dtype(dtype)
    rate = to_torch(lam, hint=dtypes.float32)
    wide = rate.expand(*as_dims(shape), *rate.shape).contiguous()
    return wrap(torch.poisson(wide, generator=stream(seed)).to(kind.torch))


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Gamma distributed."""
    kind = as_dtype(dtype)
    a = to_torch(alpha, hint=kind).to(kind.torch)
    wide = a.expand(*as_dims(shape), *a.shape).contiguous()
    made = torch._standard_gamma(wide, generator=stream(seed))
    return wrap(made if beta is None else made / to_torch(beta, hint=kind))


class Generator:
    """A stream of random numbers of its own: `tf.random.Generator.from_seed(1)`."""

    def __init__(self, seed: int | None = None):
        self._stream = torch.Generator()
        if seed is None:
            self._stream.seed()
        else:
            self._stream.manual_seed(int(seed) & 0x7FFFFFFFFFFFFFFF)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        return cls(int(seed))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        return cls()

    def reset_from_seed(self, seed: Any) -> None:
        self._stream.manual_seed(int(seed) & 0x7FFFFFFFFFFFFFFF)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        return _uniform(shape, minval, maxval, as_dtype(dtype), self._stream)

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        return _normal(shape, mean, stddev, as_dtype(dtype), self._stream)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        return _truncated(shape, mean, stddev, as_dtype(dtype), self._stream)

    def split(self, count: int = 1) -> list[Generator]:
        return [Generator(int(torch.randint(0, 2**62, (), generator=self._stream))) for _ in range(count)]


_global_generator: Generator | None = None


def get_global_generator() -> Generator:
    """The process' own Generator."""
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator(int(torch.randint(0, 2**62, ())))
    return _global_generator


def set_global_generator(generator: Generator) -> None:
    """Use this one as the process' own."""
    global _global_generator
    _global_generator = generator
