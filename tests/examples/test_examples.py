"""Every example runs offline and reaches the result it states."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Runs:
    """Starts all examples once, one after another, in the background; a test waits for its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        names = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "digits")
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("driver.py"), folder, *names], env=environment
        )

    def __call__(self, name: str) -> str:
        """The last line of an example, which says what it reached."""
        code = self.folder / f"{name}.rc"
        while not code.exists():
            assert self.process.poll() in (None, 0), "the driver ended early"
            time.sleep(0.05)
        time.sleep(0.05)
        said = (self.folder / f"{name}.out").read_text()
        assert code.read_text() == "0", said[-3000:]
        last = said.strip().splitlines()[-1]
        assert last.startswith("result: "), last
        return last


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    runs = Runs(tmp_path_factory.mktemp("examples"))
    yield runs
    runs.process.kill()
    runs.process.wait()


pytestmark = pytest.mark.timeout(400)  # the first test waits for the imports, each for those before it in the alphabet


def found(pattern: str, line: str) -> list[float]:
    match = re.search(pattern, line)
    assert match, line
    return [float(group) for group in match.groups()]


def test_tensors_and_gradients(run: Runs) -> None:
    """Gradients that can be worked out by hand."""
    line = run("tensors_and_gradients")
    assert found(r"slope (\S+), loss (\S+), second derivative of x³ at 3 (\S+)", line) == [6.0, 125.0, 18.0]


def test_linear_regression(run: Runs) -> None:
    """The line the points were made with."""
    slope, offset = found(r"slope (\S+), offset (\S+)", run("linear_regression"))
    assert slope == pytest.approx(2.5, abs=0.03)
    assert offset == pytest.approx(-0.7, abs=0.03)


def test_mlp(run: Runs) -> None:
    """At least 93 % of unseen digits."""
    assert found(r"accuracy (\S+)", run("mlp_digits"))[0] >= 0.93


def test_cnn(run: Runs) -> None:
    """At least 96 % of unseen digits."""
    assert found(r"accuracy (\S+)", run("cnn_digits"))[0] >= 0.96


def test_transfer(run: Runs) -> None:
    """A frozen network sorts digits it never saw, by a new head of two variables."""
    trained, accuracy = found(r"(\d+) trained variables, accuracy (\S+)", run("transfer_mobilenet"))
    assert trained == 2
    assert accuracy >= 0.8


def test_text_generation(run: Runs) -> None:
    """The loss falls below 2.4 (chance is above 3.2), and a higher temperature is more varied."""
    loss, cold, warm = found(r"loss (\S+), characters used (\d+) at 0.2 and (\d+) at 1.2", run("text_generation"))
    assert loss < 2.4
    assert warm > cold


def test_dqn(run: Runs) -> None:
    """Balances for at least 150 steps on average; chance gives about 22."""
    assert found(r"balanced (\S+) steps", run("dqn_cartpole"))[0] >= 150


def test_keras_pipelines(run: Runs) -> None:
    """Both ways of writing one network reach 93 %."""
    first, second, agree = found(r"accuracy (\S+) and (\S+), they agree on (\S+)", run("keras_pipelines"))
    assert min(first, second) >= 0.93
    assert agree >= 0.9


def test_custom_parts(run: Runs) -> None:
    """Own layer, loss and metric find the line."""
    slope, offset, within = found(r"slope (\S+), offset (\S+), within (\S+)", run("custom_parts"))
    assert slope == pytest.approx(1.5, abs=0.05)
    assert offset == pytest.approx(0.25, abs=0.05)
    assert within >= 0.95


def test_checkpoint_and_resume(run: Runs) -> None:
    """An interrupted run and an uninterrupted one end equal."""
    assert "equal bit for bit" in run("checkpoint_and_resume")


def test_board_and_profile(run: Runs) -> None:
    """One event file and one capture, where the board finds them."""
    events, profiles, loss = found(r"(\d+) event file, (\d+) profile, loss (\S+)", run("board_and_profile"))
    assert (events, profiles >= 1) == (1, True)
    assert loss < 1.5
