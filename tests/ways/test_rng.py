"""Random state is part of a checkpoint: a resumed run draws the numbers the first one would have drawn."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import keras
import numpy as np
import torch

from milepost import train


def draw() -> list[Any]:
    return [
        random.random(), random.gauss(0, 1), np.random.randn(), torch.rand(()).item(), keras.random.uniform(()).item(),
        torch.nn.functional.dropout(torch.ones(8)).tolist(),
    ]  # fmt: skip


def test_the_same_numbers_again(tmp_path: Path) -> None:
    """Python, numpy, torch and Keras; a numpy Generator and a jax key of the user's own beside them."""
    own = {"numpy": np.random.default_rng(4), "key": jax.random.key(2), "torch": torch.Generator().manual_seed(1)}
    checkpoint = train.Checkpoint(rng=train.Rng(), own=own)
    draw()
    path = checkpoint.save(tmp_path / "ckpt")
    want = draw(), own["numpy"].random(), torch.rand(2, generator=own["torch"]).tolist(), jax.random.normal(own["key"])
    own["key"] = jax.random.key(0)
    checkpoint.restore(path).assert_consumed()
    got = draw(), own["numpy"].random(), torch.rand(2, generator=own["torch"]).tolist(), jax.random.normal(own["key"])
    assert got == want


def test_in_another_process(tmp_path: Path) -> None:
    """A process that has not imported torch yet gets torch's state all the same."""
    torch.manual_seed(3)
    path = train.Checkpoint(rng=train.Rng()).save(tmp_path / "ckpt")
    want = repr((random.random(), np.random.rand(), torch.rand(()).item()))
    source = (
        "import sys, random\nfrom milepost import train\n"
        "train.Checkpoint(rng=train.Rng()).restore(sys.argv[1]).assert_consumed()\n"
        "import numpy as np, torch\nprint(repr((random.random(), np.random.rand(), torch.rand(()).item())))"
    )
    done = subprocess.run([sys.executable, "-c", source, path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == want
