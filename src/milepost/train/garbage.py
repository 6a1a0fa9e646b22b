"""What could be deleted from a directory of checkpoints. In: a directory, rules of retention. Out: a list; and, if told so, its deletion.

Pinned checkpoints, the newest one and whatever a rule keeps stay. Data without an index and unfinished files of dead processes are
garbage under any rule. Not here: retention during training (`manager`).
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass

from milepost.errors import CheckpointNotFoundError, StorageError
from milepost.formats.checkpoint_state import CheckpointState
from milepost.storage import LocalStorage, Storage
from milepost.train.commit import INDEX
from milepost.train.notes import NOTES, read_notes
from milepost.train.retention import Kept, Retention, keep_all
from milepost.train.state import get_checkpoint_state, latest_checkpoint, scan, write_state
from milepost.train.write import data_files
from milepost.types import PathLike

__all__ = ["Doomed", "collect", "garbage"]

_SHARD = re.compile(r"(.+)\.data-\d{5}-of-\d{5}")
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")
YOUNG = 60.0  # seconds; a save that is under way right now has data before it has an index


@dataclass(frozen=True, slots=True)
class Doomed:
    """One thing to delete: a checkpoint or leftover files, why, and what it takes on disk."""

    name: str
    why: str
    files: tuple[str, ...]
    bytes: int


def garbage(directory: PathLike, rules: Retention | None = None, *, storage: Storage | None = None) -> list[Doomed]:
    """What `collect` would delete; nothing is touched."""
    storage = storage or LocalStorage()
    directory = os.fspath(directory)
    if not os.path.isdir(directory):
        raise CheckpointNotFoundError("no such directory", where=directory)
    rules = rules or keep_all()
    found = scan(directory, storage)
    doomed = []
    newest = latest_checkpoint(directory, storage=storage)
    for name in sorted({item.name for item in found}):
        items = []
        for item in found:
            if item.name == name:
                path = os.path.join(directory, item.base)
                notes = read_notes(storage, path)
                items.append(Kept(path, item.number, notes.time or item.modified, notes))
        keep = rules.keep(items) | {newest}
        for kept in items:
            if kept.path not in keep:
                base = os.path.basename(kept.path)
                files = [base + INDEX, *data_files(storage, kept.path), base + NOTES]
                doomed.append(_doomed(storage, directory, base, f"not kept by {rules}", files))
    return doomed + _leftovers(storage, directory, {item.base for item in found})


def _leftovers(storage: Storage, directory: str, known: set[str]) -> list[Doomed]:
    orphans: dict[str, list[str]] = {}
    doomed = []
    for file in storage.names(directory):
        path = os.path.join(directory, file)
        try:
            young = time.time() - storage.modified(path) < YOUNG
        except StorageError:
            continue  # gone while we looked
        shard = _SHARD.fullmatch(file)
        if young:
            continue
        if _UNFINISHED.fullmatch(file) and storage.abandoned(path):
            doomed.append(_doomed(storage, directory, file, "left unfinished by a process that is gone", [file]))
        elif shard is not None and not file.startswith(".") and shard[1] not in known:
            orphans.setdefault(shard[1], []).append(file)
    return doomed + [
        _doomed(storage, directory, base, "data without an index", files) for base, files in orphans.items()
    ]


def _doomed(storage: Storage, directory: str, name: str, why: str, files: list[str]) -> Doomed:
    there = [file for file in files if storage.exists(os.path.join(directory, file))]
    size = 0
    for file in there:
        opened = storage.open(os.path.join(directory, file))
        size += opened.size
        opened.close()
    return Doomed(name, why, tuple(there), size)


def collect(directory: PathLike, rules: Retention | None = None, *, storage: Storage | None = None) -> list[Doomed]:
    """Delete what `garbage` names, the index of each checkpoint first, and take it out of the `checkpoint` file."""
    storage = storage or LocalStorage()
    directory = os.fspath(directory)
    with storage.locked(directory):
        doomed = garbage(directory, rules, storage=storage)
        state = get_checkpoint_state(directory, storage=storage)
        gone = {os.path.join(directory, item.name) for item in doomed}
        if state is not None and gone & set(state.all_model_checkpoint_paths):
            stamps = state.all_model_checkpoint_timestamps
            stays = [i for i, path in enumerate(state.all_model_checkpoint_paths) if path not in gone]
            left = CheckpointState(
                state.model_checkpoint_path,
                tuple(state.all_model_checkpoint_paths[i] for i in stays),
                tuple(stamps[i] for i in stays) if len(stamps) == len(state.all_model_checkpoint_paths) else (),
                state.last_preserved_timestamp,
            )
            write_state(storage, directory, left)
        for item in doomed:
            for file in item.files:
                storage.remove(os.path.join(directory, file))
        storage.sync_directory(directory)
    return doomed
