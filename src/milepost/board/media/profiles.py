"""Captured profiles. In: `plugins/profile/…` folders inside runs and torch's trace files. Out: their list, and one file's bytes. Nothing is parsed here.

Addresses name a capture and a file that a listing found: no path from a request is ever opened.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from milepost.board.http.envelope import ApiError, answer
from milepost.board.live import Live, nearest
from milepost.storage.walk import walk

__all__ = ["profile", "profiles"]

KINDS = (
    (".xplane.pb", "xplane"),
    (".trace.json.gz", "trace"),
    (".trace.json", "trace"),
    (".milepost.json", "milepost"),
    (".milepost.json.gz", "milepost"),
)
FOLDER = "plugins/profile/"


@dataclass(frozen=True, slots=True)
class Capture:
    run: str
    name: str
    files: tuple[Path, ...]


def kind_of(name: str) -> str | None:
    return next((kind for suffix, kind in KINDS if name.endswith(suffix)), None)


def captures(live: Live) -> list[Capture]:
    runs, found = set(live.run_ids()), []
    for root, path in live.options.roots:
        inside = os.path.realpath(path)
        for folder, paths in walk(path, lambda name: kind_of(name) is not None):
            # a link inside the logdir must not lend out files from beyond it
            files = tuple(Path(p) for p in paths if os.path.realpath(p).startswith(inside + os.sep))
            if not files:
                continue
            before, mark, name = f"{folder}/".partition(FOLDER) if FOLDER in f"{folder}/" else (folder, "", "")
            name = name.strip("/")
            run = nearest(runs, root, before.strip("/") or ".")
            found.append(Capture(run, name if mark and name else ".", files))
    return found


def profiles(live: Live, request: Request) -> Response:
    listing = []
    for one in captures(live):
        files = [{"name": p.name, "bytes": p.stat().st_size, "kind": kind_of(p.name)} for p in one.files if p.exists()]
        wall = max((p.stat().st_mtime for p in one.files if p.exists()), default=0.0)
        listing.append({"run": one.run, "name": one.name, "files": files, "wall": wall})
    return answer(request, {"profiles": listing}, live.cursor)


def profile(live: Live, request: Request) -> Response:
    run, name, file = (request.query_params.get(key) for key in ("run", "name", "file"))
    for one in captures(live):
        if one.run == run and one.name == name:
            for path in one.files:
                if file is None or path.name == file:
                    headers: dict[str, Any] = {
                        "Content-Disposition": f'attachment; filename="{path.name}"',
                        "Content-Security-Policy": "default-src 'none'; sandbox",
                    }
                    return FileResponse(path, media_type="application/octet-stream", headers=headers)
    raise ApiError(
        "not_found", f"no profile {name!r} in run {run!r}", where=name, todo="see api/profiles for those there are"
    )
