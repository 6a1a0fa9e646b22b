"""The tutorial's program: killed without warning while it saves, it ends with the numbers of a run that was left alone."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "checkpoints.md"


@pytest.mark.timeout(300)
def test_train_kill_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found
    program = tmp_path / "train.py"
    program.write_text(found[1], encoding="utf-8")
    killed = tmp_path / "killed"
    first = subprocess.Popen([sys.executable, program, killed], stdout=subprocess.DEVNULL)
    while len(list(killed.glob("*.index"))) < 2:
        assert first.poll() is None
        time.sleep(0.002)
    first.kill()
    first.wait()
    assert list(killed.glob("*.index"))
    resumed = subprocess.run(
        [sys.executable, program, killed], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    monkeypatch.setattr(sys, "argv", ["train.py", str(tmp_path / "alone")])
    exec(compile(found[1], "train.py", "exec"), {"__name__": "__main__"})
    alone = capsys.readouterr().out.splitlines()
    assert alone[0] == "from the beginning"
    assert resumed[0].startswith(f"from {killed}")
    assert resumed[-1] == alone[-1]
