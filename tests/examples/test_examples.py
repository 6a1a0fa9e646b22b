"""Every example runs offline and reaches the result it states."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name: str, *arguments: str, cwd: Path) -> str:
    """The last line of an example, which says what it reached."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", *arguments],
        cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=115,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    last = done.stdout.strip().splitlines()[-1]
    assert last.startswith("result: "), last
    return last


def found(pattern: str, line: str) -> list[float]:
    match = re.search(pattern, line)
    assert match, line
    return [float(group) for group in match.groups()]


def test_tensors_and_gradients(tmp_path: Path) -> None:
    """Gradients that can be worked out by hand."""
    line = run("tensors_and_gradients", cwd=tmp_path)
    assert found(r"slope (\S+), loss (\S+), second derivative of x³ at 3 (\S+)", line) == [6.0, 125.0, 18.0]


def test_linear_regression(tmp_path: Path) -> None:
    """The line the points were made with."""
    slope, offset = found(r"slope (\S+), offset (\S+)", run("linear_regression", cwd=tmp_path))
    assert slope == pytest.approx(2.5, abs=0.03)
    assert offset == pytest.approx(-0.7, abs=0.03)


def test_mlp(tmp_path: Path) -> None:
    """At least 93 % of unseen digits."""
    assert found(r"accuracy (\S+)", run("mlp_digits", cwd=tmp_path))[0] >= 0.93


def test_cnn(tmp_path: Path) -> None:
    """At least 96 % of unseen digits."""
    assert found(r"accuracy (\S+)", run("cnn_digits", cwd=tmp_path))[0] >= 0.96


def test_transfer(tmp_path: Path) -> None:
    """A frozen network sorts digits it never saw, by a new head of two variables."""
    trained, accuracy = found(r"(\d+) trained variables, accuracy (\S+)", run("transfer_mobilenet", cwd=tmp_path))
    assert trained == 2
    assert accuracy >= 0.6


def test_text_generation(tmp_path: Path) -> None:
    """The loss falls below 2.4 (chance is above 3.2), and a higher temperature is more varied."""
    loss, cold, warm = found(
        r"loss (\S+), characters used (\d+) at 0.2 and (\d+) at 1.2", run("text_generation", cwd=tmp_path)
    )
    assert loss < 2.4
    assert warm > cold


def test_dqn(tmp_path: Path) -> None:
    """Balances for at least 150 steps on average; chance gives about 22."""
    assert found(r"balanced (\S+) steps", run("dqn_cartpole", cwd=tmp_path))[0] >= 150


def test_keras_pipelines(tmp_path: Path) -> None:
    """Both ways of writing one network reach 93 %."""
    first, second, agree = found(r"accuracy (\S+) and (\S+), they agree on (\S+)", run("keras_pipelines", cwd=tmp_path))
    assert min(first, second) >= 0.93
    assert agree >= 0.9


def test_custom_parts(tmp_path: Path) -> None:
    """Own layer, loss and metric find the line."""
    slope, offset, within = found(r"slope (\S+), offset (\S+), within (\S+)", run("custom_parts", cwd=tmp_path))
    assert slope == pytest.approx(1.5, abs=0.05)
    assert offset == pytest.approx(0.25, abs=0.05)
    assert within >= 0.95


def test_checkpoint_and_resume(tmp_path: Path) -> None:
    """An interrupted run and an uninterrupted one end equal."""
    assert "equal bit for bit" in run("checkpoint_and_resume", cwd=tmp_path)


def test_board_and_profile(tmp_path: Path) -> None:
    """One event file and one capture, where the board finds them."""
    events, profiles, loss = found(
        r"(\d+) event file, (\d+) profile, loss (\S+)", run("board_and_profile", str(tmp_path / "run"), cwd=tmp_path)
    )
    assert (events, profiles >= 1) == (1, True)
    assert loss < 1.5
