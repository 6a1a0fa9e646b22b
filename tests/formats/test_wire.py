"""The protobuf codec: exact bytes, any field order, unknown fields, and hostile input in bounded memory."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.errors import FormatError, TruncatedError
from milepost.formats import wire
from milepost.formats.event import Event, Summary, SummaryValue, TensorProto, TensorShape


@dataclass(slots=True)
class Leaf(wire.Message):
    number: int = wire.field(1, wire.INT32)
    names: list[str] = wire.field(2, wire.STRING, repeated=True)


@dataclass(slots=True)
class Every(wire.Message):
    int64: int = wire.field(1, wire.INT64)
    uint64: int = wire.field(2, wire.UINT64)
    flag: bool = wire.field(3, wire.BOOL)
    fixed32: int = wire.field(4, wire.FIXED32)
    double: float = wire.field(5, wire.DOUBLE)
    single: float = wire.field(6, wire.FLOAT)
    text: str = wire.field(7, wire.STRING)
    data: bytes = wire.field(8, wire.BYTES)
    maybe: float | None = wire.field(9, wire.FLOAT, optional=True)
    leaf: Leaf | None = wire.message_field(10, Leaf)
    leaves: list[Leaf] = wire.message_field(11, Leaf, repeated=True)
    packed: list[int] = wire.field(12, wire.INT64, repeated=True)
    unpacked: list[int] = wire.field(13, wire.INT64, repeated=True, packed=False)
    table: dict[str, int] = wire.map_field(14, wire.STRING, wire.INT64)
    tree: dict[str, Leaf] = wire.map_field(15, wire.STRING, Leaf)
    fixed64: int = wire.field(16, wire.FIXED64)


class Nest(wire.Message):
    """A message that holds itself, for the depth test."""

    def __init__(self, inner: Nest | None = None):
        self.inner = inner

    @classmethod
    def _specs(cls) -> dict[int, tuple[str, wire.FieldSpec]]:
        return {1: ("inner", wire.FieldSpec(1, None, Nest, optional=True))}


int64s = st.integers(-(2**63), 2**63 - 1)
leaf_values = st.builds(Leaf, st.integers(-(2**31), 2**31 - 1), st.lists(st.text(max_size=5), max_size=3))
everything = st.builds(
    Every,
    int64=int64s, uint64=st.integers(0, 2**64 - 1), flag=st.booleans(), fixed32=st.integers(0, 2**32 - 1),
    double=st.floats(allow_nan=False), single=st.floats(width=32, allow_nan=False), text=st.text(max_size=20),
    data=st.binary(max_size=20), maybe=st.none() | st.floats(width=32, allow_nan=False), leaf=st.none() | leaf_values,
    leaves=st.lists(leaf_values, max_size=3), packed=st.lists(int64s, max_size=5), unpacked=st.lists(int64s, max_size=5),
    table=st.dictionaries(st.text(max_size=5), int64s, max_size=3),
    tree=st.dictionaries(st.text(max_size=5), leaf_values, max_size=3), fixed64=st.integers(0, 2**64 - 1),
)  # fmt: skip


@given(everything)
def test_what_is_written_is_read(message: Every) -> None:
    """Every kind of field comes back as it was."""
    assert Every.decode(message.encode()) == message


def test_exact_bytes() -> None:
    """proto3: defaults are left out, negative numbers take ten bytes, presence is kept where it matters."""
    assert Every().encode() == b""
    assert Every(int64=-1).encode() == b"\x08" + b"\xff" * 9 + b"\x01"
    assert Every(maybe=0.0).encode() == b"\x4d\x00\x00\x00\x00"
    assert Every(leaf=Leaf()).encode() == b"\x52\x00"
    assert Every(packed=[1, 300]).encode() == b"\x62\x03\x01\xac\x02"
    assert Every(unpacked=[1, 2]).encode() == b"\x68\x01\x68\x02"


def test_minus_zero_and_nan_are_values() -> None:
    """-0.0 equals the default but is not it; NaN differs from everything."""
    assert math.copysign(1, Every.decode(Every(double=-0.0).encode()).double) == -1
    assert math.isnan(Every.decode(Every(single=math.nan).encode()).single)


def test_packed_and_unpacked_are_both_read() -> None:
    """Writers differ; readers must not care."""
    assert Every.decode(b"\x60\x07\x60\x08").packed == [7, 8]
    assert Every.decode(b"\x6a\x02\x07\x08").unpacked == [7, 8]


def test_unknown_fields_are_skipped() -> None:
    """Of every wire type, before and after known ones."""
    unknown = b"\xf8\x06\x05" + b"\xf9\x06" + b"\0" * 8 + b"\xfa\x06\x03abc" + b"\xfd\x06" + b"\0" * 4
    assert Every.decode(unknown + b"\x08\x05" + unknown).int64 == 5


def test_text_that_is_not_utf8_does_not_hide_the_message() -> None:
    """The bad byte is shown as one; the rest is kept."""
    assert Every.decode(b"\x3a\x03a\xffb\x08\x05") == Every(text="a\ufffdb", int64=5)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\x08", TruncatedError),  # no value
        (b"\x08\xff", TruncatedError),  # the varint goes on
        (b"\x08" + b"\xff" * 11, FormatError),  # a varint of eleven bytes
        (b"\x3a\x05ab", TruncatedError),  # a text longer than its message
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", TruncatedError),  # a length of 2**63
        (b"\x0b", FormatError),  # wire type 3, a group
        (b"\x0d\0\0\0\0", FormatError),  # fixed32 where a varint belongs
        (b"\x62\x01\x80", TruncatedError),  # a packed varint that goes on
        (b"\x50\x01", FormatError),  # a number where a message belongs
        (b"\x70\x01", FormatError),  # a number where a map entry belongs
    ],
)
def test_bad_bytes_give_one_error(data: bytes, error: type[Exception]) -> None:
    """Truncated, overlong and mistyped fields are named, not crashed on."""
    with pytest.raises(error):
        Every.decode(data)


@given(st.binary(max_size=200))
def test_any_bytes_decode_or_raise_format_error(data: bytes) -> None:
    """No input reaches another exception."""
    try:
        Event.decode(data)
    except FormatError:
        pass


def test_deep_nesting_is_refused() -> None:
    """A message nested a thousand times ends in an error, not in a stack overflow."""
    data = b""
    for _ in range(1000):
        data = b"\x0a" + wire.encode_varint(len(data)) + data
    with pytest.raises(FormatError, match="nested too deeply"):
        Nest.decode(data)


def test_a_scalar_event_has_tensorboards_bytes() -> None:
    """Fields in number order, empty shape kept: the bytes TensorFlow writes for tf.summary.scalar."""
    value = SummaryValue(tag="loss", tensor=TensorProto(dtype=1, shape=TensorShape(), float_val=[1.0]))
    event = Event(wall_time=1.0, step=2, summary=Summary(value=[value]))
    assert event.encode() == (
        b"\x09\0\0\0\0\0\0\xf0\x3f\x10\x02\x2a\x14\x0a\x12\x0a\x04loss\x42\x0a\x08\x01\x12\x00\x2a\x04\0\0\x80\x3f"
    )
