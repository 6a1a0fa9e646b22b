"""TensorFlow 2.21 reads our checkpoints and we read its; in TensorFlow's layout the files are the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost.train import Checkpoint, CheckpointOptions

pytestmark = pytest.mark.peers

TF_SIDE = """
import json, sys
import numpy as np, tensorflow as tf
where = sys.argv[1]
def objects():
    model = {"a": tf.Variable(np.arange(12, dtype="f4").reshape(3, 4)),
             "b": [tf.Variable(np.ones(3)), tf.Variable(np.zeros((2, 2), "i4"))], "n": {"x/y.z": tf.Variable(3.5)}}
    return dict(model=model, step=tf.Variable(5, dtype=tf.int64), name=tf.Variable("hi"))
mine = tf.train.Checkpoint(**objects())
mine.save(where + "/tf/ckpt")
out = {}
for name in ("plain-1", "dense-1"):
    mine.step.assign(0)
    mine.model["a"].assign(mine.model["a"] * 0)
    mine.name.assign("")
    mine.restore(where + "/ours/" + name).assert_consumed()
    out[name] = [mine.model["a"].numpy().tolist(), int(mine.step), mine.name.numpy().decode(), int(mine.save_counter)]
out["latest"] = tf.train.latest_checkpoint(where + "/ours")
print(json.dumps(out))
"""


def objects() -> dict[str, Any]:
    model = {
        "a": np.arange(12, dtype="f4").reshape(3, 4),
        "b": [np.ones(3), np.zeros((2, 2), "i4")],
        "n": {"x/y.z": np.float32(3.5)},
    }
    return {"model": model, "step": 5, "name": "hi"}


def test_dense_files_are_tensorflows_bytes(peer: Any, tmp_path: Path) -> None:
    """TF restores ours with assert_consumed(); ours in TF's layout are its files bit for bit; we restore TF's."""
    Checkpoint(**objects()).save(tmp_path / "ours" / "plain")
    Checkpoint(**objects()).save(tmp_path / "ours" / "dense", CheckpointOptions(tf_layout=True))
    found = peer.json(TF_SIDE, tmp_path)
    wanted = [np.arange(12.0).reshape(3, 4).tolist(), 5, "hi", 1]
    assert found["plain-1"] == wanted
    assert found["dense-1"] == wanted
    assert found["latest"] == str(tmp_path / "ours" / "dense-1")
    for end in (".index", ".data-00000-of-00001"):
        ours, theirs = tmp_path / "ours" / f"dense-1{end}", tmp_path / "tf" / f"ckpt-1{end}"
        assert ours.read_bytes() == theirs.read_bytes()
    blank = objects()
    blank["model"]["a"][:] = 0
    live = Checkpoint(model=blank["model"], step=0, name="")
    live.restore(tmp_path / "tf" / "ckpt-1").assert_consumed()
    assert live.step == 5
    assert live.name == "hi"
    assert live.model["a"][2, 3] == 11
