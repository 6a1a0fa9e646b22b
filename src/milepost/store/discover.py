"""Which runs there are. In: a log directory, or several with names. Out: run name -> its event files.

A run is a directory that holds files with `tfevents` in their name; its name is its path below the log directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from milepost.storage.walk import Listings, walk
from milepost.types import PathLike

__all__ = ["Confined", "Roots", "discover", "file_order", "roots_of"]

Roots = dict[str, str]  # prefix ("" for a single log directory) -> path

_STAMP = re.compile(r"tfevents\.(\d+)")


def roots_of(logdir: PathLike | Mapping[str, PathLike]) -> Roots:
    if isinstance(logdir, Mapping):
        return {name: os.fspath(path) for name, path in logdir.items()}
    return {"": os.fspath(logdir)}


def is_event_file(name: str) -> bool:
    # a leading dot: what rsync and others write before it gets its name
    return "tfevents" in name and not name.endswith(".profile-empty") and not name.startswith(".")


class Confined:
    """Whether a path lies inside its log directory when links are followed; each path is asked about once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], bool] = {}

    def __call__(self, root: str, path: str) -> bool:
        found = self._known.get((root, path))
        if found is None:
            top = os.path.realpath(root)
            found = self._known[root, path] = os.path.realpath(path).startswith(os.path.join(top, ""))
        return found


def discover(roots: Roots, listings: Listings | None = None, confined: Confined | None = None) -> dict[str, list[str]]:
    """Run name -> paths; a root that does not exist (yet) has no runs. `listings` makes a repeated look cheap.

    With `confined`, files that a link leads to outside the log directory are left out.
    """
    runs: dict[str, list[str]] = {}
    for prefix, root in roots.items():
        if os.path.isfile(root):  # a single event file is a run, too
            runs.setdefault(prefix or ".", []).append(root)
            continue
        for name, paths in walk(root, is_event_file, listings):
            if confined is not None:
                paths = [path for path in paths if confined(root, path)]
                if not paths:
                    continue
            run = name if not prefix else prefix if name == "." else f"{prefix}/{name}"
            runs.setdefault(run, []).extend(paths)
    return runs


def file_order(path: str, first_wall: float | None) -> tuple[int, float, str]:
    """Sorts the files of a run in the order they were begun: by the time in the name, then by the first event."""
    name = os.path.basename(path)
    stamp = _STAMP.search(name)
    return (int(stamp[1]) if stamp else 1 << 62, float("inf") if first_wall is None else first_wall, name)
