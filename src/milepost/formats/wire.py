"""A small declarative protobuf codec. In: bytes or message objects. Out: the other one.

A message is a dataclass whose fields carry their number and kind:

    >>> @dataclass(slots=True)
    ... class Dim(Message):
    ...     size: int = field(1, INT64)
    ...     name: str = field(2, STRING)
    >>> Dim(size=3).encode()
    b'\\x08\\x03'
    >>> Dim.decode(b'\\x08\\x03')
    Dim(size=3, name='')

proto3 rules: defaults are not written, unknown fields are skipped, the last of a repeated singular field wins, packed and
unpacked numbers are both read. `optional=True` keeps presence (None when absent), as oneofs and sub-messages need.
Why not the protobuf package: its version pins are the commonest reason why TensorBoard does not install beside something
else, and the hot paths (scalar events, bundle entries) are decoded natively anyway.
Not here: any particular message.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from milepost.errors import FormatError, TruncatedError

__all__ = [
    "BOOL", "BYTES", "DOUBLE", "ENUM", "FIXED32", "FIXED64", "FLOAT", "INT32", "INT64", "MAX_DEPTH", "STRING",
    "UINT32", "UINT64", "Kind", "Message", "decode_varint", "encode_varint", "field", "map_field", "message_field",
]  # fmt: skip

MAX_DEPTH = 64  # nesting beyond any real message; a hostile one must not exhaust the stack

VARINT, I64, LEN, I32 = 0, 1, 2, 5


def encode_varint(value: int) -> bytes:
    """An unsigned value below 2**64, seven bits a byte, lowest first."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def decode_varint(data: memoryview | bytes, at: int) -> tuple[int, int]:
    """The varint that starts at `at`, and the position after it."""
    value = shift = 0
    end = len(data)
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
        if shift > 63:
            raise FormatError("varint longer than ten bytes", where=f"byte {at}")
    raise TruncatedError("the bytes end inside a varint", where=f"byte {at}")


@dataclass(frozen=True, slots=True)
class Kind:
    """How one protobuf type is laid on the wire."""

    name: str
    wire: int
    default: Any
    to_wire: Callable[[Any], bytes]  # value -> payload, without tag and length
    from_raw: Callable[[Any], Any]  # varint int / fixed bytes / memoryview -> value


def _signed(bits: int) -> Callable[[int], int]:
    # A negative int32 travels as ten bytes; a reader keeps the low bits.
    top, span, low = 1 << (bits - 1), 1 << bits, (1 << bits) - 1
    return lambda raw: ((raw & low) ^ top) - top if raw & low & top else raw & (span - 1)


def _fixed(code: str) -> tuple[Callable[[Any], bytes], Callable[[Any], Any]]:
    layout = struct.Struct(code)
    return layout.pack, lambda raw: layout.unpack(raw)[0]


def _text(raw: memoryview) -> str:
    # Tags and names come from other people's programs; one bad byte must not hide a whole event.
    return str(raw, "utf-8", "replace")


def _varint64(value: int) -> bytes:
    return encode_varint(value & 0xFFFF_FFFF_FFFF_FFFF)


INT32 = Kind("int32", VARINT, 0, _varint64, _signed(32))
INT64 = Kind("int64", VARINT, 0, _varint64, _signed(64))
UINT32 = Kind("uint32", VARINT, 0, _varint64, lambda raw: raw & 0xFFFF_FFFF)
UINT64 = Kind("uint64", VARINT, 0, _varint64, lambda raw: raw)
ENUM = Kind("enum", VARINT, 0, _varint64, _signed(32))
BOOL = Kind("bool", VARINT, False, lambda value: b"\x01" if value else b"\x00", bool)
FIXED32 = Kind("fixed32", I32, 0, *_fixed("<I"))
FIXED64 = Kind("fixed64", I64, 0, *_fixed("<Q"))
FLOAT = Kind("float", I32, 0.0, *_fixed("<f"))
DOUBLE = Kind("double", I64, 0.0, *_fixed("<d"))
STRING = Kind("string", LEN, "", lambda value: value.encode("utf-8", "surrogateescape"), _text)
BYTES = Kind("bytes", LEN, b"", bytes, bytes)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    number: int
    kind: Kind | None  # None: a sub-message
    message: type[Message] | None = None
    repeated: bool = False
    optional: bool = False
    packed: bool = True
    map_key: Kind | None = None


def field(number: int, kind: Kind, *, repeated: bool = False, optional: bool = False, packed: bool = True) -> Any:
    """A field of a plain type. Repeated numbers are packed unless told otherwise."""
    spec = FieldSpec(number, kind, repeated=repeated, optional=optional, packed=packed and kind.wire != LEN)
    if repeated:
        return dataclasses.field(default_factory=list, metadata={"wire": spec})
    return dataclasses.field(default=None if optional else kind.default, metadata={"wire": spec})


def message_field(number: int, message: type[Message], *, repeated: bool = False) -> Any:
    """A sub-message: None when absent, or a list."""
    spec = FieldSpec(number, None, message, repeated=repeated, optional=not repeated)
    if repeated:
        return dataclasses.field(default_factory=list, metadata={"wire": spec})
    return dataclasses.field(default=None, metadata={"wire": spec})


def map_field(number: int, key: Kind, value: Kind | type[Message]) -> Any:
    """A map; written in insertion order."""
    if isinstance(value, Kind):
        spec = FieldSpec(number, value, map_key=key)
    else:
        spec = FieldSpec(number, None, value, map_key=key)
    return dataclasses.field(default_factory=dict, metadata={"wire": spec})


def _tag(number: int, wire: int) -> bytes:
    return encode_varint(number << 3 | wire)


def _raw(data: memoryview, at: int, wire: int) -> tuple[Any, int]:
    """The undecoded payload at `at`: an int for varints, a view of the bytes otherwise."""
    if wire == VARINT:
        return decode_varint(data, at)
    if wire == LEN:
        size, at = decode_varint(data, at)
    elif wire == I64:
        size = 8
    elif wire == I32:
        size = 4
    else:
        raise FormatError("unknown protobuf wire type", where=f"byte {at}", got=wire, want="0, 1, 2 or 5")
    if size > len(data) - at:
        raise TruncatedError("a field ends after its message", where=f"byte {at}", got=size, want=len(data) - at)
    return data[at : at + size], at + size


class Message:
    """Base of all messages; see the module's example."""

    __slots__ = ()
    _by_number: ClassVar[dict[int, tuple[str, FieldSpec]]]

    @classmethod
    def _specs(cls) -> dict[int, tuple[str, FieldSpec]]:
        found = cls.__dict__.get("_by_number")
        if found is None:
            found = {
                f.metadata["wire"].number: (f.name, f.metadata["wire"])
                for f in dataclasses.fields(cls)  # type: ignore[arg-type]  # every subclass is a dataclass
            }
            cls._by_number = found
        return found

    def encode(self) -> bytes:
        out: list[bytes] = []
        for number, (name, spec) in self._specs().items():
            value = getattr(self, name)
            if spec.map_key is not None:
                for key, item in value.items():
                    body = _one(1, spec.map_key, key) + _entry_value(spec, item)
                    out += (_tag(number, LEN), encode_varint(len(body)), body)
            elif spec.repeated:
                if spec.kind is not None and spec.packed and value:
                    body = b"".join(map(spec.kind.to_wire, value))
                    out += (_tag(number, LEN), encode_varint(len(body)), body)
                else:
                    out += [_item(number, spec, item) for item in value]
            elif spec.optional:
                if value is not None:
                    out.append(_item(number, spec, value))
            elif value != spec.kind.default or (spec.kind.wire in (I32, I64) and str(value) == "-0.0"):  # type: ignore[union-attr]
                out.append(_item(number, spec, value))
        return b"".join(out)

    @classmethod
    def decode(cls, data: bytes | bytearray | memoryview, _depth: int = 0) -> Self:
        if _depth > MAX_DEPTH:
            raise FormatError("message nested too deeply", got=_depth, want=f"at most {MAX_DEPTH}")
        view = memoryview(data)
        specs, at, end = cls._specs(), 0, len(view)
        values: dict[str, Any] = {}
        while at < end:
            key, at = decode_varint(view, at)
            wire = key & 7
            raw, at = _raw(view, at, wire)
            known = specs.get(key >> 3)
            if known is None:
                continue
            name, spec = known
            if spec.map_key is not None:
                entry_key, entry_value = _decode_entry(spec, raw, wire, _depth)
                values.setdefault(name, {})[entry_key] = entry_value
            elif spec.kind is None:
                if wire != LEN:
                    raise FormatError(f"field {name} of {cls.__name__} is no message", got=f"wire type {wire}", want=2)
                item = spec.message.decode(raw, _depth + 1)  # type: ignore[union-attr]
                if spec.repeated:
                    values.setdefault(name, []).append(item)
                else:
                    values[name] = item
            elif spec.repeated and wire == LEN and spec.kind.wire != LEN:
                values.setdefault(name, []).extend(_unpack(spec.kind, raw))
            elif wire != spec.kind.wire:
                raise FormatError(
                    f"field {name} of {cls.__name__} has the wrong wire type", got=wire, want=spec.kind.wire
                )
            elif spec.repeated:
                values.setdefault(name, []).append(spec.kind.from_raw(raw))
            else:
                values[name] = spec.kind.from_raw(raw)
        return cls(**values)


def _one(number: int, kind: Kind, value: Any) -> bytes:
    body = kind.to_wire(value)
    return _tag(number, kind.wire) + (encode_varint(len(body)) + body if kind.wire == LEN else body)


def _item(number: int, spec: FieldSpec, value: Any) -> bytes:
    if spec.kind is not None:
        return _one(number, spec.kind, value)
    body: bytes = value.encode()
    return _tag(number, LEN) + encode_varint(len(body)) + body


def _entry_value(spec: FieldSpec, value: Any) -> bytes:
    return _item(2, spec, value)


def _unpack(kind: Kind, raw: memoryview) -> list[Any]:
    if kind.wire == VARINT:
        values, at = [], 0
        while at < len(raw):
            number, at = decode_varint(raw, at)
            values.append(kind.from_raw(number))
        return values
    size = 4 if kind.wire == I32 else 8
    if len(raw) % size:
        raise TruncatedError("packed numbers end inside one", got=f"{len(raw)} bytes", want=f"a multiple of {size}")
    code = {"float": "f", "double": "d", "fixed32": "I", "fixed64": "Q"}[kind.name]
    return list(struct.unpack(f"<{len(raw) // size}{code}", raw))


def _decode_entry(spec: FieldSpec, raw: Any, wire: int, depth: int) -> tuple[Any, Any]:
    if wire != LEN:
        raise FormatError("a map entry is no message", got=f"wire type {wire}", want=2)
    assert spec.map_key is not None
    key = spec.map_key.default
    value: Any = spec.kind.default if spec.kind is not None else None
    at = 0
    while at < len(raw):
        tag, at = decode_varint(raw, at)
        part, at = _raw(raw, at, tag & 7)
        expected = spec.map_key.wire if tag >> 3 == 1 else spec.kind.wire if spec.kind is not None else LEN
        if tag >> 3 in (1, 2) and tag & 7 != expected:
            raise FormatError("a map entry has the wrong wire type", got=tag & 7, want=expected)
        if tag >> 3 == 1:
            key = spec.map_key.from_raw(part)
        elif tag >> 3 == 2:
            value = spec.kind.from_raw(part) if spec.kind is not None else spec.message.decode(part, depth + 1)  # type: ignore[union-attr]
    if value is None and spec.message is not None:
        value = spec.message()
    return key, value
