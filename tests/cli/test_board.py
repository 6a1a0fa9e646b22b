"""`milepost board` as a command: what it starts besides a server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest


@pytest.mark.skipif(os.name == "nt", reason="the fake browser is a shell script")
@pytest.mark.parametrize("options", [[], ["--token", "let me in", "--path_prefix", "/board"]])
def test_open_shows_the_page_in_the_browser(tmp_path: Path, options: list[str]) -> None:
    """--open calls the browser that $BROWSER names, once, with an address at which the page answers: token and prefix included."""
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o755)
    board = subprocess.Popen(
        [sys.executable, "-m", "milepost", "board", "--logdir", tmp_path, "--port", "0", "--open", *options],
        env={**os.environ, "BROWSER": f"{browser} %s"}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        end = time.monotonic() + 30
        while not opened.exists() or not opened.read_text().endswith("\n"):
            assert board.poll() is None
            assert time.monotonic() < end, "no browser was started"
            time.sleep(0.05)
        (address,) = opened.read_text().splitlines()
        visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with visitor.open(address, timeout=10) as page:
            assert b"<title>" in page.read()
        time.sleep(0.3)
        assert opened.read_text().count("\n") == 1
    finally:
        board.terminate()
        board.communicate(timeout=20)
