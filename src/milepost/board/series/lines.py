"""api/series. In: an `Ask`. Out: one frame with every line of every visible chart, cut, smoothed, aggregated, with its truth badge.

Whole smoothed columns are remembered, so that a zoom or a pan on a long series smooths nothing again.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import ApiError, finite, frame
from milepost.board.live import Live
from milepost.board.series.aggregate import aggregate
from milepost.board.series.ask import MAX_BODY_BYTES, Ask, Group, parse
from milepost.board.series.curve import Cut, cut, quantiles, smoothed
from milepost.board.series.frame import Columns
from milepost.store import Series

__all__ = ["badge", "body_of", "pack", "series"]

Array = NDArray[Any]
MAX_REMEMBERED_BYTES = 512 * 1024 * 1024
MODES = {"last": "keep-last", "all": "keep-all", "split": "split"}


class Remembered:
    """Smoothed columns by what they were made from, the least used forgotten first."""

    def __init__(self, limit: int = MAX_REMEMBERED_BYTES) -> None:
        self._lock, self._limit, self._size = threading.Lock(), limit, 0
        self._columns: OrderedDict[tuple[Any, ...], tuple[Array, Array]] = OrderedDict()

    def smooth(self, key: tuple[Any, ...], x: Array, y: Array, ask: Ask) -> Array:
        with self._lock:
            found = self._columns.get(key)
            # the same array object is the same data: columns never change once given out
            if found is not None and found[0] is y:
                self._columns.move_to_end(key)
                return found[1]
        made = smoothed(x, y, ask.smooth, ask.weight)
        # short ones cost less to make than to keep
        if len(made) > 20_000:
            with self._lock:
                gone = self._columns.pop(key, None)
                self._size += made.nbytes - (gone[1].nbytes if gone else 0)
                self._columns[key] = (y, made)
                while self._size > self._limit and len(self._columns) > 1:
                    _, (_, old) = self._columns.popitem(last=False)
                    self._size -= old.nbytes
        return made


_remembered = Remembered()


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
    for number, (run, tag) in enumerate(ask.lines):
        found = live.scalar(run, tag, MODES[ask.restarts])
        if found is None:
            if ask.explicit:
                missing.append([run, tag])
            continue
        version = version_of(found)
        if ask.known is not None and ask.known[number] == version:
            lines.append({"run": run, "tag": tag, "v": version, "same": True})
            continue
        span = ask.spans[number] if ask.spans is not None else ask.span
        for segment, part, ascending in pieces(found, ask):
            x = x_column(live, part, run, ask)
            if x is None:
                missing.append([run, ask.metric])
                break
            line = {"run": run, "tag": tag, "segment": segment, "v": version}
            line |= drawn(columns, part, x, ask, span, ascending and ask.x != "metric", (run, tag, segment, ask.x, ask.metric, ask.restarts))
            line["badge"] = badge(found)
            lines.append(line)
    for group in ask.groups:
        lines += grouped(live, columns, ask, group)
    header = {"cursor": cursor, "took_ms": round((time.perf_counter() - began) * 1e3, 2), "lines": lines, "missing": missing}
    return columns.pack(header)


def version_of(found: Series) -> int:
    """Grows with every point read; a replaced file that holds as many points still differs by what was purged or when it began."""
    return found.truth.read * 8 + found.truth.purged % 8


def pieces(found: Series, ask: Ask) -> Iterator[tuple[int, Series, bool]]:
    """(segment, series, whether its x ascends)."""
    if ask.restarts == "split":
        for number, part in enumerate(found.split()):
            yield number, part, True
    else:
        yield 0, found, ask.restarts == "last" or len(found.segments) <= 1


def x_column(live: Live, found: Series, run: str, ask: Ask) -> Array | None:
    if ask.x == "step":
        return found.step
    if ask.x == "wall":
        return found.wall_time
    if ask.x == "relative":
        return found.wall_time - found.origin_wall
    other = live.scalar(run, ask.metric, MODES[ask.restarts])
    if other is None or not len(other):
        return None
    at = np.searchsorted(other.step, found.step, "right") - 1
    values = np.asarray(other.value, np.float64)[np.maximum(at, 0)]
    return np.where(at >= 0, values, np.nan)


def drawn(columns: Columns, part: Series, x: Array, ask: Ask, span: tuple[float | None, float | None], ascending: bool, key: tuple[Any, ...]) -> dict[str, Any]:
    """Columns and figures of one line."""
    y = part.value
    if ascending and ask.x in ("wall", "relative") and len(x) > 1 and not bool((x[1:] >= x[:-1]).all()):
        ascending = False  # a clock that went back
    if ask.x == "metric":
        known = np.isfinite(x)
        part = replace(part, step=part.step[known], wall_time=part.wall_time[known], value=y[known])
        x, y = x[known], part.value
    ranged = not ascending and span != (None, None)
    if ranged:
        # x wanders: points outside the range are cut by value, the order stays
        low, high = span
        inside = (x >= (-np.inf if low is None else low)) & (x <= (np.inf if high is None else high))
        chosen = np.flatnonzero(inside)
    all_y = y
    smooth = None
    if ask.smooth != "none" and len(y):
        # on a metric axis smoothing still goes by step: that is the order of training
        smooth = _remembered.smooth((*key, ask.smooth, ask.weight), part.step if not ascending else x, all_y, ask)
    if ranged:
        x_shown, y_shown = x[chosen], y[chosen]
        took = cut(x_shown, y_shown, ask.width, ascending=False)
        took = Cut(chosen[took.keep], chosen[took.bad], took.kinds, (0, len(chosen)))
        span_y = y_shown
    else:
        took = cut(x, y, ask.width, *(span if ascending else (None, None)), ascending=ascending)
        span_y = y[took.inside[0] : took.inside[1]]
    kept_y = y[took.keep]
    line: dict[str, Any] = {"x": columns.add_x(x[took.keep]), "y": columns.add(single(kept_y))}
    if smooth is not None:
        picked = smooth[took.keep]
        line["s"] = columns.add(picked.astype(np.float32) if y.dtype == np.float32 else picked)
    if ask.wall:
        line["w"] = columns.add(part.wall_time[took.keep].astype(np.float64))
    if len(took.bad):
        line["bad"] = {"x": columns.add(x[took.bad].astype(np.float64)), "kind": columns.add(took.kinds)}
    line["total"], line["shown"] = len(y), took.inside[1] - took.inside[0]
    line["domain"] = [finite(x[0]), finite(x[-1])] if len(x) else None
    inner = kept_y if len(kept_y) <= 2 or ranged or span == (None, None) else trimmed(x[took.keep], kept_y, span)
    line["extent"] = [finite(inner.min()), finite(inner.max())] if len(inner) else None
    if ask.outliers is not None:
        line["q"] = quantiles(span_y, ask.outliers)
    return line


def trimmed(x: Array, y: Array, span: tuple[float | None, float | None]) -> Array:
    """y without the points just beyond the range."""
    low, high = span
    return y[(x >= (-np.inf if low is None else low)) & (x <= (np.inf if high is None else high))]


def single(values: Array) -> Array:
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


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
        curves: list[tuple[Array, Array]] = []
        smooth: list[tuple[Array, Array]] = []
        total = version = 0
        for run in group.runs:
            found = live.scalar(run, tag, "keep-last")
            if found is None or not len(found):
                continue
            x = x_column(live, found, run, ask)
            if x is None:
                continue
            good = np.isfinite(x)
            x, y = (x, found.value) if good.all() else (x[good], found.value[good])
            if len(x) > 1 and not (x[1:] >= x[:-1]).all():
                order = np.argsort(x, kind="stable")
                x, y = x[order], y[order]
            curves.append((x, y))
            if ask.smooth != "none":
                smooth.append((x, _remembered.smooth((run, tag, "group", ask.x, ask.metric, ask.smooth, ask.weight), x, y, ask)))
            total += len(y)
            version += version_of(found)
        if not curves:
            continue
        x, middle, low, high = aggregate(curves, ask.line, ask.band)
        took = cut(x, middle, ask.width, *ask.span)
        line: dict[str, Any] = {"group": group.id, "tag": tag, "n": len(curves), "v": version, "total": total}
        line |= {"x": columns.add_x(x[took.keep]), "y": columns.add(middle[took.keep].astype(np.float32))}
        if smooth:
            # the band is drawn around the line that is drawn
            _, even, low, high = aggregate(smooth, ask.line, ask.band)
            line["s"] = columns.add(even[took.keep].astype(np.float32)) if len(even) == len(x) else line["y"]
        if low is not None and high is not None and len(low) == len(x):
            line |= {"lo": columns.add(low[took.keep].astype(np.float32)), "hi": columns.add(high[took.keep].astype(np.float32))}
        kept = middle[took.keep]
        line["shown"] = took.inside[1] - took.inside[0]
        line["domain"] = [finite(x[0]), finite(x[-1])] if len(x) else None
        line["extent"] = [finite(kept.min()), finite(kept.max())] if len(kept) else None
        if ask.outliers is not None:
            line["q"] = quantiles(middle[took.inside[0] : took.inside[1]], ask.outliers)
        yield line
