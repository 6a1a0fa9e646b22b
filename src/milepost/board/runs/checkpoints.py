"""Checkpoints as mileposts. In: the directories of the logdir. Out: each checkpoint's step, age, size and tensors, from its index alone.

Weights are never loaded: besides the index only the few bytes of a saved step counter are read. Index files are parsed once
and remembered by size and time. Not here: restoring, verifying, deleting (`train`, `milepost ckpt`).
"""

from __future__ import annotations

import json
import os
import re
import stat
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from milepost.errors import MilepostError
from milepost.formats.bundle import Entry, Index, decode_index, shard_name
from milepost.formats.checkpoint_state import STATE_FILE, CheckpointState
from milepost.storage.walk import walk

__all__ = ["Checkpoint", "Checkpoints"]

MAX_INDEX_BYTES = 512 * 1024 * 1024
MAX_STATE_BYTES = 16 * 1024 * 1024
MAX_TENSORS = 20_000
MAX_FILES = 100_000
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
# Where a training step is usually kept, best first: the loop's own counter, then an optimizer's.
STEP_NAMES = ("step", "global_step", "iteration", "iterations")
NUMBER = re.compile(r"(\d+)$")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One `prefix.index` and its shards. `folder` is relative to the logdir, with / between parts."""

    folder: str
    prefix: str
    number: int | None
    step: int | None
    wall: float
    size: int
    variables: int
    latest: bool
    pinned: bool
    metrics: Mapping[str, float]
    error: str | None
    stamp: tuple[int, int] = field(repr=False)

    @property
    def id(self) -> str:
        return self.prefix if self.folder == "." else f"{self.folder}/{self.prefix}"

    def as_json(self, run: str) -> dict[str, Any]:
        return {
            "run": run, "id": self.id, "prefix": self.prefix, "number": self.number, "step": self.step, "wall": self.wall, "bytes": self.size,
            "variables": self.variables, "pinned": self.pinned, "latest": self.latest, "metrics": dict(self.metrics), "error": self.error,
        }  # fmt: skip


class Checkpoints:
    """The checkpoints under one root, kept up to date by `refresh`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._found: dict[str, Checkpoint] = {}
        self._folders: dict[str, tuple[int, tuple[str, ...]]] = {}

    def all(self) -> list[Checkpoint]:
        return sorted(
            self._found.values(), key=lambda c: (c.folder, c.step if c.step is not None else -1, c.wall, c.prefix)
        )

    def refresh(self) -> bool:
        """Look again; True when one came, went or changed."""
        with self._lock:
            found: dict[str, Checkpoint] = {}
            for folder, names in index_files(self._root):
                state = read_state(self._root / folder)
                for name in names:
                    one = self._one(folder, name.removesuffix(".index"), state)
                    if one is not None:
                        found[one.id] = one
            changed = found != self._found
            self._found = found
            return changed

    def _one(self, folder: str, prefix: str, state: CheckpointState | None) -> Checkpoint | None:
        path = self._root / folder / (prefix + ".index")
        try:
            status = path.stat()
        except OSError:
            return None  # deleted between listing and looking: the manager keeps only so many
        stamp = (status.st_mtime_ns, status.st_size)
        latest = state is not None and os.path.basename(state.model_checkpoint_path) == prefix
        notes = read_notes(path.with_name(prefix + ".milepost.json"))
        before = self._found.get(prefix if folder == "." else f"{folder}/{prefix}")
        metrics = {str(k): float(v) for k, v in notes.get("metrics", {}).items() if isinstance(v, int | float)}
        pinned = bool(notes.get("pinned", False))
        if (
            before is not None
            and before.stamp == stamp
            and (before.latest, before.pinned, dict(before.metrics)) == (latest, pinned, metrics)
        ):
            return before
        told = notes.get("step")
        wall = notes["time"] if isinstance(notes.get("time"), int | float) and notes["time"] > 0 else status.st_mtime
        number = int(match[1]) if (match := NUMBER.search(prefix)) and len(match[1]) < 16 else None
        error, step, variables, size = None, number, 0, status.st_size
        try:
            index = read_index(path)
            variables = sum(1 for key in index.entries if key != GRAPH_KEY)
            size += sum(
                (path.with_name(shard_name(prefix, i, index.num_shards))).stat().st_size for i in index.used_shards()
            )
            counted = saved_step(path, prefix, index)
            step = told if isinstance(told, int) else number if counted is None else counted
        except FileNotFoundError as fault:
            error = f"{os.path.basename(fault.filename or '')} is missing"
        except (MilepostError, OSError, ValueError) as fault:
            error = str(fault)
        return Checkpoint(folder, prefix, number, step, wall, size, variables, latest, pinned, metrics, error, stamp)

    def detail(self, identity: str) -> dict[str, Any] | None:
        """Files and tensors of one checkpoint; None when there is none of that id."""
        one = self._found.get(identity)
        if one is None:
            return None
        path = self._root / one.folder / (one.prefix + ".index")
        files, tensors, error, cut = [], [], one.error, False
        try:
            files.append({"name": path.name, "bytes": path.stat().st_size})
            index = read_index(path)
            for i in index.used_shards():
                shard = path.with_name(shard_name(one.prefix, i, index.num_shards))
                files.append({"name": shard.name, "bytes": shard.stat().st_size if shard.exists() else None})
            names = sorted(key for key in index.entries if key != GRAPH_KEY)
            cut = len(names) > MAX_TENSORS
            tensors = [tensor(name, index.entries[name]) for name in names[:MAX_TENSORS]]
        except (MilepostError, OSError, ValueError) as fault:
            error = str(fault)
        return {"files": files, "tensors": tensors, "cut": cut, "error": error}


def tensor(name: str, entry: Entry) -> dict[str, Any]:
    return {
        "name": name.removesuffix(VALUE),
        "key": name,
        "dtype": entry.dtype.name,
        "shape": list(entry.shape),
        "bytes": entry.size,
        "shard": entry.shard,
    }


def index_files(root: Path) -> Iterable[tuple[str, list[str]]]:
    """Directories under root that hold index files, relative, with their names."""
    seen = 0
    for folder, paths in walk(str(root), lambda name: name.endswith(".index") and not name.startswith(".")):
        seen += len(paths)
        if seen > MAX_FILES:
            return
        yield folder, [os.path.basename(path) for path in paths]


def regular(path: Path) -> os.stat_result:
    """Its status; a pipe or device by a checkpoint's name must not hang the reader."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(f"{path.name} is not a plain file")
    return found


def read_index(path: Path) -> Index:
    size = regular(path).st_size
    if size > MAX_INDEX_BYTES:
        raise ValueError(f"the index has {size} bytes, more than {MAX_INDEX_BYTES}")
    return decode_index(path.read_bytes(), where=path.name)


def read_state(folder: Path) -> CheckpointState | None:
    """The text file `checkpoint`, if it is there and makes sense."""
    path = folder / STATE_FILE
    try:
        if regular(path).st_size > MAX_STATE_BYTES:
            return None
        return CheckpointState.decode(path.read_text("utf-8", "surrogateescape"))
    except (OSError, MilepostError, ValueError):
        return None


def read_notes(path: Path) -> dict[str, Any]:
    """What the manager wrote beside a checkpoint: its metrics, whether it is pinned."""
    try:
        if regular(path).st_size > MAX_STATE_BYTES:
            return {}
        notes = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(notes, dict):
        return {}
    return {**notes, "metrics": notes.get("metrics") if isinstance(notes.get("metrics"), dict) else {}}


def saved_step(path: Path, prefix: str, index: Index) -> int | None:
    """The step counter saved in the checkpoint: one whole number under a name that people use for it."""
    by_name: dict[str, str] = {}
    for key, entry in index.entries.items():
        if not entry.shape and not entry.slices and 0 < entry.size <= 16:
            name = key.removesuffix(VALUE).rpartition("/")[2].lstrip("_").lower()
            depth = key.count("/")
            if name in STEP_NAMES and (name not in by_name or depth < by_name[name].count("/")):
                by_name[name] = key
    for name in STEP_NAMES:
        if name not in by_name:
            continue
        entry = index.entries[by_name[name]]
        kind = np.dtype(entry.dtype.numpy)
        if kind.kind not in "iuf":
            continue
        shard = path.with_name(shard_name(prefix, entry.shard, index.num_shards))
        regular(shard)
        with shard.open("rb") as file:
            file.seek(entry.offset)
            data = file.read(entry.size)
        if len(data) == kind.itemsize:
            value = np.frombuffer(data, kind)[0]
            if np.isfinite(value) and 0 <= value < 2**53:
                return int(value)
    return None
