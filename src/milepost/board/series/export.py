"""api/export. In: runs and tags. Out: every point as CSV or JSON, streamed. Nothing is cut, smoothed or rounded."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from milepost.board.http.envelope import ApiError, finite
from milepost.board.live import Live
from milepost.board.series.lines import MODES
from milepost.store import Series

__all__ = ["export"]

ROWS_A_CHUNK = 20_000


def export(live: Live, request: Request) -> Response:
    form, mode = request.query_params.get("format", "csv"), request.query_params.get("restarts", "last")
    if form not in ("csv", "json"):
        raise ApiError("bad_request", "format: want csv or json", where="format")
    if mode not in MODES:
        raise ApiError("bad_request", "restarts: want last, all or split", where="restarts")
    runs = request.query_params.getlist("run") or live.run_ids()
    for run in runs:
        live.run(run)  # an unknown run is an error before the first byte
    tags = set(request.query_params.getlist("tag"))
    pairs = [(run, tag) for run in runs for tag in live.scalar_tags(run) if not tags or tag in tags]
    if tags and not pairs:
        raise ApiError("not_found", "none of these runs has any of these tags", where=next(iter(tags)))
    body = as_csv(live, pairs, mode) if form == "csv" else as_json(live, pairs, mode)
    headers = {"Content-Disposition": f'attachment; filename="milepost.{form}"', "Cache-Control": "no-store"}
    return StreamingResponse(
        body, media_type="text/csv; charset=utf-8" if form == "csv" else "application/json", headers=headers
    )


def parts(live: Live, pairs: list[tuple[str, str]], mode: str) -> Iterator[tuple[str, str, int, Series]]:
    for run, tag in pairs:
        found = live.scalar(run, tag, MODES[mode])
        if found is None:
            continue
        for number, one in enumerate(found.split() if mode == "split" else [found]):
            yield run, tag, number, one


def as_csv(live: Live, pairs: list[tuple[str, str]], mode: str) -> Iterator[bytes]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")

    def flush() -> bytes:
        data = out.getvalue().encode("utf-8", "replace")
        out.seek(0)
        out.truncate()
        return data

    writer.writerow(["run", "tag", "step", "wall_time", "value", *(["segment"] if mode == "split" else [])])
    for run, tag, number, one in parts(live, pairs, mode):
        # spreadsheets run cells that begin like a formula: a tag from a stranger's log must stay text
        head = [guarded(run), guarded(tag)]
        extra = [number] if mode == "split" else []
        for at in range(0, len(one), ROWS_A_CHUNK):
            chunk = slice(at, at + ROWS_A_CHUNK)
            columns = zip(one.step[chunk].tolist(), one.wall_time[chunk].tolist(), numbers(one, chunk), strict=True)
            writer.writerows([*head, step, wall, value, *extra] for step, wall, value in columns)
            yield flush()
    yield flush()


def guarded(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def numbers(one: Series, chunk: slice) -> list[Any]:
    """Shortest text that reads back as the same float: float32 stays float32."""
    values = one.value[chunk]
    return [str(v) for v in values] if values.dtype.itemsize == 4 else [repr(v) for v in values.tolist()]


def as_json(live: Live, pairs: list[tuple[str, str]], mode: str) -> Iterator[bytes]:
    yield b'{"series":['
    first = True
    for run, tag, number, one in parts(live, pairs, mode):
        head: dict[str, Any] = {"run": run, "tag": tag} | ({"segment": number} if mode == "split" else {})
        yield (b"" if first else b",\n") + json.dumps(head, ensure_ascii=False)[:-1].encode("utf-8", "replace")
        first = False
        for name, column in (("step", one.step), ("wall_time", one.wall_time), ("value", one.value)):
            yield b', "%s":[' % name.encode()
            for at in range(0, len(column), ROWS_A_CHUNK):
                chunk = slice(at, at + ROWS_A_CHUNK)
                if name != "value":
                    texts = [repr(v) for v in column[chunk].tolist()]
                else:
                    texts = [t if t[-1] not in "nf" else json.dumps(finite(float(t))) for t in numbers(one, chunk)]
                yield (b"," if at else b"") + ",".join(texts).encode()
            yield b"]"
        yield b"}"
    yield b"]}\n"
