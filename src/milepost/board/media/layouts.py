"""Custom scalar layouts. In: the layouts that runs hold. Out: one layout, categories of the same title merged. Drawing is the page's."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import answer
from milepost.board.live import Live
from milepost.errors import MilepostError

__all__ = ["custom_scalars", "layout_data"]

MAX_CHARTS = 10_000


def custom_scalars(live: Live, request: Request) -> Response:
    return answer(request, layout_data(live), live.cursor)


def layout_data(live: Live) -> dict[str, Any]:
    categories: dict[str, dict[str, Any]] = {}
    seen: set[tuple[str, str]] = set()
    for run in live.run_ids():
        for series in live.media(run, "custom_scalars").values():
            if not len(series):
                continue
            try:
                layout = series[len(series) - 1]
            except MilepostError:
                continue
            for category in layout.category:
                entry = categories.setdefault(
                    category.title, {"title": category.title, "closed": category.closed, "charts": []}
                )
                for chart in category.chart:
                    # the same layout written by every seed is one layout
                    if (category.title, chart.title) in seen or len(seen) >= MAX_CHARTS:
                        continue
                    seen.add((category.title, chart.title))
                    entry["charts"].append(plain(chart))
    return {"categories": list(categories.values())}


def plain(chart: Any) -> dict[str, Any]:
    if chart.margin is not None:
        series = [{"value": s.value, "lower": s.lower, "upper": s.upper} for s in chart.margin.series]
        return {"title": chart.title, "kind": "margin", "tags": [], "series": series}
    return {
        "title": chart.title,
        "kind": "multiline",
        "tags": list(chart.multiline.tag) if chart.multiline else [],
        "series": [],
    }
