"""Queries: few points that lose nothing a chart could show, and smoothing that sees every point."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from milepost.errors import UsageError
from milepost.store import Ema, Gaussian, Metadata, Series, Truth, aggregate, query, smooth


def series(step: object, value: object, wall: object = None, segments: object = (0,), dtype: str = "f4") -> Series:
    steps, values = np.asarray(step, np.int64), np.asarray(value, dtype)
    walls = np.asarray(wall if wall is not None else steps, np.float64)
    truth = Truth(len(steps), 0, 0, 0, 0, (), (), (), ())
    return Series("x", steps, walls, values, truth, Metadata(), np.asarray(segments, np.int64), True, 0.0)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(width=32, allow_subnormal=False), min_size=1, max_size=600),
    st.integers(1, 40),
    st.floats(0, 0.5),
    st.floats(0.5, 1.0),
)
def test_every_pixel_keeps_its_least_greatest_first_last_and_what_is_not_finite(
    values: list[float], width: int, a: float, b: float
) -> None:
    """For any values, width and zoom: compared with a loop over all points."""
    line = series(range(len(values)), values)
    x0, x1 = a * (len(values) - 1), b * (len(values) - 1)
    curve = query(line, x0, x1, width)
    inside = [i for i in range(len(values)) if x0 <= i <= x1]
    assert curve.shown == len(inside)
    assert curve.total == len(values)
    kept = set(curve.index.tolist())
    assert curve.index.tolist() == sorted(kept)
    scale = width / (x1 - x0) if x1 > x0 else 0
    pixels: dict[int, list[int]] = {}
    for i in inside:
        pixels.setdefault(int((i - x0) * scale), []).append(i)
    odd = dict(zip(curve.bad_x.tolist(), curve.bad_kind.tolist(), strict=True))
    for members in pixels.values():
        finite = [i for i in members if math.isfinite(line.value[i])]
        if finite:
            shown = [line.value[i] for i in members if i in kept]
            assert min(shown) == min(line.value[i] for i in finite)
            assert max(shown) == max(line.value[i] for i in finite)
        for kind, test in ((0, math.isnan), (1, lambda v: v == math.inf), (2, lambda v: v == -math.inf)):
            if any(test(line.value[i]) for i in members):
                assert any(odd.get(i) == kind for i in members)
    finite_inside = [float(line.value[i]) for i in inside if math.isfinite(line.value[i])]
    assert curve.extent == ((min(finite_inside), max(finite_inside)) if finite_inside else None)
    assert len(curve) <= 4 * (width + 2) + 2


def test_few_points_come_as_they_are() -> None:
    """Below the budget nothing is cut, and the answer says so."""
    curve = query(series(range(100), range(100)), width=50)
    assert curve.exact
    assert curve.index.tolist() == list(range(100))
    assert query(series(range(1000), range(1000)), width=0).exact
    assert not query(series(range(1000), np.arange(1000)), width=10).exact


def test_one_point_beyond_each_side_comes_along() -> None:
    """Lines must leave the frame, not end in it."""
    curve = query(series(range(0, 100, 10), range(10)), 25, 55, 100)
    assert curve.x.tolist() == [20, 30, 40, 50, 60]
    assert curve.shown == 3


def test_a_range_between_two_points_shows_both() -> None:
    """Zoomed in between two steps."""
    assert query(series([0, 10], [1, 2]), 4, 6, 100).x.tolist() == [0, 10]


def test_a_lone_spike_in_ten_million_points_is_kept_and_the_answer_comes_soon() -> None:
    """One pixel in a thousand, one point in ten million; well under 50 ms on a quiet machine (see benchmarks)."""
    values = np.zeros(2_000_000, np.float32)
    values[1_234_567], values[7] = 1e6, -5
    curve = query(series(np.arange(len(values)), values), width=1000)
    assert curve.extent == (-5.0, 1e6)
    assert 1_234_567 in curve.index


def test_segments_are_never_mixed_in_one_pixel() -> None:
    """After a restart the line begins anew: both parts are thinned out apart."""
    step = np.concatenate([np.arange(1000), np.arange(500, 1500)])
    value = np.concatenate([np.zeros(1000), np.ones(1000)])
    curve = query(series(step, value, segments=[0, 1000]), width=10)
    assert set(curve.segment.tolist()) == {0, 1}
    for number in (0, 1):
        assert set(curve.value[curve.segment == number]) == {float(number)}


def test_a_wall_clock_that_goes_back_hides_no_point() -> None:
    """x="wall" with times out of order."""
    wall = [float(i) for i in [*range(500), *range(250, 750)]]
    curve = query(series(range(1000), range(1000), wall), 300, 320, 20, x="wall")
    inside = [i for i, w in enumerate(wall) if 300 <= w <= 320]
    assert {min(inside), max(inside)} <= set(curve.index.tolist())


def test_a_metric_on_x_is_its_newest_value_at_or_before_the_step() -> None:
    """Loss over epochs, say."""
    loss, epoch = series([5, 10, 15, 20], [1, 2, 3, 4]), series([10, 20], [0.5, 1.0])
    curve = query(loss, x=epoch)
    assert curve.x.tolist() == [0.5, 0.5, 1.0], "a point before the metric's first has no place"
    assert curve.value.tolist() == [2, 3, 4]


def test_relative_is_seconds_since_the_first_event_of_the_run() -> None:
    """Not of the tag."""
    line = series([0, 1], [1, 2], [110.0, 120.0])
    object.__setattr__(line, "origin_wall", 100.0)
    assert query(line, x="relative").x.tolist() == [10.0, 20.0]


def test_bad_questions_get_one_clear_answer() -> None:
    """Wrong axis, weight, width."""
    line = series([0, 1], [1, 2])
    with pytest.raises(UsageError, match="no such x axis"):
        query(line, x="epoch")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="weight of an average is out of range"):
        query(line, smoothing=Ema(1.5))
    with pytest.raises(UsageError, match="negative width"):
        query(line, width=-1)
    assert len(query(series([], []), width=10)) == 0
    assert len(query(series([], []), 0, 1, 10, smoothing=Ema(0.5))) == 0


def tensorboard_ema(values: list[float], weight: float) -> list[float]:
    """The debiased average as TensorBoard defines it."""
    last, count, out = 0.0, 0, []
    for v in values:
        if not math.isfinite(v):
            out.append(v)
            continue
        last = last * weight + (1 - weight) * v
        count += 1
        out.append(last / (1 - weight**count))
    return out


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf]), min_size=2, max_size=50),
    st.floats(0.01, 0.999),
)
def test_ema_is_tensorboards(values: list[float], weight: float) -> None:
    """Debiased, what is not finite passed through; a constant stays a constant."""
    got = smooth(np.arange(len(values)), np.array(values), Ema(weight))
    finite = {v for v in values if math.isfinite(v)}
    expected = values if len(finite) <= 1 else tensorboard_ema(values, weight)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


def test_the_uneven_average_equals_the_even_one_on_even_steps_and_heeds_gaps() -> None:
    """Logging a stretch ten times as densely does not pull the curve."""
    values = np.sin(np.arange(300) / 7)
    even = smooth(np.arange(0, 3000, 10), values, Ema(0.8))
    np.testing.assert_allclose(smooth(np.arange(0, 3000, 10), values, Ema(0.8, uneven=True)), even, rtol=1e-12)
    x = np.concatenate([np.arange(0, 1000, 10), np.arange(1000, 1100), np.arange(1100, 2000, 10)])
    step = np.where(x < 1050, 0.0, 1.0)
    plain, heeding = smooth(x, step, Ema(0.9)), smooth(x, step, Ema(0.9, uneven=True))
    at = int(np.searchsorted(x, 1100))
    assert heeding[at] != plain[at]


def exact_gaussian(x: NDArray[np.float64], y: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    good = np.isfinite(y)
    weights = np.exp(-0.5 * ((x[:, None] - x[None, good]) / sigma) ** 2)
    weights[np.abs(x[:, None] - x[None, good]) > 4 * sigma] = 0
    return np.where(good, weights @ y[good] / weights.sum(1), y)


def test_gaussian_is_the_kernel_average_near_and_far() -> None:
    """Few points: the exact sum. Many: a grid whose error stays below a thousandth of the curve's height."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(0, 1000, 400))
    y = np.sin(x / 50) + rng.normal(0, 0.2, 400)
    y[[5, 77]] = np.nan, np.inf
    np.testing.assert_allclose(smooth(x, y, Gaussian(20.0)), exact_gaussian(x, y, 20.0), rtol=1e-9)
    many = np.sort(rng.uniform(0, 1000, 30_000))
    wave = np.sin(many / 50) + rng.normal(0, 0.2, len(many))
    far = smooth(many, wave, Gaussian(40.0))
    sample = rng.integers(0, len(many), 50)
    exact = [np.average(wave, weights=np.exp(-0.5 * ((many - many[i]) / 40.0) ** 2)) for i in sample]
    np.testing.assert_allclose(far[sample], exact, atol=2e-3)


def test_smoothing_sees_all_points_not_those_drawn() -> None:
    """The smoothed value at a kept point is that of the whole series, at any zoom."""
    rng = np.random.default_rng(0)
    line = series(np.arange(50_000), rng.normal(size=50_000))
    whole = smooth(line.step, line.value, Ema(0.99))
    for x0, x1, width in ((None, None, 100), (10_000, 20_000, 30)):
        curve = query(line, x0, x1, width, smoothing=Ema(0.99))
        assert curve.smoothed is not None
        np.testing.assert_array_equal(curve.smoothed, whole[curve.index])


def test_seeds_become_one_line_with_a_band() -> None:
    """Mean, spread of n-1, Student's interval, min and max, on equal steps."""
    lines = [series(range(5), [k, k + 1, k + 2, k + 3, k + 4], dtype="f8") for k in (0, 2, 4)]
    band = aggregate(lines, "mean", "std")
    assert band.x.tolist() == list(range(5))
    assert band.line.tolist() == [2, 3, 4, 5, 6]
    assert (band.high - band.line).tolist() == [2] * 5
    assert band.n.tolist() == [3] * 5
    interval = aggregate(lines, "mean", "ci")
    np.testing.assert_allclose(interval.high - interval.line, 4.303 * 2 / math.sqrt(3), rtol=1e-6)
    limits = aggregate(lines, "median", "minmax")
    assert limits.low.tolist() == [0, 1, 2, 3, 4]
    assert limits.high.tolist() == [4, 5, 6, 7, 8]


def test_runs_that_log_at_other_steps_are_compared_where_they_overlap() -> None:
    """Between two points a run is a straight line; before its first and after its last it does not count."""
    band = aggregate([series([0, 10, 20], [0, 10, 20], dtype="f8"), series([5, 15], [7, 17], dtype="f8")])
    assert band.x.tolist() == [0, 5, 10, 15, 20]
    assert band.n.tolist() == [1, 2, 2, 2, 1]
    assert band.line.tolist() == [0, 6, 11, 16, 20]


def test_nan_of_one_run_does_not_spoil_the_others() -> None:
    """It counts as not logged; aggregates of nothing are empty."""
    band = aggregate([series([0, 1, 2], [1, math.nan, 3], dtype="f8"), series([0, 1, 2], [1, 2, 3], dtype="f8")])
    assert np.isfinite(band.line).all()
    assert len(aggregate([])) == 0
    assert len(aggregate([series([0], [math.nan])])) == 0
    with pytest.raises(UsageError, match="no such aggregate"):
        aggregate([], "mode")  # type: ignore[arg-type]
