"""From a tag and a tensor to an event of the default writer. In: what a summary function has checked. Out: whether it was taken.

`now` things are encoded at once, `later` ones on the log's thread. Not here: what the tensors mean.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from milepost.formats.event import Event, PluginData, Summary, SummaryMetadata, SummaryValue, TensorProto
from milepost.formats.scalar_event import clean_tag
from milepost.summary.context import current
from milepost.summary.writer import SummaryWriterLike

__all__ = ["encode_event", "later", "metadata_for", "now", "recorder"]


def recorder() -> SummaryWriterLike | None:
    """The writer that wants a summary at this moment, or None."""
    writer = current.writer
    if writer is None or not writer.records:
        return None
    recording = current.recording
    if recording is not True and not (recording() if callable(recording) else recording):
        return None
    return writer


def metadata_for(
    plugin: str, description: str | None = None, content: bytes = b"", display_name: str = ""
) -> SummaryMetadata:
    return SummaryMetadata(PluginData(plugin, content), display_name, description or "")


def encode_event(values: list[SummaryValue], step: int, wall_time: float) -> bytes:
    return Event(wall_time=wall_time, step=step, summary=Summary(values)).encode()


def now(
    writer: SummaryWriterLike, tag: str, tensor: TensorProto | None, metadata: SummaryMetadata | None, step: int
) -> bool:
    """Write a small tensor."""
    value = SummaryValue(tag=clean_tag(tag), tensor=tensor, metadata=metadata)
    return writer.append(encode_event([value], step, time.time()))


def later(
    writer: SummaryWriterLike, tag: str, make: Callable[[], TensorProto], metadata: SummaryMetadata, step: int, size: int
) -> bool:  # fmt: skip
    """Have `make` build the tensor on the writer's thread; the moment of the call is the event's time."""
    wall_time, clean = time.time(), clean_tag(tag)

    def job() -> bytes:
        return encode_event([SummaryValue(tag=clean, tensor=make(), metadata=metadata)], step, wall_time)

    return writer.submit(job, size)


def as_bytes(message: Any) -> bytes:
    """A message as its wire bytes: bytes, one of ours, or one of protobuf's."""
    if isinstance(message, (bytes, bytearray, memoryview)):
        return bytes(message)
    for name in ("encode", "SerializeToString"):
        if hasattr(message, name):
            return bytes(getattr(message, name)())
    raise TypeError(f"not a protobuf message: {type(message).__name__}")
