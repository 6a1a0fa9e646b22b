"""Cutting to pixels and smoothing: nothing that is drawn may differ from what every point would have drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost.board.series.aggregate import aggregate
from milepost.board.series.curve import cut, quantiles, smoothed


def tensorboard_ema(values: list[float], weight: float) -> list[float]:
    """The debiased average TensorBoard's page computes, written from its definition."""
    last, count, out = 0.0, 0, []
    for value in values:
        if not np.isfinite(value):
            out.append(value)
            continue
        last = last * weight + (1 - weight) * value
        count += 1
        out.append(last / (1 - weight**count))
    return out


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6, width=32) | st.just(float("nan")) | st.just(float("inf")), min_size=1, max_size=3000),
    st.integers(1, 200),
)
def test_every_pixel_keeps_its_extremes(values: list[float], width: int) -> None:
    """Whatever the values and the width: the least and greatest of each pixel, the first and the last are kept, in order."""
    y = np.array(values, np.float32)
    x = np.arange(len(y)) * 3
    result = cut(x, y, width)
    kept = result.keep
    assert (np.diff(kept) > 0).all()
    assert len(kept) <= 2 * width + 2 or len(y) <= 2 * width
    finite = np.flatnonzero(np.isfinite(y))
    if not len(finite):
        assert not len(kept)
        return
    assert kept[0] == finite[0]
    assert kept[-1] == finite[-1]
    pixel = np.minimum((x / max(x[-1], 1) * width).astype(int), width - 1)
    for one in np.unique(pixel[finite]):
        inside = finite[pixel[finite] == one]
        drawn = kept[pixel[kept] == one]
        assert y[drawn].min() == y[inside].min()
        assert y[drawn].max() == y[inside].max()
    assert np.isfinite(y[kept]).all()
    assert not np.isfinite(y[result.bad]).any()
    # every non-finite pixel is marked, with its kind
    for index, kind in zip(result.bad, result.kinds, strict=True):
        assert kind == (0 if np.isnan(y[index]) else 1)
    assert set(pixel[~np.isfinite(y)]) == set(pixel[result.bad])


def test_one_spike_in_ten_million_is_drawn() -> None:
    """A single outlier survives at every width, and a zoom onto it shows its neighbours exactly."""
    y = np.zeros(1_000_000, np.float32)
    y[654_321] = 7
    x = np.arange(len(y))
    assert 654_321 in cut(x, y, 50).keep
    close = cut(x, y, 600, 654_300, 654_340)
    assert close.keep.tolist() == list(range(654_299, 654_342)), "the range and one point beyond each side"
    assert close.inside == (654_300, 654_341)


def test_width_nought_keeps_every_point() -> None:
    x, y = np.arange(5000), np.random.default_rng(0).random(5000)
    assert len(cut(x, y, 0).keep) == 5000


def test_a_range_beyond_the_data_is_empty_but_keeps_a_neighbour() -> None:
    x, y = np.arange(10), np.arange(10.0)
    assert cut(x, y, 100, 50, 60).keep.tolist() == [9]
    assert cut(x[:0], y[:0], 100).keep.tolist() == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-100, 100) | st.just(float("nan")), min_size=1, max_size=200), st.sampled_from([0.0, 0.3, 0.6, 0.99]))
def test_ema_equals_tensorboards_on_even_steps(values: list[float], weight: float) -> None:
    y = np.array(values)
    # the gap between finite neighbours is what the weight sees; with NaN between them the distance is larger, so leave those to the next test
    even = y[np.isfinite(y)]
    np.testing.assert_allclose(smoothed(np.arange(len(even)), even, "ema", weight), tensorboard_ema(list(even), weight), rtol=1e-9, atol=1e-9)


def test_ema_knows_uneven_gaps() -> None:
    """A series logged twice as densely in its middle smooths to the same curve where both have points."""
    coarse = np.arange(0, 200, 2)
    uneven = np.unique(np.concatenate([coarse, np.arange(80, 82)]))
    a = smoothed(coarse, np.sin(coarse / 30), "ema", 0.9)
    b = smoothed(uneven, np.sin(uneven / 30), "ema", 0.9)
    at = np.searchsorted(uneven, coarse)
    assert np.abs(a - b[at]).max() < 0.02


def test_smoothing_never_spreads_nan() -> None:
    y = np.array([1.0, np.nan, 1.0, np.inf, 1.0])
    for kind in ("ema", "gaussian"):
        out = smoothed(np.arange(5), y, kind, 0.5)
        assert np.isnan(out[1])
        assert np.isinf(out[3])
        np.testing.assert_allclose(out[[0, 2, 4]], 1.0)


def test_long_gaussian_agrees_with_the_exact_one() -> None:
    """Above 2 000 points the sums go through bins; the curve stays within a fraction of a percent of the exact kernel."""
    x = np.arange(3000)
    y = np.sin(x / 200) + np.random.default_rng(1).normal(0, 0.3, len(x))
    out = smoothed(x, y, "gaussian", 0.5)
    sigma = 0.05 * (x[-1] - x[0])
    for i in (0, 700, 1500, 2999):
        weights = np.exp(-0.5 * ((x - x[i]) / sigma) ** 2)
        assert out[i] == pytest.approx((weights * y).sum() / weights.sum(), abs=5e-3)


def test_quantiles_ignore_what_is_not_finite() -> None:
    y = np.concatenate([np.arange(101.0), [np.nan, np.inf]])
    assert quantiles(y, (0.05, 0.95)) == pytest.approx([5, 95])
    assert quantiles(np.array([np.nan]), (0.0, 1.0)) is None


def test_groups_align_and_do_not_extrapolate() -> None:
    """Mean and spread where both seeds have points; the longer one alone afterwards, with no band."""
    a = (np.arange(10), np.arange(10.0))
    b = (np.arange(5), np.arange(5.0) + 2)
    x, middle, low, high = aggregate([a, b], "mean", "std")
    assert x.tolist() == list(range(10))
    np.testing.assert_allclose(middle[:5], np.arange(5) + 1)
    np.testing.assert_allclose(middle[5:], np.arange(5, 10))
    assert low is not None
    assert high is not None
    np.testing.assert_allclose(high[:5] - middle[:5], np.sqrt(2))
    np.testing.assert_allclose(high[5:], low[5:])


def test_bands() -> None:
    curves = [(np.arange(3), np.full(3, v)) for v in (1.0, 2.0, 6.0)]
    _, middle, low, high = aggregate(curves, "median", "minmax")
    assert (middle[0], low[0], high[0]) == (2, 1, 6)  # type: ignore[index]
    _, middle, low, high = aggregate(curves, "mean", "ci")
    assert middle[0] == 3
    # Student's t for two degrees of freedom times the standard error
    assert high[0] - 3 == pytest.approx(4.303 * np.std([1, 2, 6], ddof=1) / np.sqrt(3), rel=1e-4)  # type: ignore[index]
    assert aggregate(curves, "mean", "none")[2] is None
