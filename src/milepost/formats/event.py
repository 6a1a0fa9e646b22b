"""Event, Summary and TensorProto as messages, as TensorFlow and TensorBoard write them. Schemas only.

In / out: see `wire`. Not here: framing (`record`), what a plugin's bytes mean (`plugins`), the hot scalar path (native).
"""

from __future__ import annotations

from dataclasses import dataclass

from milepost.formats.wire import (
    BOOL,
    BYTES,
    DOUBLE,
    ENUM,
    FLOAT,
    INT32,
    INT64,
    STRING,
    UINT32,
    UINT64,
    Message,
    field,
    message_field,
)  # fmt: skip

__all__ = [
    "Audio", "DataClass", "Dim", "Event", "Histogram", "Image", "LogMessage", "PluginData", "SessionLog", "SessionStatus",
    "SourceMetadata", "Summary", "SummaryMetadata", "SummaryValue", "TaggedRunMetadata", "TensorProto", "TensorShape",
]  # fmt: skip

FILE_VERSION = "brain.Event:2"


class DataClass:
    UNKNOWN, SCALAR, TENSOR, BLOB_SEQUENCE = range(4)


class SessionStatus:
    UNSPECIFIED, START, STOP, CHECKPOINT = range(4)


@dataclass(slots=True)
class Dim(Message):
    size: int = field(1, INT64)
    name: str = field(2, STRING)


@dataclass(slots=True)
class TensorShape(Message):
    dim: list[Dim] = message_field(2, Dim, repeated=True)
    unknown_rank: bool = field(3, BOOL)


@dataclass(slots=True)
class TensorProto(Message):
    dtype: int = field(1, ENUM)
    shape: TensorShape | None = message_field(2, TensorShape)
    version_number: int = field(3, INT32)
    content: bytes = field(4, BYTES)
    float_val: list[float] = field(5, FLOAT, repeated=True)
    double_val: list[float] = field(6, DOUBLE, repeated=True)
    int_val: list[int] = field(7, INT32, repeated=True)
    string_val: list[bytes] = field(8, BYTES, repeated=True)
    scomplex_val: list[float] = field(9, FLOAT, repeated=True)
    int64_val: list[int] = field(10, INT64, repeated=True)
    bool_val: list[bool] = field(11, BOOL, repeated=True)
    dcomplex_val: list[float] = field(12, DOUBLE, repeated=True)
    half_val: list[int] = field(13, INT32, repeated=True)
    uint32_val: list[int] = field(16, UINT32, repeated=True)
    uint64_val: list[int] = field(17, UINT64, repeated=True)


@dataclass(slots=True)
class PluginData(Message):
    plugin_name: str = field(1, STRING)
    content: bytes = field(2, BYTES)


@dataclass(slots=True)
class SummaryMetadata(Message):
    plugin_data: PluginData | None = message_field(1, PluginData)
    display_name: str = field(2, STRING)
    summary_description: str = field(3, STRING)
    data_class: int = field(4, ENUM)


@dataclass(slots=True)
class Image(Message):
    height: int = field(1, INT32)
    width: int = field(2, INT32)
    colorspace: int = field(3, INT32)
    encoded: bytes = field(4, BYTES)


@dataclass(slots=True)
class Histogram(Message):
    min: float = field(1, DOUBLE)
    max: float = field(2, DOUBLE)
    num: float = field(3, DOUBLE)
    sum: float = field(4, DOUBLE)
    sum_squares: float = field(5, DOUBLE)
    bucket_limit: list[float] = field(6, DOUBLE, repeated=True)
    bucket: list[float] = field(7, DOUBLE, repeated=True)


@dataclass(slots=True)
class Audio(Message):
    sample_rate: float = field(1, FLOAT)
    num_channels: int = field(2, INT64)
    length_frames: int = field(3, INT64)
    encoded: bytes = field(4, BYTES)
    content_type: str = field(5, STRING)


@dataclass(slots=True)
class SummaryValue(Message):
    tag: str = field(1, STRING)
    simple_value: float | None = field(2, FLOAT, optional=True)
    image: Image | None = message_field(4, Image)
    histo: Histogram | None = message_field(5, Histogram)
    audio: Audio | None = message_field(6, Audio)
    node_name: str = field(7, STRING)
    tensor: TensorProto | None = message_field(8, TensorProto)
    metadata: SummaryMetadata | None = message_field(9, SummaryMetadata)


@dataclass(slots=True)
class Summary(Message):
    value: list[SummaryValue] = message_field(1, SummaryValue, repeated=True)


@dataclass(slots=True)
class LogMessage(Message):
    level: int = field(1, ENUM)
    message: str = field(2, STRING)


@dataclass(slots=True)
class SessionLog(Message):
    status: int = field(1, ENUM)
    checkpoint_path: str = field(2, STRING)
    msg: str = field(3, STRING)


@dataclass(slots=True)
class TaggedRunMetadata(Message):
    tag: str = field(1, STRING)
    run_metadata: bytes = field(2, BYTES)


@dataclass(slots=True)
class SourceMetadata(Message):
    writer: str = field(1, STRING)


@dataclass(slots=True)
class Event(Message):
    wall_time: float = field(1, DOUBLE)
    step: int = field(2, INT64)
    file_version: str | None = field(3, STRING, optional=True)
    graph_def: bytes | None = field(4, BYTES, optional=True)
    summary: Summary | None = message_field(5, Summary)
    log_message: LogMessage | None = message_field(6, LogMessage)
    session_log: SessionLog | None = message_field(7, SessionLog)
    tagged_run_metadata: TaggedRunMetadata | None = message_field(8, TaggedRunMetadata)
    meta_graph_def: bytes | None = field(9, BYTES, optional=True)
    source_metadata: SourceMetadata | None = message_field(10, SourceMetadata)
