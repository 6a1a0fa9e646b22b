"""When the index is used and written. In: tails. Out: tails that need not read their files again; index files.

A cache directory that is read-only, full or gone, and an index that is damaged or of another file, cost time, never data:
`off_because` says why nothing is kept. Writing happens in one thread of its own; `save_later` starts it, `wait` ends it.
Not here: the format (`index`).
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from milepost._native.crc32c import crc32c
from milepost._native.scan import EventScan
from milepost.storage.cache import cache_directory, exclusively, keep_alive, prune, replacing
from milepost.store import index
from milepost.store.columns import StoredPoints
from milepost.store.index import Chunk, IndexDamaged, IndexMap, SlotSnapshot, Snapshot
from milepost.store.tail import SEED, Tail, rear_crc

__all__ = ["Cache"]

WORTH_BYTES = 256 << 10  # reading less than this again is as fast as looking into an index
MORE_BYTES = 4 << 20  # of a growing file, before its index is extended
KEEP_DAYS = 60  # an index nobody looked at, perhaps of a log that is long gone
MAX_CHUNKS = 8  # of a tag, before the index is written anew in one piece


class Cache:
    """The indexes of one collection's files."""

    def __init__(self, root: Path | None = None):
        self.root = root or cache_directory("index")
        self.off_because = ""
        self._saved: dict[Tail, tuple[int, int, bytes]] = {}  # tail -> (generation, offset, stamp of its index)
        self._writer: threading.Thread | None = None

    def place(self, path: str) -> Path:
        """Where the index of an event file lies."""
        name = hashlib.blake2b(os.path.realpath(path).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        return self.root / name[:2] / f"{name[2:]}.mpi"

    def restore(self, tail: Tail) -> bool:
        """Fill a new tail from its index, if that is whole and of this very file."""
        place = self.place(tail.path)
        try:
            loaded = index.load(place, os.path.realpath(tail.path))
            if not _still(tail.path, loaded):
                return False
            scan = EventScan.resume(loaded.state, SEED)
        except FileNotFoundError:
            return False
        except (OSError, IndexDamaged, ValueError, KeyError, TypeError):  # JSON of another version, or nonsense
            return False
        keep_alive(place)
        tail.adopt(scan, loaded.slots, loaded.identity, loaded.tail_crc)
        self._saved[tail] = (tail.generation, scan.offset, loaded.stamp)
        return True

    def forget(self, tail: Tail) -> None:
        """Its index is damaged: it goes."""
        self._saved.pop(tail, None)
        try:
            self.place(tail.path).unlink(missing_ok=True)
        except OSError:
            pass  # read-only: the same damage will be found, and read around, next time

    def due(self, tail: Tail) -> bool:
        """Whether enough was read since the index was written."""
        generation, offset, _ = self._saved.get(tail, (tail.generation, 0, b""))
        new = tail.facts.offset - (offset if generation == tail.generation else 0)
        return new >= (MORE_BYTES if offset else WORTH_BYTES)

    def save_later(self, tails: Iterable[Tail]) -> None:
        """Write the indexes that are due, in a thread of their own. The process waits for it when it ends."""
        due = [tail for tail in tails if self.due(tail)]
        if not due or self.off_because or (self._writer is not None and self._writer.is_alive()):
            return
        self._writer = threading.Thread(target=self._save_all, args=(due,), name="milepost-index")
        self._writer.start()

    def wait(self) -> None:
        """Until the writing in progress has ended."""
        if self._writer is not None:
            self._writer.join()

    def _save_all(self, tails: list[Tail]) -> None:
        prune(self.root, "*.mpi", KEEP_DAYS)
        for tail in tails:
            if not self.save(tail):
                return

    def save(self, tail: Tail, *, settle: bool = False, whole: bool = False) -> bool:
        """Write what is not in the index yet; with `settle` the columns then live on disk, not in memory.

        False, with `off_because` set, when the cache directory does not take it.
        """
        try:
            snapshot, generation = self._snapshot(tail)
            if snapshot is None:
                return True
            self._write(tail, snapshot, generation, settle, whole)
        except IndexDamaged:
            self.forget(tail)
        except OSError as error:
            self.off_because = f"{self.root}: {error.strerror or error}"
            return False
        return True

    def _snapshot(self, tail: Tail) -> tuple[Snapshot | None, int]:
        with tail.reading, tail.lock:
            if tail.identity is None:
                return None, 0
            state = tail.scan_state()
            if state is None:
                return None, 0
            slots = []
            for slot, row in zip(tail.slots, state.pop("slots"), strict=True):
                points = slot.points
                facts = {
                    "tag": slot.tag.decode("latin-1"), "origin": slot.origin,
                    "metadata": None if slot.metadata is None else slot.metadata.decode("latin-1"),
                    "unordered": points.unordered, "nan": points.nan, "inf": points.inf, "marks": list(points.marks),
                    "first_step": points.first_step, "last_step": points.last_step,
                    "total": row[3], "starts_seen": row[4], "wide": row[5],
                }  # fmt: skip
                chunks = [chunk for chunk in points.chunks if isinstance(chunk, Chunk)]
                fresh = points.since(points.stored) if points.count > points.stored else None
                slots.append(SlotSnapshot(facts, chunks, fresh, slot.blobs.rows))
            state["writer"] = state["writer"].decode("latin-1")
            return Snapshot(os.path.realpath(tail.path), tail.identity, tail.rear[1], state, slots), tail.generation

    def _write(self, tail: Tail, snapshot: Snapshot, generation: int, settle: bool, whole: bool) -> None:
        place = self.place(tail.path)
        chunks: list[list[Chunk]] | None = None
        saved = self._saved.get(tail)
        crowded = max((len(slot.chunks) for slot in snapshot.slots), default=0) >= MAX_CHUNKS
        if saved is not None and saved[0] == generation and not crowded and not whole:
            chunks, stamp = self._extend(place, snapshot, saved[2])
        if chunks is None:
            with replacing(place) as stream:
                chunks = index.rewrite(stream, snapshot)
                stamp = _read_stamp(stream)
        mapped = IndexMap(place)
        with tail.lock:
            if tail.generation != generation:
                return
            self._saved[tail] = (generation, snapshot.state["offset"], stamp)
            for slot, mine in zip(tail.slots, chunks, strict=False):
                ready: list[StoredPoints] = [replace(chunk, map=mapped) for chunk in mine]
                if settle:
                    slot.points.settle(ready)
                else:
                    slot.points.chunks, slot.points.stored = ready, sum(chunk.count for chunk in ready)

    def _extend(self, place: Path, snapshot: Snapshot, stamp: bytes) -> tuple[list[list[Chunk]] | None, bytes]:
        """Append to the index, if it is still the one these chunks lie in and nobody else writes it."""
        try:
            with exclusively(place) as stream:
                if stream is None or index.stamp_of(stream) != stamp:
                    return None, b""
                size = stream.seek(0, os.SEEK_END)
                try:
                    return index.append(stream, snapshot), _read_stamp(stream)
                except OSError:
                    stream.truncate(size)  # a full disk: the old directory is still there and whole
                    raise
        except FileNotFoundError:
            return None, b""


def _read_stamp(stream: object) -> bytes:
    name = getattr(stream, "name")  # noqa: B009 - a raw IO has a name, its type does not say so
    with open(name, "rb") as reader:
        return reader.read(index.HEADER_BYTES)


def _still(path: str, loaded: index.Loaded) -> bool:
    """Whether the event file is the one the index was made of, perhaps longer by now."""
    offset, identity = loaded.state["offset"], loaded.identity
    with open(path, "rb") as stream:
        found = os.fstat(stream.fileno())
        if found.st_ino != identity.inode or found.st_dev != identity.device or found.st_size < offset:
            return False
        if crc32c(stream.read(identity.prefix_length)) != identity.prefix_crc:
            return False
        return rear_crc(stream.fileno(), offset) == loaded.tail_crc
