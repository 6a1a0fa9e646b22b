"""Scalar events, encoded once per tag. In: a tag, how it is to be written. Out: a `Template` for `EventBuffer.append_scalar`.

Three dialects of one number: TF 2 (a float tensor with plugin `scalars`), its double-precision sister, and the
`simple_value` of TF 1, torch and tensorboardX. Not here: wall time, step, framing (`_native.event_buffer`).
"""

from __future__ import annotations

import struct

from milepost._native.event_buffer import Template
from milepost.formats.event import PluginData, Summary, SummaryMetadata, SummaryValue, TensorProto, TensorShape
from milepost.formats.wire import encode_varint

__all__ = ["clean_tag", "simple_template", "tensor_template"]

DT_FLOAT, DT_DOUBLE = 1, 2
SUMMARY_FIELD = b"\x2a"  # field 5 of Event, length-delimited


def clean_tag(tag: str | bytes) -> str:
    """`tag` as text that is valid UTF-8.

    Protobuf readers refuse a whole event over one bad byte in a string, and TensorBoard then loses the rest of the file;
    so bytes that are no UTF-8 are written as escapes.
    """
    if isinstance(tag, bytes):
        return tag.decode("utf-8", "backslashreplace")
    try:
        tag.encode()
    except UnicodeEncodeError:
        return tag.encode("utf-8", "backslashreplace").decode()
    return str(tag)


def _template(value: SummaryValue, from_end: int, *, double_precision: bool = False) -> Template:
    body = Summary(value=[value]).encode()
    return Template(SUMMARY_FIELD + encode_varint(len(body)) + body, from_end, double_precision)


def tensor_template(
    tag: str | bytes, description: str = "", *, display_name: str = "", double_precision: bool = False,
    metadata: SummaryMetadata | None = None,
) -> Template:  # fmt: skip
    """The TF 2 form: a rank-0 tensor, its metadata on every event."""
    metadata = metadata or SummaryMetadata(PluginData("scalars"), display_name, description)
    zero, dtype = (struct.pack("<d", 0), DT_DOUBLE) if double_precision else (struct.pack("<f", 0), DT_FLOAT)
    tensor = TensorProto(dtype=dtype, shape=TensorShape(), content=zero)
    after = len(
        SummaryValue(metadata=metadata).encode()
    )  # the fields behind the tensor, whose last bytes are the value
    value = SummaryValue(tag=clean_tag(tag), tensor=tensor, metadata=metadata)
    return _template(value, after + len(zero), double_precision=double_precision)


def simple_template(tag: str | bytes, metadata: SummaryMetadata | None = None) -> Template:
    """The TF 1 form, as torch and tensorboardX write it: `simple_value`, as a rule without metadata."""
    after = len(SummaryValue(metadata=metadata).encode())
    return _template(SummaryValue(tag=clean_tag(tag), simple_value=0.0, metadata=metadata), after + 4)
