"""`milepost ckpt gc`: says first what it would do, never takes the newest or a pinned one, and cleans up after the dead."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import train
from milepost.cli.main import run


@pytest.fixture
def milepost(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: object) -> tuple[int, str, str]:
        code = run([str(a) for a in ("ckpt", *arguments)], debug=False)
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    manager = train.CheckpointManager(train.Checkpoint(w=np.zeros(4)), str(tmp_path / "run"), max_to_keep=None)
    for loss in (0.9, 0.1, 0.5, 0.7, 0.6):
        manager.save(metrics={"loss": loss})
    manager.pin(str(tmp_path / "run" / "ckpt-1"))
    manager.close()
    return tmp_path / "run"


def numbers(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.index"))


def test_a_dry_run_touches_nothing(milepost: Any, folder: Path) -> None:
    before = sorted(os.listdir(folder))
    code, out, _ = milepost("gc", folder, "--keep-last", 1, "--dry-run", "--json")
    assert code == 0
    assert [item["name"] for item in json.loads(out)["items"]] == ["ckpt-2", "ckpt-3", "ckpt-4"]
    code, out, _ = milepost("gc", folder, "--keep-last", 1, "-n")
    assert "would free" in out
    assert sorted(os.listdir(folder)) == before


def test_rules_combine_and_the_newest_and_pinned_stay(milepost: Any, folder: Path) -> None:
    assert milepost("gc", folder, "--keep-best", "1:loss", "--keep-last", 2)[0] == 0
    assert numbers(folder) == ["ckpt-1", "ckpt-2", "ckpt-4", "ckpt-5"]
    assert milepost("gc", folder, "--keep-best", "1:loss:max")[0] == 0
    assert numbers(folder) == ["ckpt-1", "ckpt-5"]
    assert milepost("gc", folder, "--keep-last", 1)[0] == 0
    assert numbers(folder) == ["ckpt-1", "ckpt-5"]
    assert train.latest_checkpoint(folder) == str(folder / "ckpt-5")
    state = train.get_checkpoint_state(folder)
    assert state is not None
    assert [os.path.basename(path) for path in state.all_model_checkpoint_paths] == ["ckpt-1", "ckpt-5"]
    assert not list(folder.glob("ckpt-2*"))


def test_without_a_rule_only_leftovers_go(milepost: Any, folder: Path) -> None:
    """Data whose index is gone and unfinished files of dead processes; not those of a save that is under way."""
    old, young = folder / "ckpt-9.data-00000-of-00001", folder / "ckpt-8.data-00000-of-00001"
    unfinished = folder / f".ckpt-7.data-00000-of-00001.{'a' * 12}.tmp"
    for path in (old, young, unfinished):
        path.write_bytes(b"x" * 10)
    for path in (old, unfinished):
        os.utime(path, (0, 0))
    code, out, _ = milepost("gc", folder, "--json")
    assert code == 0
    assert {item["why"] for item in json.loads(out)["items"]} == {
        "data without an index",
        "left unfinished by a process that is gone",
    }
    assert not old.exists()
    assert not unfinished.exists()
    assert young.exists()
    assert len(numbers(folder)) == 5


def test_lines_that_make_no_sense(milepost: Any, folder: Path) -> None:
    assert milepost("gc", folder, "--keep-best", "loss")[0] == 2
    assert milepost("gc", folder, "--keep-last", 0)[0] == 2
    assert milepost("gc", folder / "nothing")[0] == 1
    assert len(numbers(folder)) == 5


def test_ls_shows_metrics_and_pins(milepost: Any, folder: Path) -> None:
    _, out, _ = milepost("ls", folder)
    assert "pinned loss=0.9" in out
