"""The how-to pages of checkpoints: every Python block runs, page by page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs" / "how-to"
PAGES = ["checkpoint-pytorch.md", "checkpoint-jax.md", "checkpoint-keras.md", "checkpoint-numpy.md", "convert.md"]


@pytest.mark.parametrize("page", PAGES)
def test_every_example_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The blocks of a page are one program, and what it says it prints it prints."""
    text = (DOCS / page).read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    assert program
    monkeypatch.chdir(tmp_path)
    exec(compile(program, page, "exec"), {"__name__": "__main__"})
    shown = capsys.readouterr().out
    for line in re.findall(r"print\(.*\)\s+# (.+)", text):
        assert line in shown
