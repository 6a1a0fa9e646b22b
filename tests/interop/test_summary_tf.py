"""TensorBoard 2.21 shows from our files exactly what it shows from TensorFlow's, given the same calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milepost

# Run twice: here with milepost.summary, in the peer with tf.summary. `constant` makes a tensor of the engine at hand.
CALLS = """
import numpy as np
writer = summary.create_file_writer(logdir)
with writer.as_default():
    for step in range(40):
        summary.scalar("loss", 1.0 / (step + 1), step=step)
    summary.scalar("described", 3.0, step=1, description="a *markdown* description")
    for step, value in enumerate([float("nan"), float("inf"), float("-inf"), -0.0, 1e-45, 3.4e38]):
        summary.scalar("odd", value, step=step)
    summary.scalar("损失 %", np.float64(0.1), step=2**40)
    summary.scalar("int", 7, step=np.int64(3))
    summary.scalar("bool", True, step=1)
    summary.scalar("array", np.array(2.5, np.float32), step=1)
    with summary.record_if(False):
        summary.scalar("never", 1.0, step=1)
    summary.experimental.set_step(5)
    summary.scalar("default_step", 2.0)
    summary.experimental.set_step(None)
with writer.as_default(step=9):
    summary.scalar("step_of_writer", 4.0)
writer.close()
"""


def by_tensorflow(peer: Any, logdir: Path, calls: str) -> None:
    peer.run(
        "import sys\nimport tensorflow as tf\nsummary, logdir, constant = tf.summary, sys.argv[1], tf.constant\n"
        + calls,
        logdir,
    )


def by_milepost(logdir: Path, calls: str) -> None:
    exec(calls, {"summary": milepost.summary, "logdir": str(logdir), "constant": np.array})


@pytest.mark.peers
def test_tensorboard_sees_no_difference(peer: Any, tensorboard_view: Any, tmp_path: Path) -> None:
    """Tags, plugins, metadata, steps and values are the same through both of TensorBoard's loaders."""
    theirs, ours = tmp_path / "tf", tmp_path / "milepost"
    by_tensorflow(peer, theirs, CALLS)
    by_milepost(ours, CALLS)
    seen = tensorboard_view(theirs, ours)
    for loader in ("python", "server"):
        want, got = seen[str(theirs)][loader], seen[str(ours)][loader]
        assert got["runs"] == want["runs"] == ["."]
        assert set(got["tags"]["."]) == set(want["tags"]["."])
        for tag, series in want["tags"]["."].items():
            assert got["tags"]["."][tag] == series, (loader, tag)
