"""Files of the user's cache directory: where they lie, how one is replaced, who may write it. Nothing here may fail a caller:
a cache that cannot be written only costs time, so every trouble is an OSError the caller can drop.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["cache_directory", "exclusively", "keep_alive", "prune", "replacing"]

DAY = 86_400.0


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


def keep_alive(path: Path) -> None:
    """Say that a file was used, at most once a day."""
    try:
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)
    except OSError:
        pass  # a read-only cache: it is pruned by whoever owns it


def prune(directory: Path, pattern: str, days: float) -> int:
    """Delete the files nobody used for so many days; at most once a day. How many went."""
    stamp = directory / "pruned"
    try:
        if time.time() - stamp.stat().st_mtime < DAY:
            return 0
    except OSError:
        pass  # never done here
    gone = 0
    try:
        stamp.touch()
        for path in directory.rglob(pattern):
            if time.time() - path.stat().st_mtime > days * DAY:
                path.unlink(missing_ok=True)
                gone += 1
    except OSError:
        pass  # read-only, or another process prunes at the same time
    return gone
