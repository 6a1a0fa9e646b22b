"""`tf.random.Generator`: a stream of random numbers of its own, TensorFlow's. Its state is a counter of two numbers and a key, in a variable."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, philox
from milepost.tf.convert import raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap

__all__ = ["Algorithm", "Generator", "create_rng_state", "get_global_generator", "set_global_generator"]

_MASK = 0xFFFFFFFFFFFFFFFF


class Algorithm:
    """The algorithms a generator may use: here one, whatever is asked for."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def _algorithm(alg: Any) -> None:
    known = (None, 1, 3, "philox", "auto_select", Algorithm.PHILOX)
    if (alg.lower() if isinstance(alg, str) else alg) not in known:
        raise ValueError(f"The algorithm is Philox: alg must be 'philox' or 'auto_select', got {alg!r}.")


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def create_rng_state(seed: Any, alg: Any = 1) -> Tensor:
    """The state of a generator that begins with this seed: one number, or up to three."""
    _algorithm(alg)
    listed = raw(seed).reshape(-1).tolist() if not isinstance(seed, int) else [seed]
    if len(listed) > 3:
        raise ValueError(f"A seed has at most 3 numbers, got {len(listed)}.")
    state = [_signed(int(v) & _MASK) for v in listed]
    return wrap(torch.tensor(state + [0] * (3 - len(state)), dtype=torch.int64))


class Generator:
    """Random numbers from a state of its own: `tf.random.Generator.from_seed(1)`."""

    state: Any

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None):
        if copy_from is not None:
            state = copy_from.state.numpy()
        elif state is None:
            raise ValueError("Must specify both `state` and `alg`, or `copy_from`.")
        _algorithm(alg)
        from milepost.tf.variables import Variable

        if not isinstance(state, Variable):  # a variable is shared: two generators on one state
            state = Variable(np.asarray(state, np.int64), trainable=False, name="StateVar", dtype=dtypes.int64)
        self.state = state

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        return cls(state=[*raw(counter).reshape(-1).tolist(), int(raw(key))], alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        return cls(state=np.frombuffer(os.urandom(24), np.int64), alg=alg)

    @property
    def algorithm(self) -> int:
        return Algorithm.PHILOX

    @property
    def key(self) -> Tensor:
        return wrap(torch.tensor(int(self.state.numpy()[2]), dtype=torch.int64))

    def reset(self, state: Any) -> None:
        self.state.assign(np.asarray(raw(state), np.int64))

    def reset_from_seed(self, seed: Any) -> None:
        self.state.assign(create_rng_state(seed))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        self.reset(torch.tensor([*raw(counter).reshape(-1).tolist(), int(raw(key))]))

    def _place(self, count: int) -> philox.Place:
        """Where the next `count` numbers come from; the state moves on by as much."""
        low, high, key = (int(v) & _MASK for v in self.state.numpy().tolist())
        after = philox.Place(key, low, high)
        after.take(count * philox.PER_OUTPUT)
        self.state.assign(np.array([_signed(after.low), _signed(after.high), _signed(key)], np.int64))
        return philox.Place(key, low, high)

    def skip(self, delta: Any) -> Tensor:
        """The state as it was; it moves on by delta numbers."""
        before = wrap(torch.from_numpy(self.state.numpy()))
        self._place(int(delta))
        return before

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        from milepost.tf.random import uniform_from

        dims = as_dims(shape)
        return uniform_from(self._place(int(np.prod(dims, dtype=np.int64))), dims, minval, maxval, as_dtype(dtype))

    def uniform_full_int(self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None) -> Tensor:
        dims = as_dims(shape)
        count = int(np.prod(dims, dtype=np.int64))
        return wrap(philox.ints(self._place(count), count, 0, None, as_dtype(dtype)).reshape(dims))

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        from milepost.tf.random import normal_from

        dims = as_dims(shape)
        return normal_from(self._place(int(np.prod(dims, dtype=np.int64))), dims, mean, stddev, as_dtype(dtype))

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        from milepost.tf.random import truncated_from

        dims = as_dims(shape)
        return truncated_from(self._place(int(np.prod(dims, dtype=np.int64))), dims, mean, stddev, as_dtype(dtype))

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32, name: str | None = None
    ) -> Tensor:
        from milepost.tf.random_stateless import stateless_binomial

        return stateless_binomial(shape, self.make_seeds(1)._t[:, 0], counts, probs, dtype)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless operations, one a column."""
        keys = self.uniform_full_int([int(count)], dtypes.int64)._t
        return wrap(torch.stack([keys, torch.zeros_like(keys)]))

    def split(self, count: int = 1) -> list[Generator]:
        """Generators that do not touch each other."""
        keys = self.make_seeds(count)._t[0].tolist()
        return [Generator(state=[0, 0, key], alg=Algorithm.PHILOX) for key in keys]


class _Whole:
    generator: Generator | None = None


def get_global_generator() -> Generator:
    """The process' own Generator."""
    if _Whole.generator is None:
        _Whole.generator = Generator.from_non_deterministic_state()
    return _Whole.generator


def set_global_generator(generator: Generator) -> None:
    """Use this one as the process' own."""
    _Whole.generator = generator


def forget() -> None:
    _Whole.generator = None
