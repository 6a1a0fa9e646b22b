"""Random state of Python, numpy, torch and Keras comes back exactly, without pickle."""

from __future__ import annotations

import copy
import random
from typing import Any

import keras
import numpy as np
import pytest
import torch

from milepost.engines import detect
from milepost.engines.randomness import set_states, states


def draw() -> list[Any]:
    return [
        random.random(), random.gauss(0, 1), np.random.rand(), np.random.randn(), torch.rand(()).item(),
        float(keras.random.uniform(())), random.randrange(10**30),
    ]  # fmt: skip


def test_global_random_state_comes_back(journey: Any) -> None:
    """Also when it travels as values in a graph, and in the middle of a pair of normal numbers."""
    for seeding in (random.seed, np.random.seed, torch.manual_seed):
        seeding(5)
    draw()
    saved = copy.deepcopy(journey.save(states()))
    want = [draw() for _ in range(3)]
    live = states()
    set_states(journey.restore(saved, live))
    assert [draw() for _ in range(3)] == want


@pytest.mark.parametrize("bits", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_numpy_generators(journey: Any, bits: str) -> None:
    first, second = (np.random.Generator(getattr(np.random, bits)(seed)) for seed in (1, 2))
    first.random(7), first.integers(10, dtype=np.uint32)
    journey.restore(journey.save({"g": first}), {"g": second})
    np.testing.assert_array_equal(first.normal(size=5), second.normal(size=5))
    assert first.integers(2**32, dtype=np.uint32) == second.integers(2**32, dtype=np.uint32)


def test_python_generators_and_numpys_old_ones(journey: Any) -> None:
    first: dict[str, Any] = {"a": random.Random(1), "b": np.random.RandomState(1)}
    second: dict[str, Any] = {"a": random.Random(2), "b": np.random.RandomState(2)}
    first["a"].gauss(0, 1), first["b"].randn()
    journey.restore(journey.save(first), second)
    assert first["a"].gauss(0, 1) == second["a"].gauss(0, 1)
    assert first["b"].randn(3).tolist() == second["b"].randn(3).tolist()


def test_the_machines_own_randomness_has_no_state() -> None:
    assert detect(random.SystemRandom()) is None
