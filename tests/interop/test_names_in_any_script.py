"""Folders, checkpoints, variables and runs named in Chinese, with spaces: TensorFlow reads ours, we read TensorFlow's, the reader lists them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milepost
from milepost import summary
from milepost.train import Checkpoint, CheckpointManager, latest_checkpoint

pytestmark = pytest.mark.peers

FOLDER, NAME, KEY = "模型 一", "检查点", "变量"

THEIRS = f"""
import json, sys
import tensorflow as tf
ours, theirs = sys.argv[1:]
value = tf.Variable([0.0, 0.0])
manager = tf.train.CheckpointManager(tf.train.Checkpoint({KEY}=value), theirs, max_to_keep=2, checkpoint_name="{NAME}")
for number in range(3):
    value.assign_add([1.0, 2.0])
    manager.save()
tf.train.Checkpoint({KEY}=value).restore(tf.train.latest_checkpoint(ours)).assert_consumed()
print(json.dumps([tf.train.latest_checkpoint(ours), value.numpy().tolist()]))
"""


def test_checkpoints_both_ways(peer: Any, tmp_path: Path) -> None:
    ours, theirs = tmp_path / FOLDER, tmp_path / "theirs" / FOLDER
    value = np.array([7.0, 8.0], np.float32)
    manager = CheckpointManager(Checkpoint(**{KEY: value}), ours, max_to_keep=2, checkpoint_name=NAME)
    for _ in range(3):
        manager.save()
    found, read = peer.json(THEIRS, ours, theirs)
    assert (found, read) == (str(ours / f"{NAME}-3"), [7.0, 8.0])
    assert latest_checkpoint(theirs) == str(theirs / f"{NAME}-3")
    Checkpoint(**{KEY: value}).restore(latest_checkpoint(theirs)).assert_consumed()
    assert value.tolist() == [3.0, 6.0]


def test_a_run_and_its_tags(tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path / "日志" / "运行 1").as_default():
        summary.scalar("训练/损失", 0.5, step=3)
    with milepost.open(tmp_path) as runs:
        assert list(runs) == ["日志/运行 1"]
        assert runs["日志/运行 1"].scalars["训练/损失"].value.tolist() == [0.5]
