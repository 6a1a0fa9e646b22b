"""CheckpointManager: numbered checkpoints in one directory. In: a Checkpoint. Out: the right ones on disk, at any instant.

Numbers go on from what is on disk; what another run wrote is never overwritten, and never deleted unless this run goes on
from it. The directory is the truth, the `checkpoint` file a hint. Not here: which to keep (`retention`), writing (`write`).
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from milepost.errors import (
    CheckpointError,
    CheckpointNotFoundError,
    FormatError,
    StorageError,
    UsageError,
)
from milepost.formats.checkpoint_state import CheckpointState
from milepost.storage import LocalStorage, Storage
from milepost.train.background import Background
from milepost.train.checkpoint import Checkpoint
from milepost.train.commit import INDEX
from milepost.train.incremental import write_incremental
from milepost.train.notes import NOTES, Notes, as_metrics, read_notes, write_notes
from milepost.train.options import CheckpointOptions
from milepost.train.retention import Best, Kept, Retention, keep_all, keep_last
from milepost.train.snapshot import Snapshot, Staging
from milepost.train.state import get_checkpoint_state, scan, write_state
from milepost.train.write import data_files, write_checkpoint
from milepost.types import PathLike

__all__ = ["CheckpointManager"]

_STEP_NAMES = ("step", "global_step", "iterations", "iteration")


class CheckpointManager:
    """Saves a Checkpoint again and again into one directory, keeps the right ones, and finds the newest that is whole.

    >>> import numpy as np, tempfile
    >>> from milepost import train
    >>> weights = np.zeros(2)
    >>> manager = CheckpointManager(train.Checkpoint(w=weights), tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     weights += 1
    ...     path = manager.save(metrics={"loss": 0.5})
    >>> [p[-6:] for p in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']

    retention:   rules in place of max_to_keep: keep_last(3) | keep_best(2, "val_loss") | keep_every(hours=6).
    best_metric: what `best_checkpoint` goes by, if no keep_best rule says it.
    incremental: do not write tensors again that have not changed since the checkpoint before; their file is hard-linked.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: PathLike,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
        *,
        retention: Retention | None = None,
        best_metric: str | None = None,
        best_mode: str = "min",
        incremental: bool = False,
        options: CheckpointOptions | None = None,
    ):
        if max_to_keep is not None and max_to_keep <= 0:
            raise UsageError("max_to_keep must be positive, or None to keep all", got=max_to_keep)
        if checkpoint_interval is not None and step_counter is None:
            raise UsageError("checkpoint_interval needs a step_counter")
        if best_mode not in ("min", "max"):
            raise UsageError("no such mode", got=best_mode, want="min | max")
        if os.path.basename(checkpoint_name) != checkpoint_name or not checkpoint_name:
            raise UsageError("checkpoint_name is a name, not a path", got=checkpoint_name)
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._name = checkpoint_name
        self._step_counter, self._interval, self._last_step = step_counter, checkpoint_interval, last_checkpoint_step
        self._init_fn = init_fn
        self._max_to_keep = max_to_keep
        self._preserve_seconds = (keep_checkpoint_every_n_hours or 0) * 3600
        self._rules = retention or (keep_last(max_to_keep) if max_to_keep is not None else keep_all())
        self._by_rules = retention is not None
        rule_best = self._rules.best
        self._best = Best(best_metric, best_mode) if best_metric is not None else rule_best  # type: ignore[arg-type]
        self._incremental = incremental
        self._options = options or CheckpointOptions()
        self._storage: Storage = LocalStorage(self._options.durability)
        self._background = Background()
        self._staging = Staging()
        self._lock = threading.RLock()
        self._written: set[str] = set()  # by this manager
        self._last_written: str | None = None
        self.skipped: list[tuple[str, str]] = []  # what restore_or_initialize passed over, and why
        self._active: list[str] = []
        self._times: dict[str, float] = {}
        self._preserved_at = time.time()
        self._load()

    # ------------------------------------------------------------------------------------------------- what is there

    def _load(self) -> None:
        """Active checkpoints from the `checkpoint` file, put right by what the directory really has."""
        state = get_checkpoint_state(self._directory, storage=self._storage)
        found = [f for f in scan(self._directory, self._storage) if f.name == self._name and f.number is not None]
        on_disk = {self._path(f.base): f for f in found}
        if state is None:
            for path, one in on_disk.items():
                self._activate(path, one.modified)
            return
        times = dict(zip(state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps, strict=False))
        listed = [p for p in state.all_model_checkpoint_paths or (state.model_checkpoint_path,) if self._is_there(p)]
        for path in listed:
            when = times.get(path) or (on_disk[path].modified if path in on_disk else time.time())
            self._activate(path, when)
        if state.last_preserved_timestamp is not None:
            self._preserved_at = min(state.last_preserved_timestamp, time.time())
        # Written, and then the process died before it could say so in the `checkpoint` file; or the file's paths are stale.
        newest = max((on_disk[p].number or 0 for p in listed if p in on_disk), default=-1)
        for path, one in on_disk.items():
            if path not in self._times and (one.number or 0) > newest:
                self._activate(path, one.modified)

    def _activate(self, path: str, when: float) -> None:
        if path in self._times:
            self._active.remove(path)
        self._active.append(path)
        self._times[path] = when

    def _path(self, base: str) -> str:
        return os.path.join(self._directory, base)

    def _is_there(self, path: str) -> bool:
        return self._storage.exists(path + INDEX)

    @property
    def directory(self) -> str:
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        return self._interval

    @property
    def checkpoint(self) -> Checkpoint:
        return self._checkpoint

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that are kept, oldest first."""
        with self._lock:
            return list(self._active)

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest one, None when there is none."""
        with self._lock:
            return self._active[-1] if self._active else None

    @property
    def best_checkpoint(self) -> str | None:
        """The one with the best metric, None when none has it."""
        if self._best is None:
            raise UsageError(
                "no metric to go by", todo='give best_metric="val_loss", or a keep_best rule, to the manager'
            )
        ranked = self._best.sort(self._items())
        return ranked[0].path if ranked else None

    def metrics(self, path: str) -> Mapping[str, float]:
        """What was given to `save(metrics=…)` with that checkpoint."""
        return read_notes(self._storage, path).metrics

    def _items(self) -> list[Kept]:
        out = []
        for path in self.checkpoints:
            number = path.rpartition("-")[2]
            notes = read_notes(self._storage, path)
            out.append(Kept(path, int(number) if number.isdigit() else None, self._times[path], notes))
        return out

    # ----------------------------------------------------------------------------------------------------------- save

    def save(
        self,
        checkpoint_number: int | None = None,
        metrics: Mapping[str, Any] | None = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
        *,
        blocking: bool = True,
    ) -> str | None:
        """Write the next checkpoint and delete what is no longer to be kept. Returns its prefix.

        None when `checkpoint_interval` says that it is too early. With `blocking=False` the state is copied and written in
        the background; an error is raised by the next call or by `close`.
        """
        self._background.wait()
        step = self._step()
        if self._too_early(step, check_interval):
            return None
        options = options or self._options
        numbers = as_metrics(metrics)
        if checkpoint_number is not None:
            checkpoint_number = int(checkpoint_number)  # a step variable, or an engine's scalar
        self._storage.make_directory(self._directory)
        with self._claimed(checkpoint_number) as (number, release):
            counter = self._checkpoint.save_counter
            before = int(counter)
            counter.assign(max(before + 1, number) if checkpoint_number is None else before + 1)
            prefix = self._path(f"{self._name}-{number}")
            notes = Notes(numbers, time.time(), step if step is not None else self._usual_step())
            try:
                taken = self._checkpoint._snapshot(options)
                if not blocking:
                    taken = taken.detach(self._staging)
                    release.keep = True

                    def job() -> None:
                        try:
                            self._write(prefix, taken, notes, options)
                        finally:
                            release()

                    self._background.submit(job)
                else:
                    self._write(prefix, taken, notes, options)
            except BaseException:
                counter.assign(before)
                raise
        self._last_step = step
        return prefix

    def _too_early(self, step: int | None, check_interval: bool) -> bool:
        if self._interval is None or self._last_step is None or step is None:
            return False
        return step == self._last_step or (check_interval and step < self._last_step + self._interval)

    def _write(self, prefix: str, taken: Snapshot, notes: Notes, options: CheckpointOptions) -> None:
        storage = LocalStorage(options.durability)
        if self._worth_noting(notes):
            write_notes(storage, prefix, notes)
        try:
            before = self._base_for(prefix) if self._incremental else None
            if before is not None:
                write_incremental(storage, prefix, taken, before, alignment=options.alignment)
            else:
                write_checkpoint(storage, prefix, taken, alignment=options.alignment)
        except BaseException:
            if not self._is_there(prefix):
                storage.remove(prefix + NOTES)
            raise
        with self._lock:
            self._written.add(prefix)
            self._last_written = prefix
            self._activate(prefix, notes.time)
            # Two writes, so that a crash while deleting finds the new checkpoint in the file.
            self._record()
            if self._sweep():
                self._record()

    def _base_for(self, prefix: str) -> str | None:
        """The checkpoint whose files an incremental one may share: the newest, if the new name is free."""
        newest = self.latest_checkpoint
        return newest if newest is not None and self._is_there(newest) and not self._is_there(prefix) else None

    def _step(self) -> int | None:
        counter = self._step_counter
        if counter is None:
            return None
        value = counter.numpy() if hasattr(counter, "numpy") else counter
        return int(value() if callable(value) else value)

    def _usual_step(self) -> int | None:
        """For the notes: what the checkpoint itself calls its step."""
        for name in _STEP_NAMES:
            value = self._checkpoint._objects.get(name)
            if value is not None:
                try:
                    return int(value.numpy() if hasattr(value, "numpy") else value)
                except (TypeError, ValueError):
                    continue
        return None

    @contextmanager
    def _claimed(self, wanted: int | None) -> Iterator[tuple[int, _Release]]:
        """A number nobody else uses: above all on disk, and above those other processes are writing."""
        if wanted is not None:
            yield wanted, _Release(lambda: None)
            return
        with self._storage.locked(self._directory):
            number = 1 + max(
                [int(self._checkpoint.save_counter)]
                + [
                    f.number
                    for f in scan(self._directory, self._storage)
                    if f.name == self._name and f.number is not None
                ]
            )
            while True:
                path = self._path(f".{self._name}-{number}.claim")
                if self._storage.exists(path) and self._storage.abandoned(path):
                    self._storage.remove(path)
                if not self._storage.exists(path):
                    break
                number += 1
            claim = self._storage.create(path)

        def give_back() -> None:
            self._storage.remove(path)
            claim.close()

        release = _Release(give_back)
        try:
            yield number, release
        finally:
            if not release.keep:
                release()

    # ----------------------------------------------------------------------------------------------------------- keep

    def _record(self) -> None:
        """Write the `checkpoint` file: ours, and what other processes have put into it since."""
        with self._storage.locked(self._directory):
            others = get_checkpoint_state(self._directory, storage=self._storage)
            paths, times = list(self._active), dict(self._times)
            if others is not None:
                stamps = dict(
                    zip(others.all_model_checkpoint_paths, others.all_model_checkpoint_timestamps, strict=False)
                )
                for path in others.all_model_checkpoint_paths:
                    if path not in times and self._is_there(path):
                        paths.append(path)
                        times[path] = stamps.get(path, 0.0)
            paths = [p for p in paths if self._is_there(p)]
            if not paths:
                return
            newest = self._last_written if self._last_written in paths else paths[-1]
            paths.sort(key=lambda p: (times[p], p == newest))
            state = CheckpointState(newest, tuple(paths), tuple(times[p] for p in paths), self._preserved_at)
            write_state(self._storage, self._directory, state)

    def _sweep(self) -> bool:
        """Delete what the rules do not keep, of what is ours to delete."""
        if self._max_to_keep is None and not self._by_rules:
            return False
        items = self._items()
        if not self._by_rules and self._preserve_seconds:
            return self._sweep_as_tensorflow(items)
        ours = [item for item in items if self._owns(item.path)]
        keep = self._rules.keep(ours)
        gone = [item.path for item in ours if item.path not in keep]
        for path in gone:
            self._forget(path)
            self._delete(path)
        return bool(gone)

    def _sweep_as_tensorflow(self, items: list[Kept]) -> bool:
        """max_to_keep, and one every n hours is left on disk for ever and dropped from the list."""
        changed = False
        ours = [item for item in items if self._owns(item.path)]
        while self._max_to_keep is not None and len(ours) > self._max_to_keep:
            item = ours.pop(0)
            changed = True
            if item.notes.pinned:
                continue
            self._forget(item.path)
            if item.time - self._preserve_seconds >= self._preserved_at:
                self._preserved_at = item.time
            else:
                self._delete(item.path)
        return changed

    def _worth_noting(self, notes: Notes) -> bool:
        """Whether a checkpoint gets a notes file; `tf.train` has only the files TensorFlow has where nothing was noted."""
        return True

    def _owns(self, path: str) -> bool:
        """Written here, or continued from here: only then may it be deleted."""
        if path in self._written:
            return True
        source = self._checkpoint._restored_from
        return source is not None and os.path.dirname(os.path.abspath(source)) == os.path.abspath(self._directory)

    def _forget(self, path: str) -> None:
        self._active.remove(path)
        del self._times[path]

    def _delete(self, path: str) -> None:
        """The index first: without it the rest is no checkpoint any more."""
        self._storage.remove(path + INDEX)
        for name in data_files(self._storage, path):
            self._storage.remove(self._path(name))
        self._storage.remove(path + NOTES)

    def pin(self, path: PathLike | None = None, pinned: bool = True) -> str:
        """Never delete a checkpoint (the newest, if none is named); `pinned=False` takes it back."""
        self._background.wait()
        name = os.fspath(path) if path is not None else self.latest_checkpoint
        if name is None or not self._is_there(name):
            raise CheckpointNotFoundError("no checkpoint to pin", where=str(name))
        old = read_notes(self._storage, name)
        write_notes(self._storage, name, Notes(old.metrics, old.time, old.step, pinned))
        return name

    # -------------------------------------------------------------------------------------------------------- restore

    def restore_or_initialize(self) -> str | None:
        """Restore the newest checkpoint that is whole; without any, call `init_fn`. Returns the prefix, or None.

        A damaged one is passed over with a warning that says why, and listed in `skipped`.
        """
        self._background.wait()
        self.skipped = []
        for path in reversed(self.checkpoints):
            try:
                self._checkpoint.restore(path, self._options)
            except (FormatError, StorageError, CheckpointNotFoundError) as error:
                self.skipped.append((path, str(error)))
                warnings.warn(f"{path} cannot be restored and is passed over: {error}")
                continue
            self._last_step = self._step()
            return path
        if self.skipped:
            raise CheckpointError(
                f"none of {len(self.skipped)} checkpoints is whole: {self.skipped[0][1]}",
                where=self._directory,
                todo="look at them with `milepost ckpt verify`; move them away to start anew",
            )
        if self._init_fn is not None:
            self._init_fn()
        return None

    # ------------------------------------------------------------------------------------------------------------ end

    def wait(self) -> None:
        """Until the background save is on disk; raises its error."""
        self._background.wait()

    sync = wait

    def close(self) -> None:
        """Wait, raise what went wrong."""
        self._background.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Exception:
            if error is None:
                raise  # the body's own error says more


class _Release:
    """Gives a claimed number back once; `keep` says that a background save will do it."""

    def __init__(self, give_back: Callable[[], None]):
        self._give_back: Callable[[], None] | None = give_back
        self.keep = False

    def __call__(self) -> None:
        give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()
