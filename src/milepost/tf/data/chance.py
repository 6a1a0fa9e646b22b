"""The random numbers of tf.data, TensorFlow's own: Philox 4x32, so that a seed gives the order TensorFlow gives. In: two seeds.
Out: 32-bit numbers one after another.

A dataset that draws (`shuffle`, `random`) has `Seeds`: each pass takes the next pair from it, so passes differ, and all of it is two
numbers and a count in a checkpoint. Numbers are made a thousand at a time: one by one numpy would cost more than the shuffle.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

__all__ = ["INNER", "Draws", "Seeds", "seeds_of"]

DEFAULT_SEED = 87654321  # what TensorFlow takes for the process's seed when only the operation has one
_BLOCK = 256
_MASK = 0xFFFFFFFF


def _philox(key: int, high: int, first: int, blocks: int) -> np.ndarray[Any, Any]:
    """Four numbers for each of `blocks` counters from `first` on."""
    count = first + np.arange(blocks, dtype=np.uint64)
    c0, c1 = count & np.uint64(_MASK), count >> np.uint64(32)
    c2, c3 = np.full(blocks, high & _MASK, np.uint64), np.full(blocks, high >> 32 & _MASK, np.uint64)
    k0, k1 = key & _MASK, key >> 32 & _MASK
    low = np.uint64(_MASK)
    for _ in range(10):
        a, b = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (
            b >> np.uint64(32) ^ c1 ^ np.uint64(k0),
            b & low,
            a >> np.uint64(32) ^ c3 ^ np.uint64(k1),
            a & low,
        )
        k0, k1 = k0 + 0x9E3779B9 & _MASK, k1 + 0xBB67AE85 & _MASK
    return np.stack([c0, c1, c2, c3], 1).reshape(-1)


class Draws:
    """The numbers of one pair of seeds; `taken` says how many are gone."""

    def __init__(self, seed: int, seed2: int, taken: int = 0):
        self.seed, self.seed2, self.taken = seed, seed2, taken
        self._numbers: list[int] = []
        self._begin = self._end = 0  # which numbers those are

    def take(self, count: int) -> list[int]:
        """The next `count` numbers."""
        begin, self.taken = self.taken, self.taken + count
        if not self._begin <= begin <= self.taken <= self._end:
            first = begin // 4
            blocks = max(_BLOCK, -(-self.taken // 4) - first)
            self._numbers = _philox(self.seed, self.seed2, first, blocks).tolist()
            self._begin, self._end = first * 4, (first + blocks) * 4
        return self._numbers[begin - self._begin : self.taken - self._begin]

    def one(self) -> int:
        return self.take(1)[0]


class Seeds:
    """The seeds of a dataset's passes: the same pair for all, or the next one for each."""

    def __init__(self, pair: tuple[int, int], fresh: bool):
        self.fresh = fresh
        self.draws = Draws(*pair)

    def next(self) -> tuple[int, int]:
        if not self.fresh:
            return self.draws.seed, self.draws.seed2
        first, second = self.draws.take(2)
        return first, second

    def state(self) -> list[int]:
        return [self.draws.seed, self.draws.seed2, self.draws.taken]

    def restore(self, state: Any) -> None:
        self.draws = Draws(*(int(v) for v in state))


class Inner(threading.local):
    """Datasets made by a function of `flat_map` draw their seeds from here, the same at each call: a resumed pass makes the same again."""

    stack: list[list[int]] | None = None


INNER = Inner()


def seeds_of(seed: int | None) -> tuple[int, int]:
    """The pair of an operation's seed and the process's, as TensorFlow combines them; from the system where there is neither."""
    from milepost.tf import philox

    process = philox.process_seed()
    if seed is not None:
        pair = (DEFAULT_SEED if process is None else process, int(seed))
    elif INNER.stack:
        INNER.stack[-1][2] += 1
        pair = (INNER.stack[-1][0], INNER.stack[-1][1] + INNER.stack[-1][2])
    elif process is not None:
        pair = (process, philox.unnamed_seed())
    else:
        pair = (int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little"))
    # two zeros would mean "no seed" to TensorFlow, which takes the largest number for the second then
    return pair if pair != (0, 0) else (0, 2**31 - 1)
