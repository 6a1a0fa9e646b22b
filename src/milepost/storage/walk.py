"""Which files lie under a directory. In: a root and a test of names. Out: paths, grouped by directory. Opens nothing.

Symbolic links are followed, each real directory once, so that a link to its own parent is no endless walk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

__all__ = ["walk"]


def walk(root: str, wanted: Callable[[str], bool], max_depth: int = 64) -> Iterator[tuple[str, list[str]]]:
    """(directory relative to root, with "/" between parts and "." for root; paths of wanted files in it), sorted.

    A directory that cannot be listed, or goes away meanwhile, is left out: a board must not fall over a lost folder.
    """
    seen: set[tuple[int, int]] = set()
    pending = [(root, ".", 0)]
    while pending:
        path, name, depth = pending.pop()
        try:
            here = os.stat(path)
            entries = sorted(os.scandir(path), key=lambda e: e.name)
        except OSError:
            continue
        if (here.st_dev, here.st_ino) in seen and here.st_ino:
            continue
        seen.add((here.st_dev, here.st_ino))
        found, below = [], []
        for entry in entries:
            # a name is cheaper than a stat: files are taken by name, directories need to be known as such
            if wanted(entry.name):
                found.append(entry.path)
            elif depth < max_depth and _is_directory(entry):
                below.append((entry.path, entry.name if name == "." else f"{name}/{entry.name}", depth + 1))
        pending += reversed(below)
        if found:
            yield name, found


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
