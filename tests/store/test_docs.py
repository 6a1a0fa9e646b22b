"""The pages about reading: every Python example runs; the benchmark does, too."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from milepost.formats.event import Image, SummaryValue
from milepost.testing.logs import scalar_event, value_event, write_events

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/reference/reading.md", "docs/how-to/export.md")


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page, one after the other, in a directory with two runs."""
    monkeypatch.setenv("MILEPOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for seed in (1, 2):
        records = [scalar_event("loss", i, 1 / (i + seed)) for i in range(200)]
        records.append(value_event(SummaryValue(tag="input", image=Image(width=1, height=1, encoded=b"png")), 3))
        write_events(tmp_path / "runs" / f"seed-{seed}" / "events.out.tfevents.1.h", records)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    scope: dict[str, object] = {}
    for block in blocks:
        # one more point, so that following has something to see
        with (tmp_path / "runs" / "seed-1" / "events.out.tfevents.1.h").open("ab") as stream:
            stream.write(scalar_event("loss", 200, 0.0))
        exec(compile(block, page, "exec"), scope)


def test_the_benchmark_runs() -> None:
    """`--quick` prints our figures; times are not looked at."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "bench_load.py", "--quick", "--no-peer"], capture_output=True, text=True, timeout=60, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for words in ("as TF 2 writes them", "bytes a point", "through the index", "zoom into", "follow()"):
        assert words in done.stdout
