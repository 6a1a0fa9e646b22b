"""`milepost.SummaryWriter` where it is not simply torch's: hyperparameters, restarts, videos, figures, graphs, other libraries."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import milepost
from milepost.errors import SummaryError
from milepost.formats.plugins import HParamsPluginData, hparam_value
from milepost.summary import pictures


def hparams_in(events: Any, directory: Path) -> list[dict[str, Any]]:
    found = []
    for event in events(directory):
        for value in event.summary.value if event.summary else ():
            if value.tag == "_hparams_/session_start_info":
                data = HParamsPluginData.decode(value.metadata.plugin_data.content)
                found.append({name: hparam_value(v) for name, v in data.session_start_info.hparams.items()})
    return found


def test_hparams_stay_in_the_run(tmp_path: Path, events: Any, points: Any) -> None:
    """One set, written again and again as training goes on, makes no other run; a second, different set does."""
    with milepost.SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_hparams({"lr": 0.1, "bn": True, "opt": "adam"}, {"acc": step / 10}, global_step=step)
        assert [entry.is_dir() for entry in tmp_path.iterdir()] == [False]
        writer.add_hparams({"lr": 0.2, "bn": True, "opt": "adam"}, {"acc": 0.9}, global_step=3)
        writer.add_hparams({"lr": 0.3}, {"acc": 0.8}, run_name="named")
    below = [entry for entry in tmp_path.iterdir() if entry.is_dir()]
    assert len(below) == 2
    assert [h["lr"] for h in hparams_in(events, tmp_path / "named")] == [0.3]
    assert sorted(h["lr"] for entry in below for h in hparams_in(events, entry)) == [0.2, 0.3]
    top = [path for path in tmp_path.iterdir() if path.is_file()]
    assert len(top) == 1
    accuracy = sorted((step, value) for tag, step, value in points(tmp_path) if tag == "acc")
    assert [(s, pytest.approx(v)) for s, v in accuracy] == [(0, 0.0), (0, 0.8), (1, 0.1), (2, 0.2), (3, 0.9)]


def test_default_directory_and_comment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a directory: runs/<date>_<host><comment>, and a later chdir does not move it."""
    monkeypatch.chdir(tmp_path)
    writer = milepost.SummaryWriter(comment="-lr1")
    os.makedirs("elsewhere")
    monkeypatch.chdir("elsewhere")
    writer.add_scalar("x", 1.0, 1)
    writer.add_scalars("g", {"a": 1.0}, 1)
    writer.close()
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name.endswith("-lr1")
    assert writer.get_logdir() == os.path.join("runs", run.name)
    assert sorted(path.name for path in run.iterdir() if path.is_dir()) == ["g_a"]


def test_a_closed_writer_goes_on_in_a_new_file(tmp_path: Path, points: Any) -> None:
    """As torch's does: nothing is lost when someone closes too early."""
    writer = milepost.SummaryWriter(tmp_path)
    writer.add_scalar("x", 1.0, 1)
    writer.close()
    writer.flush()
    writer.add_scalar("x", 2.0, 2)
    writer.add_image("i", np.zeros((3, 2, 2)), 3)
    writer.close()
    assert [(tag, step) for tag, step, _ in points(tmp_path)] == [("x", 1), ("x", 2), ("i", 3)]
    assert len(list(tmp_path.iterdir())) == 2


def test_write_to_disk_false_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """tensorboardX's switch for the ranks that should not log."""
    monkeypatch.chdir(tmp_path)
    with milepost.SummaryWriter("run", write_to_disk=False) as writer:
        writer.add_scalar("x", 1.0, 1)
        writer.add_scalars("x", {"a": 1.0}, 1)
        writer.add_image("x", np.zeros((3, 2, 2)), 1)
        writer.add_hparams({}, {})
        writer.add_text("x", "t")
        writer.add_embedding(np.zeros((2, 2)))
    assert list(tmp_path.iterdir()) == []


def test_video_is_a_gif(tmp_path: Path, events: Any) -> None:
    """Clips stand side by side, frame for frame, in any order of axes."""
    clips = np.zeros((3, 5, 1, 8, 6), np.float32)
    clips[1, 2] = 1.0
    with milepost.SummaryWriter(tmp_path) as writer:
        writer.add_video("v", torch.from_numpy(clips), 1, fps=10)
        writer.add_video("t", clips.transpose(1, 0, 3, 4, 2), 2, dataformats="TNHWC")
        with pytest.raises(SummaryError, match="five axes"):
            writer.add_video("bad", clips[0])
    for event in events(tmp_path)[1:-1]:
        image = event.summary.value[0].image
        movie = Image.open(io.BytesIO(image.encoded))
        assert (movie.format, movie.n_frames, movie.size) == ("GIF", 3, (24, 8))  # equal frames are joined
        assert (image.height, image.width) == (8, 24)
    assert pictures.video_frames(clips).shape == (5, 8, 24, 3)
    assert pictures.video_frames(clips)[2, :, 6:12].min() == 255


def test_figures(tmp_path: Path, events: Any) -> None:
    """matplotlib figures, one or several, closed afterwards."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with milepost.SummaryWriter(tmp_path) as writer:
        for number in (1, 2):
            figures = [plt.figure(figsize=(2, 1), dpi=50) for _ in range(number)]
            for figure in figures:
                figure.add_subplot().plot([1, 2, 3])
            writer.add_figure("f", figures if number > 1 else figures[0], number)
    assert plt.get_fignums() == []
    sizes = [(e.summary.value[0].image.width, e.summary.value[0].image.height) for e in events(tmp_path)[1:-1]]
    assert sizes == [(100, 50), (200, 50)]
    picture = np.asarray(Image.open(io.BytesIO(events(tmp_path)[1].summary.value[0].image.encoded)))
    assert picture.std() > 10


def test_graph(tmp_path: Path, events: Any) -> None:
    """A torch model's graph lands in the run."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
    with milepost.SummaryWriter(tmp_path) as writer:
        writer.add_graph(model, torch.zeros(1, 3))
        writer.add_graph(model, (torch.zeros(1, 3),))
        writer.add_scalar("x", 1.0, 1)
    graphs = [event.graph_def for event in events(tmp_path) if event.graph_def]
    assert len(graphs) == 2
    assert b"Linear" in graphs[0] or b"linear" in graphs[0]


def test_libraries_that_reach_inside(tmp_path: Path, points: Any) -> None:
    """Lightning and others hand protobuf messages to `writer.file_writer`; they arrive."""
    from tensorboard.compat.proto.event_pb2 import Event as ProtoEvent
    from tensorboard.compat.proto.summary_pb2 import Summary as ProtoSummary

    with milepost.SummaryWriter(tmp_path) as writer:
        raw = writer._get_file_writer()
        raw.add_summary(ProtoSummary(value=[ProtoSummary.Value(tag="a", simple_value=1.5)]), 3)
        raw.add_event(ProtoEvent(step=9, summary=ProtoSummary(value=[ProtoSummary.Value(tag="b", simple_value=2.5)])))
        assert raw.get_logdir() == str(tmp_path)
        assert list(writer.all_writers) == [str(tmp_path)]
        writer.file_writer.flush()
        assert points(tmp_path) == [("a", 3, 1.5), ("b", 9, 2.5)]


def test_projector_labels_cannot_break_the_table(tmp_path: Path) -> None:
    """Tabs and line breaks in a label, slashes and quotes in a tag stay inside their cell and their folder."""
    with milepost.SummaryWriter(tmp_path) as writer:
        writer.add_embedding(np.eye(2), metadata=["a\tb\nc", 'd"'], tag='../x"y', global_step=1)
        with pytest.raises(SummaryError, match="thumbnail"):
            writer.add_embedding(np.eye(2), label_img=np.zeros((3, 1, 2, 2)))
    assert (tmp_path / "00001" / '..%2fx"y' / "metadata.tsv").read_text() == 'a b c\nd"\n'
    assert '\\"' in (tmp_path / "projector_config.pbtxt").read_text()
