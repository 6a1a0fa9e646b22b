"""TensorFlow's own random numbers: which key and counter an operation draws from, and what it makes of the bits. Not here: the generator itself.

An operation has two seeds, the process's and its own: the first is the key, the second the upper half of a 128-bit counter whose lower half
counts. An operation without a seed gets one from the process's; one with a seed goes on where it stopped. Stateless operations scramble
their seed of two numbers into a key and a counter; a `Generator` carries both along.
"""

from __future__ import annotations

import os
import random as python_random
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw

try:
    from milepost._native import philox as native
except ImportError:  # a source tree built before this file came
    from milepost.tf import philox_numpy as native  # type: ignore[no-redef]

__all__ = [
    "Place",
    "bits",
    "categories",
    "forget",
    "ints",
    "normal",
    "of_operation",
    "of_seed",
    "order",
    "scrambled",
    "truncated",
    "uniform",
]

LARGEST = 2**31 - 1
DEFAULT_SEED = 87654321  # of the process, for operations that have a seed when it has none
PER_OUTPUT = 256  # counters an operation sets aside for each number it returns
_MASK = 0xFFFFFFFFFFFFFFFF
_VECTORS = 16384  # from here on torch's vectorised functions are faster than the C library's


class Place:
    """Where the next numbers come from: a key, and a counter that moves on."""

    __slots__ = ("high", "key", "low")

    def __init__(self, key: int, low: int, high: int):
        self.key, self.low, self.high = key, low, high

    def copy(self) -> Place:
        """Where this one is now: what is drawn from it again is the same."""
        return Place(self.key, self.low, self.high)

    def take(self, counters: int) -> tuple[int, int, int]:
        """Key and counter for now; the next ones lie behind `counters` of them."""
        now = self.key, self.low, self.high
        whole = ((self.high << 64) | self.low) + counters
        self.low, self.high = whole & _MASK, (whole >> 64) & _MASK
        return now


class _Process:
    seed: int | None = None
    unnamed: Any = None  # gives seeds to operations that have none
    places: dict[tuple[Any, ...], Place] = {}  # of operations with a seed
    anywhere = Place(*(int.from_bytes(os.urandom(8), "little") for _ in range(3)))  # where nobody gave a seed


def forget(seed: int) -> None:
    """`set_seed`: every operation begins anew."""
    _Process.seed, _Process.unnamed = seed, python_random.Random(seed)
    _Process.places = {}


def process_seed() -> int | None:
    return _Process.seed


def unnamed_seed() -> int:
    """The seed of an operation that has none, from the process's."""
    return int(_Process.unnamed.randint(0, LARGEST))


def of_operation(kind: tuple[Any, ...], seed: Any) -> Place:
    """Where an operation draws from: anew, or for one with a seed where it stopped. `kind` tells operations apart."""
    process = _Process.seed
    if seed is None:
        if process is None:
            return _Process.anywhere
        pair = process % LARGEST, unnamed_seed() % LARGEST
    else:
        pair = (DEFAULT_SEED if process is None else process) % LARGEST, int(seed) % LARGEST
    if pair == (0, 0):
        pair = 0, LARGEST
    if seed is None:
        return Place(pair[0], 0, pair[1])
    key = (*kind, *pair)
    found = _Process.places.get(key)
    if found is None:
        found = _Process.places[key] = Place(pair[0], 0, pair[1])
    return found


def bits(key: int, low: int, high: int, count: int) -> Any:
    """`count` 32-bit numbers from a key and a counter on: what an input pipeline draws."""
    out = np.empty(count, np.uint32)
    native.bits(key & _MASK, low & _MASK, high & _MASK, out)
    return out


def of_seed(seed: Any) -> Place:
    """Where a stateless operation draws from: its two numbers, scrambled."""
    listed = raw(seed).tolist()
    if not isinstance(listed, list) or len(listed) != 2:
        raise failures.InvalidArgumentError(f"seed must have shape [2], not {failures.brackets(raw(seed).shape)}")
    return scrambled(int(listed[0]), int(listed[1]))


def scrambled(first: int, second: int) -> Place:
    """Where two numbers lead."""
    a, b, c, d = bits(0x02461E293EC8F720, first, second, 4).tolist()
    return Place(a | b << 32, 0, c | d << 32)


def _wide(place: Place, count: int, reserve: int, per_number: int = 2) -> Any:
    """`count` 64-bit numbers, as uint64."""
    out = np.empty(count * per_number + (count * per_number & 1), np.uint32)
    native.bits(*place.take(reserve), out)
    return out


def _doubles(whole: Any) -> Any:
    """Numbers in [0, 1) of pairs of 32-bit numbers."""
    pairs = whole.reshape(-1, 2).astype(np.uint64)
    made = (pairs[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | pairs[:, 1] | np.uint64(1023 << 52)
    return made.view(np.float64) - 1


def uniform(place: Place, count: int, kind: dtypes.DType) -> Any:
    """Numbers in [0, 1), as a torch tensor."""
    if kind is dtypes.float32:
        out = np.empty(count, np.float32)
        native.uniform(*place.take(count * PER_OUTPUT), out)
        return torch.from_numpy(out)
    if kind is dtypes.float64:
        return torch.from_numpy(_doubles(_wide(place, count, count * PER_OUTPUT))[:count])
    whole = np.empty(count, np.uint32)
    native.bits(*place.take(count * PER_OUTPUT), whole)
    if kind is dtypes.float16:
        half = ((whole.astype(np.uint16) & np.uint16(0x3FF)) | np.uint16(15 << 10)).view(np.float16)
        return torch.from_numpy(half - np.float16(1))
    brief = ((whole.astype(np.uint16) & np.uint16(0x7F)) | np.uint16(127 << 7)).view(np.int16)
    return torch.from_numpy(brief).view(torch.bfloat16) - 1


def normal(place: Place, count: int, kind: dtypes.DType) -> Any:
    """Normally distributed numbers (Box and Muller), as a torch tensor."""
    at = place.take(count * PER_OUTPUT)
    if kind is dtypes.float64:
        whole = np.empty(-(-count // 2) * 4, np.uint32)
        native.bits(*at, whole)
        flat = torch.from_numpy(_doubles(whole))
    elif count < _VECTORS:
        out = np.empty(count, np.float32)
        native.normal(*at, out)
        made = torch.from_numpy(out)
        return made if kind is dtypes.float32 else made.to(kind.torch)
    else:
        real = np.empty(count + (count & 1), np.float32)
        native.uniform(*at, real)
        flat = torch.from_numpy(real)
    pairs = flat.view(-1, 2)
    r = pairs[:, 0].clamp(min=1e-7).log_().mul_(-2).sqrt_()
    v = pairs[:, 1] * (2 * np.pi)
    made = torch.stack([v.sin() * r, v.cos_() * r], 1).view(-1)[:count]
    return made if made.dtype is kind.torch else made.to(kind.torch)


def truncated(place: Place, count: int, kind: dtypes.DType) -> Any:
    """Normally distributed numbers, none beyond two standard deviations, as a torch tensor."""
    out = np.empty(count, np.float32)
    key, low, high = place.take(count * PER_OUTPUT)
    native.truncated(key, low, high, PER_OUTPUT, out)
    made = torch.from_numpy(out)
    return made if kind is dtypes.float32 else made.to(kind.torch)


def ints(place: Place, count: int, low: int, high: int | None, kind: dtypes.DType) -> Any:
    """Whole numbers in [low, high), or (high None) of the whole range, as a torch tensor."""
    if kind.size == 8:
        whole = _wide(place, count, count * PER_OUTPUT).reshape(-1, 2).astype(np.uint64)[:count]
        drawn: Any = whole[:, 0] | whole[:, 1] << np.uint64(32)
    else:
        drawn = np.empty(count, np.uint32)
        native.bits(*place.take(count * PER_OUTPUT), drawn)
    if high is not None:
        span = (high - low) & (_MASK if kind.size == 8 else 0xFFFFFFFF)
        start = low & (_MASK if kind.size == 8 else 0xFFFFFFFF)
        drawn = drawn % drawn.dtype.type(span) + drawn.dtype.type(start)
    return torch.from_numpy(drawn.view(kind.as_numpy_dtype))


def order(place: Place, count: int) -> Any:
    """The numbers below `count` in random order, as a torch tensor."""
    made = np.arange(count, dtype=np.int64)
    native.shuffle(*place.take(-(-max(count - 1, 0) // 4)), made)
    return torch.from_numpy(made)


def categories(place: Place, logits: Any, samples: int) -> Any:
    """Class numbers [rows, samples], by unnormalised log-probabilities."""
    rows = logits.shape[0]
    drawn = _doubles(_wide(place, rows * samples, rows * -(-samples // 4) * 4 * 2 * PER_OUTPUT))[: rows * samples]
    weights = torch.exp((logits - logits.amax(-1, keepdim=True)).double())
    sums = torch.where(torch.isfinite(logits), weights, torch.zeros_like(weights)).cumsum(-1)
    wanted = torch.from_numpy(drawn).to(sums.device).reshape(rows, samples) * sums[:, -1:]
    return torch.searchsorted(sums, wanted, right=True).clamp(max=logits.shape[1] - 1)
