"""The page's benchmark runs: small, un-timed, so that it never rots."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]


def test_bench_page_quick(chromium: Any) -> None:
    """`bench_page.py --quick` opens the page, waits for its curves, and prints a figure."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "bench_page.py", "--quick"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("milepost ")
