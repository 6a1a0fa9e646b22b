"""All files of a checkpoint, or none. In: a prefix. Out: a Transaction that ends in one rename, or leaves nothing behind.

Every step is noted before it is taken, because an exception (a signal handler's, too) may strike between any two lines:
what was noted and not done is harmless to undo. Not here: what the files hold (`write`, `incremental`).
"""

from __future__ import annotations

import os
import re
import secrets
import time
from types import TracebackType
from typing import Self

from milepost.storage import Storage, WriteFile

__all__ = ["INDEX", "Transaction", "sweep_abandoned", "temporary"]

INDEX = ".index"
ABANDONED_AFTER = 60.0  # seconds; a file younger than this may belong to a process that has not locked it yet
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")


def temporary(path: str) -> str:
    """A name beside `path` that no reader looks at."""
    directory, base = os.path.split(path)
    return os.path.join(directory, f".{base}.{secrets.token_hex(6)}.tmp")


class Transaction:
    """Files on their way to becoming the checkpoint `prefix`. Leaving it without `commit` removes them."""

    def __init__(self, storage: Storage, prefix: str):
        self.storage, self.prefix, self.directory = storage, prefix, os.path.dirname(prefix)
        self._open: list[WriteFile] = []
        self._temporary: list[str] = []
        self._moves: list[tuple[str, str]] = []  # (from, to): done if `from` is gone
        self._links: list[str] = []
        self._index: str | None = None  # noted right before the rename that commits

    def __enter__(self) -> Self:
        self.storage.make_directory(self.directory or ".")
        sweep_abandoned(self.storage, self.directory)
        return self

    def create(self, target: str, size: int = 0) -> WriteFile:
        """A temporary file that is to become `target`."""
        path = temporary(target)
        self._temporary.append(path)
        file = self.storage.create(path, size)
        self._open.append(file)
        return file

    def claim(self, file: WriteFile, target: str) -> bool:
        """Give a file its name, if nobody has it; the caller holds the directory's lock."""
        self._moves.append((file.path, target))
        if self.storage.claim(file.path, target):
            return True
        self._moves.pop()
        return False

    def link(self, source: str, target: str) -> None:
        """Share another checkpoint's file under a name of this one; the caller holds the directory's lock."""
        self._links.append(target)
        self.storage.link(source, target)

    def commit(self, index_bytes: bytes) -> None:
        """Put the index in place: from here on the checkpoint is there. The caller holds the directory's lock."""
        storage, target = self.storage, self.prefix + INDEX
        index = self.create(target)
        index.write([0], [len(index_bytes)], [index_bytes])
        index.sync()
        if storage.exists(target):
            # Replacing: the new data's name must be on disk before the new index can be.
            storage.sync_directory(self.directory)
        self._index = index.path
        storage.replace(index.path, target)
        storage.sync_directory(self.directory)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        storage = self.storage
        for file in self._open:
            file.close()
        if self._index is not None and not storage.exists(self._index):
            return  # committed
        # A name is taken back only if it is ours: its source is gone because it became it.
        for source, target in self._moves:
            if not storage.exists(source):
                storage.remove(target)
        for path in (*self._links, *self._temporary):
            storage.remove(path)


def sweep_abandoned(storage: Storage, directory: str) -> None:
    """Remove temporary files of processes that died."""
    for name in storage.names(directory):
        if _TEMPORARY.fullmatch(name):
            path = os.path.join(directory, name)
            try:
                old = time.time() - storage.modified(path) > ABANDONED_AFTER
            except OSError:
                continue  # it was just finished
            if old and storage.abandoned(path):
                storage.remove(path)
