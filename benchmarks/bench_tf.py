"""The tutorials' training steps on `milepost.tf` and on TensorFlow 2.21, in turns, best of several: milliseconds a step, and the ratio.

    python benchmarks/bench_tf.py [--quick] [--only mlp,cnn]

`fit` runs on Keras' jax backend on our side, as design asks; everything else on torch with the threads Milepost chooses.
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
RESULTS = Path(__file__).parent / "results" / "tf.json"
# work -> how many times faster than TensorFlow it must be
MUST = {
    "mlp": 6.0, "mlp traced": 1.0, "linear regression": 5.0, "cnn": 1.5, "cnn traced": 1.0, "lstm": 2.0, "lstm traced": 1.0, "dqn": 4.0, "fit": 3.0,
}  # fmt: skip


def run(python: Path, module: str, names: list[str], rounds: int, **environment: str) -> dict[str, float]:
    drop = (
        ("PYTHONPATH", "KERAS_BACKEND", "OMP_NUM_THREADS")
        if module == "tensorflow"
        else ("KERAS_BACKEND", "OMP_NUM_THREADS")
    )
    clean = (
        {k: v for k, v in os.environ.items() if k not in drop}
        | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
        | environment
    )
    command = [str(python), str(Path(__file__).parent / "tf_work.py"), module, ",".join(names), str(rounds)]
    done = subprocess.run(command, env=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{module} failed on {names}:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def ours(names: list[str], rounds: int) -> dict[str, float]:
    plain = [n for n in names if n != "fit"]
    found = run(Path(sys.executable), "milepost.tf", plain, rounds) if plain else {}
    if "fit" in names:
        found |= run(Path(sys.executable), "milepost.tf", ["fit"], rounds, KERAS_BACKEND="jax", JAX_PLATFORMS="cpu")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="one short round, without TensorFlow; nothing is judged or kept"
    )
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    names = [n for n in MUST if not options.only or n in options.only.split(",")]
    peer = Path(os.environ.get("MILEPOST_PEERS", ROOT / ".venv-peers")) / "bin" / "python"
    if options.quick:
        for name, ms in ours(
            [n for n in names if n not in ("cnn", "cnn traced", "lstm", "lstm traced", "fit")], 1
        ).items():
            print(f"{name:20} milepost.tf {ms:8.3f} ms")
        return 0
    if not peer.exists():
        print("no peers here: run `make peers`")
        return 1
    best: dict[str, dict[str, float]] = {n: {} for n in names}
    for _ in range(2):
        for who, found in (("milepost", ours(names, 6)), ("tensorflow", run(peer, "tensorflow", names, 6))):
            for name, ms in found.items():
                best[name][who] = min(best[name].get(who, ms), ms)
    missed = 0
    for name, row in best.items():
        row["ratio"] = row["tensorflow"] / row["milepost"]
        missed += row["ratio"] < MUST[name]
        print(
            f"{name:20} milepost.tf {row['milepost']:8.3f} ms   TensorFlow {row['tensorflow']:8.3f} ms   "
            f"{row['ratio']:5.1f}× (must be ≥ {MUST[name]:g}×){'' if row['ratio'] >= MUST[name] else '  MISSED'}"
        )
    record = {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "cpus": os.cpu_count(), "machine": platform.machine(), "load": os.getloadavg()[0], "ms": best}  # fmt: skip
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([*kept, record][-5:], indent=1) + "\n")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
