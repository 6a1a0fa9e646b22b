"""The random numbers of tf.data, TensorFlow's own: Philox 4x32, so that a seed gives the order TensorFlow gives. In: two seeds.
Out: 32-bit numbers one after another.

A dataset that draws (`shuffle`, `random`) has `Seeds`: each pass takes the next pair from it, so passes differ, and all of it is two
numbers and a count in a checkpoint. Numbers are made a thousand at a time: one by one numpy would cost more than the shuffle.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from milepost.tf import philox

__all__ = ["Draws", "InnerSeeds", "Seeds", "seeds_of"]

_BLOCK = 256


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
            self._numbers = philox.bits(self.seed, first, self.seed2, blocks * 4).tolist()
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


class _Inside(threading.local):
    """The functions of `flat_map` and its kin that are running, outermost first."""

    functions: tuple[InnerSeeds, ...] = ()


_INSIDE = _Inside()


class InnerSeeds:
    """Where datasets made by a function of `flat_map` take their seeds from, the same ones at each call: a resumed pass makes them again.

    `with seeds: function(element)`; a checkpoint keeps `pair`.
    """

    def __init__(self) -> None:
        process = philox.process_seed()
        self.pair = (int.from_bytes(os.urandom(4), "little") if process is None else process, 0)
        self.drawn = 0

    def __enter__(self) -> None:
        self.drawn = 0
        _INSIDE.functions = (*_INSIDE.functions, self)

    def __exit__(self, *_: Any) -> None:
        _INSIDE.functions = _INSIDE.functions[:-1]

    def draw(self) -> tuple[int, int]:
        self.drawn += 1
        return self.pair[0], self.pair[1] + self.drawn

    def state(self) -> list[int]:
        return list(self.pair)

    def restore(self, state: Any) -> None:
        self.pair = (int(state[0]), int(state[1]))


def seeds_of(seed: int | None) -> tuple[int, int]:
    """The pair of an operation's seed and the process's, as TensorFlow combines them; from the system where there is neither."""
    process = philox.process_seed()
    if seed is not None:
        pair = (philox.DEFAULT_SEED if process is None else process, int(seed))
    elif _INSIDE.functions:
        pair = _INSIDE.functions[-1].draw()
    elif process is not None:
        pair = (process, philox.unnamed_seed())
    else:
        pair = (int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little"))
    # two zeros would mean "no seed" to TensorFlow, which takes the largest number for the second then
    return pair if pair != (0, 0) else (0, 2**31 - 1)
