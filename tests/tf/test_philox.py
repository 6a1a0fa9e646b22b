"""The random numbers of tf.random: the native generator and the plain one agree, and numbers do not depend on how many are drawn at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from milepost._native import philox as native
from milepost.tf import philox_numpy as plain

KEYS = [(0, 0, 0), (42, 1234567, 7), (2**64 - 1, 2**32 - 2, 2**63 + 5)]


@pytest.mark.parametrize("at", KEYS)
@pytest.mark.parametrize("count", [0, 1, 4, 7, 100])
def test_the_native_generator_gives_what_the_plain_one_gives(at: tuple[int, int, int], count: int) -> None:
    for name, kind, more in (("bits", np.uint32, ()), ("uniform", np.float32, ()), ("normal", np.float32, ()), ("truncated", np.float32, (256,))):  # fmt: skip
        fast, slow = np.zeros(count, kind), np.zeros(count, kind)
        getattr(native, name)(*at, *more, fast)
        getattr(plain, name)(*at, *more, slow)
        np.testing.assert_allclose(fast, slow, rtol=1e-5, atol=1e-6, err_msg=name)
    fast, slow = np.arange(count), np.arange(count)
    native.shuffle(*at, fast)
    plain.shuffle(*at, slow)
    assert fast.tolist() == slow.tolist()
    assert sorted(fast.tolist()) == list(range(count))


def test_many_normal_numbers_are_the_ones_that_few_are() -> None:
    """Large draws take another way through the functions; the numbers are the same."""
    from milepost import tf

    tf.random.set_seed(3)
    many = tf.random.normal((20_001,)).numpy()
    tf.random.set_seed(3)
    few: Any = tf.random.normal((1_000,)).numpy()
    np.testing.assert_allclose(many[:1000], few, rtol=1e-4, atol=1e-5)
    assert abs(many.mean()) < 0.03
    assert abs(many.std() - 1) < 0.03


def test_without_a_seed_numbers_differ() -> None:
    from milepost import tf
    from milepost.tf import philox

    before, philox._Process.seed = philox._Process.seed, None
    try:
        assert tf.random.uniform((4,)).numpy().tolist() != tf.random.uniform((4,)).numpy().tolist()
    finally:
        philox._Process.seed = before
