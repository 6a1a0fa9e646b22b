"""The same files through TensorBoard's two loaders and through our store: the same points, where those two are right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import store
from milepost.testing.logs import scalar_event, session_start, tensor_event, write_events


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import tensorboardX

    home = tmp_path_factory.mktemp("logs")
    steps = [(i, i / 3) for i in range(50)]
    write_events(home / "plain" / "events.out.tfevents.1.h", [scalar_event("x", s, v, 100.0 + s) for s, v in steps])
    write_events(home / "tensors" / "events.out.tfevents.1.h", [tensor_event("x", s, v, 100.0 + s) for s, v in steps])
    write_events(home / "resumed" / "events.out.tfevents.1.h", [scalar_event("x", s, v) for s, v in steps])
    write_events(home / "resumed" / "events.out.tfevents.2.h", [scalar_event("x", s, -1.0) for s in range(30, 40)])
    write_events(home / "purged" / "events.out.tfevents.1.h", [scalar_event("x", s, v) for s, v in steps])
    resumed = [session_start(20), *(scalar_event("x", s, -1.0) for s in range(20, 25))]
    write_events(home / "purged" / "events.out.tfevents.2.h", resumed)
    write_events(home / "zeros" / "events.out.tfevents.1.h", [scalar_event("x", 0, v) for _, v in steps])
    writer = tensorboardX.SummaryWriter(str(home / "legacy"))
    rng = np.random.default_rng(0)
    for step, sample in enumerate((rng.normal(size=500), np.array([2.0]), np.array([-1.0, 0.0, 0.0, 3.5]))):
        writer.add_histogram("h", sample, step)
    writer.add_text("t", "some *words*", 1)
    writer.close()
    return home


@pytest.fixture(scope="module")
def theirs(logs: Path, tensorboard_view: Callable[..., Any]) -> Any:
    return tensorboard_view(logs)[str(logs)]


@pytest.fixture(scope="module")
def ours(logs: Path) -> store.Collection:
    return store.open(logs, cache=False)


def points(series: store.Series) -> list[list[float]]:
    return [[s, v] for s, v in zip(series.step.tolist(), series.value.tolist(), strict=True)]


@pytest.mark.parametrize("loader", ["python", "server"])
@pytest.mark.parametrize("run", ["plain", "tensors"])
def test_scalars_are_theirs(ours: store.Collection, theirs: Any, loader: str, run: str) -> None:
    """Every step and value, both ways of writing, both loaders."""
    assert points(ours[run].scalars["x"]) == theirs[loader]["tags"][run]["x"]["points"]


@pytest.mark.parametrize("run", ["resumed", "purged"])
def test_keep_last_is_what_the_data_server_shows(ours: store.Collection, theirs: Any, run: str) -> None:
    """A resumed run, with and without purge_step."""
    assert points(ours[run].scalars["x"]) == theirs["server"]["tags"][run]["x"]["points"]


def test_keep_all_is_what_the_python_loader_shows_of_a_first_resume(ours: store.Collection, theirs: Any) -> None:
    """It ignores the first session start; all points, zig-zag and all."""
    assert points(ours["purged"].series("x", "keep-all")) == theirs["python"]["tags"]["purged"]["x"]["points"]


def test_equal_steps_are_kept_as_by_the_python_loader(ours: store.Collection, theirs: Any) -> None:
    """The data server keeps one of fifty."""
    assert points(ours["zeros"].scalars["x"]) == theirs["python"]["tags"]["zeros"]["x"]["points"]
    assert len(theirs["server"]["tags"]["zeros"]["x"]["points"]) == 1


def test_old_histograms_are_what_the_python_loader_makes_of_them(ours: store.Collection, theirs: Any) -> None:
    """Edges and counts, to the precision of the float32 they keep."""
    told = theirs["python"]["tags"]["legacy"]["h"]["points"]
    samples = list(ours["legacy"].histograms["h"])
    assert ours["legacy"].histograms["h"].step.tolist() == [p[0] for p in told]
    for sample, (_, _, _, rows) in zip(samples, told, strict=True):
        mine = np.column_stack([sample.left, sample.right, sample.count])
        np.testing.assert_allclose(mine, np.array(rows), rtol=1e-6, atol=1e-6)


def test_texts_are_theirs(ours: store.Collection, theirs: Any) -> None:
    """The words as they were logged."""
    assert str(ours["legacy"].texts["t/text_summary"][0]) == "some *words*"
    assert "t/text_summary" in theirs["python"]["tags"]["legacy"]
