"""Writing summaries: calls a second from one thread, ours against torch, tensorboardX and TensorFlow in the same run.

Each writer logs the same scalars; the time includes close(), so that everything is in the file. Pictures and histograms are
measured as a training loop feels them: seconds inside the call. Best of several rounds, the writers taking turns.

    python benchmarks/bench_summary_write.py [--quick]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "summary_write.json"
FLOOR, RATIO = 300_000, 20  # what must hold: scalars a second, times torch's

TENSORFLOW = """
import sys, time
import tensorflow as tf
count, rounds = int(sys.argv[2]), int(sys.argv[3])
best = 1e9
for r in range(rounds):
    writer = tf.summary.create_file_writer(sys.argv[1] + f"/{r}")
    with writer.as_default():
        tf.summary.scalar("loss", 0.5, step=0)
        started = time.perf_counter()
        for step in range(count):
            tf.summary.scalar("loss", 0.5, step=step)
    writer.close()
    best = min(best, time.perf_counter() - started)
print(count / best)
"""


def milepost_scalar(logdir: str, count: int) -> None:
    from milepost import summary

    writer = summary.create_file_writer(logdir)
    with writer.as_default():
        for step in range(count):
            summary.scalar("loss", 0.5, step=step)
    writer.close()


def drop_in(kind: Callable[[str], object]) -> Callable[[str, int], None]:
    def run(logdir: str, count: int) -> None:
        writer = kind(logdir)
        for step in range(count):
            writer.add_scalar("loss", 0.5, step)  # type: ignore[attr-defined]
        writer.close()  # type: ignore[attr-defined]

    return run


def rates(work: Path, quick: bool) -> dict[str, float]:
    """Scalars a second, everything written."""
    import tensorboardX
    from torch.utils.tensorboard import SummaryWriter as TorchWriter

    import milepost

    many, few, rounds = (20_000, 2_000, 2) if quick else (300_000, 15_000, 5)
    writers: dict[str, tuple[Callable[[str, int], None], int]] = {
        "milepost.summary.scalar": (milepost_scalar, many),
        "milepost.SummaryWriter": (drop_in(milepost.SummaryWriter), many),
        "torch SummaryWriter": (drop_in(TorchWriter), few),
        "tensorboardX": (drop_in(tensorboardX.SummaryWriter), few),
    }
    best: dict[str, float] = dict.fromkeys(writers, 0.0)
    for round_ in range(rounds):
        for name, (write, count) in writers.items():
            logdir = work / f"{name.replace(' ', '_')}-{round_}"
            started = time.perf_counter()
            write(str(logdir), count)
            best[name] = max(best[name], count / (time.perf_counter() - started))
            shutil.rmtree(logdir)
    peers = Path(os.environ.get("MILEPOST_PEERS", ROOT / ".venv-peers")) / "bin" / "python"
    if peers.exists() and not quick:  # importing TensorFlow alone takes longer than all the rest
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "",
        }
        command = [str(peers), "-c", TENSORFLOW, str(work / "tf"), "3000", "3"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        best["tf.summary.scalar"] = float(done.stdout.split()[-1])
    return best


def stalls(work: Path, quick: bool) -> dict[str, dict[str, float]]:
    """Milliseconds a training loop spends in one call that has something to encode."""
    import numpy as np
    from torch.utils.tensorboard import SummaryWriter as TorchWriter

    import milepost

    image = np.random.default_rng(0).random((3, 256, 256), np.float32)
    weights = np.random.default_rng(0).standard_normal(100_000 if quick else 1_000_000).astype(np.float32)
    calls: dict[str, Callable[[object], None]] = {
        "add_image 3×256×256": lambda w: w.add_image("i", image, 1),  # type: ignore[attr-defined]
        f"add_histogram {len(weights):,}": lambda w: w.add_histogram("h", weights, 1),  # type: ignore[attr-defined]
    }
    found: dict[str, dict[str, float]] = {}
    for name, call in calls.items():
        found[name] = {}
        for kind in (milepost.SummaryWriter, TorchWriter):
            writer = kind(str(work / "stall"))
            times = []
            for _ in range(3 if quick else 8):
                started = time.perf_counter()
                call(writer)
                times.append(time.perf_counter() - started)
                writer.flush()
            writer.close()
            found[name]["milepost" if kind is milepost.SummaryWriter else "torch"] = min(times) * 1e3
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few points, nothing kept, nothing judged")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="bench-summary-"))
    try:
        best, felt = rates(work, options.quick), stalls(work, options.quick)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    torch_rate = best["torch SummaryWriter"]
    for name, rate in best.items():
        print(f"{name:28} {rate / 1e3:9.1f} k scalars/s {rate / torch_rate:8.1f} × torch")
    for name, pair in felt.items():
        print(
            f"{name:28} {pair['milepost']:9.2f} ms, torch {pair['torch']:7.2f} ms {pair['torch'] / pair['milepost']:8.1f} ×"
        )
    if options.quick:
        return 0
    entry = {
        "date": datetime.date.today().isoformat(), "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "scalars_per_second": {name: round(rate) for name, rate in best.items()},
        "milliseconds_in_call": {name: {k: round(v, 3) for k, v in pair.items()} for name, pair in felt.items()},
    }  # fmt: skip
    RESULTS.parent.mkdir(exist_ok=True)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    RESULTS.write_text(json.dumps([*kept, entry], indent=1, ensure_ascii=False) + "\n")
    ours = min(best["milepost.summary.scalar"], best["milepost.SummaryWriter"])
    holds = ours >= FLOOR and ours >= RATIO * torch_rate
    print(
        f"{'holds' if holds else 'DOES NOT HOLD'}: {ours / 1e3:.0f} k/s ≥ {FLOOR / 1e3:.0f} k/s and {ours / torch_rate:.0f}× ≥ {RATIO}× torch"
    )
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
