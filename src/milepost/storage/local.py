"""This machine's disks. In: paths. Out: files, with every promise of `protocol` kept by fsync, rename and flock.

Every OSError leaves as a StorageError that says what was being done to which file.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from milepost._native.tensorio import TensorJob
from milepost.errors import FormatError, StorageError, UsageError
from milepost.storage.protocol import Bytes, Durability
from milepost.storage.transfer import failure, run

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: no advisory locks on directories; renames stay atomic
    fcntl = None

__all__ = ["LocalStorage"]

# Errors that mean "this file system cannot do that", not "that went wrong".
_UNSUPPORTED = {errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.ENOTTY, errno.EPERM}


@contextlib.contextmanager
def _said(path: str, doing: str) -> Iterator[None]:
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        raise failure(error, path, doing) from None


class _Writing:
    """A file being written. It is locked, so that others can tell it from what a dead process left."""

    def __init__(self, path: str, size: int, durable: bool):
        self.path = path
        self._durable = durable
        with _said(path, "create the file"):
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            with _said(path, f"reserve {size:,} bytes"):
                _lock(self._fd, wait=False)
                if size:
                    _reserve(self._fd, size)
        except BaseException:
            self.close()
            os.unlink(path)
            raise

    def write(self, offsets: list[int], sizes: list[int], data: Sequence[Bytes]) -> list[int]:
        job = TensorJob(self._fd, offsets, sizes, data, True)
        run(job, self.path, doing="write")
        return job.crcs()

    def sync(self) -> None:
        if self._durable:
            with _said(self.path, "sync"):
                os.fsync(self._fd)

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            with _said(self.path, "close"):
                os.close(fd)


class _Reading:
    def __init__(self, path: str):
        self.path = path
        with _said(path, "open"):
            self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
            self.size = os.fstat(self._fd).st_size

    def checksum(self, offsets: list[int], sizes: list[int]) -> list[int]:
        job = TensorJob(self._fd, offsets, sizes, None, False)
        run(job, self.path, doing="read")
        return job.crcs()

    def read(self, offset: int, size: int) -> np.ndarray[Any, Any]:
        data = np.empty(size, np.uint8)
        run(TensorJob(self._fd, [offset], [size], [data], False, False), self.path, doing="read")
        return data

    def read_into(self, offsets: list[int], sizes: list[int], data: Sequence[Bytes]) -> None:
        run(TensorJob(self._fd, offsets, sizes, data, False, False), self.path, doing="read")

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)

    def __del__(self) -> None:
        self.close()


class LocalStorage:
    """Files on a local (or mounted) file system."""

    def __init__(self, durability: Durability = "full"):
        if durability not in ("full", "fast"):
            raise UsageError("no such durability", got=durability, want="full | fast")
        self.durability: Durability = durability

    def make_directory(self, path: str) -> None:
        with _said(path, "make the directory"):
            missing = []
            at = os.path.abspath(path)
            while not os.path.isdir(at):
                missing.append(at)
                at = os.path.dirname(at)
            os.makedirs(path, exist_ok=True)
        for made in missing:  # a new directory is itself an entry that a power cut can take
            self.sync_directory(os.path.dirname(made))

    def create(self, path: str, size: int = 0) -> _Writing:
        if size:
            with _said(path, "look at the free space"):
                free = shutil.disk_usage(os.path.dirname(path) or ".").free
            if size > free:
                error = StorageError(
                    "not enough free space", where=path, got=f"{free:,} bytes", want=f"{size:,}",
                    todo="free some space or save elsewhere; earlier checkpoints are untouched",
                )  # fmt: skip
                error.errno = errno.ENOSPC
                raise error
        return _Writing(path, size, self.durability == "full")

    def read(self, path: str, limit: int) -> bytes:
        with _said(path, "read"), open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                raise FormatError("far too large to be what its name says", where=path, got=size, want=f"≤ {limit}")
            return file.read(size)

    def map(self, path: str) -> memoryview:
        with _said(path, "map"), open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return memoryview(b"")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def open(self, path: str) -> _Reading:
        return _Reading(path)

    def replace(self, source: str, target: str) -> None:
        with _said(target, "rename a file to this name"):
            os.replace(source, target)

    def claim(self, source: str, target: str) -> bool:
        with _said(target, "rename a file to this name"):
            if os.path.lexists(target):
                return False
            os.rename(source, target)  # one step; between the look and the rename the caller's lock keeps others out
            return True

    def link(self, source: str, target: str) -> None:
        with _said(target, "link"):
            try:
                os.link(source, target)
            except OSError as error:
                if error.errno not in _UNSUPPORTED | {errno.EXDEV, errno.EMLINK}:
                    raise
                shutil.copyfile(source, target)
                if self.durability == "full":
                    with open(target, "rb") as file:
                        os.fsync(file.fileno())

    def remove(self, path: str) -> None:
        with _said(path, "remove"):
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass  # somebody else was faster; it is gone, as wanted

    def names(self, directory: str) -> list[str]:
        with _said(directory, "list the directory"):
            try:
                return sorted(os.listdir(directory or "."))
            except (FileNotFoundError, NotADirectoryError):
                return []

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def modified(self, path: str) -> float:
        with _said(path, "look at"):
            return os.stat(path).st_mtime

    def sync_directory(self, path: str) -> None:
        if self.durability != "full" or fcntl is None:
            return
        with _said(path, "sync the directory"):
            fd = os.open(path or ".", os.O_RDONLY)
            try:
                os.fsync(fd)
            except OSError as error:
                if error.errno not in _UNSUPPORTED:
                    raise
            finally:
                os.close(fd)

    @contextlib.contextmanager
    def locked(self, directory: str) -> Iterator[None]:
        if fcntl is None:
            yield
            return
        with _said(directory, "lock the directory"):
            fd = os.open(directory or ".", os.O_RDONLY)
        try:
            _lock(fd, wait=True)
            yield
        finally:
            os.close(fd)

    def abandoned(self, path: str) -> bool:
        try:
            fd = os.open(path, os.O_RDONLY)
        except OSError:
            return False
        try:
            return _lock(fd, wait=False)
        finally:
            os.close(fd)


def _lock(fd: int, *, wait: bool) -> bool:
    """Take the advisory lock of an open file; False when another process has it, or the file system knows no locks."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno in _UNSUPPORTED | {errno.EWOULDBLOCK, errno.ENOLCK}:
            return False
        raise
    return True


def _reserve(fd: int, size: int) -> None:
    """Have the blocks before the bytes: a full disk is noticed first, and parallel writers need not extend the file."""
    try:
        os.posix_fallocate(fd, 0, size)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        os.ftruncate(fd, size)
    except AttributeError:  # not on every system
        os.ftruncate(fd, size)
