"""Layouts of the custom-scalars page. In: categories of charts as nested dicts. Out: one event that names the tags of each chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from milepost.errors import SummaryError
from milepost.formats.event import SummaryValue
from milepost.formats.plugins import (
    CUSTOM_SCALARS,
    LAYOUT_TAG,
    Category,
    Chart,
    Layout,
    MarginChart,
    MarginSeries,
    MultilineChart,
)
from milepost.formats.tensor_proto import from_array
from milepost.summary.emit import metadata_for, now, recorder

__all__ = ["custom_scalars", "layout_value"]


def _chart(title: str, kind: str, tags: Sequence[str]) -> Chart:
    if kind == "Margin":
        if len(tags) != 3:
            raise SummaryError(f"margin chart {title!r} takes three tags", got=len(tags), want="value, lower, upper")
        return Chart(title, margin=MarginChart([MarginSeries(*tags)]))
    return Chart(title, multiline=MultilineChart(list(tags)))


def layout_value(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> SummaryValue:
    message = Layout(category=[
        Category(category, [_chart(title, kind, tags) for title, (kind, tags) in charts.items()])
        for category, charts in layout.items()
    ])  # fmt: skip
    return SummaryValue(tag=LAYOUT_TAG, tensor=from_array(message.encode()), metadata=metadata_for(CUSTOM_SCALARS))


def custom_scalars(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> bool:
    """Write a layout: {category: {chart title: ["Multiline", [tag or regular expression, …]]}}, or ["Margin", [value, lower, upper]].

    >>> import milepost
    >>> _ = milepost.summary.custom_scalars({"loss": {"both": ["Multiline", ["loss/train", "loss/valid"]]}})
    """
    writer = recorder()
    if writer is None:
        return False
    value = layout_value(layout)
    return now(writer, value.tag, value.tensor, value.metadata, 0)
