"""The command line's manners: help in one screen, exit codes, one line for an error, a traceback only when asked."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from milepost.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def milepost(*arguments: str, timeout: float = 30) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "milepost", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


def test_help_fits_one_screen() -> None:
    """24 lines of 80 columns, every command named."""
    shown = milepost("--help")
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert all(name in shown.stdout for name in COMMANDS)


def test_version() -> None:
    """`milepost --version` says which one this is."""
    import milepost as package

    assert milepost("--version").stdout == f"milepost {package.__version__}\n"


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help(name: str) -> None:
    """Each command loads and explains itself."""
    shown = milepost(name, "--help")
    assert shown.returncode == 0, shown.stderr
    assert "Usage: milepost" in shown.stdout


def test_an_unknown_command_is_one_line_and_exit_2() -> None:
    """The command line makes no sense: say so, and how to go on."""
    done = milepost("bord")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "bord" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failure_is_one_line_and_exit_1() -> None:
    """What does not exist is named, without a traceback."""
    done = milepost("ckpt", "ls", "nowhere/at/all")
    assert done.returncode == 1
    assert done.stderr.strip().count("\n") == 0
    assert "nowhere/at/all" in done.stderr


def test_debug_shows_the_traceback_wherever_it_stands() -> None:
    """Also at the end of the line, where people add it."""
    done = milepost("ckpt", "ls", "nowhere/at/all", "--debug")
    assert "Traceback" in done.stderr


def test_help_is_quick() -> None:
    """`milepost --help` imports neither numpy nor a server: well under a second on any machine."""
    begin = time.perf_counter()
    milepost("--help")
    assert time.perf_counter() - begin < 2.0


def test_the_reference_page_is_what_the_commands_say() -> None:
    """docs/reference/cli.md is generated; `make docs` brings it up to date."""
    done = subprocess.run([sys.executable, ROOT / "tools/generate_docs.py", "--check"], check=False)
    assert done.returncode == 0, "run `make docs`"
