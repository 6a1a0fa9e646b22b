"""One tag's samples by address. In: a request's run, tag, offset and limit; or a blob id. Out: the store's media series, a page of it, a blob.

A blob id holds kind, run, tag, place and item, so that it means the same picture after a restart of the board and needs no table.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from milepost.board.http.envelope import ApiError
from milepost.board.live import Live
from milepost.store.media import MediaSeries

__all__ = ["Window", "blob_id", "read_blob_id", "series_of", "whole", "window"]

DEFAULT_LIMIT, MAX_LIMIT = 1000, 10_000


@dataclass(frozen=True, slots=True)
class Window:
    """The samples [start, stop) of a series."""

    start: int
    stop: int

    def head(self, series: MediaSeries, run: str) -> dict[str, Any]:
        part = slice(self.start, self.stop)
        return {
            "run": run, "tag": series.tag, "count": len(series), "offset": self.start,
            "step": series.step[part].tolist(), "wall": series.wall_time[part].tolist(),
        }  # fmt: skip


def whole(request: Request, name: str, default: int, low: int, high: int) -> int:
    """A whole-number query parameter."""
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        value = int(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise ApiError("bad_request", f"{name}: want a whole number from {low} to {high}", where=name)
    return value


def series_of(live: Live, request: Request, kind: str) -> tuple[str, MediaSeries]:
    """The series that `run` and `tag` name."""
    run, tag = request.query_params.get("run"), request.query_params.get("tag")
    if run is None or tag is None:
        raise ApiError("bad_request", "run and tag are wanted", where="run" if run is None else "tag")
    return run, find(live, run, kind, tag)


def find(live: Live, run: str, kind: str, tag: str) -> MediaSeries:
    table: Mapping[str, MediaSeries] = live.media(run, kind)
    try:
        return table[tag]
    except KeyError:
        raise ApiError(
            "not_found", f"no {kind} {tag!r} in run {run!r}", where=tag, todo="see api/tags for the tags there are"
        ) from None


def window(request: Request, series: MediaSeries) -> Window:
    start = min(whole(request, "offset", 0, 0, 2**53), len(series))
    return Window(start, min(start + whole(request, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT), len(series)))


def blob_id(kind: str, run: str, tag: str, index: int, record: int, item: int) -> str:
    text = json.dumps([kind, run, tag, index, record, item], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def read_blob_id(text: str) -> tuple[str, str, str, int, int, int]:
    """What `blob_id` was made of; anything else is not_found."""
    try:
        kind, run, tag, index, record, item = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if not all(isinstance(v, str) for v in (kind, run, tag)) or not all(
            type(v) is int and v >= 0 for v in (index, record, item)
        ):
            raise ValueError
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise ApiError("not_found", "no such blob", where=text[:80]) from None
    return kind, run, tag, index, record, item
