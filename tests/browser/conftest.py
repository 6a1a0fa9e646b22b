"""A board that serves a real logdir, and a page in a real Chromium that fails its test on any error or foreign request."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

# the tests are collected by path: what they share lies beside them
sys.path.insert(0, str(Path(__file__).parent))

from page_logs import write_all


@dataclass
class Board:
    """A running board: where it is, and what it serves."""

    url: str
    logdir: Path
    process: subprocess.Popen[str]

    def at(self, view: str = "", **query: str) -> str:
        from urllib.parse import urlencode

        return f"{self.url}#/{view}" + (f"?{urlencode(query)}" if query else "")


def start_board(logdir: Path, *options: str) -> Board:
    """`milepost board` on a free port, waited for."""
    process = subprocess.Popen(
        [sys.executable, "-m", "milepost", "board", "--logdir", str(logdir), "--port", "0", *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    seen = ""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not select.select([process.stdout], [], [], 0.5)[0]:
            continue
        line = process.stdout.readline()
        seen += line
        if found := re.search(r"http://[^\s/]+/", line):
            return Board(found[0], logdir, process)
        if not line and process.poll() is not None:
            break
    process.kill()
    raise AssertionError(f"the board did not start: {seen}")


def stop_board(board: Board) -> None:
    board.process.terminate()
    try:
        board.process.wait(10)
    except subprocess.TimeoutExpired:
        board.process.kill()
        board.process.wait(5)
    assert board.process.stdout is not None
    board.process.stdout.close()


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """One board for all tests that only look."""
    made = start_board(write_all(tmp_path_factory.mktemp("browser") / "runs"))
    yield made
    stop_board(made)


@pytest.fixture(scope="session")
def scalars_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A board with nothing but scalars, for empty pages."""
    from milepost import summary

    logdir = tmp_path_factory.mktemp("scalars") / "runs"
    writer = summary.create_file_writer(str(logdir / "only"))
    with writer.as_default():
        summary.scalar("loss", 1.0, step=0)
    writer.close()
    made = start_board(logdir)
    yield made
    stop_board(made)


@pytest.fixture
def own_board(tmp_path: Path) -> Iterator[Callable[..., Board]]:
    """Boards of the test's own, for tests that write."""
    started: list[Board] = []

    def start(logdir: Path | None = None, *options: str) -> Board:
        started.append(start_board(logdir or tmp_path, *options))
        return started[-1]

    yield start
    for one in started:
        stop_board(one)


@dataclass
class Watch:
    """What a page did that it should not have done."""

    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def attach(self, page: Any) -> None:
        def request(r: Any) -> None:
            parts = urlsplit(r.url)
            if parts.scheme in ("data", "blob", "about", "file"):
                return
            if parts.hostname not in ("localhost", "127.0.0.1"):
                self.foreign.append(r.url)

        def console(m: Any) -> None:
            if m.type == "error":
                self.errors.append(m.text)

        page.on("request", request)
        page.on("console", console)
        page.on("pageerror", lambda e: self.errors.append(str(e)))

    def check(self) -> None:
        assert self.foreign == [], f"asked another host: {self.foreign}"
        left = [e for e in self.errors if not any(a in e for a in self.allowed)]
        assert left == [], f"the page reported errors: {left}"


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Pages that fail the test if they asked another host, threw, or ran what a log contains."""
    contexts: list[Any] = []
    watches: list[Watch] = []

    def make(url: str, width: int = 1280, height: int = 800, **options: Any) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        watch = Watch()
        watch.attach(page)
        watches.append(watch)
        page.watch = watch
        page.goto(url)
        return page

    yield make
    hacked = [p.evaluate("window.hacked") for c in contexts for p in c.pages if p.url.startswith("http")]
    for context in contexts:
        context.close()
    for watch in watches:
        watch.check()
    assert not any(hacked), "the page ran what a log contains"
