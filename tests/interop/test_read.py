"""Files of TensorFlow 1 and 2, torch and tensorboardX, read by our store: exactly what was written, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import store

pytestmark = pytest.mark.peers

# One process of the peers writes everything: importing TensorFlow is most of the time.
WRITE = r"""
import json, math, sys, os
import numpy as np
out = sys.argv[1]
values = [0.1, -0.0, math.nan, math.inf, -math.inf, 1.5e-38, 3.4e38, 1/3]
import tensorflow as tf
# TF 2
with tf.summary.create_file_writer(out + "/tf2").as_default():
    for i, v in enumerate(values):
        tf.summary.scalar("f32", tf.constant(v, tf.float32), step=i)
        tf.summary.scalar("f64", tf.constant(v, tf.float64), step=i)
    for i in range(5):
        tf.summary.scalar("i64", tf.constant(2**40 + i, tf.int64), step=i)
        tf.summary.scalar("half", tf.constant(i + 0.5, tf.float16), step=i)
        tf.summary.histogram("hist", tf.constant(np.arange(100.0 * (i + 1))), step=i, description="about *it*")
        tf.summary.image("img", tf.constant(np.full((4, 3, 5, 3), i * 10, np.uint8)), step=i, max_outputs=2)
        tf.summary.audio("snd", tf.constant(np.zeros((2, 40, 1), np.float32)), 8000, step=i)
        tf.summary.text("txt", [["a", "b"], ["c%d" % i, "ü"]], step=i)
    tf.summary.write("raw", tf.constant([[1, 2], [3, 4]], tf.int32), step=9)
    @tf.function
    def f(x): return x * 2
    tf.summary.trace_on(graph=True)
    f(tf.constant(1.0))
    tf.summary.trace_export("trace", step=0)
from tensorboard.plugins.hparams import api as hp
with tf.summary.create_file_writer(out + "/hp").as_default():
    hp.hparams({"lr": 0.25, "opt": "adam", "big": True}, trial_id="t")
    hp.hparams_config(hparams=[hp.HParam("lr", hp.RealInterval(0.0, 1.0))], metrics=[hp.Metric("loss", display_name="L")])
# TF 1
tf1 = tf.compat.v1
with tf.Graph().as_default():
    w = tf1.summary.FileWriter(out + "/tf1", graph=tf1.get_default_graph())
    for i, v in enumerate(values):
        w.add_summary(tf1.Summary(value=[tf1.Summary.Value(tag="s", simple_value=v), tf1.Summary.Value(node_name="n", simple_value=i)]), i)
    meta = tf1.SummaryMetadata(plugin_data=tf1.SummaryMetadata.PluginData(plugin_name="scalars"))
    for i in range(3):
        t = tf.make_tensor_proto(i * 1.5, dtype=tf.float32)
        w.add_summary(tf1.Summary(value=[tf1.Summary.Value(tag="t", tensor=t, metadata=meta)]), i)
    w.add_session_log(tf1.SessionLog(status=tf1.SessionLog.START), 2)
    w.add_summary(tf1.Summary(value=[tf1.Summary.Value(tag="s", simple_value=77)]), 2)
    w.close()
# torch and tensorboardX
import torch, tensorboardX
from torch.utils.tensorboard import SummaryWriter
def common(w, tensor):
    for i, v in enumerate(values):
        w.add_scalar("s", v, i, walltime=1e9 + i / 8)
        w.add_scalars("many", {"a": i, "b": -i}, i)
    w.add_histogram("h", np.array([1.0, 2.0, 2.0, 3.0]), 3)
    w.add_image("i", np.full((3, 4, 5), 7, np.uint8), 1)
    w.add_text("t", "hello", 2)
    w.add_pr_curve("pr", np.array([0, 1, 1]), np.array([0.1, 0.8, 0.4]), 5, num_thresholds=11)
    w.add_mesh("mesh", tensor(np.zeros((1, 4, 3), np.float32)), faces=tensor(np.zeros((1, 2, 3), np.int32)))
    w.add_custom_scalars({"cat": {"chart": ["Multiline", ["s", "x.*"]]}})
w = SummaryWriter(out + "/torch")
common(w, torch.tensor)
w.add_audio("snd", torch.zeros(1, 100), 1, sample_rate=8000)
for i, v in enumerate(values):
    w.add_scalar("new32", v, i, new_style=True)
    w.add_scalar("new64", v, i, new_style=True, double_precision=True)
w.add_graph(torch.nn.Linear(2, 3), torch.zeros(1, 2))
w.add_hparams({"lr": 0.5, "name": "x", "flag": True}, {"acc": 0.75}, run_name="hp")
w.close()
w = tensorboardX.SummaryWriter(out + "/tbx")
common(w, np.array)
w.close()
w = SummaryWriter(out + "/resumed")
for i in range(10): w.add_scalar("s", i, i)
w.close()
os.rename(w.file_writer.event_writer._file_name if hasattr(w, "file_writer") and w.file_writer else next(os.path.join(out, "resumed", f) for f in os.listdir(out + "/resumed")), out + "/resumed/events.out.tfevents.0000000001.first")
w = SummaryWriter(out + "/resumed", purge_step=6)
for i in range(6, 9): w.add_scalar("s", 100 + i, i)
w.close()
print(json.dumps({"files": len(os.listdir(out))}))
"""

VALUES = [0.1, -0.0, float("nan"), float("inf"), float("-inf"), 1.5e-38, 3.4e38, 1 / 3]


@pytest.fixture(scope="module")
def runs(peer: Any, tmp_path_factory: pytest.TempPathFactory) -> store.Collection:
    out = tmp_path_factory.mktemp("peers")
    peer.run(WRITE, out)
    return store.open(out, cache=False)


def same_bits(got: np.ndarray[Any, Any], want: list[float], dtype: type) -> None:
    expected = np.array(want, dtype)
    assert got.dtype == expected.dtype
    assert got.tobytes() == expected.tobytes() or (
        np.array_equal(got, expected, equal_nan=True)
        and (np.signbit(got) == np.signbit(expected))[~np.isnan(got)].all()
    )


def test_no_file_of_a_peer_has_a_bad_record(runs: store.Collection) -> None:
    """Nothing skipped, nothing left over."""
    for run in runs.values():
        assert run.info.bad_records == 0
        assert run.info.truncated_at == ()


def test_tf2_scalars_of_every_type(runs: store.Collection) -> None:
    """float32, float64, int64, float16: the number that was written."""
    tags = runs["tf2"].scalars
    same_bits(tags["f32"].value, VALUES, np.float32)
    # tf.summary.scalar itself casts to float32
    same_bits(tags["f64"].value, np.array(VALUES).astype(np.float32).tolist(), np.float32)
    assert tags["i64"].value.tolist() == [np.float32(2**40 + i) for i in range(5)]
    assert tags["half"].value.tolist() == [i + 0.5 for i in range(5)]
    assert tags["f32"].step.tolist() == list(range(8))
    assert tags["f32"].metadata.plugin == "scalars"


def test_tf2_media(runs: store.Collection) -> None:
    """Histograms, images, audio, text, tensors, graphs, with their descriptions."""
    run = runs["tf2"]
    histogram = run.histograms["hist"][1]
    assert len(run.histograms["hist"]) == 5
    assert histogram.count.sum() == 200
    assert (histogram.left[0], histogram.right[-1]) == (0, 199)
    assert run.histograms["hist"].metadata.description == "about *it*"
    image = run.images["img"][4]
    assert (image.width, image.height, len(image.encoded)) == (5, 3, 2)
    assert image.encoded[0].startswith(b"\x89PNG")
    clips = run.audio["snd"][0].clips
    assert len(clips) == 2
    assert clips[0].encoded.startswith(b"RIFF")
    text = run.texts["txt"][3]
    assert text.shape == (2, 2)
    assert text.values == ("a", "b", "c3", "ü")
    assert run.tensors["raw"][0].tolist() == [[1, 2], [3, 4]]
    assert run.graphs
    assert all(len(graph[0].data) > 10 for graph in run.graphs.values())


def test_hparams_of_tensorflow_and_torch(runs: store.Collection) -> None:
    """Values with their types, the experiment with its metrics."""
    told = runs["hp"].hparams
    start = told["_hparams_/session_start_info"][0].session_start_info
    assert {name: value.plain for name, value in start.hparams.items()} == {"lr": 0.25, "opt": "adam", "big": True}
    experiment = told["_hparams_/experiment"][0].experiment
    assert experiment.metric_infos[0].display_name == "L"
    assert experiment.hparam_infos[0].domain_interval.max_value == 1.0
    torch = runs["torch/hp"]
    start = torch.hparams["_hparams_/session_start_info"][0].session_start_info
    assert start.hparams["lr"].plain == 0.5
    assert torch.hparams["_hparams_/session_end_info"][0].session_end_info.status == 1
    assert torch.scalars["acc"].value.tolist() == [0.75]


def test_tf1_values_node_names_stripped_metadata_and_sessions(runs: store.Collection) -> None:
    """simple_value, node_name as tag, metadata on the first value only, START in the middle."""
    run = runs["tf1"]
    same_bits(run.series("s", "keep-all").value[:8], VALUES, np.float32)
    assert run.series("s").step.tolist() == [0, 1, 2]
    assert run.series("s").value[-1] == 77
    assert run.series("n", "keep-all").value.tolist() == list(range(8))
    assert run.series("t", "keep-all").value.tolist() == [0.0, 1.5, 3.0]
    assert run.scalars["t"].metadata.plugin == "scalars"
    assert run.graphs["__run_graph__"][0].form == "graph_def"


@pytest.mark.parametrize("name", ["torch", "tbx"])
def test_torch_and_tensorboardx(runs: store.Collection, name: str) -> None:
    """Everything both write, by the calls both have."""
    run = runs[name]
    same_bits(run.scalars["s"].value, VALUES, np.float32)
    assert run.scalars["s"].wall_time.tolist() == [1e9 + i / 8 for i in range(8)]
    histogram = run.histograms["h"][0]
    assert histogram.count.sum() == 4
    assert (histogram.left[0], histogram.right[-1]) == (1.0, 3.0)
    image = run.images["i"][0]
    assert (image.width, image.height) == (5, 4)
    assert str(run.texts["t/text_summary"][0]) == "hello"
    curve = run.pr_curves["pr"][0]
    assert len(curve.thresholds) == 11
    assert curve.recall[0] == 1.0
    vertex = [run.meshes[tag][0] for tag in run.meshes if run.meshes[tag][0].content == "vertex"]
    assert vertex[0].array.shape == (1, 4, 3)
    (layout,) = (series[0] for series in run.custom_scalars.values())
    assert layout.category[0].chart[0].multiline.tag == ["s", "x.*"]
    many = [sub for sub in runs if sub.startswith(f"{name}/many")]
    assert len(many) == 2
    assert all(len(tags.scalars["many"]) == 8 for tags in (runs[m] for m in many))


def test_torch_new_style_keeps_double_precision(runs: store.Collection) -> None:
    """TensorBoard's fast loader drops these silently; here float64 comes back exactly."""
    same_bits(runs["torch"].scalars["new32"].value, VALUES, np.float32)
    same_bits(runs["torch"].scalars["new64"].value, VALUES, np.float64)
    assert runs["torch"].audio["snd"][0].clips[0].encoded.startswith(b"RIFF")
    assert runs["torch"].graphs["__run_graph__"][0].data


def test_purge_step_of_torch_counts_on_the_first_resume(runs: store.Collection) -> None:
    """TensorBoard's slow loader shows a zig-zag; here the resumed run replaces its past."""
    series = runs["resumed"].scalars["s"]
    assert series.step.tolist() == list(range(9))
    assert series.value.tolist() == [0, 1, 2, 3, 4, 5, 106, 107, 108]
    assert series.truth.purged == 4
    assert len(runs["resumed"].series("s", "keep-all")) == 13


READ = r"""
import json, sys
from tensorboard.backend.event_processing import event_accumulator as ea
a = ea.EventAccumulator(sys.argv[1], size_guidance={ea.SCALARS: 0, ea.TENSORS: 0, ea.HISTOGRAMS: 0, ea.IMAGES: 0})
a.Reload()
out = {t: [(e.step, e.wall_time, repr(e.value)) for e in a.Scalars(t)] for t in a.Tags()["scalars"]}
print(json.dumps(out))
"""


def test_tensorboards_own_loader_agrees(runs: store.Collection, peer: Any) -> None:
    """Steps, times and values of the torch run as TensorBoard's Python loader has them."""
    path = Path(runs["torch"].files[0]).parent
    theirs = json.loads(peer.run(READ, path).strip().splitlines()[-1])
    for tag, events in theirs.items():
        ours = runs["torch"].scalars[tag]
        assert ours.step.tolist() == [e[0] for e in events]
        assert ours.wall_time.tolist() == [e[1] for e in events]
        assert [repr(v) for v in ours.value.tolist()] == [e[2] for e in events]
