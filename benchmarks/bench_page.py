"""Page open to all visible charts drawn: Milepost's board against TensorBoard 2.21, the same 10 runs × 10 tags × 10 k points, the same Chromium.

Both servers have read everything before the clock starts. Each page is opened in a fresh profile (nothing cached) at 1440 × 900. The clock runs from
the navigation to the frame in which every card inside the window has its lines: for Milepost, its canvas says that all runs are drawn; for
TensorBoard's Time Series page, no visible card shows a spinner any more and each holds a chart (its drawing on the worker's canvas is not waited for,
which favours it). Afterwards a screenshot must hold coloured curves in each: an empty chart does not count. Also prints the bytes transferred.
"""

from __future__ import annotations

import argparse
import http.client
import io
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "page.json"
# the installed package, unless the sources have been built in place
IN_PLACE = any((ROOT / "src" / "milepost" / "_native").glob("*.so"))
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
VIEW = {"width": 1440, "height": 900}

# Resolves with the milliseconds since navigation once every card in the window is drawn.
MILEPOST_DRAWN = """runs => new Promise(done => { const look = () => {
  const seen = [...document.querySelectorAll('article.card')].filter(c => { const r = c.getBoundingClientRect(); return r.top < innerHeight && r.bottom > 0 && r.width; });
  if (seen.length && seen.every(c => c.querySelector('canvas')?.dataset.drawn === String(runs))) requestAnimationFrame(() => done([performance.now(), seen.length]));
  else requestAnimationFrame(look); }; look(); })"""
TENSORBOARD_DRAWN = """runs => new Promise(done => { const look = () => {
  const seen = [...document.querySelectorAll('card-view')].filter(c => { const r = c.getBoundingClientRect(); return r.top < innerHeight && r.bottom > 0 && r.width; });
  const ready = c => c.querySelector('line-chart') && !c.querySelector('mat-spinner');
  if (seen.length && seen.every(ready)) requestAnimationFrame(() => done([performance.now(), seen.length]));
  else requestAnimationFrame(look); }; look(); })"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def answers(port: int, path: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        return json.loads(body) if answer.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def served(
    command: list[str], port: int, path: str, ready: Any, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    began = time.monotonic()
    while not ((got := answers(port, path)) and ready(got)):
        if process.poll() is not None or time.monotonic() - began > 180:
            process.kill()
            raise SystemExit(f"{' '.join(command[:4])} did not serve all data")
        time.sleep(0.05)
    return process


def coloured(png: bytes) -> int:
    """How many pixels have a colour: curves, not text and lines."""
    import numpy as np
    from PIL import Image

    rgb = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)[:, VIEW["width"] // 3 :]
    return int(((rgb.max(2) - rgb.min(2)) > 60).sum())


def opened(browser: Any, url: str, script: str, runs: int) -> tuple[float, int, int]:
    """Seconds until drawn, how many cards, bytes over the wire."""
    context = browser.new_context(viewport=VIEW)
    page = context.new_page()
    client = context.new_cdp_session(page)
    client.send("Network.enable")
    sizes: list[float] = []
    client.on("Network.loadingFinished", lambda e: sizes.append(e["encodedDataLength"]))
    page.goto(url, wait_until="commit")
    # a script evaluated before the page's own exists is lost with the first document: it is asked until it answers
    milliseconds, cards = page.evaluate(script, runs)
    page.wait_for_timeout(300)
    assert coloured(page.screenshot()) > 500, f"no curves on {url}"
    context.close()
    return milliseconds / 1000, cards, int(sum(sizes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="small logs, one round, no peer: checks that the benchmark runs"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--crowd", action="store_true", help="1000 runs × 10 tags × 1000 points, no peer")
    parser.add_argument("--keep", action="store_true", help="append the result to benchmarks/results/page.json")
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    from milepost.testing.logs import write_scalar_runs

    chromium = os.environ.get("MILEPOST_CHROMIUM") or next(
        p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))
    )
    runs, tags, steps = (2, 3, 200) if arguments.quick else (1000, 10, 1000) if arguments.crowd else (10, 10, 10_000)
    alone = arguments.quick or arguments.crowd
    rounds = 1 if arguments.quick else arguments.rounds
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    started: list[subprocess.Popen[bytes]] = []
    mine: list[tuple[float, int, int]] = []
    theirs: list[tuple[float, int, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        write_scalar_runs(folder, runs, tags, steps)
        try:
            port = free_port()
            command = [sys.executable, "-m", "milepost", "board", "--logdir", folder, "--port", str(port)]
            ready = lambda got: got["data"]["state"] == "ready" and got["data"]["points"] == runs * tags * steps  # noqa: E731
            started.append(
                served(
                    command,
                    port,
                    "/api/info",
                    ready,
                    {**environment, **({"PYTHONPATH": str(ROOT / "src")} if IN_PLACE else {})},
                )
            )
            peer_port = free_port()
            if not alone:
                python = os.environ.get("MILEPOST_TENSORBOARD", sys.executable)
                command = [python, "-m", "tensorboard.main", "--logdir", folder, "--port", str(peer_port)]
                listed = lambda got: sum(len(t) for t in got.values()) == runs * tags  # noqa: E731
                started.append(served(command, peer_port, "/data/plugin/scalars/tags", listed, environment))
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
                for _ in range(rounds):
                    mine.append(opened(browser, f"http://127.0.0.1:{port}/", MILEPOST_DRAWN, runs))
                    if not alone:
                        theirs.append(
                            opened(browser, f"http://127.0.0.1:{peer_port}/#timeseries", TENSORBOARD_DRAWN, runs)
                        )
                browser.close()
        finally:
            for process in started:
                process.terminate()
                process.wait(20)
    best = min(mine)
    print(
        f"milepost     {best[0]:6.3f} s  {best[1]:3d} cards  {best[2] / 1000:7.0f} kB   (all {[round(m[0], 2) for m in mine]})"
    )
    if theirs:
        peer = min(theirs)
        print(
            f"tensorboard  {peer[0]:6.3f} s  {peer[1]:3d} cards  {peer[2] / 1000:7.0f} kB   (all {[round(m[0], 2) for m in theirs]})"
        )
        print(f"ratio        {peer[0] / best[0]:6.2f} ×   wanted ≥ 3 ×")
        if arguments.keep:
            kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
            machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
            kept.append(
                {
                    "date": time.strftime("%Y-%m-%d"),
                    "machine": machine,
                    "milepost_s": round(best[0], 3),
                    "tensorboard_s": round(peer[0], 3),
                    "ratio": round(peer[0] / best[0], 2),
                    "milepost_kB": best[2] // 1000,
                    "tensorboard_kB": peer[2] // 1000,
                }
            )
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
