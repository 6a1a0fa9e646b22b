"""The way through the store: files in, columns out, what a refresh says."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from milepost import store
from milepost.errors import EngineMissingError, UsageError
from milepost.testing.logs import scalar_at, scalar_event, write_events, write_scalar_runs


def test_every_point_of_every_run_is_there(tmp_path: Path) -> None:
    """All points, all tags, all runs, values exact."""
    write_scalar_runs(tmp_path, runs=3, tags=4, steps=257)
    runs = store.open(tmp_path, cache=False)
    assert list(runs) == ["run_00", "run_01", "run_02"]
    for r, run in enumerate(runs.values()):
        assert list(run.scalars) == [f"train/metric_{t:02d}" for t in range(4)]
        for t, series in enumerate(run.scalars.values()):
            assert series.step.tolist() == list(range(257))
            assert series.value.tolist() == [scalar_at(r, t, s) for s in range(257)]
            assert series.value.dtype == np.float32
            assert series.truth.read == 257
            assert series.truth.dropped == series.truth.purged == 0


def test_refresh_reads_only_the_tail_and_says_what_changed(tmp_path: Path) -> None:
    """Appending to one tag changes that tag alone; nothing new is no change."""
    path = write_events(
        tmp_path / "a" / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0), scalar_event("y", 1, 2.0)]
    )
    runs = store.open(tmp_path, cache=False)
    before = runs["a"].scalars["x"]
    assert runs.refresh() == []
    with path.open("ab") as stream:
        stream.write(scalar_event("x", 2, 3.0))
    assert runs.refresh() == [store.Change("a", "scalars", "x", "grew")]
    assert runs["a"].scalars["x"].value.tolist() == [1.0, 3.0]
    assert before.value.tolist() == [1.0], "what was given out does not change"


def test_a_run_comes_and_goes(tmp_path: Path) -> None:
    """New directories become runs, deleted ones go."""
    runs = store.open(tmp_path / "not-yet", cache=False)
    assert len(runs) == 0
    path = write_events(tmp_path / "not-yet" / "r" / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    assert store.Change("r", what="new") in runs.refresh()
    path.unlink()
    assert store.Change("r", what="gone") in runs.refresh()
    assert "r" not in runs


def test_several_log_directories_have_names(tmp_path: Path) -> None:
    """{name: path} puts the name before the run; a path that is itself a run gets the bare name."""
    write_events(tmp_path / "one" / "r" / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    write_events(tmp_path / "two" / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    assert list(store.open({"a": tmp_path / "one", "b": tmp_path / "two"}, cache=False)) == ["a/r", "b"]


def test_the_root_is_a_run_called_dot(tmp_path: Path) -> None:
    """A log directory with files of its own is the run "."; one file alone opens too."""
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 1, 1.0)])
    assert list(store.open(tmp_path, cache=False)) == ["."]
    assert list(store.open(path, cache=False)) == ["."]


def test_an_unknown_way_with_restarts_is_refused(tmp_path: Path) -> None:
    """The message names the ways there are."""
    with pytest.raises(UsageError, match=r"'keep-last' or 'keep-all' or 'split'"):
        store.open(tmp_path, restarts="merge")


def test_pandas_gets_every_point_and_its_absence_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Series, run and collection as data frames; without pandas one line says what to install."""
    write_scalar_runs(tmp_path, runs=2, tags=3, steps=10)
    runs = store.open(tmp_path, cache=False)
    frame = runs.to_pandas()
    assert list(frame.columns) == ["run", "tag", "step", "wall_time", "value"]
    assert len(frame) == 60
    assert list(runs["run_01"].to_pandas().columns) == ["tag", "step", "wall_time", "value"]
    assert len(store.open(tmp_path / "empty", cache=False).to_pandas()) == 0
    monkeypatch.setitem(sys.modules, "pandas", None)
    for thing in (runs, runs["run_00"], runs["run_00"].scalars["train/metric_00"]):
        with pytest.raises(EngineMissingError, match="pip install"):
            thing.to_pandas()
