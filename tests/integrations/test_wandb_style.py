"""Scripts that log dictionaries run with one line changed, and their values are in the run."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image as Pillow

import milepost
import milepost.integrations.wandb_style as wandb
from milepost.errors import UsageError
from milepost.formats.plugins import hparam_value


def test_a_script_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """init, config, log with nested dictionaries and media, finish: scalars, hyperparameters and media read back."""
    monkeypatch.chdir(tmp_path)
    wandb.init(project="demo", name="first", config={"lr": 0.1, "net": {"depth": 3}}, entity="ignored")
    wandb.config.update({"opt": "adam"})
    wandb.config.seed = 7
    assert wandb.config.lr == 0.1
    for step in range(5):
        wandb.log({"loss": 1 / (step + 1), "val": {"acc": torch.tensor(step / 10)}, "note": "hi"})
    wandb.log({"a": 1}, commit=False)
    wandb.log({"b": 2})
    wandb.log({"c": np.float32(3)}, step=50)
    table = wandb.Table(["x", "y"], [[1, "a|b"]])
    table.add_data(2, "c")
    wandb.log({
        "image": wandb.Image(np.zeros((4, 5, 3), np.uint8), caption="black"), "images": [wandb.Image(np.zeros((4, 5)))] * 2,
        "chw": wandb.Image(torch.zeros(3, 8, 9)), "pil": Pillow.new("RGB", (3, 2)), "hist": wandb.Histogram(np.arange(10.0)),
        "counted": wandb.Histogram(np_histogram=np.histogram(np.arange(10.0), bins=3)), "weights": torch.randn(3, 4),
        "sound": wandb.Audio(np.zeros(100), 8000), "clip": wandb.Video(np.zeros((2, 3, 4, 4), np.uint8)), "table": table,
        "none": None, "strange": object(),
    }, step=51)  # fmt: skip
    wandb.run.summary["best"] = 0.9
    wandb.finish()
    wandb.finish()

    run = milepost.open(tmp_path / "runs" / "demo")["first"]
    assert run.scalars["loss"].value.tolist() == pytest.approx([1, 0.5, 1 / 3, 0.25, 0.2])
    assert run.scalars["loss"].step.tolist() == [0, 1, 2, 3, 4]
    assert run.scalars["val/acc"].value.tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert (run.scalars["a"].step.tolist(), run.scalars["b"].step.tolist(), run.scalars["c"].step.tolist()) == (
        [5],
        [5],
        [50],
    )
    assert run.scalars["summary/best"].value.tolist() == pytest.approx([0.9])
    start = run.hparams["_hparams_/session_start_info"][-1].session_start_info
    found = {name: hparam_value(value) for name, value in start.hparams.items()}
    assert found == {"lr": 0.1, "net/depth": 3, "opt": "adam", "seed": 7}
    assert set(run.images) >= {"image", "images/0", "images/1", "chw", "pil", "clip"}
    assert set(run.histograms) == {"hist", "counted", "weights"}
    assert set(run.audio) == {"sound"}
    assert {"note/text_summary", "table/text_summary", "image/caption/text_summary"} <= set(run.texts)
    assert [record.getMessage().split(": ")[1] for record in caplog.records if record.levelno == logging.WARNING] == [
        "strange has no form that can be drawn, left out"
    ]


def test_runs_follow_each_other(tmp_path: Path) -> None:
    """A second init ends the first; without a run, log says what to do; a run is a context manager."""
    with pytest.raises(UsageError, match=r"init\(\) first"):
        wandb.log({})
    first = wandb.init(dir=tmp_path)
    second = wandb.init(dir=tmp_path)
    assert first.dir != second.dir
    wandb.finish()
    with wandb.Run(str(tmp_path / "own"), "own") as own:
        own.log({"x": 1})
    assert milepost.open(tmp_path)["own"].scalars["x"].value.tolist() == [1.0]
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.raises(UsageError, match="columns"):
        wandb.Table(["a"]).add_data(1, 2)
    with pytest.raises(UsageError, match="both"):
        wandb.Histogram()
