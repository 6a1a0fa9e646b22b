"""Histograms, distributions, PR curves, text. In: a request. Out: columns or JSON. Only the steps asked for are read from the log."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import answer, frame
from milepost.board.live import Live
from milepost.board.media.samples import Window, series_of, whole, window
from milepost.board.series.frame import Columns
from milepost.errors import MilepostError
from milepost.store.media import Histogram, MediaSeries, PrCurve, Text

__all__ = ["PERCENTS", "distributions", "histograms", "percentiles", "pr_curves", "text"]

# The bands of a normal distribution at 0, ±0.5, ±1, ±1.5 σ and the ends, as TensorBoard draws them.
PERCENTS = (0.0, 6.68, 15.87, 30.85, 50.0, 69.15, 84.13, 93.32, 100.0)
MAX_TEXT_BYTES = 1_000_000
MAX_STEPS = 100_000


def chosen(request: Request, series: MediaSeries, default: int) -> NDArray[np.int64]:
    """Indices of the steps to show: evenly chosen, first and last included; 0 = all."""
    low, high = whole(request, "from", -(2**62), -(2**62), 2**62), whole(request, "to", 2**62, -(2**62), 2**62)
    inside = np.flatnonzero((series.step >= low) & (series.step <= high))
    wanted = whole(request, "max_steps", default, 0, MAX_STEPS) or len(inside)
    return inside[evenly(inside, wanted)]


def evenly(rows: Sized, wanted: int) -> NDArray[np.int64]:
    """Positions of so many rows, evenly chosen, first and last included."""
    if len(rows) <= wanted:
        return np.arange(len(rows))
    return np.unique(np.linspace(0, len(rows) - 1, wanted).round().astype(np.int64))


def read(series: MediaSeries, index: int) -> Histogram | None:
    try:
        sample: Histogram = series[index]
        return sample
    except MilepostError:
        return None  # a bad record is counted by the store; one step less, not an error


def histograms(live: Live, request: Request) -> Response:
    run, series = series_of(live, request, "histograms")
    return frame(request, histograms_frame(series, run, chosen(request, series, 100)))


def histograms_frame(series: MediaSeries, run: str, rows: NDArray[np.int64]) -> bytes:
    found = [(i, h) for i in rows.tolist() if (h := read(series, i)) is not None]
    at = np.array([i for i, _ in found], np.int64)
    none = np.empty(0)
    columns = Columns()
    header = {
        "run": run, "tag": series.tag, "count": len(series),
        "columns": {
            "step": columns.add(series.step[at].astype(np.float64)),
            "wall": columns.add(series.wall_time[at].astype(np.float64)),
            "start": columns.add(np.cumsum([0, *(len(h.count) for _, h in found)]).astype(np.uint32)),
            "left": columns.add(np.concatenate([h.left for _, h in found] or [none]).astype(np.float64)),
            "right": columns.add(np.concatenate([h.right for _, h in found] or [none]).astype(np.float64)),
            "n": columns.add(np.concatenate([h.count for _, h in found] or [none]).astype(np.float64)),
        },
    }  # fmt: skip
    return columns.pack(header)


def distributions(live: Live, request: Request) -> Response:
    run, series = series_of(live, request, "histograms")
    return frame(request, distributions_frame(series, run, chosen(request, series, 500)))


def distributions_frame(series: MediaSeries, run: str, rows: NDArray[np.int64]) -> bytes:
    found = [(i, percentiles(h)) for i in rows.tolist() if (h := read(series, i)) is not None]
    at = np.array([i for i, _ in found], np.int64)
    table = np.array([p for _, p in found]).reshape(len(found), len(PERCENTS))
    columns = Columns()
    refs = {
        "step": columns.add(series.step[at].astype(np.float64)),
        "wall": columns.add(series.wall_time[at].astype(np.float64)),
    }
    refs |= {f"p{k}": columns.add(np.ascontiguousarray(table[:, k], np.float64)) for k in range(len(PERCENTS))}
    header = {"run": run, "tag": series.tag, "count": len(series), "percents": PERCENTS, "columns": refs}
    return columns.pack(header)


def percentiles(histogram: Histogram) -> NDArray[np.float64]:
    """Values at PERCENTS, linear inside a bucket; empty buckets are passed over. An empty histogram is all zeros."""
    counts = np.maximum(np.nan_to_num(histogram.count), 0)
    total = counts.sum()
    if not total > 0:
        return np.zeros(len(PERCENTS))
    least, most = histogram.left[0], histogram.right[-1]
    full = np.flatnonzero(counts)
    # in basis points and in this order, as TensorBoard adds them: 39 * (100 / 39) is more than 100, 39 * 10 000 / 39 is not
    above = np.cumsum(counts * 10_000.0 / total)[full]
    below = np.concatenate([[0.0], above[:-1]])
    # a bucket begins where the bucket before it in the log ends: gaps belong to nobody
    left = np.where(full > 0, np.maximum(histogram.right[np.maximum(full - 1, 0)], least), least)
    left[0] = least
    right = np.minimum(histogram.right[full], most)
    out = np.empty(len(PERCENTS))
    for k, percent in enumerate(PERCENTS):
        point = round(percent * 100)
        i = int(np.searchsorted(above, point, "right"))
        if i >= len(full):
            out[k] = most
        else:
            part = (point - below[i]) / (above[i] - below[i])
            out[k] = left[i] + (right[i] - left[i]) * part
    return out


def pr_curves(live: Live, request: Request) -> Response:
    run, series = series_of(live, request, "pr_curves")
    return answer(request, pr_curves_data(series, run, window(request, series)), live.cursor)


def pr_curves_data(series: MediaSeries, run: str, part: Window) -> dict[str, Any]:
    return {**part.head(series, run), "curves": described(series, part, curve)}


def curve(c: PrCurve) -> dict[str, Any]:
    columns = {"precision": c.precision, "recall": c.recall, "tp": c.true_positives, "fp": c.false_positives,
               "tn": c.true_negatives, "fn": c.false_negatives, "thresholds": c.thresholds}  # fmt: skip
    # thresholds at which nothing is called positive any more have no precision: as TensorBoard, the curve ends before them
    positive = np.flatnonzero((c.true_positives > 0) | (c.false_positives > 0))
    end = int(positive[-1]) + 1 if len(positive) else 1
    return {name: np.asarray(column[:end], np.float64).tolist() for name, column in columns.items()}


def text(live: Live, request: Request) -> Response:
    run, series = series_of(live, request, "text")
    return answer(request, text_data(series, run, window(request, series)), live.cursor)


def text_data(series: MediaSeries, run: str, part: Window) -> dict[str, Any]:
    return {**part.head(series, run), "text": described(series, part, texts)}


def texts(sample: Text) -> dict[str, Any]:
    room, values, cut = MAX_TEXT_BYTES, [], False
    for value in sample.values:
        cut |= len(value) > room
        values.append(value[:room])
        room -= len(values[-1])
    return {"shape": list(sample.shape), "values": values, **({"cut": True} if cut else {})}


def described(series: MediaSeries, part: Window, describe: Callable[[Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """Each sample of the window in words of its own; one that cannot be read says why, and the others stay."""
    out = []
    for i in range(part.start, part.stop):
        try:
            out.append(describe(series[i]))
        except MilepostError as fault:
            out.append({"error": str(fault)})
    return out
