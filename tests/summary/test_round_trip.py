"""What we write, we read: every kind of summary through both writers and back through `milepost.open`, value for value."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import milepost
from milepost import summary


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of these runs goes nowhere near the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    series=st.dictionaries(
        st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=20),
        st.lists(st.tuples(st.integers(0, 2**40), st.floats(width=32)), min_size=1, max_size=20, unique_by=lambda p: p[0]),
        min_size=1, max_size=4,
    )
)  # fmt: skip
def test_scalars_come_back_exactly(series: dict[str, list[tuple[int, float]]], tmp_path_factory: Any) -> None:
    """Any tags, steps and float32 values, NaN and infinities included, by either writer."""
    root: Path = tmp_path_factory.mktemp("runs")
    tf_like = summary.create_file_writer(root / "tf")
    with milepost.SummaryWriter(root / "torch") as torch_like:
        for tag, points in series.items():
            for step, value in sorted(points):
                with tf_like.as_default():
                    summary.scalar(tag, value, step=step)
                torch_like.add_scalar(tag, value, step)
    tf_like.close()
    runs = milepost.open(root)
    for name in ("tf", "torch"):
        assert set(runs[name].scalars) == set(series)
        for tag, points in series.items():
            read = runs[name].scalars[tag]
            assert read.step.tolist() == sorted(step for step, _ in points)
            written = np.array([value for _, value in sorted(points)], np.float32)
            assert np.array_equal(np.asarray(read.value, np.float32), written, equal_nan=True)


def test_double_precision_comes_back_exactly(tmp_path: Path) -> None:
    """A float64 keeps all its digits, which TensorBoard's own loader drops."""
    with milepost.SummaryWriter(tmp_path / "r") as writer:
        for step, value in enumerate([0.1, 1e300, 1 / 3]):
            writer.add_scalar("x", value, step, new_style=True, double_precision=True)
    assert milepost.open(tmp_path)["r"].scalars["x"].value.tolist() == [0.1, 1e300, 1 / 3]


def test_media_come_back(tmp_path: Path) -> None:
    """Pictures pixel for pixel, histograms, text and sound."""
    pixels = np.random.default_rng(0).integers(0, 256, (2, 9, 7, 3)).astype(np.uint8)
    writer = summary.create_file_writer(tmp_path / "r")
    with writer.as_default(step=4):
        summary.image("i", pixels)
        summary.histogram("h", np.arange(100.0), buckets=4)
        summary.text("t", "hello")
        summary.audio("a", np.zeros((1, 10, 2)), 8000)
    writer.close()
    run = milepost.open(tmp_path)["r"]
    images = run.images["i"][0]
    assert (images.width, images.height) == (7, 9)
    assert all(
        np.array_equal(np.asarray(Image.open(io.BytesIO(one))), pixels[n]) for n, one in enumerate(images.encoded)
    )
    assert run.images["i"].step.tolist() == [4]
    assert set(run.texts) == {"t"}
    assert set(run.audio) == {"a"}
    assert np.asarray(run.histograms["h"][0].count).tolist() == [25.0] * 4
