"""What people say of runs: name, note, labels, hidden, trashed. In: edits. Out: a small JSON file in the logdir. Event files are never touched.

Two boards may serve one logdir: each edit is made on what the file holds at that moment, under the folder's lock, and the file is
replaced whole. A file that cannot be read is never overwritten.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from milepost.board.http.envelope import ApiError
from milepost.errors import MilepostError

if TYPE_CHECKING:
    from milepost.storage.protocol import Storage

__all__ = ["DEFAULTS", "SIDECAR", "Sidecar"]

SIDECAR = ".milepost/board.json"
FORMAT = 1
MAX_BYTES = 64 * 1024 * 1024
DEFAULTS: dict[str, Any] = {
    "name": None,
    "note": "",
    "labels": [],
    "hidden": False,
    "trashed": False,
    "pinned": False,
    "colour": None,
}
MAX_NAME, MAX_NOTE, MAX_LABELS, MAX_LABEL = 200, 20_000, 50, 100


def checked(key: str, value: Any) -> Any:
    """One field of an edit as it may be kept; None takes it back to its default."""
    if key not in DEFAULTS:
        raise ApiError(
            "bad_request", f"runs have no field {key!r}", where=key, todo=f"fields are {', '.join(DEFAULTS)}"
        )
    if value is None:
        return DEFAULTS[key]
    if key in ("hidden", "trashed", "pinned"):
        fits = isinstance(value, bool)
    elif key == "colour":
        fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 4096
    elif key == "labels":
        fits = (
            isinstance(value, list)
            and len(value) <= MAX_LABELS
            and all(isinstance(v, str) and 0 < len(v.strip()) <= MAX_LABEL for v in value)
        )
        value = list(dict.fromkeys(v.strip() for v in value)) if fits else value
    else:
        fits = isinstance(value, str) and len(value) <= (MAX_NAME if key == "name" else MAX_NOTE)
        value = (value.strip() or None) if fits and key == "name" else value
    if not fits:
        raise ApiError(
            "bad_request", f"{key} cannot be that", where=key, todo="see docs/reference/http-api.md, PATCH api/runs"
        )
    return value


class Sidecar:
    """The file of one logdir. Reads are from memory and follow the file's own changes; edits go through to it."""

    def __init__(self, root: Path, *, read_only: bool = False) -> None:
        self._root, self._path, self._read_only = root, root / SIDECAR, read_only
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._runs: dict[str, dict[str, Any]] = {}
        self.problem: str | None = None
        self.refresh()

    def get(self, run: str) -> Mapping[str, Any]:
        """All fields of one run, defaults included."""
        return {**DEFAULTS, **self._runs.get(run, {})}

    def refresh(self) -> bool:
        """Re-read if another board wrote it; True when it changed."""
        with self._lock:
            return self._reread()

    @property
    def _inside(self) -> bool:
        """Whether the file lies in the logdir itself: a link must not make the board read or write elsewhere."""
        return os.path.realpath(self._path) == os.path.join(os.path.realpath(self._root), *SIDECAR.split("/"))

    def _reread(self) -> bool:
        try:
            if not self._inside:
                raise OSError("a link that leads out of the logdir")
            status = self._path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
        except OSError:
            changed, self._stamp, self._runs = bool(self._runs), None, {}
            return changed
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            self._runs, self.problem = self._read(status.st_size), None
        except (OSError, ValueError) as fault:
            self.problem = f"{SIDECAR} cannot be read: {fault}"
        return True

    def _read(self, size: int) -> dict[str, dict[str, Any]]:
        if size > MAX_BYTES:
            raise ValueError(f"{size} bytes, more than {MAX_BYTES}")
        raw = json.loads(self._path.read_bytes())
        if not isinstance(raw, dict) or not isinstance(raw.get("runs"), dict):
            raise ValueError("it holds no table of runs")
        kept: dict[str, dict[str, Any]] = {}
        for run, fields in raw["runs"].items():
            if not isinstance(fields, dict):
                continue
            entry: dict[str, Any] = {}
            for key, value in fields.items():
                try:
                    entry[key] = checked(key, value)
                except ApiError:
                    continue  # a field of a later version, or edited by hand: left out, not fatal
            kept[str(run)] = entry
        return kept

    def edit(self, runs: list[str], changes: Mapping[str, Any]) -> None:
        """Set the given fields of the given runs, durably; refused on a read-only board or logdir."""
        if self._read_only:
            raise ApiError("read_only", "this board is read-only", todo="start it without --read_only")
        fresh = {key: checked(key, value) for key, value in changes.items()}
        if not self._inside:
            raise ApiError("read_only", f"{SIDECAR} is a link that leads out of the logdir", where=SIDECAR)
        # most boards never write: their start does not pay for it
        from milepost.storage.local import LocalStorage

        place = LocalStorage()
        with self._lock:
            try:
                place.make_directory(str(self._path.parent))
                with place.locked(str(self._path.parent)):
                    self._reread()
                    if self.problem:
                        raise ApiError(
                            "read_only", self.problem, where=SIDECAR, todo="mend or remove the file, then edit again"
                        )
                    edited = {**self._runs, **{run: {**self._runs.get(run, {}), **fresh} for run in runs}}
                    slim = {
                        run: {k: v for k, v in fields.items() if v != DEFAULTS[k]} for run, fields in edited.items()
                    }
                    slim = {run: fields for run, fields in slim.items() if fields}
                    text = json.dumps({"format": FORMAT, "runs": slim}, ensure_ascii=False, indent=1, sort_keys=True)
                    self._put(place, text.encode("utf-8", "replace"))
            except (OSError, MilepostError) as fault:
                reason = getattr(fault, "strerror", None) or str(fault)
                raise ApiError(
                    "read_only",
                    f"{SIDECAR} cannot be written: {reason}",
                    where=SIDECAR,
                    todo="make the logdir writable to edit runs",
                ) from fault
            self._stamp = None
            self._reread()

    def _put(self, place: Storage, data: bytes) -> None:
        """The whole file anew: a reader sees the old one or the new one, also after a power cut."""
        fresh = str(self._path.with_name(f"{self._path.name}.{os.getpid()}.tmp"))
        place.remove(fresh)
        file = place.create(fresh, len(data))
        try:
            file.write([0], [len(data)], [data])
            file.sync()
        finally:
            file.close()
        place.replace(fresh, str(self._path))
        place.sync_directory(str(self._path.parent))
