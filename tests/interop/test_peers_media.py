"""What TensorFlow and TensorBoard's own helpers write for the mesh and projector pages, the board shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import store
from milepost.board.embeddings.read import labels, matrix
from milepost.board.live import Live
from milepost.board.options import Options

pytestmark = pytest.mark.peers

WRITE = """
import os, sys
import numpy as np
import tensorflow as tf
from tensorboard.plugins import projector
from tensorboard.plugins.mesh import summary as mesh_summary

logdir = sys.argv[1]
vertices = np.arange(24, dtype="float32").reshape(1, 8, 3)
writer = tf.summary.create_file_writer(logdir + "/mesh")
with writer.as_default():
    for step in range(2):
        mesh_summary.mesh("box", vertices=vertices * (step + 1), faces=[[[0, 1, 2], [2, 3, 0]]], colors=[[[255, 0, 7]] * 8], step=step)
writer.close()

folder = os.path.join(logdir, "imdb")
os.makedirs(folder)
weights = tf.Variable(np.arange(40, dtype="float32").reshape(10, 4))
tf.train.Checkpoint(embedding=weights).save(os.path.join(folder, "embedding.ckpt"))
with open(os.path.join(folder, "metadata.tsv"), "w") as file:
    file.writelines(f"word{i}\\n" for i in range(10))
config = projector.ProjectorConfig()
embedding = config.embeddings.add()
embedding.tensor_name = "embedding/.ATTRIBUTES/VARIABLE_VALUE"
embedding.metadata_path = "metadata.tsv"
projector.visualize_embeddings(folder, config)
"""


@pytest.fixture(scope="module")
def logdir(peer: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("peers")
    peer.run(WRITE, folder)
    return folder


def test_meshes_of_tensorboards_helper(logdir: Path) -> None:
    run = store.open(logdir, cache=False)["mesh"]
    vertices, faces, colours = (run.meshes[f"box_{part}"][1] for part in ("VERTEX", "FACE", "COLOR"))
    assert [m.content for m in (vertices, faces, colours)] == ["vertex", "face", "colour"]
    np.testing.assert_array_equal(vertices.array, np.arange(24, dtype=np.float32).reshape(1, 8, 3) * 2)
    assert faces.array.tolist() == [[[0, 1, 2], [2, 3, 0]]]
    assert colours.array[0, 0].tolist() == [255, 0, 7]


def test_the_projector_tutorials_folder(logdir: Path) -> None:
    """A tensor of a TensorFlow checkpoint, named by the configuration that `visualize_embeddings` wrote."""
    from milepost.board.embeddings.find import all_of

    (one,) = all_of(Live(Options(roots=(("", str(logdir)),))))
    assert one.run == "imdb"
    np.testing.assert_array_equal(matrix(one), np.arange(40, dtype=np.float32).reshape(10, 4))
    told = labels(one, 10)
    assert told is not None
    assert told.rows[9] == ("word9",)
