"""The `checkpoint` file, and the truth behind it. In: a directory. Out: which checkpoints are there, newest last.

The file is a hint, the directory is the truth: a checkpoint is there when its index is. A lost, damaged or stale file is
answered by scanning. Not here: deleting (`manager`), metrics and pins (`ledger`).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from milepost.errors import FormatError, StorageError
from milepost.formats.checkpoint_state import MAX_STATE_BYTES, STATE_FILE, CheckpointState
from milepost.storage import LocalStorage, Storage
from milepost.train.commit import temporary
from milepost.types import PathLike

__all__ = [
    "Found", "checkpoints_iterator", "get_checkpoint_state", "latest_checkpoint", "scan", "write_state",
]  # fmt: skip

_INDEX = ".index"
_NUMBERED = re.compile(r"(.*)-(\d+)")


@dataclass(frozen=True, slots=True)
class Found:
    """A checkpoint in a directory: its prefix without the directory, its name and number, when its index was written."""

    base: str
    name: str
    number: int | None
    modified: float


def scan(directory: str, storage: Storage | None = None) -> list[Found]:
    """All checkpoints of a directory, oldest first."""
    storage = storage or LocalStorage()
    found = []
    for file in storage.names(directory):
        if not file.endswith(_INDEX) or file.startswith("."):
            continue
        base = file.removesuffix(_INDEX)
        numbered = _NUMBERED.fullmatch(base)
        try:
            modified = storage.modified(os.path.join(directory, file))
        except StorageError:
            continue  # deleted while we looked
        name, number = (numbered[1], int(numbered[2])) if numbered else (base, None)
        found.append(Found(base, name, number, modified))
    # Clocks are coarse, and copied directories have any times: within one name the number decides.
    newest = {f.name: max(g.modified for g in found if g.name == f.name) for f in found}
    return sorted(found, key=lambda f: (newest[f.name], f.name, -1 if f.number is None else f.number))


def get_checkpoint_state(
    checkpoint_dir: PathLike, latest_filename: str | None = None, *, storage: Storage | None = None
) -> CheckpointState | None:
    """What the `checkpoint` file says, with paths made absolute; None when there is none that can be read."""
    directory = os.fspath(checkpoint_dir)
    storage = storage or LocalStorage()
    path = os.path.join(directory, latest_filename or STATE_FILE)
    if not storage.exists(path):
        return None
    try:
        text = storage.read(path, MAX_STATE_BYTES).decode("utf-8", "surrogateescape")
        state = CheckpointState.decode(text, where=path)
    except (FormatError, StorageError):
        return None
    if not state.model_checkpoint_path:
        return None

    def absolute(relative: str) -> str:
        return relative if os.path.isabs(relative) else os.path.join(directory, relative)

    return CheckpointState(
        absolute(state.model_checkpoint_path),
        tuple(absolute(p) for p in state.all_model_checkpoint_paths),
        state.all_model_checkpoint_timestamps,
        state.last_preserved_timestamp,
    )


def latest_checkpoint(
    checkpoint_dir: PathLike, latest_filename: str | None = None, *, storage: Storage | None = None
) -> str | None:
    """The prefix of a directory's newest checkpoint, None when there is none.

    The `checkpoint` file is believed as long as what it names exists; otherwise the directory is scanned.
    """
    directory = os.fspath(checkpoint_dir)
    storage = storage or LocalStorage()
    state = get_checkpoint_state(directory, latest_filename, storage=storage)
    if state is not None and storage.exists(state.model_checkpoint_path + _INDEX):
        return state.model_checkpoint_path
    found = scan(directory, storage)
    return os.path.join(directory, found[-1].base) if found else None


def write_state(storage: Storage, directory: str, state: CheckpointState) -> None:
    """Replace the `checkpoint` file; paths inside the directory are written relative, so that it can be moved."""

    def relative(path: str) -> str:
        if os.path.isabs(path) != os.path.isabs(directory):
            path, base = os.path.abspath(path), os.path.abspath(directory)
        else:
            base = directory
        short = os.path.relpath(path, base or ".")
        return path if short.startswith("..") else short

    text = CheckpointState(
        relative(state.model_checkpoint_path),
        tuple(relative(p) for p in state.all_model_checkpoint_paths),
        state.all_model_checkpoint_timestamps,
        state.last_preserved_timestamp,
    ).encode()
    replace_file(storage, os.path.join(directory, STATE_FILE), text.encode("utf-8", "surrogateescape"))


def replace_file(storage: Storage, path: str, data: bytes) -> None:
    """A small file, replaced in one step and durable when this returns."""
    target = temporary(path)
    file = None
    try:
        file = storage.create(target)
        file.write([0], [len(data)], [data])
        file.sync()
        storage.replace(target, path)
    except BaseException:
        storage.remove(target)
        raise
    finally:
        if file is not None:
            file.close()
    storage.sync_directory(os.path.dirname(path))


def checkpoints_iterator(
    checkpoint_dir: PathLike,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Each new newest checkpoint, as it appears. Ends when none came for `timeout` seconds and `timeout_fn` agrees."""
    last: str | None = None
    while True:
        began = time.monotonic()
        new = _wait_for_new(os.fspath(checkpoint_dir), last, timeout)
        if new is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        last = new
        yield new
        rest = min_interval_secs - (time.monotonic() - began)
        if rest > 0:
            time.sleep(rest)


def _wait_for_new(directory: str, last: str | None, timeout: float | None) -> str | None:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        newest = latest_checkpoint(directory)
        if newest is not None and newest != last:
            return newest
        if end is not None and time.monotonic() >= end:
            return None
        time.sleep(0.2 if end is None else max(0.0, min(0.2, end - time.monotonic())))
