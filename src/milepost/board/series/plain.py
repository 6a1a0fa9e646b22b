"""The common line, drawn with little ado. In: a series without a restart, every value finite, by step. Out: what `lines.drawn` gives of it.

A thousand runs on a chart are a thousand such lines, and what each costs beside the counting itself is what a page waits for: here the
general way's questions are answered once a request (how far apart steps usually lie, whether x was sent already), not once a line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost._native import bucket
from milepost.board.series.ask import Ask, Side
from milepost.board.series.blocks import LONG
from milepost.board.series.frame import Columns
from milepost.store import Ema, Series, smooth, usual_gap
from milepost.store.query import POINTS_PER_PIXEL, between

__all__ = ["Plain"]

Array = NDArray[Any]
# longer ones are worth remembering when smoothed: that is the general way's trade
MAX_POINTS = 20_000
assert MAX_POINTS < LONG


class Plain:
    """Draws the plain lines of one request."""

    def __init__(self, columns: Columns, ask: Ask):
        self._columns, self._ask = columns, ask
        room = (ask.width + 4) * POINTS_PER_PIXEL + 8
        self._kept, self._odd = np.empty(room, np.int64), np.empty(3 * (ask.width + 4) + 8, np.int64)
        self._steps: Array = np.empty(0, np.int64)  # of the line before: runs of one program log at the same steps
        self._gap = 0.0
        self._sent: tuple[int, int, list[Any]] | None = None  # (first row, last row, reference) of its x column
        self._wanted = ask.x == "step" and ask.outliers is None and ask.smooth in ("none", "ema")

    def takes(self, part: Series) -> bool:
        truth = part.truth
        return (
            self._wanted and 0 < len(part.step) <= MAX_POINTS and len(part.segments) == 1 and not truth.nan and not truth.inf
        )  # fmt: skip

    def draw(self, part: Series, span: tuple[Side, Side]) -> dict[str, Any]:
        """Columns and figures of one line."""
        ask, columns, step, value = self._ask, self._columns, part.step, part.value
        self._look_at(step)
        count, first_step, last_step = len(step), int(step[0]), int(step[-1])
        low = first_step if span[0] is None else span[0]
        high = last_step if span[1] is None else span[1]
        first, last = 0, count
        if span != (None, None):
            first, last = between(step, low, high)
        # one point beyond each side comes along, so that lines leave the frame
        before, after = max(first - 1, 0), min(last + 1, count)
        rows: Any = slice(before, after)
        if ask.width and after - before > ask.width * POINTS_PER_PIXEL and high > low:
            x, y = np.ascontiguousarray(step[rows], np.int64), np.ascontiguousarray(value[rows])
            made, _ = bucket.pick(x, y, 0.0, low, high, ask.width, before, self._kept, self._odd)
            assert made >= 0, "steps ascend: a pixel is visited once"
            rows = self._kept[:made]
        y = value[rows]
        single = value.dtype == np.float32
        line: dict[str, Any] = {"x": self._x(step, rows), "y": columns.add(y if single else y.astype(np.float64))}
        if ask.smooth != "none":
            smoothed = smooth(step, value, Ema(ask.weight, uneven=True), gap=self._gap)[rows]
            line["s"] = columns.add(smoothed.astype(np.float32) if single else smoothed)
        if ask.wall:
            line["w"] = columns.add(part.wall_time[rows].astype(np.float64))
        line["total"], line["shown"] = count, max(last - first, 0)
        line["domain"] = [float(first_step), float(last_step)]
        inside = y if span == (None, None) else y[(step[rows] >= low) & (step[rows] <= high)]
        line["extent"] = [float(inside.min()), float(inside.max())] if len(inside) else None
        return line

    def _look_at(self, step: Array) -> None:
        if step is not self._steps and not np.array_equal(step, self._steps):
            self._steps, self._gap, self._sent = step, usual_gap(step), None

    def _x(self, step: Array, rows: Any) -> list[Any]:
        if not isinstance(rows, slice):
            return self._columns.add_steps(step[rows])
        if self._sent is None or self._sent[:2] != (rows.start, rows.stop):
            self._sent = (rows.start, rows.stop, self._columns.add_steps(step[rows]))
        return self._sent[2]
