"""One event file, followed. In: a path. Out: its columns so far, and which tags got something new.

Reads only what was added; starts anew when the file was replaced (another inode, shorter, or another beginning).
Descriptors are open only while reading, so a thousand runs need no thousand descriptors.
Not here: runs of several files (`run`), threads (`collection`), the index on disk (`index`).
"""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from milepost._native.crc32c import crc32c
from milepost._native.scan import BAD_REASONS, EventScan
from milepost.store.columns import BlobColumns, PointColumns

__all__ = ["BadRecord", "FileFacts", "FileIdentity", "Slot", "Tail", "TailNews"]

PREFIX_BYTES = 4096  # the beginning of a file that tells whether it is still the same one
SEED = secrets.randbits(63)  # tags come from strangers: nobody may choose tags that collide


@dataclass(frozen=True, slots=True)
class BadRecord:
    """Bytes that were skipped."""

    file: str
    offset: int
    length: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: byte {self.offset}: {self.reason}, {self.length} bytes skipped"


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What says that a path still holds the file that was read."""

    device: int
    inode: int
    prefix_length: int
    prefix_crc: int


class TailNews(Enum):
    SAME = "same"
    GREW = "grew"
    REPLACED = "replaced"
    GONE = "gone"


@dataclass(slots=True)
class Slot:
    """One tag in one file: its scalar points, the places of its blobs, its metadata as written."""

    tag: bytes
    origin: int  # 0 a summary value, else the field of Event that held it
    metadata: bytes | None
    points: PointColumns = field(default_factory=PointColumns)
    blobs: BlobColumns = field(default_factory=BlobColumns)


Taken = Callable[[list[int], bool], object]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a scan knows besides its columns, copied out so that other threads may look while it goes on."""

    offset: int = 0
    truncated: bool = False
    records: int = 0
    bad_records: int = 0
    bad: tuple[tuple[int, int, int], ...] = ()
    starts: tuple[int, ...] = ()
    first_wall: float | None = None
    last_wall: float | None = None
    last_step: int | None = None
    stopped: bool = False
    file_version: int = 0


class Tail:
    """An event file being followed by one thread; others may look at `slots` and `facts` while they hold `lock`."""

    def __init__(self, path: str, lock: threading.RLock | None = None):
        self.path = path
        self.lock = lock or threading.RLock()
        self.error: str | None = None
        self.size = 0  # as of the last look
        self.mtime_ns = -1
        self.identity: FileIdentity | None = None
        self.generation = 0  # grows when the file was replaced
        self.reading = threading.Lock()  # held while the scan works; taken before `lock`, never after
        self.slots: list[Slot] = []
        self.facts = FileFacts()
        self._begin()

    def _begin(self) -> None:
        # what was read of the old file stays to be seen until something of the new one is there
        self._scan = EventScan(SEED)
        self._fresh = True
        self.rear = (0, 0)  # how far was read, and the crc of the last bytes before: a file may be rewritten in place

    def adopt(self, scan: EventScan, slots: list[Slot], identity: FileIdentity, rear_crc: int) -> None:
        """Go on from an index: `slots` is what was read up to the scan's offset."""
        with self.lock:
            self._scan, self.slots, self.identity, self._fresh = scan, slots, identity, False
            self.rear = (scan.offset, rear_crc)
            self.facts = _facts(scan)

    def start_anew(self) -> None:
        """The next `read` begins at the first byte."""
        with self.reading:
            self._begin()
            self.identity, self.size, self.mtime_ns = None, 0, -1
            self.generation += 1

    def scan_state(self) -> dict[str, Any] | None:
        """What the scan needs to go on elsewhere; only while `reading` is held. None while it has more than was taken."""
        settled = not self._fresh and self._scan.buffered == 0 and self._scan.slot_count == len(self.slots)
        return self._scan.state() if settled else None

    def look(self) -> TailNews:
        """Whether there is something to read, by stat alone."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return TailNews.GONE
        except OSError as error:
            self.error = error.strerror or str(error)
            return TailNews.SAME
        if self.identity is not None and (found.st_dev, found.st_ino) != (self.identity.device, self.identity.inode):
            return TailNews.REPLACED
        if found.st_size < self._scan.offset:
            return TailNews.REPLACED
        if (found.st_size, found.st_mtime_ns) == (self.size, self.mtime_ns):
            return TailNews.SAME
        return TailNews.GREW

    def read(self, limit: int | None = None, taken: Taken | None = None) -> tuple[TailNews, bool]:
        """Read what was added: (news, whether more waits because of `limit`).

        `taken(slots that got something, whether all slots are new)` is called while `lock` is still held, so that nobody
        sees slots that are not listed yet, or a list of slots that are gone.
        """
        with self.reading:
            return self._read(limit, taken)

    def _read(self, limit: int | None, taken: Taken | None) -> tuple[TailNews, bool]:
        news = self.look()
        if news in (TailNews.SAME, TailNews.GONE):
            return news, False
        try:
            # O_NONBLOCK: a named pipe called *tfevents* must not hang the reader
            fd = os.open(
                self.path,
                os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0),
            )
        except FileNotFoundError:
            return TailNews.GONE, False
        except OSError as error:
            self.error = error.strerror or str(error)
            return TailNews.SAME, False
        try:
            found = os.fstat(fd)
            if self.identity is not None and not self._still_same(fd, found):
                news = TailNews.REPLACED
            if news is TailNews.REPLACED:
                self._begin()
                self.identity = None
                self.generation += 1
            if self.identity is None or self.identity.prefix_length < min(PREFIX_BYTES, found.st_size):
                self.identity = _identify(fd, found)
            more = self._feed(fd, found.st_size, limit)
            if self._scan.offset != self.rear[0]:
                self.rear = (self._scan.offset, rear_crc(fd, self._scan.offset))
            if not more:
                self.size, self.mtime_ns = found.st_size, found.st_mtime_ns
            self.error = None
        except OSError as error:
            self.error = error.strerror or str(error)
            return TailNews.SAME, False
        finally:
            os.close(fd)
        self._take(taken)
        return news, more

    def _still_same(self, fd: int, found: os.stat_result) -> bool:
        known = self.identity
        assert known is not None
        if (found.st_dev, found.st_ino) != (known.device, known.inode) or found.st_size < self._scan.offset:
            return False
        if crc32c(_pread(fd, known.prefix_length, 0)) != known.prefix_crc:
            return False
        return rear_crc(fd, self.rear[0]) == self.rear[1]

    def _feed(self, fd: int, size: int, limit: int | None) -> bool:
        if sys.platform == "win32":  # no pread there
            with os.fdopen(os.dup(fd), "rb") as stream:
                stream.seek(0)
                return self._scan.feed_bytes(stream.read(size))
        return self._scan.feed(fd, size) if limit is None else self._scan.feed(fd, size, limit)

    def _take(self, taken: Taken | None) -> None:
        with self.lock:
            fresh, self._fresh = self._fresh, False
            if fresh:
                self.slots = []
            changed = self._drain()
            if taken is not None:
                taken(changed, fresh)

    def _drain(self) -> list[int]:
        self.facts = _facts(self._scan)
        for tag, origin, metadata in self._scan.slots(len(self.slots)):
            self.slots.append(Slot(tag, origin, metadata))
        changed = []
        for index, points, blobs in self._scan.drain():
            slot = self.slots[index]
            if slot.metadata is None:
                slot.metadata = self._scan.metadata(index)
            if points is not None:
                slot.points.append(points)
            if blobs is not None:
                slot.blobs.append(blobs)
            changed.append(index)
        return changed

    @property
    def heap_bytes(self) -> int:
        """Memory the columns take, what is only mapped left out."""
        with self.lock:
            return sum(slot.points.heap_bytes for slot in self.slots)

    @property
    def from_index(self) -> bool:
        """Whether some of its points lie in an index."""
        with self.lock:
            return any(slot.points.chunks for slot in self.slots)

    @property
    def truncated_at(self) -> int | None:
        """Where the understood bytes end, when more bytes follow them."""
        return self.facts.offset if self.facts.truncated else None

    @property
    def bad(self) -> list[BadRecord]:
        return [BadRecord(self.path, offset, length, BAD_REASONS[reason]) for offset, length, reason in self.facts.bad]


def _facts(scan: EventScan) -> FileFacts:
    records, bad_records, _ = scan.counts
    first_wall, last_wall, last_step = scan.extent
    return FileFacts(
        scan.offset, scan.truncated, records, bad_records, tuple(scan.bad), tuple(step for step, _, _ in scan.sessions),
        first_wall, last_wall, last_step, scan.stopped, scan.file_version,
    )  # fmt: skip


def _pread(fd: int, size: int, at: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(fd, size, at)
    os.lseek(fd, at, os.SEEK_SET)
    return os.read(fd, size)


def rear_crc(fd: int, offset: int) -> int:
    """Of the last bytes before `offset`."""
    size = min(offset, PREFIX_BYTES)
    return crc32c(_pread(fd, size, offset - size)) if size else 0


def _identify(fd: int, found: os.stat_result) -> FileIdentity:
    prefix = _pread(fd, min(PREFIX_BYTES, found.st_size), 0)
    return FileIdentity(found.st_dev, found.st_ino, len(prefix), crc32c(prefix))
