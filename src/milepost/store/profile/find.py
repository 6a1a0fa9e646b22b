"""Which captures lie under a log directory. In: roots. Out: `Capture`s, newest first. Opens nothing."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from milepost.storage.walk import walk
from milepost.store.discover import Roots

__all__ = ["Capture", "CaptureFile", "find", "is_trace_name", "one"]

# the same measurement twice: what we merged ourselves first, then the fuller of an engine's own two files
_PREFERENCE = (
    ".trace.json.gz",
    ".xplane.pb",
    ".pt.trace.json.gz",
    ".pt.trace.json",
    ".trace.json",
    ".json.gz",
    ".json",
)
_NAMES = re.compile(r"\.(?:trace\.json|pt\.trace\.json|trace\.json\.gz|xplane\.pb)(?:\.gz)?$")
_SESSION = re.compile(r"^(?P<run>.*?)/?plugins/profile/(?P<name>[^/]+)$")


@dataclass(frozen=True, slots=True)
class CaptureFile:
    name: str
    path: str
    bytes: int
    kind: str  # "trace" or "xplane"


@dataclass(frozen=True, slots=True)
class Capture:
    """One machine's view of one capture."""

    id: str  # the shown file, relative to the log directory: never changes
    run: str
    name: str  # the session's folder, or the file
    host: str
    wall: float  # when it was written
    files: tuple[CaptureFile, ...]  # the one to show first


def is_trace_name(name: str) -> bool:
    return _NAMES.search(name) is not None


def _host(name: str) -> str:
    return _NAMES.sub("", name)


def find(roots: Roots) -> list[Capture]:
    """All captures, newest first."""
    found: list[Capture] = []
    for prefix, root in roots.items():
        for folder, paths in walk(root, is_trace_name):
            place = folder if not prefix else prefix if folder == "." else f"{prefix}/{folder}"
            by_host: dict[str, list[CaptureFile]] = {}
            newest: dict[str, float] = {}
            for path in paths:
                try:
                    about = os.stat(path)
                except OSError:
                    continue
                name = os.path.basename(path)
                kind = "xplane" if ".xplane.pb" in name else "trace"
                by_host.setdefault(_host(name), []).append(CaptureFile(name, path, about.st_size, kind))
                newest[_host(name)] = max(newest.get(_host(name), 0.0), about.st_mtime)
            for host, files in by_host.items():
                found.append(_capture(place, host, files, newest[host]))
    return sorted(found, key=lambda capture: (-capture.wall, capture.id))


def _capture(place: str, host: str, files: list[CaptureFile], wall: float) -> Capture:
    session = _SESSION.match(place)
    run, name = (session["run"] or ".", session["name"]) if session else (place, host)
    # TensorFlow's and jax's own trace.json.gz holds at most a million events; the XPlane beside it holds all. Ours is
    # merged from everything and stands beside an XPlane only when jax took part: `load` looks inside to tell.
    ordered = sorted(files, key=lambda f: next((i for i, end in enumerate(_PREFERENCE) if f.name.endswith(end)), 99))
    shown = ordered[0].name
    return Capture(shown if place == "." else f"{place}/{shown}", run, name, host, wall, tuple(ordered))


def one(path: str) -> Capture:
    """A single file as a capture, for the command line."""
    name = os.path.basename(path)
    about = os.stat(path)
    kind = "xplane" if ".xplane.pb" in name else "trace"
    return Capture(name, ".", _host(name), _host(name), about.st_mtime, (CaptureFile(name, path, about.st_size, kind),))
