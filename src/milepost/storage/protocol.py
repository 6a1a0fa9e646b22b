"""What a place for files must be able to do. In: paths. Out: open files, listings, promises about crashes.

`local` is the one implementation here; an object store would be another. Durability is the storage's own setting: with
"full" a `sync` returns when a power cut can no longer take the bytes, with "fast" it returns at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

import numpy as np
from typing_extensions import Buffer

__all__ = ["Bytes", "Durability", "ReadFile", "Storage", "WriteFile"]

Durability = Literal["full", "fast"]
Bytes = Buffer | np.ndarray[Any, Any]  # numpy's stubs do not call arrays buffers before Python 3.12


class WriteFile(Protocol):
    """A new file that nobody else sees under its final name yet."""

    path: str

    def write(self, offsets: list[int], sizes: list[int], data: Sequence[Bytes]) -> list[int]:
        """Put tensors at their offsets; the crc32c of each."""

    def sync(self) -> None: ...

    def close(self) -> None: ...


class ReadFile(Protocol):
    """A file to read tensors from."""

    path: str
    size: int

    def checksum(self, offsets: list[int], sizes: list[int]) -> list[int]:
        """The crc32c of each span, in bounded memory."""

    def read(self, offset: int, size: int) -> np.ndarray[Any, Any]:
        """One span, in memory of its own."""

    def read_into(self, offsets: list[int], sizes: list[int], data: Sequence[Bytes]) -> None: ...

    def close(self) -> None: ...


class Storage(Protocol):
    durability: Durability

    def make_directory(self, path: str) -> None: ...

    def create(self, path: str, size: int = 0) -> WriteFile:
        """A new file; raises StorageError when `size` bytes do not fit."""

    def read(self, path: str, limit: int) -> bytes: ...

    def map(self, path: str) -> memoryview:
        """The file's bytes without reading them."""

    def open(self, path: str) -> ReadFile: ...

    def replace(self, source: str, target: str) -> None:
        """Rename; an existing target is replaced in one step."""

    def claim(self, source: str, target: str) -> bool:
        """Rename unless the target exists; whether it was done. Call it with the directory locked."""

    def link(self, source: str, target: str) -> None:
        """Another name for the same bytes, or a copy of them where that is not possible."""

    def remove(self, path: str) -> None:
        """Remove a file; one that is not there is fine."""

    def names(self, directory: str) -> list[str]:
        """File names in a directory, sorted; none when it does not exist."""

    def exists(self, path: str) -> bool: ...

    def modified(self, path: str) -> float: ...

    def sync_directory(self, path: str) -> None: ...

    def locked(self, directory: str) -> AbstractContextManager[None]:
        """Keep other processes that save into the directory out for a moment."""

    def abandoned(self, path: str) -> bool:
        """Whether the process that was creating this file is gone."""
