"""Captures, analysed for the page. In: the id of a capture that a listing found. Out: overview, columns of the timeline, op table, flames.

No path from a request is ever opened, and no file outside the log directory is shown. The last few captures stay in memory.
Not here: what anything means (`store.profile`).
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from milepost.board.http.envelope import ApiError, answer, frame
from milepost.board.live import Live
from milepost.board.series.frame import Columns
from milepost.store import profile
from milepost.store.profile.find import Capture
from milepost.store.profile.kinds import KINDS
from milepost.store.profile.report import Analysis
from milepost.store.profile.timeline import Timeline, timeline

__all__ = ["capture", "captures", "compare", "count", "event", "events", "file", "flame", "memory", "ops"]

COUNT_SECONDS = 3.0
KEPT = 3  # a trace of 200 MB takes about 300 MB of memory
MAX_SHOWN_STRINGS = 200_000

_kept: OrderedDict[tuple[str, int, int], tuple[Analysis, Timeline]] = OrderedDict()
_counted: dict[tuple[tuple[str, str], ...], tuple[float, int]] = {}
_loading = threading.Lock()  # two tabs asking for the same large trace must not load it twice


def _found(live: Live) -> list[Capture]:
    inside = {os.path.realpath(path) + os.sep for _, path in live.options.roots}
    found = profile.find({name: str(path) for name, path in live.options.roots})
    # every file of it: any of them can be asked for by name
    return [c for c in found if all(any(os.path.realpath(f.path).startswith(root) for root in inside) for f in c.files)]


def _capture(live: Live, wanted: str | None) -> Capture:
    for one in _found(live):
        if one.id == wanted:
            return one
    raise ApiError("not_found", f"no capture {wanted!r}", where=wanted, todo="see api/captures for those there are")


def _analysis(live: Live, request: Request, key: str = "id") -> tuple[Analysis, Timeline]:
    path = _capture(live, request.query_params.get(key)).files[0].path
    about = os.stat(path)
    known = (path, about.st_mtime_ns, about.st_size)
    with _loading:
        if known not in _kept:
            analysis = profile.analyse(profile.load(path))
            _kept[known] = (analysis, timeline(analysis.kinded))
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(known)
        return _kept[known]


def count(live: Live) -> int:
    """How many captures there are, as of a few seconds ago: the page asks often, and looking means walking folders."""
    now = time.monotonic()
    when, number = _counted.get(live.options.roots, (-COUNT_SECONDS, 0))
    if now - when >= COUNT_SECONDS:
        number = len(_found(live))
        _counted[live.options.roots] = (now, number)
    return number


def captures(live: Live, request: Request) -> Response:
    listing = [
        {
            "id": one.id, "run": one.run, "name": one.name, "host": one.host, "wall": one.wall,
            "bytes": one.files[0].bytes, "kind": one.files[0].kind, "files": [f.name for f in one.files],
        }
        for one in _found(live)
    ]  # fmt: skip
    return answer(request, {"captures": listing}, live.cursor)


def capture(live: Live, request: Request) -> Response:
    analysis, _ = _analysis(live, request)
    return answer(request, analysis.to_json(), live.cursor)


def events(live: Live, request: Request) -> Response:
    """All events, as columns in drawing order."""
    analysis, drawn = _analysis(live, request)
    trace, columns = analysis.trace, Columns()
    row = drawn.row
    names, name = np.unique(trace.name[row], return_inverse=True)
    if len(names) > MAX_SHOWN_STRINGS:
        raise ApiError("too_large", f"{len(names)} different names cannot be shown", todo="download it for Perfetto")
    curves = [
        {"name": m.name, "unit": m.unit, "time": columns.add(m.time.astype(np.float64)), "value": columns.add(m.value)}
        for m in analysis.memory
    ]
    header = {
        "names": [trace.strings[i] for i in names.tolist()],
        "kinds": list(KINDS),
        "tracks": [
            {
                "process": t.process,
                "thread": t.thread,
                "layer": t.layer,
                "device": bool(analysis.kinded.device_track[n]),
            }
            for n in drawn.tracks
            for t in (trace.tracks[n],)
        ],
        "end": float((trace.start + trace.duration).max(initial=0)),
        "columns": {
            "start": columns.add(trace.start[row].astype(np.float64)),
            "duration": columns.add(trace.duration[row].astype(np.float32)),
            "name": columns.add(name.astype(np.uint32)),
            "kind": columns.add(analysis.kinded.kind[row]),
            "row": columns.add(row),
            "lane_begin": columns.add(drawn.lane_begin),
            "lane_track": columns.add(drawn.lane_track),
            "flow_source": columns.add(drawn.flow_source),
            "flow_target": columns.add(drawn.flow_target),
        },
        "curves": curves,
    }
    return frame(request, columns.pack(header))


def event(live: Live, request: Request) -> Response:
    """One event with its arguments."""
    analysis, _ = _analysis(live, request)
    trace = analysis.trace
    try:
        row = int(request.query_params.get("row", ""))
    except ValueError:
        row = -1
    if not 0 <= row < len(trace):
        raise ApiError("not_found", "no such event", where=request.query_params.get("row"))
    track = trace.tracks[trace.track[row]]
    data: dict[str, Any] = {
        "name": trace.strings[trace.name[row]], "category": trace.strings[trace.category[row]],
        "kind": KINDS[analysis.kinded.kind[row]], "start": int(trace.start[row]), "duration": int(trace.duration[row]),
        "own": int(trace.own[row]), "process": track.process, "thread": track.thread,
        "args": trace.arguments(int(trace.args[row])),
    }  # fmt: skip
    return answer(request, data, live.cursor)


def ops(live: Live, request: Request) -> Response:
    """The op table; `by=function` for sampled Python functions."""
    analysis, _ = _analysis(live, request)
    by = request.query_params.get("by", "name")
    if by != "function" and by not in profile.BY:
        raise ApiError("bad_request", f"cannot group by {by!r}", todo="name, shape, module or function")
    rows = analysis.functions if by == "function" else profile.op_table(analysis.kinded, by)
    busy = sum(row.own for row in rows)
    return answer(request, {"rows": [profile.op_json(row) for row in rows[:2000]], "count": len(rows), "own": busy}, live.cursor)  # fmt: skip


def flame(live: Live, request: Request) -> Response:
    analysis, _ = _analysis(live, request)
    found = profile.flame(analysis.kinded, python=request.query_params.get("of", "python") == "python")
    data = {
        "name": found.name, "parent": found.parent.tolist(), "total": found.total.tolist(), "own": found.own.tolist(),
        "calls": found.calls.tolist(),
    }  # fmt: skip
    return answer(request, data, live.cursor)


def memory(live: Live, request: Request) -> Response:
    analysis, _ = _analysis(live, request)
    columns = Columns()
    curves = [
        {"name": m.name, "unit": m.unit, "peak": m.peak, "thinned": m.thinned,
         "time": columns.add(m.time.astype(np.float64)), "value": columns.add(m.value)}
        for m in analysis.memory
    ]  # fmt: skip
    return frame(request, columns.pack({"curves": curves}))


def compare(live: Live, request: Request) -> Response:
    one, _ = _analysis(live, request, "a")
    two, _ = _analysis(live, request, "b")
    return answer(request, profile.compare(one, two), live.cursor)


def file(live: Live, request: Request) -> Response:
    """The trace as it lies on disk, for Perfetto."""
    one = _capture(live, request.query_params.get("id"))
    wanted = request.query_params.get("file") or one.files[0].name
    for candidate in one.files:
        if candidate.name == wanted:
            headers = {
                "Content-Disposition": f'attachment; filename="{candidate.name}"',
                "Content-Security-Policy": "default-src 'none'; sandbox",
            }
            return FileResponse(candidate.path, media_type="application/octet-stream", headers=headers)
    raise ApiError("not_found", f"no file {wanted!r} in this capture", where=one.id)
