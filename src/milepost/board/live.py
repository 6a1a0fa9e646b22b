"""The logs behind the board, kept current. In: options. Out: runs, series, media, checkpoints as of now; a cursor; changes to the hub.

One thread reads: at the start, when the file system tells of a change, when somebody asks, and every few seconds for file systems that
tell nothing. Its start, its loop and its end are here. Routes only ever read what it has put in place.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from milepost.board.options import Options
from milepost.errors import MilepostError

if TYPE_CHECKING:
    from milepost.board.http.stream import Change
    from milepost.board.runs.checkpoints import Checkpoint
    from milepost.store import Collection, MediaSeries, Run, RunInfo, Series

__all__ = ["KINDS", "Live"]

# api name -> the store's name
KINDS = {
    "scalars": "scalars", "images": "images", "audio": "audio", "text": "texts", "histograms": "histograms", "pr_curves": "pr_curves",
    "hparams": "hparams", "graphs": "graphs", "meshes": "meshes", "custom_scalars": "custom_scalars", "tensors": "tensors",
}  # fmt: skip
NAMES = {store: api for api, store in KINDS.items()}
# Between two looks at the logs: at least this, and at least four times what the last look took.
QUIET_SECONDS = 0.15
WAITING_SECONDS = 0.5
PROGRESS_SECONDS = 0.2


class Live:
    """What the routes read. `start` begins reading; `refresh` looks at once; `stop` ends the thread."""

    def __init__(self, options: Options) -> None:
        from milepost.board.http.stream import Hub

        self.options = options
        self.started = time.time()
        self.hub = Hub()
        self.cursor = 1
        self.loaded = threading.Event()  # the first look at all files is done
        self.watching = False  # the file system tells of changes
        self.captures = 0  # profiles under the roots, as of the last look
        self.embeddings = 0  # tables for the projector
        self.colours: dict[str, int] = {}
        self.run_cursor: dict[str, int] = {}
        self.gone: dict[str, int] = {}
        self._collection: Collection | None = None
        self._checkpoints: dict[str, Any] = {}
        self._sidecars: dict[str, Any] = {}
        self._made = threading.Event()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._lock = threading.Lock()  # one look at a time
        self._fault: str | None = None
        self._facts: dict[str, tuple[Run, int, RunInfo]] = {}
        self._made_once: dict[str, tuple[int, Any]] = {}
        self._making = threading.RLock()
        self._thread = threading.Thread(target=self._keep_current, name="milepost-live", daemon=True)

    # -- life ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    def load(self) -> None:
        """Read everything once and return: for a report."""
        self._thread.start()
        self._thread.join()

    def stop(self) -> None:
        self._stopping.set()
        self._wake.set()
        self.hub.close()
        if self._thread.is_alive():
            self._thread.join(5)

    def _keep_current(self) -> None:
        from milepost import store

        roots = dict(self.options.roots)
        self._collection = store.open(roots, load=False, links_out=self.options.follow_links)
        self._made.set()
        reporter = threading.Thread(target=self._report_progress, name="milepost-progress", daemon=True)
        reporter.start()
        self._look(first=True)
        self.loaded.set()
        self._look_at_sides()
        if self.options.reload_seconds <= 0:
            return
        watcher = threading.Thread(target=self._watch_files, name="milepost-watch", daemon=True)
        watcher.start()
        while not self._stopping.is_set():
            waiting = WAITING_SECONDS if self.state == "waiting" else self.options.reload_seconds
            self._wake.wait(waiting)
            self._wake.clear()
            if self._stopping.is_set():
                return
            began = time.monotonic()
            self._look()
            self._look_at_sides()
            self._stopping.wait(max(QUIET_SECONDS, 4 * (time.monotonic() - began)))

    def _watch_files(self) -> None:
        """Wakes the reader when the file system tells of a change below a root. Roots that come later are taken up then."""
        try:
            from watchfiles import watch
        except ImportError:
            return
        while not self._stopping.is_set():
            there = [path for _, path in self.options.roots if os.path.exists(path)]
            if len(there) < len(self.options.roots):
                if self._stopping.wait(WAITING_SECONDS):
                    return
                if not there:
                    continue
            self.watching = True
            try:
                # yields on time-out too: a root that appeared or was replaced is then watched anew
                for _ in watch(
                    *there,
                    debounce=200,
                    step=40,
                    stop_event=self._stopping,
                    watch_filter=None,
                    rust_timeout=5000,
                    yield_on_timeout=True,
                    ignore_permission_denied=True,
                ):
                    self._wake.set()
                    if [path for _, path in self.options.roots if os.path.exists(path)] != there:
                        break
            except Exception:
                # a root deleted under the watch, or no more watches to be had: polling goes on
                self.watching = False
                if self._stopping.wait(5):
                    return

    def _report_progress(self) -> None:
        from milepost.board.http.stream import Change

        while not self.loaded.wait(PROGRESS_SECONDS) and not self._stopping.is_set():
            self.hub.publish(Change(cursor=self.cursor, progress={"state": self.state, "progress": self.progress()}))
        self.hub.publish(Change(cursor=self.cursor, progress={"state": self.state, "progress": self.progress()}))

    # -- looking ---------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Look at every file now; how many tags, runs, checkpoints changed."""
        if not self._made.wait(30):
            return 0
        return self._look() + self._look_at_sides()

    def _look(self, first: bool = False) -> int:
        from milepost.board.http.stream import Change

        with self._lock:
            try:
                found = self.collection.refresh()
                self._fault = None
            except Exception as fault:
                # whatever one file does to the reader, the others must go on being served; it is told, not hidden
                self._fault = str(fault) or type(fault).__name__
                if not isinstance(fault, OSError | MilepostError):
                    logging.getLogger("milepost.board").error("looking at the logs failed", exc_info=fault)
                return 0
            if not found:
                return 0
            change = Change()
            for one in found:
                if one.what == "gone" and not one.tag:
                    change.gone.add(one.run)
                    continue
                if one.what == "new" and not one.tag:
                    change.new_runs.add(one.run)
                change.runs.add(one.run)
                if one.kind:
                    change.plugins.add(NAMES.get(one.kind, one.kind))
            change.runs -= change.gone
            change.new_runs -= change.gone
            self._number_colours()
            change.tags = self._tags_changed()
            self._publish(change)
            return len(found)

    def _look_at_sides(self) -> int:
        """Checkpoints, and what other boards wrote about the runs."""
        from milepost.board import profiles
        from milepost.board.embeddings import find as embeddings
        from milepost.board.http.stream import Change
        from milepost.board.runs.checkpoints import Checkpoints

        changed = 0
        meta = checkpoints = False
        before = (self.captures > 0, self.embeddings > 0, any(kept.all() for kept in self._checkpoints.values()))
        self.captures, self.embeddings = profiles.count(self), embeddings.count(self)
        for name, path in self.options.roots:
            if name not in self._checkpoints:
                self._checkpoints[name] = Checkpoints(Path(path))
            if os.path.isdir(path) and self._checkpoints[name].refresh():
                checkpoints = True
            meta |= self.sidecar(name).refresh()
        # the first capture or checkpoint brings a page of its own: pages read again what there is
        pages = before != (
            self.captures > 0,
            self.embeddings > 0,
            any(kept.all() for kept in self._checkpoints.values()),
        )
        if meta or checkpoints or pages:
            changed = 1
            self._publish(Change(meta=meta, checkpoints=checkpoints, tags=pages), every_run=True)
        return changed

    def _publish(self, change: Change, *, every_run: bool = False) -> None:
        with self._made_lock:
            self.cursor += 1
            change.cursor = self.cursor
            for run in self.run_ids() if every_run else change.runs:
                self.run_cursor[run] = self.cursor
            for run in change.gone:
                self.gone[run] = self.cursor
                self.run_cursor.pop(run, None)
            for run in change.new_runs:
                self.gone.pop(run, None)
        self.hub.publish(change)

    _made_lock = threading.Lock()  # guards cursor arithmetic alone
    _tag_count = -1

    def _tags_changed(self) -> bool:
        count = sum(sum(run.kinds().values()) for run in self.collection.values())
        changed, self._tag_count = count != self._tag_count, count
        return changed

    def _number_colours(self) -> None:
        """Runs are numbered by their first event: a new run takes the next number, and a restart of the board gives the same ones."""
        fresh = [run for name, run in self.collection.items() if name not in self.colours]
        for run in sorted(fresh, key=lambda r: (self.facts(r).first_wall or float("inf"), r.name)):
            self.colours[run.name] = len(self.colours)

    def edited(self) -> None:
        """Somebody changed run metadata through this board."""
        from milepost.board.http.stream import Change

        self._publish(Change(meta=True), every_run=True)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """What `make` gives, made anew only after a change: fifty pages that ask the same cost as much as one."""
        cursor = self.cursor if self.loaded.is_set() else -1
        known = self._made_once.get(key)
        if known is not None and known[0] == cursor and cursor >= 0:
            return known[1]
        with self._making:
            known = self._made_once.get(key)
            if known is not None and known[0] == cursor and cursor >= 0:
                return known[1]
            value = make()
            self._made_once[key] = (cursor, value)
            return value

    # -- what the routes read ----------------------------------------------------------------------------------------

    @property
    def collection(self) -> Collection:
        self._made.wait(30)
        assert self._collection is not None
        return self._collection

    @property
    def state(self) -> str:
        if not self._made.is_set():
            return "loading"
        if not any(os.path.exists(path) for _, path in self.options.roots):
            return "waiting"
        return "ready" if self.loaded.is_set() else "loading"

    def progress(self) -> dict[str, int]:
        if not self._made.is_set():
            return {"files_done": 0, "files": 0, "bytes_done": 0, "bytes": 0}
        p = self.collection.loading
        return {"files_done": p.files_done, "files": p.files, "bytes_done": p.bytes_done, "bytes": p.bytes}

    def run_ids(self) -> list[str]:
        return list(self.collection) if self._made.is_set() else []

    def run(self, run: str) -> Run:
        from milepost.board.http.envelope import ApiError

        try:
            return self.collection[run]
        except KeyError:
            todo = "it is still loading" if not self.loaded.is_set() else "see api/runs for the runs there are"
            raise ApiError("not_found", f"no run {run!r} under {self.options.where}", where=run, todo=todo) from None

    def facts(self, run: Run) -> RunInfo:
        """The run's figures, counted once per change."""
        known = self._facts.get(run.name)
        if known is not None and known[0] is run and known[1] == run.version:
            return known[2]
        version, made = run.version, run.info
        self._facts[run.name] = (run, version, made)
        return made

    def scalar(self, run: str, tag: str, mode: str = "keep-last") -> Series | None:
        """A series; None when there is none of that name."""
        try:
            return self.collection[run].series(tag, mode)
        except KeyError:
            return None

    def version_of(self, run: str, tag: str) -> int:
        """Changes whenever the series does; 0 when there is none."""
        try:
            return self.collection[run].version_of("scalars", tag)
        except KeyError:
            return 0

    def scalar_tags(self, run: str) -> list[str]:
        return list(self.run(run).scalars)

    def media(self, run: str, kind: str) -> Mapping[str, MediaSeries]:
        """Tag -> samples of one kind."""
        table: Mapping[str, MediaSeries] = self.run(run).of_kind(KINDS[kind])
        return table

    def root_of(self, run: str) -> str:
        """The name of the root a run lies under."""
        if len(self.options.roots) == 1 and not self.options.roots[0][0]:
            return ""
        return run.partition("/")[0]

    def sidecar(self, root: str) -> Any:
        from milepost.board.runs.sidecar import Sidecar

        if root not in self._sidecars:
            path = dict(self.options.roots)[root]
            self._sidecars[root] = Sidecar(Path(path), read_only=self.options.read_only)
        return self._sidecars[root]

    def checkpoints(self) -> list[tuple[str, str, Checkpoint]]:
        """(run, id, checkpoint): the run is the nearest directory, from the checkpoint's own upwards, that has events."""
        runs = set(self.run_ids())
        found = []
        for name, kept in list(self._checkpoints.items()):
            for one in kept.all():
                found.append((nearest(runs, name, one.folder), f"{name}/{one.id}" if name else one.id, one))
        return found

    def checkpoint_detail(self, root: str, identity: str) -> dict[str, Any] | None:
        kept = self._checkpoints.get(root)
        detail: dict[str, Any] | None = kept.detail(identity) if kept is not None else None
        return detail

    def problems(self) -> list[dict[str, str]]:
        """Files that could not be read, by name."""
        out = [{"where": self.options.where, "message": self._fault}] if self._fault else []
        if self._made.is_set():
            for run in self.collection.values():
                for text in self.facts(run).problems:
                    where, _, message = text.rpartition(": ")
                    out.append({"where": self.shown_path(where), "message": message})
        out += [{"where": str(s), "message": s.problem} for s in self._sidecars.values() if s.problem]
        return out

    def shown_path(self, path: str) -> str:
        """A path as people know it: relative to its root."""
        for name, root in self.options.roots:
            if path.startswith(root.rstrip("/") + "/"):
                inner = path[len(root.rstrip("/")) + 1 :]
                return f"{name}/{inner}" if name else inner
        return path

    def describe(self) -> str:
        runs = self.collection
        points = sum(self.facts(run).points for run in runs.values())
        if not len(runs):
            return f"no runs under {self.options.where} yet; they will show as soon as something is written there"
        return f"{len(runs)} run{'s' * (len(runs) != 1)}, {points:,} points under {self.options.where}"


def nearest(runs: set[str], root: str, folder: str) -> str:
    """The run a directory belongs to."""
    at = folder
    while True:
        name = at if not root else (root if at == "." else f"{root}/{at}")
        if name in runs:
            return name
        if at == ".":
            return folder if not root else (root if folder == "." else f"{root}/{folder}")
        at = at.rpartition("/")[0] or "."
