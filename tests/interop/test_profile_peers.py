"""Captures of TensorFlow, torch and jax themselves open here; graphs written here open in TensorBoard."""

from __future__ import annotations

import subprocess
import sys

import pytest

from milepost import modelgraph, summary
from milepost.store import profile
from milepost.store.profile.kinds import OP

PEER = """
import json, sys, glob, os
import tensorflow as tf
logdir, graphs = sys.argv[1:]
w = tf.Variable(tf.ones((200, 200)))
@tf.function
def step(x):
    return tf.reduce_sum(tf.matmul(x, w))
step(tf.ones((200, 200)))
tf.profiler.experimental.start(logdir)
for i in range(4):
    with tf.profiler.experimental.Trace("train", step_num=i, _r=1):
        step(tf.ones((200, 200)))
tf.profiler.experimental.stop()
# TensorBoard's own graph plugin on what Milepost wrote
from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
from tensorboard.plugins import base_plugin
from tensorboard.plugins.graph import graphs_plugin
from tensorboard import context
multiplexer = plugin_event_multiplexer.EventMultiplexer()
multiplexer.AddRunsFromDirectory(graphs)
multiplexer.Reload()
provider = data_provider.MultiplexerDataProvider(multiplexer, graphs)
plugin = graphs_plugin.GraphsPlugin(base_plugin.TBContext(logdir=graphs, multiplexer=multiplexer, data_provider=provider))
ctx = context.RequestContext()
info = plugin.info_impl(ctx, "")
found = {"info": info}
for run, about in info.items():
    if about["run_graph"]:
        body = plugin.graph_impl(ctx, run, None, False, "")[0]
        found["graph"] = body.decode() if isinstance(body, bytes) else body
    for tag, kinds in about["tags"].items():
        body = plugin.graph_impl(ctx, run, tag, kinds["conceptual_graph"], "")[0]
        found[tag] = body.decode() if isinstance(body, bytes) else body
print(json.dumps(found))
"""


@pytest.mark.peers
def test_tensorflows_capture_opens_and_tensorboard_opens_our_graphs(tmp_path, peer):
    torch, keras = pytest.importorskip("torch"), pytest.importorskip("keras")
    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(3, name="first"), keras.layers.Dense(2, name="second")]
    )
    writer = summary.create_file_writer(tmp_path / "graphs" / "run")
    with writer.as_default():
        summary.graph(modelgraph.graph(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()), torch.zeros(1, 3)))
        summary.keras_model("keras", model, step=0)
        summary.trace_on(graph=True)
        model(torch.zeros(1, 4))
        summary.trace_export("traced", step=0)
    writer.close()
    said = peer.json(PEER, tmp_path / "tf", tmp_path / "graphs")

    (about,) = said["info"].values()
    assert about["run_graph"] is True
    assert about["tags"]["keras"]["conceptual_graph"] is True
    assert about["tags"]["traced"]["op_graph"] is True
    assert "aten::linear" in said["graph"]
    assert "first" in said["keras"]
    assert "second" in said["keras"]
    assert "Dense" in said["traced"]

    (capture,) = profile.find({"": str(tmp_path / "tf")})
    analysis = profile.analyse(profile.load(capture.files[0].path))
    assert analysis.split.step.tolist() == [0, 1, 2, 3]
    names = {row.name for row in analysis.ops}
    assert any("MatMul" in name for name in names), names
    assert analysis.split.share["compute"] > 0


TORCH = """
import sys, torch
from torch.profiler import ProfilerActivity, schedule, tensorboard_trace_handler
weights = torch.randn(32, 32, requires_grad=True)
with torch.profiler.profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=2, repeat=1), record_shapes=True,
                            profile_memory=True, on_trace_ready=tensorboard_trace_handler(sys.argv[1])) as running:
    for _ in range(4):
        (weights @ weights).sum().backward()
        running.step()
"""


def test_torchs_own_capture_opens(tmp_path):
    """What torch.profiler writes for TensorBoard: steps, ops, shapes, memory, arrows."""
    pytest.importorskip("torch")
    # in a process of its own: ending torch's scheduled profiler inside pytest can end pytest
    subprocess.run([sys.executable, "-c", TORCH, tmp_path], check=True, capture_output=True)
    (capture,) = profile.find({"": str(tmp_path)})
    analysis = profile.analyse(profile.load(capture.files[0].path))
    assert len(analysis.split.step) == 2
    assert {"aten::mm"} <= {row.name for row in analysis.ops}
    assert any(row.detail == "[[32, 32], [32, 32]]" for row in profile.op_table(analysis.kinded, "shape"))
    assert len(analysis.trace.flows.source)
    assert analysis.memory[0].peak > 0


def test_jaxs_own_captures_open_and_agree(tmp_path):
    """jax writes the same capture twice; both files say the same."""
    jax = pytest.importorskip("jax")
    function = jax.jit(lambda x: jax.numpy.sin(x @ x).sum())
    x = jax.numpy.ones((100, 100))
    function(x).block_until_ready()
    jax.profiler.start_trace(str(tmp_path))
    for step in range(3):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            function(x).block_until_ready()
    jax.profiler.stop_trace()
    (capture,) = profile.find({"": str(tmp_path)})
    assert {file.kind for file in capture.files} == {"trace", "xplane"}
    both = [profile.analyse(profile.load(file.path)) for file in capture.files]
    for analysis in both:
        assert analysis.split.step.tolist() == [0, 1, 2]
        assert len(analysis.kinded.which(OP))
    rows = [{(row.name, row.calls, row.own) for row in analysis.ops} for analysis in both]
    assert rows[0] == rows[1]
