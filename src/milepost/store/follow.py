"""Runs as they are written. In: a collection. Out: what changed, within a tenth of a second of the write.

The kernel says when a file changed (inotify and its kin, by `watchfiles`); where it cannot (network file systems, a
directory that does not exist yet) the files are looked at every `interval`. Reading itself is `Collection.refresh`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from milepost.store.columns import Floats, Ints

if TYPE_CHECKING:
    from milepost.store.collection import Change, Collection

__all__ = ["NewPoints", "follow", "follow_points"]

FAST_POLL = 0.05  # seconds, where nobody tells of changes
QUIET_MS, PATIENCE_MS = 10, 40  # a burst of writes is one change: wait for this much quiet, no longer than that


@dataclass(frozen=True, slots=True, eq=False)
class NewPoints:
    """Points of one tag that were not there before."""

    run: str
    tag: str
    step: Ints
    wall_time: Floats
    value: Floats


def follow(runs: Collection, *, interval: float = 1.0, stop: threading.Event | None = None) -> Iterator[list[Change]]:
    """Refresh whenever something was written, and yield what changed. Ends when `stop` is set.

    `interval` is how often the files are looked at though nobody told of a change.
    """
    stop = stop or threading.Event()
    changes = runs.refresh()
    if changes:
        yield changes
    for _ in _moments(list(runs.roots.values()), interval, stop):
        changes = runs.refresh()
        if changes:
            yield changes


def _moments(roots: list[str], interval: float, stop: threading.Event) -> Iterator[None]:
    """Something for every change and at least every `interval`; often, where nobody tells of changes."""
    watching = True
    while not stop.is_set():
        if watching and all(map(os.path.isdir, roots)):
            try:
                for _ in _told(roots, interval, stop):
                    yield None
                    if stop.is_set() or not all(map(os.path.isdir, roots)):
                        break
            except (ImportError, OSError, RuntimeError):  # not installed, or more directories than the kernel watches
                watching = False
        else:  # a directory that does not exist yet, a single file, a system that tells nothing
            stop.wait(FAST_POLL)
            yield None


def _told(roots: list[str], interval: float, stop: threading.Event) -> Iterator[object]:
    import watchfiles

    return watchfiles.watch(
        *roots, watch_filter=None, debounce=PATIENCE_MS, step=QUIET_MS, stop_event=stop, yield_on_timeout=True,
        rust_timeout=max(1, int(interval * 1000)), raise_interrupt=True, recursive=True, ignore_permission_denied=True,
    )  # fmt: skip


def follow_points(
    runs: Collection, wanted: Callable[[str, str], bool] = lambda run, tag: True, *, interval: float = 1.0,
    stop: threading.Event | None = None, last: int | None = None,
) -> Iterator[NewPoints]:  # fmt: skip
    """Every new scalar point of the wanted (run, tag), in batches; first the newest `last` that are there (None: all)."""
    seen: dict[tuple[str, str], int] = {}

    def news(run: str, tag: str, begin: int | None) -> Iterator[NewPoints]:
        try:
            # keep-all: positions only grow, whatever a restart takes away
            series = runs[run].series(tag, "keep-all")
        except KeyError:
            return  # gone again
        count = len(series)
        if begin is None:
            begin = 0 if last is None else max(0, count - last)
        rows = slice(begin if begin <= count else 0, count)  # fewer than before: the file was replaced
        seen[(run, tag)] = count
        if rows.start < count:
            yield NewPoints(run, tag, series.step[rows], series.wall_time[rows], series.value[rows])

    runs.refresh()
    for name, run in runs.items():
        for tag in run.scalars:
            if wanted(name, tag):
                yield from news(name, tag, None)
    for changes in follow(runs, interval=interval, stop=stop):
        for change in changes:
            if change.kind == "scalars" and wanted(change.run, change.tag):
                yield from news(change.run, change.tag, seen.get((change.run, change.tag), 0))
