"""A file that grows, shrinks and is replaced by a script. In: a list of acts. Out: the file after each `step()`.

Readers of live files fail between two writes, where tests rarely look; here every moment is one step.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from milepost.types import PathLike

__all__ = ["ScriptedFile"]


class ScriptedFile:
    """A scripted file; each method adds an act, `step` performs the next one.

    >>> file = ScriptedFile(path).append(b"abc").append(b"def", pieces=3).replace(b"new")  # doctest: +SKIP
    >>> while file.step(): ...  # doctest: +SKIP
    """

    def __init__(self, path: PathLike):
        self.path = Path(path)
        self._acts: list[tuple[str, bytes | int]] = []
        self._next = 0

    def append(self, data: bytes, pieces: int = 1) -> Self:
        """Write `data` at the end, in so many steps."""
        size = max(1, -(-len(data) // pieces))
        self._acts += [("append", data[i : i + size]) for i in range(0, len(data), size)]
        return self

    def truncate(self, size: int) -> Self:
        """Cut the file, in place."""
        self._acts.append(("truncate", size))
        return self

    def replace(self, data: bytes) -> Self:
        """Put another file in its place, as rsync does: a new inode."""
        self._acts.append(("replace", data))
        return self

    def overwrite(self, data: bytes) -> Self:
        """Other content in the same inode, as `rsync --inplace` does."""
        self._acts.append(("overwrite", data))
        return self

    def delete(self) -> Self:
        self._acts.append(("delete", 0))
        return self

    def step(self) -> bool:
        """Perform the next act; False when there was none left."""
        if self._next == len(self._acts):
            return False
        act, what = self._acts[self._next]
        self._next += 1
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if act == "append":
            assert isinstance(what, bytes)
            with self.path.open("ab") as stream:
                stream.write(what)
        elif act == "truncate":
            assert isinstance(what, int)
            os.truncate(self.path, what)
        elif act == "replace":
            assert isinstance(what, bytes)
            beside = self.path.with_name(f".{self.path.name}.new")
            beside.write_bytes(what)
            beside.rename(self.path)
        elif act == "overwrite":
            assert isinstance(what, bytes)
            self.path.write_bytes(what)
        else:
            self.path.unlink()
        return True

    def steps(self) -> Iterator[int]:
        """Perform all acts, yielding after each."""
        while self.step():
            yield self._next
