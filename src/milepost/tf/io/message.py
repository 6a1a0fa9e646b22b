"""Messages with protobuf's own manners: presence, oneofs, maps that make what is looked up, text. In: declared fields. Out: bytes, text, and back.

Only what tf.train's messages are made of: repeated numbers and bytes, messages, lists of messages, maps from text to messages.
Not here: which messages there are (`example`), turning features into tensors (`parse`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from milepost.errors import FormatError, MilepostError
from milepost.formats.wire import MAX_DEPTH, decode_varint, encode_varint
from milepost.tf.io.scalars import KINDS, Scalars, escaped

__all__ = ["DecodeError", "Field", "Proto"]


class DecodeError(MilepostError):
    """Bytes that are no such message."""


@dataclass(frozen=True)
class Field:
    """One declared field: `scalars` of a kind, a `message`, `messages`, or a `map`."""

    name: str
    number: int
    shape: str
    kind: Any  # the name of a scalar kind, or the message's class

    @property
    def full_name(self) -> str:
        return self.name


class Messages(list[Any]):
    """A repeated message."""

    def __init__(self, kind: type[Proto], touch: Callable[[], None]):
        super().__init__()
        self._kind, self._touch = kind, touch

    def add(self, **values: Any) -> Any:
        made = self._kind(**values)
        self.append(made)
        return super().__getitem__(-1)

    def append(self, value: Any) -> None:
        if type(value) is not self._kind:
            raise TypeError(
                f"Parameter to append() must be an instance of {self._kind.__name__}: got {type(value).__name__}."
            )
        self._touch()
        super().append(value._copy(lambda: None))

    def extend(self, values: Iterable[Any]) -> None:
        self._touch()
        for value in values:
            self.append(value)

    MergeFrom = extend

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError("Messages in a repeated field are changed in place, not assigned.")


class Map(dict[str, Any]):
    """A map of messages: looking a key up makes it."""

    def __init__(self, kind: type[Proto], touch: Callable[[], None]):
        super().__init__()
        self._kind, self._touch = kind, touch

    def __missing__(self, key: Any) -> Any:
        self._touch()
        made = self._kind()
        super().__setitem__(self._text(key), made)
        return made

    get_or_create = dict.__getitem__

    def _text(self, key: Any) -> str:
        if isinstance(key, bytes):
            return key.decode()
        if not isinstance(key, str):
            raise TypeError(f"bad argument type for built-in operation: a key is text, got {type(key).__name__}")
        return key

    def __setitem__(self, key: str, value: Any) -> None:
        raise ValueError("May not set values directly, call my_map[key].foo = 5")

    def _put(self, key: Any, value: Any) -> None:
        self._touch()
        super().__setitem__(self._text(key), value)

    def MergeFrom(self, other: Map) -> None:
        for key, value in other.items():
            self._put(key, value._copy(lambda: None))


class Proto:
    """The base of all messages."""

    __slots__ = ("_held", "_present", "_told")
    FULL_NAME: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, Field]] = {}
    ONEOF: ClassVar[str | None] = None

    def __init__(self, **values: Any):
        object.__setattr__(self, "_held", {})
        object.__setattr__(self, "_present", {})  # the singular messages that are there
        object.__setattr__(self, "_told", None)  # whom to tell that this one is there now
        for name, value in values.items():
            if name not in self.FIELDS:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                self._fill(self.FIELDS[name], value)

    def _fill(self, field: Field, value: Any) -> None:
        held = getattr(self, field.name)
        if field.shape == "scalars":
            held.extend(value)
        elif field.shape == "messages":
            for item in value:
                held.append(field.kind(**item) if isinstance(item, dict) else item)
        elif field.shape == "map":
            for key, item in value.items():
                made = field.kind(**item) if isinstance(item, dict) else item
                if type(made) is not field.kind:
                    raise TypeError(
                        f"The values of {field.name} are {field.kind.__name__} messages, got {type(item).__name__}."
                    )
                held._put(key, made._copy(lambda: None))
        else:
            made = field.kind(**value) if isinstance(value, dict) else value
            if type(made) is not field.kind:
                raise TypeError(
                    f"Parameter to initialize message field must be dict or instance of same class: expected {field.kind} got {type(value)}."
                )
            self._mark(field.name)
            self._held[field.name] = made._copy(lambda: self._mark(field.name))

    # --- fields -------------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        field = type(self).FIELDS.get(name)
        if field is None:
            raise AttributeError(f"{name!r} is no field of {type(self).__name__}.")
        held = self._held.get(name)
        if held is None:
            if field.shape == "scalars":
                held = Scalars(KINDS[field.kind], self._touch)
            elif field.shape == "messages":
                held = Messages(field.kind, self._touch)
            elif field.shape == "map":
                held = Map(field.kind, self._touch)
            else:
                held = field.kind()
                object.__setattr__(held, "_told", lambda: self._mark(name))
            self._held[name] = held
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
        if name not in self._present:
            if self.ONEOF is not None:
                for other in list(self._present):
                    self._held.pop(other, None)
                self._present.clear()
            self._present[name] = True
        self._touch()

    def _copy(self, told: Callable[[], None]) -> Self:
        made = type(self)()
        object.__setattr__(made, "_told", None)
        made.MergeFrom(self)
        object.__setattr__(made, "_told", told)
        return made

    def _there(self) -> Iterator[tuple[Field, Any]]:
        for name, field in self.FIELDS.items():
            held = self._held.get(name)
            if held is not None and (name in self._present if field.shape == "message" else len(held)):
                yield field, held

    # --- what people call on a message --------------------------------------------------------------------------------

    def SerializeToString(self, deterministic: bool | None = None, **_: Any) -> bytes:
        out: list[bytes] = []
        for field, held in self._there():
            tag = bytes((field.number << 3 | 2,))
            if field.shape == "scalars":
                out.append(held.encode(tag))
            elif field.shape == "message":
                body = held.SerializeToString(deterministic)
                out += (tag, encode_varint(len(body)), body)
            elif field.shape == "messages":
                for item in held:
                    body = item.SerializeToString(deterministic)
                    out += (tag, encode_varint(len(body)), body)
            else:
                for key in sorted(held) if deterministic else held:
                    name, body = key.encode(), held[key].SerializeToString(deterministic)
                    entry = b"".join((b"\n", encode_varint(len(name)), name, b"\x12", encode_varint(len(body)), body))
                    out += (tag, encode_varint(len(entry)), entry)
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
        self._held.clear()
        self._present.clear()
        self._touch()

    def ClearField(self, name: str) -> None:
        if name not in self.FIELDS:
            if name != self.ONEOF:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            name = next(iter(self._present), "")
        self._held.pop(name, None)
        self._present.pop(name, None)

    def HasField(self, name: str) -> bool:
        if name == self.ONEOF:
            return bool(self._present)
        field = self.FIELDS.get(name)
        if field is None or field.shape != "message":
            raise ValueError(
                f'Protocol message {type(self).__name__} has no non-repeated field "{name}" nor marked as optional'
            )
        return name in self._present

    def WhichOneof(self, group: str) -> str | None:
        if group != self.ONEOF:
            raise ValueError(f'Protocol message {type(self).__name__} has no oneof "{group}" field.')
        return next(iter(self._present), None)

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
