"""Files of the user's cache directory: where they lie, how one is replaced, who may write it. Nothing here may fail a caller:
a cache that cannot be written only costs time, so every trouble is an OSError the caller can drop.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["cache_directory", "exclusively", "replacing"]


def cache_directory(*parts: str) -> Path:
    """`$MILEPOST_CACHE`, else the platform's place for caches (`$XDG_CACHE_HOME/milepost`), not created."""
    told = os.environ.get("MILEPOST_CACHE")
    if told:
        return Path(told).joinpath(*parts)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base.joinpath("milepost", *parts)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `path` when the block ends well, and leaves nothing when it does not."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with beside.open("xb") as stream:
            yield stream
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def exclusively(path: Path) -> Iterator[IO[bytes] | None]:
    """`path` opened for reading and writing with a lock that no other process has; None when another one has it."""
    with path.open("r+b") as stream:
        try:
            import fcntl
        except ImportError:  # Windows refuses a second writer by itself
            yield stream
            return
        try:
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield None
            return
        yield stream  # closing the file gives the lock back
