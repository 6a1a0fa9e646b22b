"""What `tf.keras.callbacks.TensorBoard` adds to a step of `fit`: ours on Keras' torch and jax backends, and TensorFlow's own, in turns, best of several.

    python benchmarks/bench_callback.py [--quick] [--only mlp]

An MLP and a CNN on 28×28 images in batches of 50; the callback with its default arguments and with update_freq="batch". What a fit
costs once (writers, the graph, the profile of one batch) is printed apart.
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
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "callback.json"
MOST = 2.0  # per cent of a step that the callback may cost, on the default backend
TURNS = 2


def run(python: Path, module: str, names: str, rounds: int, backend: str = "") -> dict[str, Any]:
    drop = ("KERAS_BACKEND", "OMP_NUM_THREADS", *(("PYTHONPATH",) if module == "tensorflow" else ()))
    clean = {k: v for k, v in os.environ.items() if k not in drop}
    # one OpenMP thread: what two do to each other's timing is more than what is measured here
    clean |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
    if backend:
        clean["KERAS_BACKEND"] = backend
    command = [str(python), str(Path(__file__).parent / "callback_work.py"), module, names, str(rounds)]
    done = subprocess.run(command, env=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{module} {backend} failed on {names}:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def better(best: dict[str, Any], found: dict[str, Any]) -> None:
    """Keeps the least of every figure."""
    for name, figures in found.items():
        for figure, ways in figures.items():
            kept = best.setdefault(name, {}).setdefault(figure, {})
            for way, ms in ways.items():
                kept[way] = min(kept.get(way, ms), ms)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="one short round, without TensorFlow; nothing is judged or kept"
    )
    parser.add_argument("--only", default="mlp,cnn")
    options = parser.parse_args()
    sides: list[tuple[str, Path, str, str]] = [("milepost on torch", Path(sys.executable), "milepost.tf", "torch")]
    rounds = 0
    if not options.quick:
        peer = Path(os.environ.get("MILEPOST_PEERS", ROOT / ".venv-peers")) / "bin" / "python"
        if not peer.exists():
            print("no peers here: run `make peers`")
            return 1
        sides.append(("milepost on jax", Path(sys.executable), "milepost.tf", "jax"))
        sides.append(("TensorFlow", peer, "tensorflow", ""))
        rounds = 4
    best: dict[str, dict[str, Any]] = {}
    for _ in range(1 if options.quick else TURNS):
        for side, python, module, backend in sides:
            better(best.setdefault(side, {}), run(python, module, "mlp" if options.quick else options.only, rounds, backend))  # fmt: skip
    missed = 0
    for side, works in best.items():
        for name, figures in works.items():
            plain = figures["step_ms"]["without"]
            for way in ("default", "batch"):
                added = figures["step_ms"][way] / plain * 100 - 100
                once = figures["once_ms"][way] - figures["once_ms"]["without"]
                judged = side == "milepost on torch" and not options.quick
                missed += judged and added > MOST
                print(
                    f"{side:18} {name:4} {way:8} step {plain:8.3f} ms {added:+6.1f} %   once a fit {once:7.1f} ms"
                    f"{f'  (must be ≤ {MOST:g} %)' if judged else ''}{'  MISSED' if judged and added > MOST else ''}"
                )
    if options.quick:
        return 0
    record = {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "cpus": os.cpu_count(), "machine": platform.machine(), "load": os.getloadavg()[0], "ms": best}  # fmt: skip
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([*kept, record][-5:], indent=1) + "\n")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
