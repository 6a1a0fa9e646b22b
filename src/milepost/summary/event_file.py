"""One event file, append-only. In: whole framed records. Out: bytes in a file that readers may watch.

A write that stops half way (disk full) is taken up again at the byte where it stopped, so a record is never torn by us.
A file that was deleted, or whose descriptor somebody closed, is followed by a new one beside it.
Not here: threads and buffers (`event_log`), what a record says (`formats.event`).
"""

from __future__ import annotations

import os
import socket
import struct
import time

from milepost.errors import StorageError
from milepost.formats.event import FILE_VERSION, Event, SessionLog, SessionStatus, SourceMetadata
from milepost.formats.record import OVERHEAD_BYTES, frame

__all__ = ["DEFAULT_SUFFIX", "EventFile"]

DEFAULT_SUFFIX = ".v2"  # what TensorFlow 2 appends
SOURCE = "milepost.summary"
_LENGTH = struct.Struct("<Q")

_opened = 0  # files opened by this process: part of their names
_newest = 0  # readers take the files of a run in the order of their names, also when the clock was set back


def _name(suffix: str) -> str:
    global _opened, _newest
    _newest = max(_newest, int(time.time()))
    # the counter is padded, because names are compared as text: 9 comes after 10
    name = f"events.out.tfevents.{_newest:010d}.{socket.gethostname()}.{os.getpid()}.{_opened:05d}{suffix}"
    _opened += 1
    return name


def _record_start(chunk: bytes, at: int) -> int:
    """Where the record begins that contains byte `at`."""
    begin = 0
    while begin < len(chunk):
        end = begin + _LENGTH.unpack_from(chunk, begin)[0] + OVERHEAD_BYTES
        if end > at:
            break
        begin = end
    return begin


class EventFile:
    """Opened, and holding its first record, as soon as it is made."""

    def __init__(self, directory: str, suffix: str = DEFAULT_SUFFIX):
        self._directory, self._suffix = directory, suffix
        # Where in the file the first of the chunks begins, and the chunks not yet wholly written, each starting with a record.
        # One tuple, replaced in one step, and how far a chunk has come is asked of the file: a Ctrl-C between any two
        # instructions neither loses nor repeats a byte.
        self._state: tuple[int, list[bytes]] = (0, [])
        self._fd = -1
        self._open()

    @property
    def waiting(self) -> list[bytes]:
        """Chunks of whole records to be written; `EventBuffer.take_into` adds to them."""
        return self._state[1]

    def _open(self) -> None:
        os.makedirs(self._directory, exist_ok=True)
        while True:  # containers share disks and pids: the name alone does not make a file ours, O_EXCL does
            path = os.path.join(self._directory, _name(self._suffix))
            try:
                fd = os.open(
                    path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
                )
                break
            except FileExistsError:
                continue
        status = os.fstat(fd)
        self.path, self._fd, self._identity = path, fd, (status.st_dev, status.st_ino)
        first = Event(wall_time=time.time(), file_version=FILE_VERSION, source_metadata=SourceMetadata(SOURCE))
        self._state = (0, [frame(first.encode()), *self._state[1]])
        self.push()

    def _written(self) -> int:
        """Bytes of the first chunk that are in the file."""
        start, chunks = self._state
        return min(max(os.fstat(self._fd).st_size - start, 0), len(chunks[0])) if chunks else 0

    def push(self) -> None:
        """Write the waiting chunks. An OSError leaves what is not written for the next call."""
        while self._state[1]:
            start, chunks = self._state
            done = self._written()
            if done < len(chunks[0]):
                os.write(self._fd, memoryview(chunks[0])[done:])
            else:
                self._state = (start + done, chunks[1:])

    def ours(self) -> bool:
        """Whether the descriptor still is this file, and the file still has a name."""
        try:
            status = os.fstat(self._fd)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._identity and status.st_nlink > 0

    def renew(self) -> None:
        """Go on in a new file, from the record that was not whole in the old one."""
        chunks = self.waiting
        if chunks:
            try:
                done = self._written()
            except OSError:
                done = 0
            chunks = [chunks[0][_record_start(chunks[0], done) :], *chunks[1:]]
        self.abandon()
        self._state = (0, chunks)
        self._open()

    def abandon(self) -> None:
        """Let go of the descriptor without writing."""
        fd, self._fd = self._fd, -1
        try:
            if fd >= 0 and (status := os.fstat(fd)) and (status.st_dev, status.st_ino) == self._identity:
                os.close(fd)  # a number that now means another file is not ours to close
        except OSError:
            pass

    def mark_end(self) -> None:
        """Let the next write end with a session's STOP: nothing follows on purpose. Boards show it; TensorBoard passes over it."""
        end = Event(wall_time=time.time(), session_log=SessionLog(SessionStatus.STOP))
        self.waiting.append(frame(end.encode()))

    def close(self) -> None:
        """Write what is left, then close. Raises StorageError if something could not be written."""
        try:
            self.push()
        except OSError as error:
            raise StorageError(
                f"the last summaries could not be written: {error.strerror}", where=self.path,
                todo="free space or choose another directory; everything before them is intact",
            ) from error  # fmt: skip
        finally:
            self.abandon()
