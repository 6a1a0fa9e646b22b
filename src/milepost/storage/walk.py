"""Which files lie under a directory. In: a root and a test of names. Out: paths, grouped by directory. Opens nothing.

Symbolic links are followed, each real directory once, so that a link to its own parent is no endless walk.
A walk that is repeated lists only the directories that changed since: `Listings` remembers the others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["Listings", "walk"]

SETTLED_NS = 2_000_000_000  # a directory changed within this may change again without a later time stamp


@dataclass(frozen=True, slots=True)
class Listing:
    """What was in a directory."""

    mtime_ns: int
    found: tuple[str, ...]  # paths of wanted files
    below: tuple[tuple[str, str], ...]  # (path, name) of directories


Listings = dict[str, Listing]


def walk(
    root: str, wanted: Callable[[str], bool], listings: Listings | None = None, max_depth: int = 64
) -> Iterator[tuple[str, list[str]]]:
    """(directory relative to root, with "/" between parts and "." for root; paths of wanted files in it), sorted.

    A directory that cannot be listed, or goes away meanwhile, is left out: a board must not fall over a lost folder.
    """
    seen: set[tuple[int, int]] = set()
    pending = [(root, ".", 0)]
    while pending:
        path, name, depth = pending.pop()
        try:
            here = os.stat(path)
            known = None if listings is None else listings.get(path)
            if known is None or known.mtime_ns != here.st_mtime_ns:
                known = _list(path, here.st_mtime_ns, wanted, listings)
        except OSError:
            continue
        if (here.st_dev, here.st_ino) in seen and here.st_ino:
            continue
        seen.add((here.st_dev, here.st_ino))
        if depth < max_depth:
            pending += [(p, n if name == "." else f"{name}/{n}", depth + 1) for p, n in reversed(known.below)]
        if known.found:
            yield name, list(known.found)


def _list(path: str, mtime_ns: int, wanted: Callable[[str], bool], listings: Listings | None) -> Listing:
    found, below, lasting = [], [], True
    with os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            # a name is cheaper than a stat: files are taken by name, directories need to be known as such
            if wanted(entry.name):
                found.append(entry.path)
                continue
            # what a link points to may become a directory without any trace here
            lasting &= not entry.is_symlink()
            if _is_directory(entry):
                below.append((entry.path, entry.name))
    listing = Listing(mtime_ns, tuple(found), tuple(below))
    if listings is not None:
        if lasting and time.time_ns() - mtime_ns > SETTLED_NS:
            listings[path] = listing
        else:
            listings.pop(path, None)
    return listing


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
