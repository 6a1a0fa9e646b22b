"""The index of one event file: its columns on disk, to be mapped instead of read again. In: a tail. Out: a file, and back.

    "MPINDEX1" | u64 where the directory lies | u64 its length | u32 its crc | u32 crc of those 28 bytes
    columns, each at a multiple of 64 bytes …
    directory: JSON; what was read, how far, and where each chunk of each tag lies, with its crc

New points are appended behind the old directory, then a new directory, then the header is written: whoever reads
meanwhile, or after a crash, finds a whole directory or none. The directory is verified when the index is opened, a
chunk when it is first looked at. Nothing here is precious: any doubt and the event file is read again.
Not here: when to write and what to do about damage (`cache`).
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from milepost._native.crc32c import crc32c
from milepost.errors import CorruptionError
from milepost.store.columns import BLOB_ROW, BlobColumns, Floats, Ints, PointColumns, StoredPoints
from milepost.store.tail import FileIdentity, Slot

__all__ = ["Chunk", "IndexDamaged", "IndexMap", "SlotSnapshot", "Snapshot", "append", "load", "rewrite", "stamp_of"]

MAGIC = b"MPINDEX1"
_HEADER = struct.Struct("<8sQQI")
_CRC = struct.Struct("<I")
HEADER_BYTES = _HEADER.size + _CRC.size
ALIGNMENT = 64
MAX_DIRECTORY_BYTES = 1 << 30


class IndexDamaged(CorruptionError):
    """An index that does not match its checksums; the event file must be read again."""


class IndexMap:
    """An index file mapped into memory."""

    def __init__(self, path: Path):
        self.path = path
        with path.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size < HEADER_BYTES:
                raise IndexDamaged("the index has no header", where=str(path))
            self.view = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def column(self, offset: int, count: int, dtype: Any) -> NDArray[Any]:
        if offset < HEADER_BYTES or offset + count * np.dtype(dtype).itemsize > len(self.view):
            raise IndexDamaged("a column lies outside of the index", where=str(self.path))
        return np.frombuffer(self.view, dtype, count, offset)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Points of one tag in the index."""

    offsets: tuple[int, int, int]
    count: int
    wide: bool
    crc: int
    map: IndexMap | None = field(default=None, compare=False)

    def load(self) -> tuple[Ints, Floats, Floats]:
        if self.map is None:
            raise IndexDamaged("a chunk of no index")
        step = self.map.column(self.offsets[0], self.count, np.int64)
        wall = self.map.column(self.offsets[1], self.count, np.float64)
        value = self.map.column(self.offsets[2], self.count, np.float64 if self.wide else np.float32)
        if crc32c(value.data, crc32c(wall.data, crc32c(step.data))) != self.crc:
            raise IndexDamaged("points do not match their checksum", where=str(self.map.path))
        return step, wall, value

    def row(self) -> list[Any]:
        return [*self.offsets, self.count, self.wide, self.crc]


@dataclass(slots=True)
class SlotSnapshot:
    """What is to be kept of one tag: chunks already in the index, points and blob rows that are not."""

    facts: dict[str, Any]
    chunks: list[Chunk]
    fresh: tuple[Ints, Floats, Floats] | None
    rows: NDArray[np.void]


@dataclass(slots=True)
class Snapshot:
    """What is to be kept of one event file."""

    path: str
    identity: FileIdentity
    tail_crc: int
    state: dict[str, Any]  # of the scan, without its slots
    slots: list[SlotSnapshot]


@dataclass(frozen=True, slots=True)
class Loaded:
    identity: FileIdentity
    tail_crc: int
    state: dict[str, Any]
    slots: list[Slot]
    stamp: bytes


def rewrite(stream: IO[bytes], snapshot: Snapshot) -> list[list[Chunk]]:
    """The whole index anew, one chunk a tag; a column at a time, so that memory stays small."""
    stream.write(bytes(HEADER_BYTES))
    chunks = []
    for slot in snapshot.slots:
        parts = [chunk.load() for chunk in slot.chunks] + ([slot.fresh] if slot.fresh is not None else [])
        chunks.append([_put_points(stream, parts)] if parts else [])
    _finish(stream, snapshot, chunks)
    return chunks


def append(stream: IO[bytes], snapshot: Snapshot) -> list[list[Chunk]]:
    """The new points behind the old ones. The stream holds the index the snapshot's chunks lie in."""
    stream.seek(0, os.SEEK_END)
    chunks = [
        slot.chunks + ([_put_points(stream, [slot.fresh])] if slot.fresh is not None else []) for slot in snapshot.slots
    ]
    _finish(stream, snapshot, chunks)
    return chunks


def _put(stream: IO[bytes], parts: list[NDArray[Any]], crc: int) -> tuple[int, int]:
    at = stream.tell()
    stream.write(bytes(-at % ALIGNMENT))
    at += -at % ALIGNMENT
    for part in parts:
        data = np.ascontiguousarray(part)
        crc = crc32c(data.data, crc)
        stream.write(data.data)
    return at, crc


def _put_points(stream: IO[bytes], parts: list[tuple[Ints, Floats, Floats]]) -> Chunk:
    wide = any(value.dtype == np.float64 for _, _, value in parts)
    kind = np.float64 if wide else np.float32
    step, crc = _put(stream, [p[0] for p in parts], 0)
    wall, crc = _put(stream, [p[1] for p in parts], crc)
    value, crc = _put(stream, [p[2].astype(kind, copy=False) for p in parts], crc)
    return Chunk((step, wall, value), sum(len(p[0]) for p in parts), wide, crc)


def _finish(stream: IO[bytes], snapshot: Snapshot, chunks: list[list[Chunk]]) -> None:
    slots = []
    for slot, mine in zip(snapshot.slots, chunks, strict=True):
        rows = None
        if len(slot.rows):
            at, crc = _put(stream, [slot.rows], 0)
            rows = [at, len(slot.rows), crc]
        slots.append({**slot.facts, "chunks": [chunk.row() for chunk in mine], "rows": rows})
    identity = snapshot.identity
    directory = json.dumps(
        {
            "path": snapshot.path, "inode": identity.inode, "device": identity.device,
            "prefix": [identity.prefix_length, identity.prefix_crc], "tail_crc": snapshot.tail_crc,
            "state": snapshot.state, "slots": slots,
        }, separators=(",", ":"),
    ).encode()  # fmt: skip
    at = stream.tell()
    stream.write(directory)
    stream.flush()
    header = _HEADER.pack(MAGIC, at, len(directory), crc32c(directory))
    stream.seek(0)
    stream.write(header + _CRC.pack(crc32c(header)))
    stream.flush()


def stamp_of(stream: IO[bytes]) -> bytes:
    """The header, which no two states of an index share."""
    stream.seek(0)
    return stream.read(HEADER_BYTES)


def load(path: Path, event_file: str) -> Loaded:
    """An index by its path. Raises IndexDamaged, or OSError when there is none."""
    index = IndexMap(path)
    view, size = index.view, len(index.view)
    if size < HEADER_BYTES or _CRC.unpack_from(view, _HEADER.size)[0] != crc32c(view[: _HEADER.size]):
        raise IndexDamaged("the header does not match its checksum", where=str(path))
    magic, at, length, crc = _HEADER.unpack_from(view, 0)
    if magic != MAGIC or at + length > size or length > MAX_DIRECTORY_BYTES:
        raise IndexDamaged("the directory is not where the header says", where=str(path))
    directory = view[at : at + length]
    if crc32c(directory) != crc:
        raise IndexDamaged("the directory does not match its checksum", where=str(path))
    told = json.loads(directory)
    if told["path"] != event_file:  # two paths with the same hash
        raise IndexDamaged("the index of another file", where=str(path))
    identity = FileIdentity(told["device"], told["inode"], *told["prefix"])
    slots = [_slot(row, index) for row in told["slots"]]
    state = told["state"]
    state["writer"] = state["writer"].encode("latin-1")
    state["slots"] = [
        (s.tag, s.origin, s.metadata, row["total"], row["starts_seen"], row["wide"]) for s, row in zip(slots, told["slots"], strict=True)
    ]  # fmt: skip
    return Loaded(identity, told["tail_crc"], state, slots, view[:HEADER_BYTES])


def _slot(row: dict[str, Any], index: IndexMap) -> Slot:
    chunks: list[StoredPoints] = [
        Chunk((step, wall, value), count, wide, crc, index) for step, wall, value, count, wide, crc in row["chunks"]
    ]
    count = sum(chunk.count for chunk in chunks)
    points = PointColumns(
        count, row["unordered"], row["nan"], row["inf"], row["first_step"], row["last_step"],
        [(position, starts) for position, starts in row["marks"]], chunks, count, count,
    )  # fmt: skip
    metadata = None if row["metadata"] is None else row["metadata"].encode("latin-1")
    slot = Slot(row["tag"].encode("latin-1"), row["origin"], metadata, points, BlobColumns())
    if row["rows"] is not None:
        at, size, crc = row["rows"]
        rows = index.column(at, size, BLOB_ROW)
        if crc32c(rows.data) != crc:
            raise IndexDamaged("places of blobs do not match their checksum", where=str(index.path))
        slot.blobs.extend(rows)
        slot.blobs.stored = size
    return slot
