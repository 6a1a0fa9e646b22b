"""Input pipelines on `milepost.tf` and on TensorFlow 2.21, in turns, best of several: microseconds an element, and the ratio.

    python benchmarks/bench_data.py [--quick] [--only "records,map batch"]

The work is in data_work.py: rows of MNIST's size, records, generators, pictures, as the guides write them.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "data.json"
# work -> how many times faster than TensorFlow it must be
MUST = {
    "shuffle batch": 2.0, "map batch": 2.0, "map cache shuffle batch": 2.0, "small function": 1.0, "one by one": 5.0, "records": 1.0,
    "records in batches": 1.0, "writing records": 1.0, "generator": 5.0, "prefetch": 1.0, "jpegs": 1.0,
}  # fmt: skip


def run(python: Path, module: str, names: list[str], rounds: int, **environment: str) -> dict[str, float]:
    drop = ("PYTHONPATH", "OMP_NUM_THREADS") if module == "tensorflow" else ("OMP_NUM_THREADS",)
    clean = (
        {k: v for k, v in os.environ.items() if k not in drop}
        | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
        | environment
    )
    command = [str(python), str(Path(__file__).parent / "data_work.py"), module, ",".join(names), str(rounds)]
    done = subprocess.run(command, env=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{module} failed on {names}:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="one short round, without TensorFlow; nothing is judged or kept"
    )
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    names = [n for n in MUST if not options.only or n in options.only.split(",")]
    if options.quick:
        for name, us in run(Path(sys.executable), "milepost.tf", names, 1, MILEPOST_BENCH_ROWS="600").items():
            print(f"{name:24} milepost.tf {us:8.2f} µs")
        return 0
    peer = Path(os.environ.get("MILEPOST_PEERS", ROOT / ".venv-peers")) / "bin" / "python"
    if not peer.exists():
        print("no peers here: run `make peers`")
        return 1
    best: dict[str, dict[str, float]] = {n: {} for n in names}
    for _ in range(3):
        for who, python, module in (
            ("milepost", Path(sys.executable), "milepost.tf"),
            ("tensorflow", peer, "tensorflow"),
        ):
            for name, us in run(python, module, names, 3).items():
                best[name][who] = min(best[name].get(who, us), us)
    missed = 0
    for name, row in best.items():
        row["ratio"] = row["tensorflow"] / row["milepost"]
        missed += row["ratio"] < MUST[name]
        print(
            f"{name:24} milepost.tf {row['milepost']:8.2f} µs   TensorFlow {row['tensorflow']:8.2f} µs   "
            f"{row['ratio']:5.1f}× (must be ≥ {MUST[name]:g}×){'' if row['ratio'] >= MUST[name] else '  MISSED'}"
        )
    record = {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "cpus": os.cpu_count(), "machine": platform.machine(), "load": os.getloadavg()[0], "us": best}  # fmt: skip
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([*kept, record][-5:], indent=1) + "\n")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
