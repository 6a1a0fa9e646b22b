"""A program whose time is known is split as it is: sleep, matrix products, a Python loop, each within 5 % of a step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from milepost.store import profile


def shares(logdir: Path, engine: str) -> tuple[dict[str, float], dict[str, float]]:
    """What the capture says and what the program itself measured, as shares of all steps."""
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("programs.py"), logdir, engine],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    said = json.loads(done.stdout.splitlines()[-1])
    split = profile.analyse(profile.load(said["path"])).split
    assert split.step.tolist() == [0, 1]
    assert split.sampled
    whole = sum(said["took"].values())
    return split.share, {part: seconds / whole for part, seconds in said["took"].items()}


@pytest.mark.parametrize("engine", ["numpy", "torch"])
def test_the_known_split(tmp_path, engine):
    """In a process of its own: the products must run on one thread, which numpy decides when it is first imported.

    A machine with several times more work than cores stretches single samples; one of three tries must be right.
    """
    for _ in range(3):
        seen, known = shares(tmp_path, engine)
        if all(seen[part] == pytest.approx(share, abs=0.05) for part, share in known.items()):
            break
    else:
        pytest.fail(f"seen {seen}, known {known}")
    assert seen["input"] == seen["copy"] == 0
