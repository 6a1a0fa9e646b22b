"""What TensorBoard's plugins keep in their metadata, as messages. Schemas, names and tags only.

In / out: see `wire`. Not here: the tensors beside them (`tensor_proto`), how a summary is made (`summary`).
"""

from __future__ import annotations

from dataclasses import dataclass

from milepost.formats.wire import (
    BOOL,
    BYTES,
    DOUBLE,
    ENUM,
    INT32,
    STRING,
    UINT32,
    Message,
    field,
    map_field,
    message_field,
)

__all__ = [
    "AUDIO",
    "CUSTOM_SCALARS",
    "GRAPH_KERAS_MODEL",
    "GRAPH_RUN_METADATA",
    "GRAPH_RUN_METADATA_GRAPH",
    "HISTOGRAMS",
    "HPARAMS",
    "IMAGES",
    "LAYOUT_TAG",
    "MESH",
    "PR_CURVES",
    "SCALARS",
    "TENSOR",
    "TEXT",
    "AudioPluginData",
    "Category",
    "Chart",
    "DataType",
    "EmbeddingInfo",
    "Experiment",
    "HParamInfo",
    "HParamsPluginData",
    "ImagePluginData",
    "Interval",
    "Layout",
    "ListValue",
    "MarginChart",
    "MarginSeries",
    "MeshContent",
    "MeshPluginData",
    "MetricInfo",
    "MetricName",
    "MultilineChart",
    "PrCurvePluginData",
    "ProjectorConfig",
    "SessionEndInfo",
    "SessionStartInfo",
    "SpriteMetadata",
    "Status",
    "Value",
    "hparam_value",
]  # fmt: skip

SCALARS, HISTOGRAMS, IMAGES, AUDIO, TEXT = "scalars", "histograms", "images", "audio", "text"
PR_CURVES, MESH, CUSTOM_SCALARS, HPARAMS, TENSOR = "pr_curves", "mesh", "custom_scalars", "hparams", "tensor"
GRAPH_RUN_METADATA, GRAPH_RUN_METADATA_GRAPH = "graph_run_metadata", "graph_run_metadata_graph"
GRAPH_KERAS_MODEL = "graph_keras_model"

LAYOUT_TAG = "custom_scalars__config__"
EXPERIMENT_TAG = "_hparams_/experiment"
SESSION_START_TAG = "_hparams_/session_start_info"
SESSION_END_TAG = "_hparams_/session_end_info"
WAV = 11  # AudioPluginData.encoding


class MeshContent:
    UNDEFINED, VERTEX, FACE, COLOR = range(4)
    NAMES = ("UNDEFINED", "VERTEX", "FACE", "COLOR")


class DataType:
    UNSET, STRING, BOOL, FLOAT64 = range(4)


class Status:
    UNKNOWN, SUCCESS, FAILURE, RUNNING = range(4)


@dataclass(slots=True)
class ImagePluginData(Message):
    version: int = field(1, INT32)
    converted_to_tensor: bool = field(2, BOOL)


@dataclass(slots=True)
class AudioPluginData(Message):
    version: int = field(1, INT32)
    encoding: int = field(2, ENUM)
    converted_to_tensor: bool = field(3, BOOL)


@dataclass(slots=True)
class PrCurvePluginData(Message):
    version: int = field(1, INT32)
    num_thresholds: int = field(2, UINT32)


@dataclass(slots=True)
class MeshPluginData(Message):
    version: int = field(1, INT32)
    name: str = field(2, STRING)
    content_type: int = field(3, ENUM)
    json_config: str = field(5, STRING)
    shape: list[int] = field(6, INT32, repeated=True)
    components: int = field(7, UINT32)


# ---- custom_scalars


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


# ---- hparams


@dataclass(slots=True)
class Value(Message):
    """google.protobuf.Value without its nested kinds, which no hyperparameter has."""

    null_value: int | None = field(1, ENUM, optional=True)
    number_value: float | None = field(2, DOUBLE, optional=True)
    string_value: str | None = field(3, STRING, optional=True)
    bool_value: bool | None = field(4, BOOL, optional=True)
    struct_value: bytes | None = field(5, BYTES, optional=True)
    list_value: bytes | None = field(6, BYTES, optional=True)

    @property
    def plain(self) -> bool | float | str | None:
        """What it holds."""
        return hparam_value(self)


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
    type: int = field(4, ENUM)
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
    description: str = field(1, STRING)
    user: str = field(2, STRING)
    time_created_secs: float = field(3, DOUBLE)
    hparam_infos: list[HParamInfo] = message_field(4, HParamInfo, repeated=True)
    metric_infos: list[MetricInfo] = message_field(5, MetricInfo, repeated=True)
    name: str = field(6, STRING)


@dataclass(slots=True)
class SessionStartInfo(Message):
    hparams: dict[str, Value] = map_field(1, STRING, Value)
    model_uri: str = field(2, STRING)
    monitor_url: str = field(3, STRING)
    group_name: str = field(4, STRING)
    start_time_secs: float = field(5, DOUBLE)


@dataclass(slots=True)
class SessionEndInfo(Message):
    status: int = field(1, ENUM)
    end_time_secs: float = field(2, DOUBLE)


@dataclass(slots=True)
class HParamsPluginData(Message):
    version: int = field(1, INT32)
    experiment: Experiment | None = message_field(2, Experiment)
    session_start_info: SessionStartInfo | None = message_field(3, SessionStartInfo)
    session_end_info: SessionEndInfo | None = message_field(4, SessionEndInfo)


def hparam_value(value: Value) -> bool | float | str | None:
    """What a Value holds."""
    if value.bool_value is not None:
        return value.bool_value
    return value.number_value if value.number_value is not None else value.string_value


# ---- projector


@dataclass(slots=True)
class SpriteMetadata(Message):
    image_path: str = field(1, STRING)
    single_image_dim: list[int] = field(2, UINT32, repeated=True)


@dataclass(slots=True)
class EmbeddingInfo(Message):
    tensor_name: str = field(1, STRING)
    metadata_path: str = field(2, STRING)
    bookmarks_path: str = field(3, STRING)
    tensor_shape: list[int] = field(4, UINT32, repeated=True)
    sprite: SpriteMetadata | None = message_field(5, SpriteMetadata)
    tensor_path: str = field(6, STRING)


@dataclass(slots=True)
class ProjectorConfig(Message):
    model_checkpoint_path: str = field(1, STRING)
    embeddings: list[EmbeddingInfo] = message_field(2, EmbeddingInfo, repeated=True)
    model_checkpoint_dir: str = field(3, STRING)
