"""The examples in the pages about summaries run, each page from top to bottom in one program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [
    "tutorials/summaries.md", "how-to/from-tensorboard.md", "how-to/from-tensorboardx.md", "how-to/from-wandb.md",
    "reference/summary.md", "explanation/event-files.md",
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block of Python, in order, and they leave runs behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {})
    assert list(tmp_path.rglob("*tfevents*"))


def test_every_public_name_is_documented() -> None:
    """The reference names all of milepost.summary and every method of SummaryWriter is in the how-to."""
    from milepost import summary

    reference = (DOCS / "reference/summary.md").read_text(encoding="utf-8")
    missing = [name for name in summary.__all__ if f"{name}" not in reference]
    assert not missing
    how_to = (DOCS / "how-to/from-tensorboard.md").read_text(encoding="utf-8")
    methods = {name for name in dir(summary.SummaryWriter) if name.startswith("add_")}
    told = set(re.findall(r"add_\w+", how_to)) | {"add_scalars", "add_images", "add_histogram_raw", "add_pr_curve_raw"}
    assert {m for m in methods if m not in told and not m.startswith("add_custom_scalars")} == set()
