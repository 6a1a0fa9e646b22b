"""A long series looked at through its blocks draws exactly what the whole series draws."""

from __future__ import annotations

import numpy as np
import pytest

from milepost.board.series import blocks
from milepost.store import Metadata, Series, Truth, query


def series_of(step: np.ndarray, value: np.ndarray) -> Series:  # type: ignore[type-arg]
    truth = Truth(len(step), 0, 0, 0, 0, (), (), (), ())
    return Series("y", step, step * 0.5, value, truth, Metadata(), np.zeros(1, np.int64), True, 0.0)


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_same_points_are_picked(monkeypatch: pytest.MonkeyPatch, seed: int, even: bool) -> None:
    """For random data, steps, ranges and widths: first, least, greatest and last of every pixel are those of the whole series."""
    monkeypatch.setattr(blocks, "LONG", 1000)
    rng = np.random.default_rng(seed)
    count = int(rng.integers(60_000, 90_000))
    step = np.arange(count) * 3 if even else np.cumsum(rng.integers(0, 5, count))
    found = series_of(step, rng.standard_normal(count).astype(np.float32))
    used = 0
    for trial in range(30):
        width = int(rng.integers(1, 60))
        a, b = np.sort(rng.uniform(step[0] - 100, step[-1] + 100, 2))
        span = [(None, None), (None, float(b)), (float(a), None), (float(a), float(b))][trial % 4]
        thin = blocks.thinned((seed, even), found, span, width)
        if thin is None:
            continue
        used += 1
        whole, short = query(found, *span, width), query(thin[0], *span, width)
        assert thin[1][short.index].tolist() == whole.index.tolist()
        assert short.x.tolist() == whole.x.tolist()
        assert short.value.tolist() == whole.value.tolist()
        assert (thin[2], short.extent) == (whole.shown, whole.extent)
    assert used > 10


def test_what_cannot_be_thinned_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LONG", 1000)
    step = np.arange(50_000)
    plain = series_of(step, np.zeros(50_000))
    assert blocks.thinned((), plain, (None, None), 10) is not None
    assert blocks.thinned((), plain, (None, None), 0) is None
    assert blocks.thinned((), plain, (100.0, 200.0), 10) is None
    assert blocks.thinned((), plain, (1e9, 2e9), 10) is None
    assert blocks.thinned((), series_of(step[:500], np.zeros(500)), (None, None), 10) is None


def test_a_series_that_grew_is_looked_at_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LONG", 1000)
    step, value = np.arange(50_000), np.zeros(50_000)
    blocks.thinned(("run", "tag"), series_of(step, value), (None, None), 10)
    grown = value.copy()
    grown[33_333] = 5
    thin = blocks.thinned(("run", "tag"), series_of(step, grown), (None, None), 10)
    assert thin is not None
    assert thin[0].value.max() == 5
    assert len([key for key in blocks._remembered if key == ("run", "tag")]) == 1
