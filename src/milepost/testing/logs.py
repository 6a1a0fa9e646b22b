"""Event files for tests and benchmarks. In: tags, steps, values. Out: the bytes or files a writer would have made.

The bytes are put together here, apart from `milepost.summary`, so that a mistake of the writer cannot hide one of the reader.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from pathlib import Path

from milepost.formats.event import (
    FILE_VERSION,
    DataClass,
    Event,
    PluginData,
    SessionLog,
    SessionStatus,
    Summary,
    SummaryMetadata,
    SummaryValue,
    TensorProto,
    TensorShape,
)
from milepost.formats.record import frame
from milepost.formats.wire import encode_varint
from milepost.types import PathLike

__all__ = [
    "file_header", "scalar_at", "scalar_event", "session_start", "tensor_event", "value_event", "write_events",
    "write_scalar_runs",
]  # fmt: skip

_WALL = struct.Struct("<d")
_FLOAT = struct.Struct("<f")


def file_header(wall_time: float = 1.0) -> bytes:
    """The first record of every event file."""
    return frame(Event(wall_time=wall_time, file_version=FILE_VERSION).encode())


def scalar_event(tag: str | bytes, step: int, value: float, wall_time: float = 1.0) -> bytes:
    """One framed scalar as TF 1, torch and tensorboardX write it (`simple_value`)."""
    name = tag if isinstance(tag, bytes) else tag.encode()
    body = b"\n" + encode_varint(len(name)) + name + b"\x15" + _FLOAT.pack(value)
    summary = b"\n" + encode_varint(len(body)) + body
    step_field = b"\x10" + encode_varint(step & 0xFFFF_FFFF_FFFF_FFFF) if step else b""
    return frame(b"\t" + _WALL.pack(wall_time) + step_field + b"*" + encode_varint(len(summary)) + summary)


def tensor_event(tag: str, step: int, value: float, wall_time: float = 1.0) -> bytes:
    """One framed scalar as TF 2 writes it: a tensor, with its metadata each time."""
    tensor = TensorProto(dtype=1, shape=TensorShape(), content=_FLOAT.pack(value))
    metadata = SummaryMetadata(plugin_data=PluginData(plugin_name="scalars"), data_class=DataClass.SCALAR)
    return value_event(SummaryValue(tag=tag, tensor=tensor, metadata=metadata), step, wall_time)


def value_event(value: SummaryValue, step: int, wall_time: float = 1.0) -> bytes:
    """One framed event with any summary value."""
    return frame(Event(wall_time=wall_time, step=step, summary=Summary(value=[value])).encode())


def session_start(step: int, wall_time: float = 1.0) -> bytes:
    """What `purge_step` writes when a run is resumed."""
    return frame(Event(wall_time=wall_time, step=step, session_log=SessionLog(status=SessionStatus.START)).encode())


def write_events(path: PathLike, records: Iterable[bytes], *, header: bool = True) -> Path:
    """An event file at `path`, its directory made if need be."""
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes((file_header() if header else b"") + b"".join(records))
    return place


def write_scalar_runs(
    logdir: PathLike, runs: int = 10, tags: int = 10, steps: int = 10_000, event: Callable[..., bytes] = scalar_event
) -> int:
    """`runs` runs of `tags` scalars over `steps` steps, one file each; the number of points written.

    `event` is the way of writing: `scalar_event` or `tensor_event`.
    Values are a function of (run, tag, step), see `scalar_at`, so that a reader's every point can be checked.
    """
    for run in range(runs):
        names = [f"train/metric_{tag:02d}" for tag in range(tags)]
        records = (
            event(name, step, scalar_at(run, tag, step), 1.7e9 + step * 0.1)
            for step in range(steps)
            for tag, name in enumerate(names)
        )
        write_events(Path(logdir) / f"run_{run:02d}" / f"events.out.tfevents.{1_700_000_000 + run}.host.1.0", records)
    return runs * tags * steps


def scalar_at(run: int, tag: int, step: int) -> float:
    """The value `write_scalar_runs` gives a point; exact in float32."""
    return float((run * 131 + tag * 17 + step) % 8191) / 8.0
