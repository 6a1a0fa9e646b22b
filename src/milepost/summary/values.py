"""Summaries of plain values: scalar, text, any tensor. In: a name, a value, a step. Out: an event, and whether it was written.

Not here: media (`media`), distributions (`distributions`), graphs (`milepost.tracing`), how a scalar is encoded (`formats.scalar_event`).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from milepost.engines.host import deferred_scalar, to_host, to_scalar
from milepost.errors import SummaryError
from milepost.formats.event import Event, Summary, SummaryMetadata
from milepost.formats.plugins import TEXT
from milepost.formats.tensor_proto import from_array
from milepost.summary.context import current, resolve_step
from milepost.summary.emit import as_bytes, metadata_for, now, recorder

__all__ = ["scalar", "text", "to_number", "write", "write_raw_pb"]


class NotTextError(SummaryError, TypeError):
    """Something else where text was wanted (a TypeError, as in TensorFlow)."""


def to_number(data: Any) -> float:
    """A rank-0 number of any engine as a float."""
    shape = getattr(data, "shape", ())
    if len(shape) != 0:
        raise SummaryError("a scalar summary takes one number", got=f"shape {tuple(shape)}", want="shape ()")
    if isinstance(data, (str, bytes)):
        raise SummaryError("a scalar summary takes one number", got=repr(data)[:60], want="a number")
    try:
        return to_scalar(data)
    except (TypeError, ValueError) as error:
        raise SummaryError("a scalar summary takes one number", got=type(data).__name__, want="a number") from error


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """Write one number under the tag `name`. True if it was written, False if there is no default writer.

    `data` is a number or a rank-0 array of numpy, torch, jax or Keras; it is stored as float32.
    A torch or jax number on an accelerator is not waited for: its copy joins the device's queue and training goes on.
    """
    state = current
    writer = state.writer
    if writer is None or not writer.records:
        return False
    recording = state.recording
    if recording is not True and not (recording() if callable(recording) else recording):
        return False
    if type(step) is not int:
        step = resolve_step(step)
    scope = state.scope
    if type(data) is not float:
        read = deferred_scalar(data)
        if read is not None:
            return writer.scalar_later(scope + name if scope else name, read, step, description)
        data = to_number(data)
    return writer.scalar(scope + name if scope else name, data, step, description)


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """Write text, shown as Markdown. A string, or strings in a vector or a table (rank 0–2)."""
    writer = recorder()
    if writer is None:
        return False
    step = resolve_step(step)
    if isinstance(data, (str, bytes)):
        strings = np.array(data, object)
    else:
        strings = to_host(data, copy=False) if hasattr(data, "shape") else np.asarray(data, object)
        if strings.dtype.kind not in "SUO" or any(
            not isinstance(item, (str, bytes)) for item in strings.reshape(-1).tolist()
        ):
            raise NotTextError("a text summary takes strings", got=strings.dtype, want="str or bytes")
    return now(writer, current.scope + name, from_array(strings), metadata_for(TEXT, description), step)


def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> bool:
    """Write any tensor, with the metadata of a plugin of your own: a SummaryMetadata of ours or of protobuf, or its bytes.

    `tensor` may be a function that makes it, called only if something records.
    """
    writer = recorder()
    if writer is None:
        return False
    step = resolve_step(step)
    value = tensor() if callable(tensor) and not hasattr(tensor, "shape") else tensor
    if not isinstance(value, (str, bytes, list)):
        value = to_host(value, copy=False)
    if metadata is not None and not isinstance(metadata, SummaryMetadata):
        metadata = SummaryMetadata.decode(as_bytes(metadata))
    return now(writer, current.scope + tag, from_array(value), metadata, step)


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> bool:
    """Write a serialized Summary message as it is, e.g. one made by a TensorBoard plugin's `*_pb` function."""
    writer = recorder()
    if writer is None:
        return False
    payload = as_bytes(tensor)
    summary = Summary.decode(payload)  # a message that is none must not damage the file
    return writer.append(Event(wall_time=time.time(), step=resolve_step(step), summary=summary).encode())
