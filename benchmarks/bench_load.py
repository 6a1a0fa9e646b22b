"""Loading logs: 1 M scalars against TensorBoard's data server, memory a point, reopening through the index, zoom, live tail.

Both sides read the same files from the page cache with two threads, in the same run, best of several. The peer's time is
the one it reports itself for its load cycle (`-v`), without process start; ours is the call of `milepost.open`, with
every checksum verified and every point kept. The peer verifies no checksum of a record that it can parse. Processor
time (the peer's with its start, some milliseconds) is printed beside: it is what a busy machine does not change.

    python benchmarks/bench_load.py [--quick] [--no-peer]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import milepost
from milepost.store import Ema, Metadata, Series, Truth, query
from milepost.store.follow import follow_points
from milepost.testing.logs import scalar_event, tensor_event, write_scalar_runs

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "load.json"
DONE = re.compile(r"Finished load cycle \(([\d.]+)(ms|s|µs)\)")


def best(repeats: int, work: object) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()  # type: ignore[operator]
        times.append(time.perf_counter() - begin)
    return min(times)


def data_server() -> Path | None:
    home = Path(os.environ.get("MILEPOST_PEERS", ROOT / ".venv-peers"))
    return next(home.glob("lib/python3*/site-packages/tensorboard_data_server/bin/server"), None)


def cpu_seconds(repeats: int, work: object) -> float:
    """Processor time of all our threads: what a busy machine does not change."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()  # type: ignore[operator]
        times.append(time.process_time() - begin)
    return min(times)


def peer_seconds(server: Path, logdir: str, samples: str, repeats: int) -> tuple[float, float]:
    """The data server's own figure for one load of `logdir`, and the processor time of that process."""
    times, cpu = [], []
    for _ in range(repeats):
        command = [server, "--logdir", logdir, "--port", "0", "--reload", "once", "-v", "--die-after-stdin"]
        command += ["--samples-per-plugin", samples] if samples else []
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        assert process.stdin is not None
        for line in process.stderr:
            found = DONE.search(line)
            if found:
                times.append(float(found[1]) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[found[2]])
                break
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process.stdin.close()
        process.wait(10)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        process.stderr.close()
    return min(times), min(cpu)


MEMORY = """
import sys
from milepost import store

def kb(field):  # ru_maxrss would count what the parent process had before exec
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field))

store.open(sys.argv[2], cache=False)  # imports, threads, first windows
open("/proc/self/clear_refs", "w").write("5")  # the peak begins here
before = kb("VmRSS")
runs = store.open(sys.argv[1], cache=False)
print((kb("VmHWM") - before) * 1024 / sum(run.info.points for run in runs.values()))
"""


def bytes_a_point(logdir: str) -> float:
    """Peak memory that loading adds to a process which has loaded something small before."""
    with tempfile.TemporaryDirectory() as small:
        write_scalar_runs(small, runs=2, tags=1, steps=10)
        done = subprocess.run([sys.executable, "-c", MEMORY, logdir, small], capture_output=True, text=True, check=True)
    return float(done.stdout)


REOPEN = """
import sys, time, milepost, milepost.store
begin = time.perf_counter()
runs = milepost.open(sys.argv[1])
opened = time.perf_counter() - begin
points = sum(run.info.points for run in runs.values())
names = list(runs)
picked = [runs[n].scalars[t] for n in names[:10] for t in runs[n].scalars]
total = sum(float(s.value[-1]) for s in picked)
print(opened, time.perf_counter() - begin, points)
runs.close()
"""


def reopening(logdir: str, copies: int) -> tuple[float, float, float, int]:
    """Seconds of the first opening, of the second in a new process (and with ten runs' series looked at), points."""
    with tempfile.TemporaryDirectory() as home:
        logs = Path(home, "logs")
        for source in sorted(Path(logdir).glob("*/*tfevents*")):
            for k in range(copies):  # hard links: as many paths, one content
                target = logs / f"{source.parent.name}-{k:03d}" / source.name
                target.parent.mkdir(parents=True)
                os.link(source, target)
        environment = {**os.environ, "MILEPOST_CACHE": str(Path(home, "cache"))}

        def once() -> list[float]:
            command = [sys.executable, "-c", REOPEN, str(logs)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            return [float(word) for word in done.stdout.split()]

        first, again = once(), min(once() for _ in range(3))
        return first[0], again[0], again[1], int(again[2])


def zoom_series(count: int) -> Series:
    rng = np.random.default_rng(0)
    truth = Truth(count, 0, 0, 0, 0, (), (), (), ())
    return Series(
        "x", np.arange(count), np.arange(count) * 0.1, rng.random(count, np.float32), truth, Metadata(), np.zeros(1, np.int64), True, 0.0
    )  # fmt: skip


def live_delay(repeats: int) -> float:
    """Median seconds from an append to the point in hand."""
    with tempfile.TemporaryDirectory() as home:
        path = Path(home, "events.out.tfevents.1.h")
        path.write_bytes(scalar_event("x", 0, 0.0))
        stop, written, delays = threading.Event(), {}, []

        def write() -> None:
            time.sleep(0.3)
            for step in range(1, repeats + 1):
                with path.open("ab") as stream:
                    stream.write(scalar_event("x", step, 1.0))
                written[step] = time.perf_counter()
                time.sleep(0.1)
            time.sleep(0.3)
            stop.set()

        thread = threading.Thread(target=write)
        thread.start()
        for new in follow_points(milepost.open(home, cache=False), stop=stop, last=0):
            delays += [time.perf_counter() - written[s] for s in new.step.tolist()]
        thread.join()
        return statistics.median(delays)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    steps, repeats = (200, 2) if options.quick else (10_000, 9)
    told: dict[str, object] = {}
    server = None if options.no_peer else data_server()

    def loading(key: str, logdir: str, what: str, peers: tuple[tuple[str, str, str], ...]) -> None:
        ours = best(repeats, lambda: milepost.open(logdir, cache=False))
        cpu = cpu_seconds(repeats, lambda: milepost.open(logdir, cache=False))
        told[f"{key}_s"], told[f"{key}_cpu_s"] = ours, cpu
        print(f"load {points:,} scalars {what:26}   {ours:8.4f} s            processor {cpu:.4f} s")
        for name, samples, words in peers if server else ():
            theirs, their_cpu = peer_seconds(server, logdir, samples, 2 if options.quick else 5)
            told[f"{key}_{name}_s"], told[f"{key}_{name}_ratio"] = theirs, theirs / ours
            told[f"{key}_{name}_cpu_s"], told[f"{key}_{name}_cpu_ratio"] = their_cpu, their_cpu / cpu
            print(
                f"  TensorBoard's data server, {words:15}     {theirs:8.4f} s {theirs / ours:7.1f}×   processor {their_cpu:.4f} s {their_cpu / cpu:6.1f}×"
            )

    keeping_all = ("peer_all", "scalars=all", "keeping all")
    with tempfile.TemporaryDirectory() as logdir:
        points = write_scalar_runs(logdir, runs=10, tags=10, steps=steps, event=tensor_event)
        loading("tensors", logdir, "as TF 2 writes them", (keeping_all,))
    with tempfile.TemporaryDirectory() as logdir:
        points = write_scalar_runs(logdir, runs=10, tags=10, steps=steps)
        told["points"] = points
        loading("load", logdir, "as torch and TF 1 do", (keeping_all, ("peer_sampling", "", "sampling 1 000")))
        told["bytes_a_point"] = memory = bytes_a_point(logdir)
        print(f"peak memory while loading                        {memory:8.1f} bytes a point")
        first, opened, looked, count = reopening(logdir, 2 if options.quick else 50)
        told |= {"index_points": count, "index_first_s": first, "reopen_s": opened, "reopen_and_look_s": looked}
        print(f"open {count:,} points, first time             {first:8.3f} s")
        print(
            f"  again, through the index                       {opened:8.3f} s   ({looked:.3f} s with 100 series looked at)"
        )
    line = zoom_series(200_000 if options.quick else 10_000_000)
    for key, smoothing in (("zoom", None), ("zoom_ema", Ema(0.6))):
        told[f"{key}_s"] = took = best(
            3, lambda how=smoothing: query(line, len(line) * 0.1, len(line) * 0.9, 1000, smoothing=how)
        )
        print(f"zoom into {len(line):,} points{', smoothed' if smoothing else '':10}        {took * 1e3:8.1f} ms")
    told["live_s"] = delay = live_delay(3 if options.quick else 15)
    print(f"append seen by follow()                          {delay * 1e3:8.1f} ms")
    told["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    if not options.quick:
        RESULTS.parent.mkdir(exist_ok=True)
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
        machine = (
            f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        )
        kept.append({"date": time.strftime("%Y-%m-%d"), "machine": machine, **told})
        RESULTS.write_text(json.dumps(kept[-20:], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
