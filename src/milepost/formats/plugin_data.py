"""What a summary plugin keeps in `plugin_data.content` or in its string tensors, as messages. Schemas only.

In / out: see `wire`. Which plugin a tag belongs to is in its metadata (`event.PluginData.plugin_name`).
"""

from __future__ import annotations

from dataclasses import dataclass

from milepost.formats.wire import (
    BOOL,
    DOUBLE,
    ENUM,
    INT32,
    STRING,
    UINT32,
    Message,
    field,
    map_field,
    message_field,
)  # fmt: skip

__all__ = [
    "Category", "Chart", "Experiment", "HParamInfo", "HParamsPluginData", "Interval", "Layout", "ListValue", "MarginChart", "MarginSeries",
    "MeshPluginData", "MetricInfo", "MetricName", "MultilineChart", "SessionEndInfo", "SessionStartInfo", "Value",
]  # fmt: skip


@dataclass(slots=True)
class Value(Message):
    """google.protobuf.Value, without structs: a number, a string, a bool or nothing."""

    null_value: int | None = field(1, ENUM, optional=True)
    number_value: float | None = field(2, DOUBLE, optional=True)
    string_value: str | None = field(3, STRING, optional=True)
    bool_value: bool | None = field(4, BOOL, optional=True)

    @property
    def plain(self) -> float | str | bool | None:
        if self.number_value is not None:
            return self.number_value
        return self.string_value if self.string_value is not None else self.bool_value


@dataclass(slots=True)
class ListValue(Message):
    values: list[Value] = message_field(1, Value, repeated=True)


@dataclass(slots=True)
class Interval(Message):
    min_value: float = field(1, DOUBLE)
    max_value: float = field(2, DOUBLE)


@dataclass(slots=True)
class HParamInfo(Message):
    name: str = field(1, STRING)
    display_name: str = field(2, STRING)
    description: str = field(3, STRING)
    type: int = field(4, ENUM)  # 0 unset, 1 string, 2 bool, 3 float64
    domain_discrete: ListValue | None = message_field(5, ListValue)
    domain_interval: Interval | None = message_field(6, Interval)


@dataclass(slots=True)
class MetricName(Message):
    group: str = field(1, STRING)
    tag: str = field(2, STRING)


@dataclass(slots=True)
class MetricInfo(Message):
    name: MetricName | None = message_field(1, MetricName)
    display_name: str = field(3, STRING)
    description: str = field(4, STRING)
    dataset_type: int = field(5, ENUM)


@dataclass(slots=True)
class Experiment(Message):
    name: str = field(6, STRING)
    description: str = field(1, STRING)
    user: str = field(2, STRING)
    time_created_secs: float = field(3, DOUBLE)
    hparam_infos: list[HParamInfo] = message_field(4, HParamInfo, repeated=True)
    metric_infos: list[MetricInfo] = message_field(5, MetricInfo, repeated=True)


@dataclass(slots=True)
class SessionStartInfo(Message):
    hparams: dict[str, Value] = map_field(1, STRING, Value)
    model_uri: str = field(2, STRING)
    monitor_url: str = field(3, STRING)
    group_name: str = field(4, STRING)
    start_time_secs: float = field(5, DOUBLE)


@dataclass(slots=True)
class SessionEndInfo(Message):
    status: int = field(1, ENUM)  # 0 unknown, 1 success, 2 failure, 3 running
    end_time_secs: float = field(2, DOUBLE)


@dataclass(slots=True)
class HParamsPluginData(Message):
    version: int = field(1, INT32)
    experiment: Experiment | None = message_field(2, Experiment)
    session_start_info: SessionStartInfo | None = message_field(3, SessionStartInfo)
    session_end_info: SessionEndInfo | None = message_field(4, SessionEndInfo)


@dataclass(slots=True)
class MeshPluginData(Message):
    version: int = field(1, INT32)
    name: str = field(2, STRING)
    content_type: int = field(3, ENUM)  # 0 undefined, 1 vertex, 2 face, 3 colour
    json_config: str = field(5, STRING)
    shape: list[int] = field(6, INT32, repeated=True)
    components: int = field(7, UINT32)  # bit mask 1 << content type; 0 means all


@dataclass(slots=True)
class MultilineChart(Message):
    tag: list[str] = field(1, STRING, repeated=True)


@dataclass(slots=True)
class MarginSeries(Message):
    value: str = field(1, STRING)
    lower: str = field(2, STRING)
    upper: str = field(3, STRING)


@dataclass(slots=True)
class MarginChart(Message):
    series: list[MarginSeries] = message_field(1, MarginSeries, repeated=True)


@dataclass(slots=True)
class Chart(Message):
    title: str = field(1, STRING)
    multiline: MultilineChart | None = message_field(2, MultilineChart)
    margin: MarginChart | None = message_field(3, MarginChart)


@dataclass(slots=True)
class Category(Message):
    title: str = field(1, STRING)
    chart: list[Chart] = message_field(2, Chart, repeated=True)
    closed: bool = field(3, BOOL)


@dataclass(slots=True)
class Layout(Message):
    version: int = field(1, INT32)
    category: list[Category] = message_field(2, Category, repeated=True)
