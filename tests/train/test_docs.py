"""The pages on checkpoints say what is so: their programs run, and the tutorial's killed run ends as the whole one does."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from milepost import train

DOCS = Path(__file__).resolve().parents[2] / "docs"


def run(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "train.py", *arguments], cwd=where, capture_output=True, text=True, check=False
    )


def test_train_kill_resume(tmp_path: Path) -> None:
    """The tutorial: killed at steps 130 and 333, resumed, the same weights to the last digit."""
    text = (DOCS / "tutorials" / "train-kill-resume.md").read_text()
    program = re.search(r"```python file=train\.py\n(.*?)```", text, re.DOTALL)
    assert program
    (tmp_path / "train.py").write_text(program[1])
    whole = run(tmp_path)
    assert whole.returncode == 0, whole.stderr
    shutil.move(tmp_path / "run", tmp_path / "whole")
    assert run(tmp_path, "130").returncode == -9
    second = run(tmp_path, "333")
    assert second.returncode == -9
    assert "resumed from run/ckpt-2" in second.stdout
    last = run(tmp_path)
    assert last.returncode == 0
    assert "resumed from run/ckpt-6" in last.stdout
    assert last.stdout.splitlines()[-1] == whole.stdout.splitlines()[-1]
    assert last.stdout.splitlines()[-2] == whole.stdout.splitlines()[-2]


def test_the_reference_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The reference page's blocks are one program, and what it says it prints it prints."""
    text = (DOCS / "reference" / "checkpoints.md").read_text()
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    exec(compile(program, "checkpoints.md", "exec"), {"__name__": "__main__"})
    shown = capsys.readouterr().out
    for line in re.findall(r"print\(.*\)\s+# (.+)", text):
        assert line in shown


def test_the_reference_names_everything() -> None:
    """Every public name of milepost.train, and every parameter of the manager, is on the page."""
    text = (DOCS / "reference" / "checkpoints.md").read_text()
    for name in ("Checkpoint", "CheckpointManager", "CheckpointOptions", "keep_last", "keep_best", "keep_every", "keep_all",
                 "latest_checkpoint", "list_variables", "load_variable", "load_checkpoint", "checkpoints_iterator",
                 "get_checkpoint_state", "RestoreReport", "Status"):  # fmt: skip
        assert name in train.__all__
        assert name in text
    for name in inspect.signature(train.CheckpointManager).parameters:
        assert name in text, name
