"""One new file, written front to back or at given places. In: bytes. Out: a durable file under its name, or none.

For libraries that want a file object (zipfile, torch.save). Not here: what the bytes mean.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

from milepost.storage import Storage, WriteFile
from milepost.train.commit import temporary

__all__ = ["Stream", "Window", "written"]


class Stream(io.RawIOBase):
    """A write-only, unseekable view of a file that is being made."""

    def __init__(self, file: WriteFile):
        self._file, self._at = file, 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        if view.nbytes:
            self._file.write([self._at], [view.nbytes], [view])
            self._at += view.nbytes
        return view.nbytes


class Window(io.RawIOBase):
    """A mapped file, as the seekable file object that zipfile wants."""

    def __init__(self, data: memoryview):
        self._data, self._at = data, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._data)}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        part = self._data[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


def written(storage: Storage, path: str, fill: Callable[[WriteFile], None], size: int = 0) -> None:
    """Let `fill` write a new file; it gets its name once it is whole and on disk."""
    storage.make_directory(os.path.dirname(path) or ".")
    file = storage.create(temporary(path), size)
    try:
        try:
            fill(file)
            file.sync()
        finally:
            file.close()
        storage.replace(file.path, path)
    except BaseException:
        storage.remove(file.path)
        raise
    storage.sync_directory(os.path.dirname(path) or ".")
