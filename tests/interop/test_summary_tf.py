"""TensorBoard 2.21 shows from our files exactly what it shows from TensorFlow's, given the same calls."""

from __future__ import annotations

import base64
import inspect
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import milepost
from milepost.formats.plugins import HParamsPluginData

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

random = np.random.RandomState(0)
batch = random.rand(5, 28, 20, 3).astype(np.float32)
sound = np.sin(np.arange(4000) * 0.17).astype(np.float32)
normal = random.standard_normal(1000).astype(np.float32)
with writer.as_default():
    summary.text("note", "hello **markdown**", step=0)
    summary.text("rows", constant(["row1", "训练 ✓"]), step=0, description="desc")
    summary.text("table", constant([["a", "b"], ["c", "d"]]), step=2)
    summary.image("photos", batch, step=0)
    summary.image("five", batch, step=0, max_outputs=10, description="all of them")
    summary.image("none", batch, step=0, max_outputs=0)
    for channels in (1, 2, 3, 4):
        summary.image(f"uint8_{channels}", random.randint(0, 255, (2, 8, 6, channels)).astype(np.uint8), step=channels)
    summary.image("clip", np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 0.998], np.float32).reshape(1, 1, 6, 1), step=0)
    summary.image("double", batch[:1].astype(np.float64), step=0)
    summary.image("half", batch[:1].astype(np.float16), step=0)
    summary.image("int32", (batch[:1] * 2**31 * 0.99).astype(np.int32), step=0)
    summary.image("uint16", (batch[:1] * 65535).astype(np.uint16), step=0)
    summary.audio("mono", np.stack([sound] * 4)[:, :, None], 8000, step=0)
    summary.audio("stereo", np.stack([sound, -sound], 1)[None], sample_rate=44100, step=1, encoding="wav", description="two")
    summary.audio("clipped", np.array([-2, -1, -0.5, 0.00001, 0.3, 1, 3], np.float32).reshape(1, 7, 1), 8000, step=0)
    summary.histogram("normal", normal, step=0)
    summary.histogram("five_buckets", normal, step=0, buckets=5, description="buckets")
    summary.histogram("constant", np.full(10, 3.0, np.float32), step=0)
    summary.histogram("empty", np.zeros((0,), np.float32), step=0)
    summary.histogram("ints", np.arange(10), step=0)
    summary.histogram("matrix", normal.reshape(10, 100), step=0)
    summary.histogram("zero_buckets", normal, step=0, buckets=0)
    summary.histogram("single", 3.0, step=0)
    for step in range(3):
        summary.histogram("steps", normal * (step + 1), step=step)
    summary.write("raw", constant(np.arange(6).reshape(2, 3)), step=1)
    summary.write("typed", constant([True, False]), step=1, metadata=text_metadata)
    mesh("cloud", np.arange(12, dtype=np.float32).reshape(1, 4, 3), colors=np.full((1, 4, 3), 200, np.uint8),
         faces=np.array([[[0, 1, 2]]], np.int32), config_dict={"camera": {"cls": "PerspectiveCamera"}}, step=3)
    hparams({"lr": 0.1, "layers": 3, "bn": True, "optimizer": "adam"}, start_time_secs=1.0)
    hparams_config({"lr": (0.01, 1.0), "optimizer": ["adam", "sgd"], "bn": [False, True]}, ["loss", "acc"], time_created_secs=2.0)
    pr_curve("pr", np.array([1, 0, 1, 1, 0]), np.array([0.9, 0.8, 0.3, 0.6, 0.1]), num_thresholds=11, step=4)
    custom_scalars({"loss": {"both": ["Multiline", ["loss", "odd"]], "band": ["Margin", ["a", "b", "c"]]}})
    graph()
writer.close()
"""

# What tf.summary itself lacks, as TensorBoard's own plugin packages do it.
PEER_PLUGINS = """
import sys
import tensorflow as tf
from tensorboard.compat.proto import summary_pb2
from tensorboard.plugins.custom_scalar import layout_pb2, summary as custom_summary
from tensorboard.plugins.hparams import api as hp
from tensorboard.plugins.mesh.summary_v2 import mesh
from tensorboard.plugins.pr_curve import summary as pr_summary
summary, logdir, constant = tf.summary, sys.argv[1], tf.constant
text_metadata = summary_pb2.SummaryMetadata(plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name="text"))
hparams = hp.hparams
def hparams_config(domains, metrics, time_created_secs):
    made = [hp.HParam(n, hp.RealInterval(*d) if isinstance(d, tuple) else hp.Discrete(d)) for n, d in domains.items()]
    hp.hparams_config(made, [hp.Metric(m) for m in metrics], time_created_secs)
def pr_curve(name, labels, predictions, num_thresholds, step):
    pb = pr_summary.pb(name, labels.astype(bool), predictions, num_thresholds)
    pb.value[0].tag = name
    pb.value[0].metadata.display_name = ""
    summary.experimental.write_raw_pb(pb.SerializeToString(), step=step)
def custom_scalars(layout):
    def chart(title, kind, tags):
        if kind == "Multiline":
            return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
        return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(
            series=[layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])]))
    made = layout_pb2.Layout(category=[layout_pb2.Category(title=c, chart=[chart(t, *k) for t, k in v.items()]) for c, v in layout.items()])
    summary.experimental.write_raw_pb(custom_summary.pb(made).SerializeToString(), step=0)
def graph():
    g = tf.Graph()
    with g.as_default():
        tf.no_op(name="nothing")  # no attributes: their order in a map means nothing
    summary.graph(g)
    open(sys.argv[2], "wb").write(g.as_graph_def(add_shapes=True).SerializeToString())
"""


def by_tensorflow(peer: Any, logdir: Path, graph_file: Path) -> None:
    wanted = peer.json(PEER_PLUGINS + CALLS + SIGNATURES, logdir, graph_file)
    for name, parameters in wanted.items():  # names, order and defaults of every function are TensorFlow's
        found: Any = milepost.summary
        for part in name.split("."):
            found = getattr(found, part)
        assert [[p.name, repr(p.default)] for p in inspect.signature(found).parameters.values()] == parameters, name


SIGNATURES = """
import inspect, json
import tensorflow as tf
names = ["audio", "create_file_writer", "flush", "histogram", "image", "record_if", "scalar", "text", "write",
         "experimental.get_step", "experimental.set_step", "experimental.summary_scope", "experimental.write_raw_pb"]
def find(name):
    found = tf.summary
    for part in name.split("."):
        found = getattr(found, part)
    return found
print(json.dumps({n: [[p.name, repr(p.default)] for p in inspect.signature(find(n)).parameters.values()] for n in names}))
"""


def by_milepost(logdir: Path, graph_file: Path) -> None:
    summary = milepost.summary
    names = {
        name: getattr(summary, name) for name in ("mesh", "hparams", "hparams_config", "pr_curve", "custom_scalars")
    }
    names |= {"graph": lambda: summary.graph(graph_file.read_bytes()), "text_metadata": b"\n\x06\n\x04text"}
    exec(CALLS, names | {"summary": summary, "logdir": str(logdir), "constant": np.array})


def comparable(value: Any) -> Any:
    """Pictures by their pixels: two encoders compress differently."""
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, str) and value.startswith("b:iVBORw0KGgo"):
        picture = Image.open(io.BytesIO(base64.b64decode(value[2:])))
        return [picture.mode, np.asarray(picture).tolist()]
    return value


def described(series: dict[str, Any]) -> dict[str, Any]:
    """Everything but the points. The order inside a protobuf map means nothing, so hyperparameters are compared decoded."""
    told = {key: value for key, value in series.items() if key != "points"}
    if series["plugin"] == "hparams":
        told["content"] = HParamsPluginData.decode(base64.b64decode(series["content"][2:]))
    return told


@pytest.mark.peers
def test_tensorboard_sees_no_difference(peer: Any, tensorboard_view: Any, tmp_path: Path) -> None:
    """Tags, plugins, metadata, steps and values are the same through both of TensorBoard's loaders."""
    theirs, ours = tmp_path / "tf", tmp_path / "milepost"
    by_tensorflow(peer, theirs, tmp_path / "graph")
    by_milepost(ours, tmp_path / "graph")
    seen = tensorboard_view(theirs, ours)
    for loader in ("python", "server"):
        want, got = seen[str(theirs)][loader], seen[str(ours)][loader]
        assert got["runs"] == want["runs"] == ["."]
        assert set(got["tags"]["."]) == set(want["tags"]["."])
        for tag, series in want["tags"]["."].items():
            mine = got["tags"]["."][tag]
            assert described(mine) == described(series), (loader, tag)
            assert comparable(mine["points"]) == comparable(series["points"]), (loader, tag)
        assert len(want["tags"]["."]) >= 45
