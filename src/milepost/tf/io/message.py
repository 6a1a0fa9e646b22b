"""Messages with protobuf's own manners: presence, oneofs, maps that make what is looked up, text. In: declared fields. Out: bytes, text, and back.

Only what tf.train's messages are made of: repeated numbers and bytes, messages, lists of messages, maps from text to messages.
Not here: which messages there are (`example`), turning features into tensors (`parse`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from milepost.errors import FormatError, MilepostError
from milepost.formats.wire import MAX_DEPTH, decode_varint, encode_varint
from milepost.tf.io.containers import Map, Messages, text_key
from milepost.tf.io.scalars import KINDS, Scalars, escaped

__all__ = ["DecodeError", "Field", "Proto", "framed", "freeze", "pieces"]


class DecodeError(MilepostError):
    """Bytes that are no such message."""


@dataclass(frozen=True)
class Field:
    """One declared field: `scalars` of a kind, a `message`, `messages`, or a `map`."""

    name: str
    number: int
    shape: str
    kind: Any  # the name of a scalar kind, or the message's class

    @functools.cached_property
    def tag(self) -> bytes:
        return bytes((self.number << 3 | 2,))

    @property
    def full_name(self) -> str:
        return self.name


_put = object.__setattr__


def framed(tag: bytes, body: bytes) -> bytes:
    size = len(body)
    return tag + (bytes((size,)) if size < 0x80 else encode_varint(size)) + body


def freeze(message: Proto, data: bytes) -> None:
    """The message is what these bytes say."""
    _put(message, "_frozen", data)


class Proto:
    """The base of all messages."""

    _held: dict[str, Any] | None = None
    _present: dict[str, bool] | None = None  # the singular messages that are there
    _told: Callable[[], None] | None = None  # whom to tell that this one is there now
    # What the constructor is given is kept as bytes, a copy as protobuf makes one, until somebody looks inside: an Example is mostly made
    # to be written.
    _frozen: bytes | None = None

    FULL_NAME: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, Field]] = {}
    ONEOF: ClassVar[str | None] = None

    def __init__(self, **values: Any):
        if values:
            _put(self, "_frozen", b"".join(self._given(values)))

    @property
    def _parts(self) -> dict[str, Any]:
        """The fields that were looked at or set."""
        if self._frozen is not None:
            self._thaw()
        held = self._held
        if held is None:
            held = {}
            _put(self, "_held", held)
            _put(self, "_present", {})
        return held

    @property
    def _marked(self) -> dict[str, bool]:
        self._parts  # noqa: B018 - makes both
        assert self._present is not None
        return self._present

    def _given(self, values: dict[str, Any]) -> list[bytes]:
        parts: list[bytes] = []
        fields = self.FIELDS
        for name, value in values.items():
            field = fields.get(name)
            if field is None:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is None:
                continue
            tag, shape = field.tag, field.shape
            if shape == "scalars":
                checked = KINDS[field.kind].checked(value)
                parts.append(KINDS[field.kind].encode(tag, checked) if checked else b"")
            elif shape == "message":
                if self.ONEOF is not None:
                    parts.clear()
                parts.append(framed(tag, self._message(field, value)))
            elif shape == "messages":
                parts += [framed(tag, self._message(field, item)) for item in value]
            else:
                for key, item in value.items():
                    body = self._message(field, item)
                    parts.append(framed(tag, framed(b"\n", text_key(key).encode()) + framed(b"\x12", body)))
        return parts

    def _message(self, field: Field, value: Any) -> bytes:
        made = field.kind(**value) if isinstance(value, dict) else value
        if type(made) is not field.kind:
            raise TypeError(
                f"Parameter to initialize message field must be dict or instance of same class: expected {field.kind} got {type(value)}."
            )
        data: bytes = made.SerializeToString()
        return data

    def _thaw(self) -> None:
        frozen = self._frozen
        if frozen is not None:
            _put(self, "_frozen", None)
            told = self._told
            _put(self, "_told", None)  # it is no news
            self._read(memoryview(frozen), 0)
            _put(self, "_told", told)

    # --- fields -------------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        field = type(self).FIELDS.get(name)
        if field is None:
            raise AttributeError(f"{name!r} is no field of {type(self).__name__}.")
        parts = self._parts
        held = parts.get(name)
        if held is None:
            if field.shape == "scalars":
                held = Scalars(KINDS[field.kind], self._touch)
            elif field.shape == "messages":
                held = Messages(field.kind, self._touch)
            elif field.shape == "map":
                held = Map(field.kind, self._touch)
            else:
                held = field.kind()
                _put(held, "_told", lambda: self._mark(name))
            parts[name] = held
        return held

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.FIELDS:
            raise AttributeError(f"Assignment not allowed (no field {name!r} in protocol message object).")
        raise AttributeError(
            f"Assignment not allowed to message, map, or repeated field {name!r} in protocol message object."
        )

    def _touch(self) -> None:
        if self._told is not None:
            self._told()

    def _mark(self, name: str) -> None:
        marked = self._marked
        if name not in marked:
            if self.ONEOF is not None:
                for other in list(marked):
                    self._parts.pop(other, None)
                marked.clear()
            marked[name] = True
        self._touch()

    def _copy(self, told: Callable[[], None]) -> Self:
        made = type(self)()
        _put(made, "_frozen", self.SerializeToString())
        _put(made, "_told", told)
        return made

    def _there(self) -> Iterator[tuple[Field, Any]]:
        parts, marked = self._parts, self._marked
        for name, field in self.FIELDS.items():
            held = parts.get(name)
            if held is not None and (name in marked if field.shape == "message" else len(held)):
                yield field, held

    # --- what people call on a message --------------------------------------------------------------------------------

    def SerializeToString(self, deterministic: bool | None = None, **_: Any) -> bytes:
        if self._frozen is not None and not deterministic:
            return self._frozen
        out: list[bytes] = []
        for field, held in self._there():
            tag = field.tag
            if field.shape == "scalars":
                out.append(held.encode(tag))
            elif field.shape == "message":
                out.append(framed(tag, held.SerializeToString(deterministic)))
            elif field.shape == "messages":
                out += [framed(tag, item.SerializeToString(deterministic)) for item in held]
            else:
                for key in sorted(held) if deterministic else held:
                    body = held[key].SerializeToString(deterministic)
                    out.append(framed(tag, framed(b"\n", key.encode()) + framed(b"\x12", body)))
        return b"".join(out)

    SerializePartialToString = SerializeToString

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        made = cls()
        made.MergeFromString(data)
        return made

    def ParseFromString(self, data: bytes) -> int:
        self.Clear()
        return self.MergeFromString(data)

    def MergeFromString(self, data: bytes) -> int:
        try:
            self._read(memoryview(data), 0)
        except (FormatError, UnicodeDecodeError) as error:
            raise DecodeError(f"Error parsing message with type '{self.FULL_NAME}': {error}") from error
        return len(data)

    def _read(self, data: memoryview, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise FormatError("message nested too deeply", got=depth, want=f"at most {MAX_DEPTH}")
        for number, wire, body in pieces(data):
            field = self._numbered().get(number)
            if field is None:
                continue
            held = getattr(self, field.name)
            if field.shape == "scalars":
                held.decode(wire, body)
                continue
            if wire != 2:
                raise FormatError(f"field {field.name} is no message", got=f"wire type {wire}", want=2)
            if field.shape == "message":
                self._mark(field.name)
                getattr(self, field.name)._read(body, depth + 1)
            elif field.shape == "messages":
                made = field.kind()
                made._read(body, depth + 1)
                list.append(held, made)
                self._touch()
            else:
                key, made = "", field.kind()
                for inner, inner_wire, part in pieces(body):
                    if inner == 1 and inner_wire == 2:
                        key = str(part, "utf-8")
                    elif inner == 2 and inner_wire == 2:
                        made._read(part, depth + 2)
                held._put(key, made)

    @classmethod
    def _numbered(cls) -> dict[int, Field]:
        found = cls.__dict__.get("_by_number")
        if found is None:
            found = {field.number: field for field in cls.FIELDS.values()}
            cls._by_number = found  # type: ignore[attr-defined]
        return found

    def MergeFrom(self, other: Self) -> None:
        if type(other) is not type(self):
            raise TypeError(f"Parameter to MergeFrom() must be instance of same class: expected {type(self).__name__} got {type(other).__name__}.")  # fmt: skip
        for field, held in other._there():
            if field.shape == "message":
                self._mark(field.name)
            getattr(self, field.name).MergeFrom(held)

    def CopyFrom(self, other: Self) -> None:
        if other is not self:
            kept = other._copy(lambda: None) if type(other) is type(self) else other
            self.Clear()
            self.MergeFrom(kept)

    def Clear(self) -> None:
        _put(self, "_frozen", None)
        self._parts.clear()
        self._marked.clear()
        self._touch()

    def ClearField(self, name: str) -> None:
        if name not in self.FIELDS:
            if name != self.ONEOF:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            name = next(iter(self._marked), "")
        self._parts.pop(name, None)
        self._marked.pop(name, None)

    def HasField(self, name: str) -> bool:
        if name == self.ONEOF:
            return bool(self._marked)
        field = self.FIELDS.get(name)
        if field is None or field.shape != "message":
            raise ValueError(
                f'Protocol message {type(self).__name__} has no non-repeated field "{name}" nor marked as optional'
            )
        return name in self._marked

    def WhichOneof(self, group: str) -> str | None:
        if group != self.ONEOF:
            raise ValueError(f'Protocol message {type(self).__name__} has no oneof "{group}" field.')
        return next(iter(self._marked), None)

    def ListFields(self) -> list[tuple[Field, Any]]:
        return list(self._there())

    def IsInitialized(self) -> bool:
        return True

    def ByteSize(self) -> int:
        return len(self.SerializeToString())

    def SetInParent(self) -> None:
        self._touch()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.SerializeToString(True) == other.SerializeToString(True)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: Any) -> Self:
        return self._copy(lambda: None)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self.SerializeToString())

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        for field, held in self._there():
            if field.shape == "scalars":
                yield from (f"{field.name}: {value}" for value in held.texts())
                continue
            entries: Iterable[Any] = [held] if field.shape == "message" else held
            for entry in sorted(entries) if field.shape == "map" else entries:
                yield f"{field.name} {{"
                if field.shape == "map":
                    yield f"  key: {escaped(entry.encode())}"
                    yield "  value {"
                    yield from (f"    {line}" for line in held[entry]._lines())
                    yield "  }"
                else:
                    yield from (f"  {line}" for line in entry._lines())
                yield "}"


def _revive(kind: type[Proto], data: bytes) -> Any:
    return kind.FromString(data)


def pieces(data: memoryview) -> Iterator[tuple[int, int, Any]]:
    """(field number, wire type, payload) of each field: a number for varints, else a view of the bytes."""
    at, end = 0, len(data)
    while at < end:
        tag, at = decode_varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = decode_varint(data, at)
            yield tag >> 3, 0, value
            continue
        if wire == 2:
            size, at = decode_varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise FormatError("unknown protobuf wire type", where=f"byte {at}", got=wire, want="0, 1, 2 or 5")
        if size > end - at or not tag >> 3:
            raise FormatError("Wire format was corrupt: a field ends after its message", where=f"byte {at}", got=size)
        yield tag >> 3, wire, data[at : at + size]
        at += size
