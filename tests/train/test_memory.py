"""Memory: a save needs 64 MiB beside the state, a restore one tensor and 64 MiB; measured in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource, sys
import numpy as np
from milepost import train
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
where, what = sys.argv[1], sys.argv[2]
state = {f"t{i}": np.full(2 << 20, i, "f8") for i in range(12)}   # 12 tensors of 16 MiB
state["odd"] = np.ones((3 << 10, 4 << 10), "f4").T                 # 48 MiB, not in C order
small = train.Checkpoint(v={"a": np.ones(3)})
small.write(where + "/small"); small.read(where + "/small")        # everything is imported now
checkpoint = train.Checkpoint(v=state)
if what == "save":
    before = peak()
    checkpoint.write(where + "/c")
else:
    checkpoint.write(where + "/c")
    for a in state.values():
        a[:] = -1
    before = peak()
    checkpoint.read(where + "/c").assert_consumed()
    assert all((state[f"t{i}"] == i).all() for i in range(12)) and (state["odd"] == 1).all()
print(peak() - before)
"""


def grown(where: Path, what: str) -> int:
    done = subprocess.run([sys.executable, "-c", PROGRAM, where, what], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return int(done.stdout)


def test_a_save_needs_little_memory(tmp_path: Path) -> None:
    """240 MiB of state, arrays in odd order among them: at most 64 MiB more than before."""
    assert grown(tmp_path, "save") <= 64


def test_a_restore_needs_little_memory(tmp_path: Path) -> None:
    """At most one tensor (48 MiB) and 64 MiB more than before."""
    assert grown(tmp_path, "restore") <= 48 + 64


@pytest.mark.timeout(300)
def test_the_benchmark_runs(tmp_path: Path) -> None:
    """benchmarks/bench_checkpoint.py does not rot: its quick form runs to the end."""
    bench = Path(__file__).parents[2] / "benchmarks" / "bench_checkpoint.py"
    done = subprocess.run(
        [sys.executable, bench, "--quick", "--directory", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "stall of an async save" in done.stdout
    assert list(tmp_path.iterdir()) == []
