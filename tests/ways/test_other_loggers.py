"""Logs that Lightning writes open as they are: its metrics and hyperparameters, every point."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import milepost

LIGHTNING = """
import sys, warnings
warnings.simplefilter("ignore")
import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.loggers import TensorBoardLogger


class Line(LightningModule):
    def __init__(self, rate=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, index):
        loss = self.layer(batch).square().mean()
        self.log("train/loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.hparams.rate)


data = torch.utils.data.DataLoader(torch.randn(40, 2), batch_size=4)
logger = TensorBoardLogger(sys.argv[1], name="", version="line")
Trainer(max_epochs=2, logger=logger, log_every_n_steps=1, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, accelerator="cpu").fit(Line(), data)
"""


def test_lightning(tmp_path: Path) -> None:
    """Two epochs of ten steps: twenty points, and the learning rate among the hyperparameters."""
    done = subprocess.run(
        [sys.executable, "-c", LIGHTNING, tmp_path], capture_output=True, text=True, check=False, timeout=110
    )
    assert done.returncode == 0, done.stderr[-2000:]
    run = milepost.open(tmp_path, cache=False)["line"]
    assert run.scalars["train/loss"].step.tolist() == list(range(20))
    assert run.scalars["train/loss"].truth.dropped == 0
    assert run.scalars["epoch"].value.tolist() == [0.0] * 10 + [1.0] * 10
    started = run.hparams["_hparams_/session_start_info"][0].session_start_info
    assert started.hparams["rate"].plain == 0.1
