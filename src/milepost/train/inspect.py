"""Looking into checkpoints without restoring them. In: directories and readers. Out: rows for people and programs.

Listing and comparing read the index alone: each tensor's checksum is there, so equal tensors are known without their bytes.
Not here: printing (`cli`), putting values into objects (`match`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from milepost.errors import CheckpointNotFoundError, MilepostError
from milepost.formats.bundle import Entry, shard_name
from milepost.formats.objectgraph import GRAPH_KEY
from milepost.storage import LocalStorage, Storage
from milepost.train.notes import read_notes
from milepost.train.reader import CheckpointReader, resolve
from milepost.train.state import latest_checkpoint, scan
from milepost.types import PathLike

__all__ = ["Change", "Listed", "Row", "Verified", "compare", "listing", "prefixes", "rows", "verify"]

_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"


@dataclass(frozen=True, slots=True)
class Listed:
    """One checkpoint of a directory, with what its notes say. `error` says why its index cannot be read."""

    prefix: str
    number: int | None
    modified: float
    tensors: int
    bytes: int
    latest: bool
    error: str = ""
    metrics: dict[str, float] = field(default_factory=dict)
    step: int | None = None
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One tensor. `path` is its object path where it is a plain variable, else its whole key."""

    key: str
    path: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    crc: str
    slices: int
    full_name: str


@dataclass(frozen=True, slots=True)
class Change:
    """How one tensor differs. `kind`: added, removed, dtype, shape, value, same. Norms are None unless asked for and there."""

    path: str
    kind: str
    before: str
    after: str
    norm_before: float | None = None
    norm_after: float | None = None
    norm_change: float | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """What a full read of one checkpoint found."""

    prefix: str
    tensors: int
    bytes: int
    errors: tuple[str, ...]


def prefixes(path: PathLike, storage: Storage | None = None) -> list[str]:
    """All checkpoints a path speaks of: itself, or everything in a directory, oldest first."""
    storage = storage or LocalStorage()
    path = os.fspath(path)
    if os.path.isdir(path) and not storage.exists(path + ".index"):
        found = [os.path.join(path, item.base) for item in scan(path, storage)]
        return found or [resolve(path, storage)]
    prefix = path.removesuffix(".index")
    if not storage.exists(prefix + ".index"):
        resolve(prefix, storage)
        raise CheckpointNotFoundError(
            "no checkpoint", where=prefix, todo="name a directory, or a prefix such as run/ckpt-3"
        )
    return [prefix]


def listing(directory: PathLike, storage: Storage | None = None) -> list[Listed]:
    """The checkpoints of a directory, oldest first; an unreadable one is listed with its error."""
    storage = storage or LocalStorage()
    directory = os.fspath(directory)
    latest = latest_checkpoint(directory, storage=storage)
    out = []
    for item in scan(directory, storage):
        prefix = os.path.join(directory, item.base)
        tensors, size, error = 0, 0, ""
        try:
            reader = CheckpointReader(prefix, storage=storage)
            entries = list(reader.index.entries.values()) + list(reader.index.parts.values())
            tensors = len(reader.index.entries) - (GRAPH_KEY in reader.index.entries)
            size = sum(entry.size for entry in entries)
            for shard in sorted({entry.shard for entry in entries if entry.size}):
                path = shard_name(prefix, shard, reader.index.num_shards)
                if not storage.exists(path):
                    error = f"{os.path.basename(path)} is missing"
        except MilepostError as problem:
            error = str(problem)
        notes = read_notes(storage, prefix)
        known = dict(notes.metrics), notes.step, notes.pinned
        out.append(Listed(prefix, item.number, item.modified, tensors, size, prefix == latest, error, *known))
    return out


def rows(reader: CheckpointReader) -> list[Row]:
    """Every tensor by name, from the index (and the object graph's names)."""
    graph = reader.graph
    names = {key: full_name for _, (_, full_name, key) in graph.attributes()} if graph is not None else {}
    out = []
    for key in sorted(reader.index.entries):
        if key == GRAPH_KEY:
            continue
        entry = reader.entry(key)
        parts = _parts(reader, key, entry)
        crc = f"{entry.crc:08x}" if not entry.slices else ""
        size = sum(part.size for part in parts)
        out.append(
            Row(
                key,
                key.removesuffix(_SUFFIX),
                entry.dtype.name,
                entry.shape,
                size,
                crc,
                len(entry.slices),
                names.get(key, ""),
            )
        )
    return out


def _parts(reader: CheckpointReader, key: str, entry: Entry) -> list[Entry]:
    return [reader.index.part(key, part) for part in entry.slices] if entry.slices else [entry]


def compare(
    a: CheckpointReader, b: CheckpointReader, *, norms: bool = False, on_tensor: Callable[[str], None] | None = None
) -> Iterator[Change]:
    """Every tensor of two checkpoints, by name. Only tensors whose slices lie differently, or norms, need the data itself."""
    for key in sorted((a.index.entries.keys() | b.index.entries.keys()) - {GRAPH_KEY}):
        if on_tensor is not None:
            on_tensor(key)
        yield _change(a, b, key, norms)


def _change(a: CheckpointReader, b: CheckpointReader, key: str, norms: bool) -> Change:
    before, after = a.index.entries.get(key), b.index.entries.get(key)
    path = key.removesuffix(_SUFFIX)
    if before is None or after is None:
        found = after if before is None else before
        assert found is not None
        norm = _norm(b.get(key) if before is None else a.get(key)) if norms and found.dtype.itemsize else None
        if before is None:
            return Change(path, "added", "", _spelled(found), norm_after=norm)
        return Change(path, "removed", _spelled(found), "", norm_before=norm)
    kind = "same"
    if before.dtype != after.dtype:
        kind = "dtype"
    elif before.shape != after.shape:
        kind = "shape"
    elif not _equal(a, b, key, before, after):
        kind = "value"
    if not norms or kind in ("same", "dtype") or not before.dtype.itemsize:
        return Change(path, kind, _spelled(before), _spelled(after))
    old, new = a.get(key), b.get(key)
    return Change(
        path, kind, _spelled(before), _spelled(after), _norm(old), _norm(new),
        _norm(_numbers(new) - _numbers(old)) if kind == "value" else None,
    )  # fmt: skip


def _equal(a: CheckpointReader, b: CheckpointReader, key: str, before: Entry, after: Entry) -> bool:
    if before.slices == after.slices:
        pairs = zip(_parts(a, key, before), _parts(b, key, after), strict=True)
        return all((old.crc, old.size) == (new.crc, new.size) for old, new in pairs)
    return bool(np.array_equal(a.get(key), b.get(key)))


def _spelled(entry: Entry) -> str:
    return f"{entry.dtype.name}{list(entry.shape)}"


def _numbers(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _norm(array: np.ndarray[Any, Any]) -> float:
    """The 2-norm; infinite or not a number where the tensor is."""
    flat = _numbers(array).ravel()
    return float(math.sqrt(float(np.vdot(flat, flat).real)))


def verify(
    paths: Iterable[str], *, storage: Storage | None = None, on_tensor: Callable[[str, int], None] | None = None
) -> Iterator[Verified]:
    """Read every byte of each checkpoint against its checksums; all errors of each."""
    storage = storage or LocalStorage()
    for prefix in paths:
        errors: list[str] = []
        tensors = size = 0
        try:
            reader = CheckpointReader(prefix, storage=storage)
            for key, error in reader.verify():
                part = sum(entry.size for entry in _parts(reader, key, reader.entry(key))) if error is None else 0
                tensors, size = tensors + 1, size + part
                if error is not None:
                    errors.append(str(error))
                if on_tensor is not None:
                    on_tensor(key, part)
            _ = reader.graph  # checksums are right; is the object graph, too?
            reader.close()
        except MilepostError as error:
            if str(error) not in errors:
                errors.append(str(error))
        yield Verified(prefix, tensors, size, tuple(errors))
