"""Live tails: what is written is seen soon, also in places that did not exist."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from milepost import store
from milepost.store.follow import follow_points
from milepost.testing.logs import scalar_event, write_events


def test_an_append_is_seen_within_a_tenth_of_a_second(tmp_path: Path) -> None:
    """The median of several appends, each timed from the write to the point in hand."""
    path = write_events(tmp_path / "r" / "events.out.tfevents.1.h", [scalar_event("x", 0, 0.0)])
    runs, stop, delays, written = store.open(tmp_path, cache=False), threading.Event(), [], {}

    def write() -> None:
        time.sleep(0.3)
        for step in range(1, 8):
            with path.open("ab") as stream:
                stream.write(scalar_event("x", step, step))
            written[step] = time.perf_counter()
            time.sleep(0.15)
        time.sleep(1.0)
        stop.set()

    writer = threading.Thread(target=write)
    writer.start()
    for new in follow_points(runs, stop=stop, last=0):
        delays += [time.perf_counter() - written[step] for step in new.step.tolist()]
    writer.join()
    assert len(delays) == 7
    assert sorted(delays)[3] < 0.1


def test_a_directory_that_comes_later_is_followed_too(tmp_path: Path) -> None:
    """Following may begin before training does."""
    stop, seen = threading.Event(), []

    def write() -> None:
        time.sleep(0.2)
        write_events(tmp_path / "later" / "r" / "events.out.tfevents.1.h", [scalar_event("x", 1, 2.0)])

    writer = threading.Thread(target=write)
    writer.start()
    for changes in store.open(tmp_path / "later", cache=False, load=False).follow(interval=0.2, stop=stop):
        seen += changes
        if any(change.kind == "scalars" for change in changes):
            stop.set()
    writer.join()
    assert store.Change("r", "scalars", "x", "grew") in seen


def test_points_come_once_and_in_order(tmp_path: Path) -> None:
    """follow_points gives the newest first ones asked for, then each new point once, also after a restart."""
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", i, i) for i in range(10)])
    stop = threading.Event()
    got: list[float] = []
    for new in follow_points(store.open(tmp_path, cache=False, load=False), stop=stop, last=3, interval=0.05):
        got += new.value.tolist()
        if len(got) == 3:
            with path.open("ab") as stream:
                stream.write(scalar_event("x", 5, 50.0) + scalar_event("x", 6, 60.0))
        elif len(got) >= 5:
            stop.set()
    assert got == [7.0, 8.0, 9.0, 50.0, 60.0]


def test_without_watchfiles_the_files_are_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that sends no notice is looked at every twentieth of a second."""
    import sys

    monkeypatch.setitem(sys.modules, "watchfiles", None)
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 0)])
    stop, got = threading.Event(), []
    for new in follow_points(store.open(tmp_path, cache=False, load=False), stop=stop):
        got += new.step.tolist()
        if got == [0]:
            with path.open("ab") as stream:
                stream.write(scalar_event("x", 1, 1))
        else:
            stop.set()
    assert got == [0, 1]


def test_a_kernel_that_watches_no_more_directories_is_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of inotify must not end the following."""
    import watchfiles

    def full(*_: object, **__: object) -> object:
        raise OSError(28, "OS file watch limit reached")

    monkeypatch.setattr(watchfiles, "watch", full)
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 0)])
    stop, got = threading.Event(), []
    for new in follow_points(store.open(tmp_path, cache=False, load=False), stop=stop):
        got += new.step.tolist()
        if got == [0]:
            with path.open("ab") as stream:
                stream.write(scalar_event("x", 1, 1))
        else:
            stop.set()
    assert got == [0, 1]
