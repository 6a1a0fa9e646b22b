"""Images and sounds. In: a request. Out: lists of what there is, and the bytes of one, checked by their headers. Nothing is decoded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import ApiError, answer, error
from milepost.board.live import Live
from milepost.board.media import meshes, sniff
from milepost.board.media.samples import blob_id, find, read_blob_id, series_of, window
from milepost.errors import CorruptionError, MilepostError
from milepost.store.media import MediaSeries

__all__ = ["audio", "blob", "images"]

# Descriptions of samples already looked at: a slider moved back and forth reads no file twice.
MAX_REMEMBERED = 20_000
_remembered: OrderedDict[tuple[str, int, int, str], list[dict[str, Any]]] = OrderedDict()
_lock = threading.Lock()

BLOB_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"


def images(live: Live, request: Request) -> Response:
    return answer(request, listing(live, request, "images"), live.cursor)


def audio(live: Live, request: Request) -> Response:
    return answer(request, listing(live, request, "audio"), live.cursor)


def listing(live: Live, request: Request, kind: str) -> dict[str, Any]:
    run, series = series_of(live, request, kind)
    part = window(request, series)
    return {**part.head(series, run), "items": [described(series, kind, run, i) for i in range(part.start, part.stop)]}


def described(series: MediaSeries, kind: str, run: str, index: int) -> list[dict[str, Any]]:
    """What one step holds; a step that cannot be read is one item with an error."""
    place = series.blob(index)
    key = (place.file, place.record, place.offset, run)
    with _lock:
        known = _remembered.get(key)
        if known is not None:
            _remembered.move_to_end(key)
            return known
    try:
        sample = series[index]
        # a tag may change its kind half way: what is logged under the other kind is told, not shown
        parts = getattr(sample, "encoded" if kind == "images" else "clips", None)
        if parts is None:
            return [{"error": f"this step holds {type(sample).__name__.lower()}, not {kind}"}]
        items = [picture_item(p) if kind == "images" else sound_item(p) for p in parts]
        for number, item in enumerate(items):
            if "error" not in item:
                item["blob"] = blob_id(kind, run, series.tag, index, place.record, number)
    except (MilepostError, ValueError) as fault:
        return [{"error": str(fault)}]
    with _lock:
        _remembered[key] = items
        while len(_remembered) > MAX_REMEMBERED:
            _remembered.popitem(last=False)
    return items


def picture_item(data: bytes) -> dict[str, Any]:
    try:
        found = sniff.picture(data)
    except sniff.Refused as why:
        return {"error": str(why), "bytes": len(data)}
    return {"bytes": len(data), "width": found.width, "height": found.height, "type": found.type, "label": ""}


def sound_item(clip: Any) -> dict[str, Any]:
    try:
        found = sniff.sound(clip.encoded)
    except sniff.Refused as why:
        return {"error": str(why), "bytes": len(clip.encoded), "label": clip.label}
    return {
        "bytes": len(clip.encoded),
        "rate": found.rate,
        "channels": found.channels,
        "seconds": found.seconds,
        "type": found.type,
        "label": clip.label,
    }


def blob(live: Live, request: Request) -> Response:
    """The bytes of one item, with a type of our own finding, never the log's."""
    kind, run, tag, index, record, item = read_blob_id(request.path_params["id"])
    if kind not in ("images", "audio", "meshes"):
        raise ApiError("not_found", "no such blob")
    series = find(live, run, kind, tag)
    # a restart may have purged earlier samples: the same record then has another place
    if index >= len(series) or series.blob(index).record != record:
        index = next((i for i in range(len(series)) if series.blob(i).record == record), -1)
    if index < 0:
        raise ApiError("gone", "that sample is no longer in the log", where=tag, todo="refresh the page")
    try:
        sample = series[index]
        if kind == "meshes":
            data, media_type = meshes.raw(sample, item), "application/octet-stream"
        elif kind == "images":
            data = sample.encoded[item]
            media_type = sniff.picture(data).type
        else:
            data = sample.clips[item].encoded
            media_type = sniff.sound(data).type
    except IndexError:
        raise ApiError("not_found", "no such item in that sample", where=tag) from None
    except sniff.Refused as why:
        return error("unsupported_media", str(why), where=tag)
    except CorruptionError as fault:
        raise ApiError("gone", fault.what, where=tag, todo="refresh the page") from fault
    headers = {
        "Content-Security-Policy": BLOB_POLICY,
        "Cache-Control": "private, max-age=31536000, immutable",
        "Accept-Ranges": "bytes",
        "ETag": f'"{request.path_params["id"][-24:]}"',
        "Content-Disposition": "attachment" if request.query_params.get("download") else "inline",
    }
    return ranged(request, data, media_type, headers)


def ranged(request: Request, data: bytes, media_type: str, headers: dict[str, str]) -> Response:
    """All of it, or the one byte range asked for: browsers seek in audio that way."""
    wanted = request.headers.get("range", "")
    if wanted.startswith("bytes=") and "," not in wanted:
        first, _, last = wanted[6:].strip().partition("-")
        try:
            if first:
                start, stop = int(first), min(int(last) + 1 if last else len(data), len(data))
            else:
                start, stop = max(len(data) - int(last), 0), len(data)
        except ValueError:
            return Response(data, media_type=media_type, headers=headers)
        if not 0 <= start < stop:
            return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{len(data)}"})
        return Response(
            data[start:stop], 206, {**headers, "Content-Range": f"bytes {start}-{stop - 1}/{len(data)}"}, media_type
        )
    return Response(data, media_type=media_type, headers=headers)
