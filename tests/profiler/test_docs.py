"""The how-to's Python runs as printed, and the benchmark never rots."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import milepost

ROOT = Path(__file__).resolve().parents[2]


def test_every_python_block_of_the_how_to_runs(tmp_path):
    text = (ROOT / "docs" / "how-to" / "profile.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 3
    program = "\n".join(
        f"def block_{i}():\n" + re.sub(r"^", "    ", block, flags=re.MULTILINE) for i, block in enumerate(blocks)
    )
    program += "\n" + "\n".join(f"block_{i}()" for i in range(len(blocks)))
    package = str(Path(milepost.__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONWARNINGS": "error", "PYTHONPATH": package}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, env=environment)
    assert len(list((tmp_path / "runs").rglob("*.trace.json.gz"))) == len(blocks)


def test_the_benchmark_runs():
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "bench_profile.py", "--quick"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "ratio" in done.stdout
    assert "torch_alone" in done.stdout
