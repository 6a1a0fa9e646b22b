"""Runs every benchmark, one after the other, each against its peer in the same run. `--quick` for a short look."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    failed = []
    for path in sorted(HERE.glob("bench_*.py")):
        print(f"\n== {path.stem} {'=' * (70 - len(path.stem))}", flush=True)
        if subprocess.run([sys.executable, path, *sys.argv[1:]], check=False).returncode:
            failed.append(path.stem)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
