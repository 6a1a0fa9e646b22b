"""Profiles: opening a 200 MB trace, and what a capture costs. Peers: Python's json module; torch's own profiler. `--quick` is small.

Run alone: `python benchmarks/bench_profile.py`. Results go to benchmarks/results/profile.json with machine and date.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("OMP_NUM_THREADS", "1")

from profile_trace import write_trace

from milepost import profiler
from milepost.store import profile
from milepost.store.profile.timeline import timeline

RESULTS = Path(__file__).parent / "results" / "profile.json"


def best(function: Callable[[], Any], times: int) -> float:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        function()
        took.append(time.perf_counter() - began)
    return min(took)


def opening(folder: Path, events: int, times: int) -> dict[str, Any]:
    """From the file to everything the page asks for, against json.load of the same file."""
    path = folder / "big.pt.trace.json"
    size = write_trace(path, events)
    packed = folder / "big.trace.json.gz"
    with packed.open("wb") as file:
        file.write(gzip.compress(path.read_bytes(), 1))

    def ours(source: Path) -> None:
        timeline(profile.analyse(profile.load(str(source))).kinded)

    found = {
        "megabytes": round(size / 1e6, 1), "events": events,
        "ours_s": best(lambda: ours(path), times), "ours_gzip_s": best(lambda: ours(packed), times),
        "json_s": best(lambda: json.loads(path.read_bytes()), 1),
    }  # fmt: skip
    found["ratio"] = found["json_s"] / found["ours_s"]
    return found


def work(steps: int) -> None:
    """A loop of Python and small native calls: the worst case for a sampler and for a tracer."""
    import torch

    weights = torch.ones(32, 32)
    for step in range(steps):
        with profiler.Trace("train", step=step):
            total = weights
            for _ in range(20):
                total = (total @ weights).clamp(max=1.0)
            sum(i * i for i in range(2000))


def cost(folder: Path, steps: int, times: int) -> dict[str, Any]:
    """The same loop: nothing captured, host sampler only, torch's profiler with ours, torch's alone.

    Short runs in turn, the best of many of each: other work on the machine then hits all of them alike.
    """
    import torch

    work(20)
    took: dict[str, list[float]] = {name: [] for name in ("off", "sampler", "torch_and_sampler", "torch_alone")}

    def timed(name: str) -> None:
        began = time.perf_counter()
        work(steps)
        took[name].append(time.perf_counter() - began)

    def captured(name: str, **options: Any) -> None:
        profiler.start(folder / "runs", profiler.ProfilerOptions(**options))
        try:
            timed(name)
        finally:
            profiler.stop(save=False)

    for _ in range(times):
        timed("off")
        captured("sampler", engines=())
        captured("torch_and_sampler", engines=("torch",), modules=False)
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities, record_shapes=True, profile_memory=True):
            timed("torch_alone")
    off = min(took["off"])
    result: dict[str, Any] = {"steps": steps, "off_s": off}
    for name in ("sampler", "torch_and_sampler", "torch_alone"):
        result[f"{name}_s"] = min(took[name])
        result[f"{name}_overhead"] = min(took[name]) / off - 1
    return result


def spans(count: int) -> float:
    """Nanoseconds of a Trace while nothing is captured, less those of an empty block."""
    from contextlib import nullcontext

    def with_trace() -> None:
        for _ in range(count):
            with profiler.Trace("train"):
                pass

    def without() -> None:
        for _ in range(count):
            with nullcontext():
                pass

    return (best(with_trace, 5) - best(without, 5)) / count * 1e9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small, for the tests")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        opened = opening(folder, 4_000 if quick else 520_000, 1 if quick else 3)
        paid = cost(folder, 20 if quick else 120, 1 if quick else 25)
    off = spans(1_000 if quick else 200_000)
    print(f"open a trace of {opened['megabytes']} MB, {opened['events']} events, analysed and laid out")
    print(
        f"  milepost {opened['ours_s']:.2f} s (gzipped {opened['ours_gzip_s']:.2f} s)   json.loads {opened['json_s']:.2f} s   ratio {opened['ratio']:.1f}"
    )
    print(
        f"cost of a capture, {paid['steps']} steps of small ops and Python ({paid['off_s'] * 1e3 / paid['steps']:.2f} ms a step when off)"
    )
    for title in ("sampler", "torch_and_sampler", "torch_alone"):
        print(f"  {title:18} {paid[title + '_overhead']:+.1%}")
    print(f"a Trace while nothing is captured: {off:.0f} ns")
    if not quick:
        known = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
        known.append({
            "date": datetime.date.today().isoformat(), "cpus": os.cpu_count(), "machine": platform.machine(),
            "python": platform.python_version(), "open": opened, "cost": paid, "trace_off_ns": off,
        })  # fmt: skip
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(known[-20:], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
