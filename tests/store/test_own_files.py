"""What Milepost's writers write, its store reads: the two know each other only by the file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from milepost import store, summary


def test_every_kind_of_summary_comes_back(tmp_path: Path) -> None:
    """Scalars bit for bit; images, histograms, texts, audio by what was put in."""
    numbers = [0.1, math.nan, math.inf, -math.inf, -0.0, 1e-40]
    writer = summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        for i, number in enumerate(numbers):
            summary.scalar("loss", number, step=i)
        summary.image("input", np.full((2, 4, 5, 3), 9, np.uint8), step=1)
        summary.histogram("weights", np.arange(100.0), step=2)
        summary.text("note", "grüß", step=3)
        summary.audio("sound", np.zeros((1, 80, 1), np.float32), 8000, step=4)
    writer.close()
    run = store.open(tmp_path, cache=False)["."]
    np.testing.assert_array_equal(run.scalars["loss"].value, np.array(numbers, np.float32))
    assert run.scalars["loss"].truth.nan == 1
    assert run.scalars["loss"].truth.inf == 2
    sample = run.images["input"][0]
    assert (sample.width, sample.height, len(sample.encoded)) == (5, 4, 2)
    assert run.histograms["weights"][0].count.sum() == 100
    assert str(run.texts["note"][0]) == "grüß"
    assert run.audio["sound"][0].clips[0].encoded.startswith(b"RIFF")
    assert run.info.bad_records == 0
    assert run.info.truncated_at == ()
