"""All runs under a log directory. In: directories. Out: runs by name; `refresh()` reads what was added and says what changed.

Files are scanned by a few threads without the GIL; the threads' start, their work and their end are in `refresh`.
Not here: how a file is read (`tail`), what a run makes of it (`run`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

from milepost.errors import EngineMissingError, UsageError
from milepost.storage.walk import Listings
from milepost.store.cache import Cache
from milepost.store.discover import Confined, discover, roots_of
from milepost.store.follow import follow
from milepost.store.restarts import Restarts, check_mode
from milepost.store.run import Run
from milepost.store.tail import Tail, TailNews
from milepost.types import PathLike

__all__ = ["Change", "Collection", "Progress", "open"]

MAX_MEMORY = 1 << 30  # of columns not in the index; beyond it they are put there and mapped
POINTS_AT_ONCE = 4_000_000  # of one file, before its columns are taken over: others may look meanwhile


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that `refresh` found: a tag that got points or blobs, or (kind and tag empty) a run that came, went or was closed."""

    run: str
    kind: str = ""
    tag: str = ""
    what: str = "grew"  # "grew", "replaced", "new", "ended" or "gone"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading in progress (or the last one) is."""

    files_done: int = 0
    files: int = 0
    bytes_done: int = 0
    bytes: int = 0
    done: bool = False


class Collection(Mapping[str, Run]):
    """Run name -> Run, sorted by name. Safe to use from several threads; only one refreshes at a time."""

    def __init__(
        self, roots: dict[str, str], *, restarts: Restarts = "keep-last", threads: int | None = None,
        cache: Cache | None = None, max_memory: int = MAX_MEMORY, links_out: bool = True,
    ):  # fmt: skip
        self.roots = roots
        self.cache = cache
        self.max_memory = max_memory
        self.restarts = restarts
        self.threads = threads or min(8, os.cpu_count() or 1)
        self.version = 0
        self._runs: dict[str, Run] = {}
        self._tails: dict[str, tuple[Run, Tail]] = {}
        self._refreshing = threading.Lock()
        self._counting = threading.Lock()
        self._progress = Progress()
        self._listings: Listings = {}
        self._confined = None if links_out else Confined()
        self._held: dict[Tail, int] = {}  # memory of each file's columns, and of all
        self._held_bytes = 0

    def __getitem__(self, name: str) -> Run:
        return self._runs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._runs))

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return f"<{len(self)} runs under {', '.join(self.roots.values())}>"

    @property
    def loading(self) -> Progress:
        """Progress of the refresh in progress; `.done` when none is."""
        return self._progress

    def refresh(self) -> list[Change]:
        """Look at every file, read what was added, and say what changed. Cheap when nothing did."""
        with self._refreshing:
            changes = self._discover()
            work = [(run, tail) for run, tail in self._tails.values() if tail.look() is not TailNews.SAME]
            if work:
                changes += self._read(work)
            self._progress = Progress(
                self._progress.files, self._progress.files, self._progress.bytes, self._progress.bytes, True
            )
            if changes:
                self.version += 1
                if self.cache is not None:
                    self.cache.save_later(tail for _, tail in self._tails.values())
            return changes

    def follow(self, *, interval: float = 1.0, stop: threading.Event | None = None) -> Iterator[list[Change]]:
        """What changed, within a tenth of a second of the write, until `stop` is set.

        for changes in milepost.open("runs").follow():
            print(changes)
        """
        return follow(self, interval=interval, stop=stop)

    def close(self) -> None:
        """Wait until the index is written. Not needed for anything else."""
        if self.cache is not None:
            self.cache.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _discover(self) -> list[Change]:
        found = discover(self.roots, self._listings, self._confined)
        changes: list[Change] = []
        paths = {path for files in found.values() for path in files}
        for path in [p for p in self._tails if p not in paths]:
            run, tail = self._tails.pop(path)
            self._held_bytes -= self._held.pop(tail, 0)
            changes += [Change(run.name, kind, tag, "replaced") for kind, tag in run.drop(path)]
            if run.name not in found:
                self._runs = {name: kept for name, kept in self._runs.items() if kept is not run}
                changes.append(Change(run.name, what="gone"))
        fresh: dict[str, Run] = {}
        for name, files in found.items():
            if name not in self._runs:
                fresh[name] = Run(name, self.restarts)
                fresh[name].rescue = self._rescue
                changes.append(Change(name, what="new"))
            owner = fresh.get(name) or self._runs[name]
            for path in files:
                if path not in self._tails:
                    tail = Tail(path, owner.lock)
                    owner.know(tail)
                    self._tails[path] = (owner, tail)
        if fresh:
            self._runs = {**self._runs, **fresh}  # replaced, not changed: other threads may be iterating
        return changes

    def _read(self, work: list[tuple[Run, Tail]]) -> list[Change]:
        sizes = [_size(tail.path) - tail.facts.offset for _, tail in work]
        self._progress = Progress(0, len(work), 0, sum(sizes), False)
        # the largest first, so that no thread is left alone with it at the end
        jobs = [work[i] for i in sorted(range(len(work)), key=lambda i: -sizes[i])]
        if len(jobs) == 1 or self.threads == 1:
            results = [self._read_one(*job) for job in jobs]
        else:
            with ThreadPoolExecutor(min(self.threads, len(jobs)), "milepost-read") as pool:
                results = list(pool.map(lambda job: self._read_one(*job), jobs))
        return [change for result in results for change in result]

    def _read_one(self, run: Run, tail: Tail) -> list[Change]:
        changes: dict[tuple[str, str], Change] = {}
        if self.cache is not None and tail.identity is None:
            self.cache.restore(tail)
        generation, more, spilled, before = tail.generation, True, False, tail.facts.offset
        stopped = tail.facts.stopped

        def taken(slots: list[int], fresh: bool) -> None:
            what = "grew" if tail.generation == generation else "replaced"
            for kind, tag in run.place(tail, slots, fresh):
                changes[(kind, tag)] = Change(run.name, kind, tag, what)

        while more:
            try:
                _, more = tail.read(POINTS_AT_ONCE, taken)
            except MemoryError:  # of one file; the others are to be read all the same
                tail.error, more = "no memory for its columns", False
            before = self._count(0, tail.facts.offset - before, tail.facts.offset)
            if self.cache is not None and not self.cache.off_because and self._hold(tail) > self.max_memory:
                spilled = self.cache.save(tail, settle=True)
                self._hold(tail)
        if spilled and self.cache is not None:
            self.cache.save(tail, settle=True, whole=True)  # one chunk a tag, so that it can be mapped as it lies
        self._count(1, 0, 0)
        if not changes and tail.facts.stopped != stopped:
            run.touch()
            return [Change(run.name, what="ended" if tail.facts.stopped else "grew")]
        return list(changes.values())

    def _count(self, files: int, size: int, offset: int) -> int:
        with self._counting:
            p = self._progress
            self._progress = Progress(
                p.files_done + files, p.files, min(p.bytes_done + max(size, 0), p.bytes), p.bytes, False
            )
        return offset

    def _rescue(self, run: Run, tail: Tail) -> None:
        """The index of a file is damaged: away with it, and read the file."""
        if self.cache is None or not tail.from_index:
            return  # another thread was here first
        self.cache.forget(tail)
        tail.start_anew()
        more = True
        while more:
            _, more = tail.read(POINTS_AT_ONCE, lambda slots, fresh: run.place(tail, slots, fresh))

    def _hold(self, tail: Tail) -> int:
        """Count the memory of a file's columns anew; that of all files."""
        now = tail.heap_bytes
        with self._counting:
            self._held_bytes += now - self._held.get(tail, 0)
            self._held[tail] = now
            return self._held_bytes

    def to_pandas(self) -> Any:
        """All scalars of all runs as one DataFrame: run, tag, step, wall_time, value."""
        try:
            import pandas
        except ImportError:
            raise EngineMissingError(
                "to_pandas() needs pandas", todo="install it with `pip install 'milepost[pandas]'`"
            ) from None
        frames = [run.to_pandas().assign(run=name) for name, run in self.items()]
        columns = ["run", "tag", "step", "wall_time", "value"]
        frames = [frame for frame in frames if len(frame)]
        return pandas.concat(frames, ignore_index=True)[columns] if frames else pandas.DataFrame(columns=columns)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def open(
    logdir: PathLike | Mapping[str, PathLike], *, cache: bool = True, restarts: str = "keep-last",
    threads: int | None = None, load: bool = True, links_out: bool = True,
) -> Collection:  # fmt: skip
    """Every run under `logdir` (or under several, given as {name: path}), read to the last point.

    cache: keep columns in the user's cache directory, so that the next time only new bytes are read.
    restarts: "keep-last" (a resumed run replaces what it wrote before, as TensorBoard shows it), "keep-all" or "split".
    load: False gives an empty collection at once; `refresh()` then reads, e.g. in a thread of its own.

        runs = milepost.open("runs")
        runs["seed-1"].scalars["loss"].value
    """
    roots = roots_of(logdir)
    if not roots:
        raise UsageError("no log directory given", got=logdir, want="a path, or names and paths")
    collection = Collection(
        roots, restarts=check_mode(restarts), threads=threads, cache=Cache() if cache else None, links_out=links_out
    )
    if load:
        collection.refresh()
    return collection
