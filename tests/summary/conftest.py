"""What these tests share: reading back what a writer left, and a program in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from milepost.formats.event import Event
from milepost.formats.record import RecordEnd, ScanEnd, records
from milepost.formats.tensor_proto import to_array


@pytest.fixture(scope="session")
def events() -> Callable[..., list[Event]]:
    """All events under a directory, file by file in the order of their names, every checksum verified."""

    def read(directory: Path | str, *, torn_tail: bool = False) -> list[Event]:
        found: list[Event] = []
        for path in sorted(Path(directory).rglob("*tfevents*")):
            end = RecordEnd()
            inside = [Event.decode(payload) for payload in records(path.read_bytes(), end)]
            assert torn_tail or end.how is ScanEnd.CLEAN, path
            assert torn_tail or inside[0].file_version == "brain.Event:2"
            found += inside
        return found

    return read


@pytest.fixture(scope="session")
def points(events: Any) -> Callable[..., list[tuple[str, int, Any]]]:
    """(tag, step, value) of every summary value under a directory."""

    def read(directory: Path | str, **options: Any) -> list[tuple[str, int, Any]]:
        found: list[tuple[str, int, Any]] = []
        for event in events(directory, **options):
            for value in event.summary.value if event.summary else ():
                number = value.simple_value if value.tensor is None else to_array(value.tensor).tolist()
                found.append((value.tag, event.step, number))
        return found

    return read


@pytest.fixture(scope="session")
def program() -> Callable[..., subprocess.Popen[str]]:
    """Start Python source as a program of its own; `sys.argv[1:]` are the arguments."""

    def start(source: str, *arguments: object) -> subprocess.Popen[str]:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONWARNINGS": "error"}
        return subprocess.Popen(
            [sys.executable, "-c", source, *map(str, arguments)], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    return start
