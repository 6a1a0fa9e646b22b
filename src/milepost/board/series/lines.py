"""api/series. In: an `Ask`. Out: one frame with every line of every visible chart, cut, smoothed, aggregated, with its truth badge.

The store picks the points and smooths; here whole smoothed columns are remembered, so that a zoom or a pan on a long series smooths
nothing again. Points are picked on what was logged, smoothed or not: a spike stays visible behind the smooth line.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import ApiError, finite, frame
from milepost.board.live import Live
from milepost.board.series.ask import MAX_BODY_BYTES, Ask, Group, parse
from milepost.board.series.blocks import thinned
from milepost.board.series.frame import Columns
from milepost.board.series.plain import Plain
from milepost.store import Ema, Gaussian, Series, aggregate, query, smooth, x_of

__all__ = ["MODES", "badge", "body_of", "pack", "series"]

Array = NDArray[Any]
MAX_REMEMBERED_BYTES = 512 * 1024 * 1024
MODES = {"last": "keep-last", "all": "keep-all", "split": "split"}
# Quantiles of long series are taken from this many evenly chosen points: a percent is what they are read to.
SAMPLE = 131_072


class Remembered:
    """Smoothed columns by what they were made from, the least used forgotten first."""

    def __init__(self, limit: int = MAX_REMEMBERED_BYTES) -> None:
        self._lock, self._limit, self._size = threading.Lock(), limit, 0
        self._columns: OrderedDict[tuple[Any, ...], tuple[Series, Array]] = OrderedDict()

    def smooth(self, key: tuple[Any, ...], found: Series, x: Array, ask: Ask) -> Array:
        with self._lock:
            known = self._columns.get(key)
            # the store gives the same object until the tag changes
            if known is not None and known[0].value is found.value:
                self._columns.move_to_end(key)
                return known[1]
        made = smoothed(found, x, ask)
        # short ones cost less to make than to keep
        if len(made) > 20_000:
            with self._lock:
                gone = self._columns.pop(key, None)
                self._size += made.nbytes - (gone[1].nbytes if gone else 0)
                self._columns[key] = (found, made)
                while self._size > self._limit and len(self._columns) > 1:
                    _, (_, old) = self._columns.popitem(last=False)
                    self._size -= old.nbytes
        return made


_remembered = Remembered()


def kind_of_smoothing(ask: Ask, x: Array) -> Ema | Gaussian | None:
    if ask.smooth == "ema":
        return Ema(ask.weight, uneven=True)
    if ask.smooth == "gaussian" and len(x):
        return Gaussian(ask.weight * 0.1 * float(x[-1] - x[0]))
    return None


def smoothed(found: Series, x: Array, ask: Ask) -> Array:
    """The whole column, part by part between restarts."""
    edges = [*found.segments.tolist(), len(found)]
    parts = []
    for a, b in pairwise(edges):
        part = x[a:b]
        how = kind_of_smoothing(ask, part)
        value = found.value[a:b]
        parts.append(np.asarray(value, np.float64) if how is None else smooth(part, value, how))
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0), *parts])


async def body_of(request: Request, limit: int) -> bytes:
    """The request's body, refused as soon as it is longer than the limit."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise ApiError("too_large", f"the body has more than {limit} bytes")
        parts.append(part)
    return b"".join(parts)


async def series(live: Live, request: Request) -> Response:
    ask = parse(await body_of(request, MAX_BODY_BYTES))
    data = await run_in_threadpool(pack, live, ask)
    return frame(request, data)


def pack(live: Live, ask: Ask) -> bytes:
    """The frame that answers `ask`."""
    began = time.perf_counter()
    columns = Columns()
    lines: list[dict[str, Any]] = []
    missing: list[list[str]] = []
    cursor = live.cursor
    plain = Plain(columns, ask)
    for number, (run, tag) in enumerate(ask.lines):
        version = live.version_of(run, tag)
        if version and ask.known is not None and ask.known[number] == version:
            lines.append({"run": run, "tag": tag, "v": version, "same": True})
            continue
        found = live.scalar(run, tag, MODES[ask.restarts])
        if found is None:
            if ask.explicit:
                missing.append([run, tag])
            continue
        other = live.scalar(run, ask.metric, "keep-last") if ask.x == "metric" else None
        if ask.x == "metric" and other is None:
            missing.append([run, ask.metric])
            continue
        span = ask.spans[number] if ask.spans is not None else ask.span
        for segment, part in enumerate(found.split() if ask.restarts == "split" else [found]):
            line = {"run": run, "tag": tag, "segment": segment, "v": version}
            if plain.takes(part):
                line |= plain.draw(part, span)
            else:
                line |= drawn(columns, part, other, ask, span, (run, tag, segment, ask.x, ask.metric, ask.restarts))
            line["badge"] = badge(found)
            lines.append(line)
    for group in ask.groups:
        lines += grouped(live, columns, ask, group)
    header = {
        "cursor": cursor,
        "took_ms": round((time.perf_counter() - began) * 1e3, 2),
        "lines": lines,
        "missing": missing,
    }
    return columns.pack(header)


def drawn(
    columns: Columns,
    part: Series,
    other: Series | None,
    ask: Ask,
    span: tuple[float | None, float | None],
    key: tuple[Any, ...],
) -> dict[str, Any]:
    """Columns and figures of one line."""
    axis: Any = other if other is not None else ask.x
    thin = thinned(key, part, span, ask.width) if axis == "step" else None
    curve = query(part if thin is None else thin[0], *span, ask.width, x=axis)
    rows = curve.index if thin is None else thin[1][curve.index]
    shown, domain = (
        (curve.shown, curve.domain) if thin is None else (thin[2], (float(part.step[0]), float(part.step[-1])))
    )
    single = part.value.dtype == np.float32
    line: dict[str, Any] = {
        "x": columns.add_x(curve.x),
        "y": columns.add(curve.value if single else curve.value.astype(np.float64)),
    }
    if ask.smooth != "none":
        # on a metric axis smoothing still goes by step: that is the order of training
        x = part.step if other is not None else x_of(part, axis)
        values = _remembered.smooth((*key, ask.smooth, ask.weight), part, x, ask)[rows]
        line["s"] = columns.add(values.astype(np.float32) if single else values)
    if ask.wall:
        line["w"] = columns.add(curve.wall_time.astype(np.float64))
    if len(curve.bad_x):
        line["bad"] = {"x": columns.add(curve.bad_x.astype(np.float64)), "kind": columns.add(curve.bad_kind)}
    line["total"], line["shown"] = len(part), shown
    line["domain"] = [finite(v) for v in domain] if domain else None
    line["extent"] = [finite(v) for v in curve.extent] if curve.extent else None
    if ask.outliers is not None:
        line["q"] = quantiles(inside(part, axis, span), ask.outliers)
    return line


def inside(part: Series, axis: Any, span: tuple[float | None, float | None]) -> Array:
    """The values whose x lies in the range."""
    if span == (None, None) or not len(part):
        return part.value
    x = x_of(part, axis)
    low, high = (-math.inf if span[0] is None else span[0]), (math.inf if span[1] is None else span[1])
    if x.dtype.kind == "i" and len(part.segments) == 1:
        # as whole numbers: a float sought among steps would make numpy copy them all
        first = np.searchsorted(x, math.ceil(max(low, int(x[0]))), "left") if low <= x[-1] else len(x)
        last = np.searchsorted(x, math.floor(min(high, int(x[-1]))), "right") if high >= x[0] else 0
        return part.value[first:last]
    return part.value[(x >= low) & (x <= high)]


def quantiles(values: Array, wanted: tuple[float, float]) -> list[float] | None:
    """Two quantiles of the finite values."""
    if len(values) > SAMPLE:
        values = values[np.linspace(0, len(values) - 1, SAMPLE).astype(np.int64)]
    values = values[np.isfinite(values)]
    return [float(q) for q in np.quantile(values.astype(np.float64), wanted)] if len(values) else None


def badge(found: Series) -> dict[str, Any]:
    truth = found.truth
    cut_short = truth.truncated_at[0] if truth.truncated_at else None
    return {
        "read": truth.read, "dropped": truth.dropped, "purged": truth.purged, "nan": truth.nan, "inf": truth.inf,
        "truncated": {"file": cut_short[0].rpartition("/")[2], "byte": cut_short[1]} if cut_short else None,
        "restarts": list(truth.restarts[:100]), "bad_records": len(truth.bad),
    }  # fmt: skip


def grouped(live: Live, columns: Columns, ask: Ask, group: Group) -> Iterator[dict[str, Any]]:
    """One line with a band per tag of the group."""
    for tag in group.tags:
        members = [found for run in group.runs if (found := live.scalar(run, tag)) is not None and len(found)]
        if not members:
            continue
        how = kind_of_smoothing(ask, x_of(max(members, key=len), axis_name(ask)))
        given: dict[str, Any] = {"x": axis_name(ask), "x0": ask.span[0], "x1": ask.span[1], "width": ask.width}
        band = raw = aggregate(members, ask.line, ask.band, **given)  # type: ignore[arg-type]
        line: dict[str, Any] = {
            "group": group.id, "tag": tag, "n": len(members), "v": sum(live.version_of(run, tag) for run in group.runs), "total": sum(map(len, members)),
            "x": columns.add_x(raw.x), "y": columns.add(raw.line.astype(np.float32)),
        }  # fmt: skip
        if how is not None:
            # the band is drawn around the line that is drawn
            band = aggregate(members, ask.line, ask.band, smoothing=how, **given)  # type: ignore[arg-type]
            line["s"] = columns.add(band.line.astype(np.float32))
        if ask.band != "none":
            line |= {"lo": columns.add(band.low.astype(np.float32)), "hi": columns.add(band.high.astype(np.float32))}
        line["shown"] = len(raw)
        line["domain"] = [
            finite(min(x_of(m, axis_name(ask))[0] for m in members)),
            finite(max(x_of(m, axis_name(ask))[-1] for m in members)),
        ]
        line["extent"] = [finite(raw.line.min()), finite(raw.line.max())] if len(raw) else None
        if ask.outliers is not None:
            line["q"] = quantiles(raw.line, ask.outliers)
        yield line


def axis_name(ask: Ask) -> Any:
    return ask.x
