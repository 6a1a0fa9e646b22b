"""Process start to all points served: Milepost's board against TensorBoard installed alone, on the same 1 M scalars.

Both are started as a user starts them. Milepost is done when one api/series request has answered with all 100 lines and every one says that all
its 10 000 points were read; TensorBoard when its own API lists all 100 series with their last step. TensorBoard is looked for in
$MILEPOST_TENSORBOARD (a python that has it alone), else a fresh environment with nothing else is made in a temporary folder.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "board_start.json"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def ask(port: int, path: str, body: bytes | None = None) -> bytes | None:
    """The answer's body; None while there is no server or no good answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(
            "POST" if body else "GET", path, body, {"X-Milepost": "1", "Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        data = answer.read()
        return data if answer.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def milepost_done(port: int, runs: int, tags: int, steps: int) -> bool:
    names = {
        "runs": [f"run_{r:02d}" for r in range(runs)],
        "tags": [f"train/metric_{t:02d}" for t in range(tags)],
        "width": 600,
    }
    data = ask(port, "/api/series", json.dumps(names).encode())
    if data is None:
        return False
    header = json.loads(data[8 : 8 + int.from_bytes(data[4:8], "little")])
    return len(header["lines"]) == runs * tags and all(line["total"] == steps for line in header["lines"])


def tensorboard_done(port: int, runs: int, tags: int, steps: int) -> bool:
    listed = ask(port, "/data/plugin/scalars/tags")
    if listed is None or sum(len(t) for t in json.loads(listed).values()) < runs * tags:
        return False
    # its page asks tag by tag, all runs at once; sampled to 1 000 points, the last point always kept
    for tag in range(tags):
        name = f"train/metric_{tag:02d}"
        for run in (0, runs - 1):
            data = ask(port, f"/data/plugin/scalars/scalars?tag={name.replace('/', '%2F')}&run=run_{run:02d}")
            points = json.loads(data) if data is not None else []
            if not points or points[-1][1] != steps - 1:
                return False
    return True


def timed(command: list[str], port: int, done, environment: dict[str, str]) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    try:
        while not done(port):
            if process.poll() is not None:
                raise SystemExit(f"{command[0]} ended with {process.returncode}")
            if time.perf_counter() - began > 120:
                raise SystemExit(f"{command[0]} did not serve all data in 120 s")
            time.sleep(0.005)
        return time.perf_counter() - began
    finally:
        process.terminate()
        process.wait(20)


def tensorboard_python() -> str:
    given = os.environ.get("MILEPOST_TENSORBOARD")
    if given:
        return given
    folder = Path(tempfile.gettempdir()) / "milepost-tensorboard-alone"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "tensorboard==2.21.*"], check=True)
    return str(python)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="small logs, one round, no peer: checks that the benchmark runs"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", action="store_true", help="append the result to benchmarks/results/board_start.json")
    arguments = parser.parse_args()
    from milepost.testing.logs import write_scalar_runs

    runs, tags, steps = (2, 2, 200) if arguments.quick else (10, 10, 10_000)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ours = (
        environment | {"PYTHONPATH": str(ROOT / "src")}
        if any((ROOT / "src" / "milepost" / "_native").glob("*.so"))
        else environment
    )
    with tempfile.TemporaryDirectory() as folder:
        write_scalar_runs(folder, runs, tags, steps)
        # the user's cache would make a second start faster still: each round starts without one
        ours["XDG_CACHE_HOME"] = f"{folder}-cache"
        mine, theirs = [], []
        for _ in range(1 if arguments.quick else arguments.rounds):
            port = free_port()
            command = [sys.executable, "-m", "milepost", "board", "--logdir", folder, "--port", str(port)]
            subprocess.run(["rm", "-rf", ours["XDG_CACHE_HOME"]], check=True)
            mine.append(timed(command, port, lambda p: milepost_done(p, runs, tags, steps), ours))
            if not arguments.quick:
                port = free_port()
                command = [tensorboard_python(), "-m", "tensorboard.main", "--logdir", folder, "--port", str(port)]
                theirs.append(timed(command, port, lambda p: tensorboard_done(p, runs, tags, steps), environment))
        subprocess.run(["rm", "-rf", ours["XDG_CACHE_HOME"]], check=True)
    print(f"milepost board     {min(mine):6.2f} s  (best of {len(mine)}; all {[round(v, 2) for v in mine]})")
    if theirs:
        print(f"tensorboard alone  {min(theirs):6.2f} s  (best of {len(theirs)}; all {[round(v, 2) for v in theirs]})")
        print(f"ratio              {min(theirs) / min(mine):6.2f} ×   wanted ≥ 2.5 ×")
        if arguments.keep:
            keep(
                {
                    "milepost_s": round(min(mine), 3),
                    "tensorboard_s": round(min(theirs), 3),
                    "ratio": round(min(theirs) / min(mine), 2),
                }
            )


def keep(figures: dict[str, float]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    kept.append({"date": time.strftime("%Y-%m-%d"), "machine": machine, **figures})
    RESULTS.write_text(json.dumps(kept[-20:], indent=1) + "\n")


if __name__ == "__main__":
    main()
