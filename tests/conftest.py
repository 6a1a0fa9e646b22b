"""What several rooms' tests share: the peers (TensorFlow, TensorBoard) in their own environment, and a real browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
IN_CI = bool(os.environ.get("CI"))

# One OpenMP thread: small tensors must not pay for a barrier with the other test worker on the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("KERAS_BACKEND", "torch")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


def _missing(what: str) -> None:
    """At home a missing tool skips its tests; in CI it fails them, so that green means run."""
    if IN_CI:
        pytest.fail(what)
    pytest.skip(what)


class Peer:
    """TensorFlow and TensorBoard, in an environment of their own."""

    def __init__(self, python: Path):
        self.python = python

    def run(self, source: str, *arguments: object, timeout: float = 110) -> str:
        """Run Python source there; its stdout, or a failed test with its stderr."""
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "KERAS_BACKEND")}
        environment |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": ""}
        done = subprocess.run(
            [self.python, "-c", source, *map(str, arguments)],
            env=environment, capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
        if done.returncode:
            pytest.fail(f"the peer failed ({done.returncode}):\n{done.stderr[-4000:]}")
        return done.stdout

    def json(self, source: str, *arguments: object, timeout: float = 110) -> Any:
        """The same, for source whose last line of output is JSON."""
        return json.loads(self.run(source, *arguments, timeout=timeout).strip().splitlines()[-1])


@pytest.fixture(scope="session")
def peer() -> Peer:
    python = Path(os.environ.get("MILEPOST_PEERS", ROOT / ".venv-peers")) / "bin" / "python"
    if not python.exists():
        _missing("no peers here: run `make peers`")
    return Peer(python)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A Playwright browser on the machine's own Chromium; one a session."""
    path = os.environ.get("MILEPOST_CHROMIUM") or next((p for n in CHROMIUM_NAMES if (p := shutil.which(n))), None)
    if path is None:
        _missing("no Chromium here: install it, e.g. `apt-get install chromium`")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()
