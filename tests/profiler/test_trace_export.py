"""trace_on, trace_export, trace_off: graph to the writer, profile to its folder, in every order the tutorials use."""

from __future__ import annotations

from pathlib import Path

import pytest

import milepost
from milepost import profiler, summary
from milepost.errors import MilepostError, UsageError
from milepost.formats.event import Event
from milepost.formats.graphdef import RunMetadata
from milepost.formats.record import records

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def nothing_left_on():
    yield
    summary.trace_off()
    assert not profiler.active()


@pytest.fixture
def writer(tmp_path):
    made = summary.create_file_writer(tmp_path / "run")
    yield made
    made.close()


def values(writer):
    writer.flush()
    data = Path(writer.path).read_bytes()
    events = [Event.decode(payload) for payload in records(data)]
    return [(event.step, value) for event in events if event.summary for value in event.summary.value]


def graphs(value):
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    assert value.metadata.plugin_data.content == b"1"
    return [f.pre_optimization_graph for f in RunMetadata.decode(value.tensor.string_val[0]).function_graphs]


def test_the_tutorial_as_written(tmp_path, writer):
    """trace_on(graph, profiler), train, trace_export with profiler_outdir: TensorFlow itself fails this; we do not."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
    summary.trace_on(graph=True, profiler=True)
    for _ in range(3):
        model(torch.ones(2, 3)).sum().backward()
    with writer.as_default():
        summary.trace_export(name="model_trace", step=7, profiler_outdir=tmp_path / "profile")
    ((step, value),) = values(writer)
    assert (step, value.tag) == (7, "model_trace")
    (graph,) = graphs(value)
    assert [node.op for node in graph.node] == ["Placeholder", "Linear", "ReLU"], "each model once, not once a call"
    assert len(list((tmp_path / "profile").glob("plugins/profile/*/*.trace.json.gz"))) == 1
    assert not profiler.active()


def test_the_place_of_the_profile_may_be_named_early_or_be_the_writers(tmp_path, writer):
    summary.trace_on(graph=False, profiler=True, profiler_outdir=tmp_path / "early")
    with writer.as_default():
        summary.trace_export("early", step=0)
    assert list((tmp_path / "early").rglob("*.trace.json.gz"))
    summary.trace_on(graph=False, profiler=True)
    with writer.as_default():
        summary.trace_export("late", step=0)
    assert list((tmp_path / "run").rglob("*.trace.json.gz"))
    assert values(writer) == []
    summary.trace_on(graph=False, profiler=True)
    with pytest.raises(UsageError, match="no place to go"):
        summary.trace_export("nowhere", step=0)


def test_recorded_functions_are_in_the_trace(writer):
    """What `@tf.function` uses: the ops of a function's first call while the trace is on."""
    from milepost import tracing

    step = tracing.record(lambda x: (x @ x).sum(), "step")
    step(torch.eye(2))
    summary.trace_on(True)
    for _ in range(3):
        assert float(step(torch.eye(2))) == 2
    with writer.as_default():
        summary.trace_export("third", 2)
    ((_, value),) = values(writer)
    (graph,) = graphs(value)
    assert [node.name for node in graph.node] == ["step/Placeholder", "step/mm", "step/sum"]


def test_without_a_writer_nothing_is_written_and_nothing_breaks():
    summary.trace_on(True)
    summary.trace_export("nowriter", step=0)
    with pytest.raises(UsageError, match="no trace is on"):
        summary.trace_export("again", step=0)


def test_a_missing_step_is_an_error_and_leaves_the_trace_on(writer):
    summary.trace_on(True)
    with writer.as_default():
        with pytest.raises(MilepostError, match="step"):
            summary.trace_export("nostep")
        summary.trace_export("with", step=1)
    assert len(values(writer)) == 1


def test_on_twice_warns_and_off_is_always_allowed(tmp_path):
    summary.trace_on(True, profiler=True)
    with pytest.warns(UserWarning, match="already on"):
        summary.trace_on(True)
    summary.trace_off()
    summary.trace_off()
    assert not profiler.active()


def test_graph_and_keras_model_are_written_for_the_graph_page(writer):
    keras = pytest.importorskip("keras")
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2, name="one")])
    assert summary.graph(model) is False, "no default writer"
    with writer.as_default():
        assert summary.graph(model)
        assert summary.keras_model("keras", model, step=0)
    ((_, value),) = values(writer)
    assert value.metadata.plugin_data.plugin_name == "graph_keras_model"
    events = [Event.decode(payload) for payload in records(Path(writer.path).read_bytes())]
    assert any(event.graph_def and b"one" in event.graph_def for event in events)


def test_the_names_are_in_the_room():
    assert "trace_on" in dir(milepost.summary)
    with pytest.raises(AttributeError, match="no attribute 'trace_onn'"):
        milepost.summary.trace_onn
