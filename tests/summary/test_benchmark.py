"""The benchmark of writing runs, un-timed, so that it never rots."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "bench_summary_write.py"


def test_benchmark_runs() -> None:
    """`--quick` prints ours, the peers' and the ratio, and judges nothing."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, BENCHMARK, "--quick"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for name in (
        "milepost.summary.scalar",
        "milepost.SummaryWriter",
        "torch SummaryWriter",
        "tensorboardX",
        "add_image",
        "add_histogram",
    ):
        assert name in done.stdout
