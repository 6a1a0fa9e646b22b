"""Checkpoints against TensorFlow, torch.save, safetensors and plain write(2), in one run.

    python benchmarks/bench_checkpoint.py [--quick] [--rounds N] [--only save1g,small,restore1g,stall]

Each figure is the best of several rounds; the page cache is warm for all; peers run on the same arrays, in the same minutes.
"return" = until the call returns, nobody syncs; "fsync" = until the bytes are on the disk, for everybody.
Results are appended, with machine and date, to benchmarks/results/checkpoint.json (not with --quick).
"""

from __future__ import annotations

import argparse
import datetime
import gc
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
from typing import Any

import numpy as np

HERE = Path(__file__).parent
PEERS = Path(os.environ.get("MILEPOST_PEERS", HERE.parent / ".venv-peers")) / "bin" / "python"

TF_SIDE = r"""
import gc, json, os, sys, time, shutil
import numpy as np, tensorflow as tf
where, count, size, rounds, what = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5].split(",")
rng = np.random.default_rng(0)
variables = [tf.Variable(rng.random(size, dtype="f4")) for _ in range(count)]
checkpoint = tf.train.Checkpoint(v=variables)
out = {}
def best(job, before=lambda: None):
    times = []
    for _ in range(rounds):
        before(); gc.collect()
        start = time.perf_counter(); job(); times.append(time.perf_counter() - start)
    return min(times)
def fresh():
    shutil.rmtree(where, ignore_errors=True); os.makedirs(where)
def sync():
    checkpoint.write(where + "/c")
    for name in os.listdir(where):
        fd = os.open(where + "/" + name, os.O_RDONLY); os.fsync(fd); os.close(fd)
    fd = os.open(where, os.O_RDONLY); os.fsync(fd); os.close(fd)
if "save" in what: out["save"] = best(lambda: checkpoint.write(where + "/c"), fresh)
if "fsync" in what: out["fsync"] = best(sync, fresh)
if "restore" in what:
    fresh(); checkpoint.write(where + "/c")
    out["restore"] = best(lambda: checkpoint.read(where + "/c").assert_consumed())
print(json.dumps(out))
"""


def best(rounds: int, job: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    times = []
    for _ in range(rounds):
        before()
        gc.collect()
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def sync_all(directory: Path) -> None:
    for name in os.listdir(directory):
        fd = os.open(directory / name, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
    fd = os.open(directory, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def tensorflow(where: Path, count: int, size: int, rounds: int, what: str) -> dict[str, float]:
    if not PEERS.exists():
        print("no TensorFlow here: run `make peers`")
        return {}
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [PEERS, "-c", TF_SIDE, where, str(count), str(size), str(rounds), what],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


class Bench:
    def __init__(self, where: Path, rounds: int, big: int):
        self.where, self.rounds, self.big = where, rounds, big
        self.lines: list[dict[str, Any]] = []

    def fresh(self) -> Path:
        path = self.where / "now"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        return path

    def say(self, work: str, who: str, seconds: float, size: int, ours: float | None = None) -> None:
        rate = f"{size / seconds / 1e9:6.2f} GB/s" if size > 1e7 else " " * 11
        ratio = "" if ours is None else f"   milepost is {seconds / ours:5.2f}x as fast"
        print(f"{work:28s} {who:24s} {seconds * 1e3:9.1f} ms {rate}{ratio}", flush=True)
        self.lines.append({"work": work, "who": who, "seconds": round(seconds, 6), "bytes": size})

    def arrays(self, count: int, size: int) -> dict[str, np.ndarray[Any, Any]]:
        rng = np.random.default_rng(0)
        return {f"v{i}": rng.random(size, dtype="f4") for i in range(count)}

    def compare(
        self,
        work: str,
        size: int,
        ours: Callable[[], Any],
        peers: dict[str, Callable[[], Any]],
        extra: dict[str, float],
    ) -> None:
        """Ours and theirs, taking turns, so that a busy minute hits all alike."""
        jobs = {"milepost": ours, **peers}
        found = dict.fromkeys(jobs, float("inf"))
        for _ in range(self.rounds):
            for name, job in jobs.items():
                found[name] = min(found[name], best(1, job, self.fresh))
        found |= extra
        for name, seconds in found.items():
            self.say(work, name, seconds, size, None if name == "milepost" else found["milepost"])

    def save(self, work: str, count: int, size: int, tf: dict[str, float]) -> None:
        import safetensors.numpy
        import torch

        from milepost.train import Checkpoint, CheckpointOptions

        state = self.arrays(count, size)
        tensors = {k: torch.from_numpy(v) for k, v in state.items()}
        total = sum(v.nbytes for v in state.values())
        checkpoint = Checkpoint(v=state)
        now = self.where / "now"

        def plain() -> None:
            with open(now / "raw", "wb", buffering=0) as file:
                for array in state.values():
                    file.write(array)

        def synced(job: Callable[[], Any]) -> Callable[[], None]:
            def run() -> None:
                job()
                sync_all(now)

            return run

        def ours() -> Any:
            return checkpoint.write(now / "c", CheckpointOptions(durability="fast"))

        peers: dict[str, Callable[[], Any]] = {
            "torch.save": lambda: torch.save(tensors, now / "t.pt"),
            "safetensors": lambda: safetensors.numpy.save_file(state, now / "s.safetensors"),
        }
        if total > 1e7:
            peers["write(2)"] = plain
        self.compare(f"{work}, return", total, ours, peers, {"tensorflow": tf["save"]} if tf else {})
        self.compare(
            f"{work}, fsync", total, lambda: checkpoint.write(now / "c"),
            {name: synced(job) for name, job in peers.items()}, {"tensorflow": tf["fsync"]} if tf else {},
        )  # fmt: skip

    def restore(self, work: str, count: int, size: int, tf: dict[str, float]) -> None:
        import safetensors
        import safetensors.numpy
        import torch

        from milepost.train import Checkpoint, CheckpointOptions, load_checkpoint

        state = self.arrays(count, size)
        total = sum(v.nbytes for v in state.values())
        kept = self.where / "kept"
        kept.mkdir(exist_ok=True)
        Checkpoint(v=state).write(kept / "c")
        safetensors.numpy.save_file(state, kept / "s.safetensors")
        torch.save({k: torch.from_numpy(v) for k, v in state.items()}, kept / "t.pt")
        target = {k: np.zeros_like(v) for k, v in state.items()}
        checkpoint = Checkpoint(v=target)

        def into(values: dict[str, Any]) -> None:
            for key, value in values.items():
                np.copyto(target[key], value)

        peers = {
            "safetensors, copied in": lambda: into(safetensors.numpy.load_file(kept / "s.safetensors")),
            "torch.load, copied in": lambda: into(torch.load(kept / "t.pt", weights_only=True)),
        }
        self.compare(
            f"{work}, verified",
            total,
            lambda: checkpoint.read(kept / "c"),
            peers,
            {"tensorflow": tf["restore"]} if tf else {},
        )
        np.testing.assert_array_equal(target["v0"], state["v0"])
        unverified = CheckpointOptions(verify="off")
        self.compare(f"{work}, unverified", total, lambda: checkpoint.read(kept / "c", unverified), peers, {})
        if total < 1e7:
            shutil.rmtree(kept)
            return

        def mapped() -> float:
            reader = load_checkpoint(kept / "c", verify="off")
            return float(sum(reader.get(k).ravel()[:: 1 << 10].sum() for k in reader if k.startswith("v/")))

        def opened() -> float:
            with safetensors.safe_open(kept / "s.safetensors", "np") as file:
                return float(sum(file.get_tensor(k).ravel()[:: 1 << 10].sum() for k in file))

        self.compare(f"{work}, mapped+touched", total, mapped, {"safetensors": opened}, {})
        shutil.rmtree(kept)

    def stall(self) -> None:
        from milepost.train import Checkpoint, CheckpointManager

        count, size = 64, self.big // 256
        state = self.arrays(count, size)
        total = sum(v.nbytes for v in state.values())
        copies = {k: np.empty_like(v) for k, v in state.items()}

        def memcpy() -> None:
            for key, value in state.items():
                np.copyto(copies[key], value)

        memcpy()
        manager = CheckpointManager(Checkpoint(v=state), self.where / "async", max_to_keep=1)
        manager.save(blocking=False)
        manager.wait()
        ours = copying = float("inf")
        for _ in range(self.rounds):
            copying = min(copying, best(1, memcpy))
            ours = min(ours, best(1, lambda: manager.save(blocking=False)))
            manager.wait()
        self.say("stall of an async save", "milepost", ours, total)
        self.say("stall of an async save", "one memcpy", copying, total, ours)
        shutil.rmtree(self.where / "async")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small data, one round, nothing recorded")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="save1g,small,restore1g,stall")
    parser.add_argument("--no-tensorflow", action="store_true")
    parser.add_argument("--directory", help="where to write; default: a temporary directory")
    given = parser.parse_args()
    only = given.only.split(",")
    rounds = 1 if given.quick else given.rounds
    big = (16 << 20) if given.quick else (1 << 30)
    small = 100 if given.quick else 5000
    where = Path(tempfile.mkdtemp(dir=given.directory, prefix="bench-checkpoint-"))
    bench = Bench(where, rounds, big)
    use_tf = not given.quick and not given.no_tensorflow

    def tf(count: int, size: int, what: str) -> dict[str, float]:
        return tensorflow(where / "tf", count, size, rounds, what) if use_tf else {}

    try:
        if "save1g" in only or "restore1g" in only:
            found = tf(64, big // 256, "save,fsync,restore")
            shutil.rmtree(where / "tf", ignore_errors=True)
            if "save1g" in only:
                bench.save("save 64 large", 64, big // 256, found)
            if "restore1g" in only:
                bench.restore("restore 64 large", 64, big // 256, found)
        if "small" in only:
            found = tf(small, 16, "save,fsync,restore")
            bench.save(f"save {small} small", small, 16, found)
            bench.restore(f"restore {small} small", small, 16, found)
        if "stall" in only:
            bench.stall()
    finally:
        shutil.rmtree(where, ignore_errors=True)
    if not given.quick:
        record(bench.lines)
    return 0


def record(lines: list[dict[str, Any]]) -> None:
    path = HERE / "results" / "checkpoint.json"
    path.parent.mkdir(exist_ok=True)
    kept = json.loads(path.read_text()) if path.exists() else []
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"
    kept.append({"date": datetime.date.today().isoformat(), "machine": machine, "figures": lines})
    path.write_text(json.dumps(kept[-10:], indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
