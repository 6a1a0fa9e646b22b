"""Repeated numbers and bytes of a message. In: Python and numpy values, checked as protobuf checks them. Out: their bytes and text, and back."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from milepost.errors import FormatError
from milepost.formats.wire import encode_varint

__all__ = ["KINDS", "Kind", "Scalars", "escaped", "varints"]

_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def escaped(value: bytes) -> str:
    """Bytes as protobuf's text writes them: ASCII as it is, the rest in octal."""
    return '"' + "".join(_ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in value) + '"'


def varints(body: Any) -> np.ndarray[Any, Any]:
    """Packed varints as int64."""
    raw = np.frombuffer(body, np.uint8)
    ends = raw < 0x80
    if ends.all():
        return raw.astype(np.int64)
    if not ends[-1]:
        raise FormatError("the bytes end inside a varint")
    stops = np.flatnonzero(ends)
    starts = np.concatenate([[0], stops[:-1] + 1])
    if (stops - starts > 9).any():
        raise FormatError("varint longer than ten bytes")
    place = np.arange(len(raw)) - np.repeat(starts, stops - starts + 1)
    parts = (raw & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.add.reduceat(parts, starts).astype(np.int64)


class Kind:
    """How one type of scalars is checked, written and read."""

    dtype: Any

    def check(self, value: Any) -> Any:
        raise NotImplementedError

    def checked(self, values: Any) -> list[Any]:
        try:
            given = iter(values)
        except TypeError:
            raise TypeError("must assign iterable") from None
        check = self.check
        return [check(v) for v in given]

    def encode(self, tag: bytes, values: list[Any]) -> bytes:
        raise NotImplementedError

    def decode(self, wire: int, body: Any) -> list[Any]:
        raise NotImplementedError

    def text(self, value: Any) -> str:
        return str(value)


class _Int64(Kind):
    dtype = np.int64

    def check(self, value: Any) -> int:
        if type(value) is int and -0x8000_0000 <= value <= 0x7FFF_FFFF:
            return value
        number = operator.index(value) if not isinstance(value, np.bool_) else int(value)
        if not -(2**63) <= number < 2**63:
            raise ValueError(f"Value out of range: {number}")
        return int(number)

    def encode(self, tag: bytes, values: list[Any]) -> bytes:
        if min(values) >= 0 and max(values) < 0x80:
            body = bytes(values)
        else:
            body = b"".join([encode_varint(v & 0xFFFF_FFFF_FFFF_FFFF) for v in values])
        return tag + encode_varint(len(body)) + body

    def decode(self, wire: int, body: Any) -> list[Any]:
        if wire == 0:
            return [body - 2**64 if body >= 2**63 else body]
        if wire != 2:
            raise FormatError("whole numbers have the wrong wire type", got=wire, want="0 or 2")
        return varints(body).tolist() if len(body) else []


class _Float(Kind):
    dtype = np.float32

    def check(self, value: Any) -> float:
        if isinstance(value, (str, bytes)):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        return _rounded(float(value))

    def encode(self, tag: bytes, values: list[Any]) -> bytes:
        return tag + encode_varint(4 * len(values)) + struct.pack(f"<{len(values)}f", *values)

    def decode(self, wire: int, body: Any) -> list[Any]:
        if wire not in (2, 5) or len(body) % 4:
            raise FormatError("floats have the wrong wire type or length", got=wire, want="2 or 5")
        made: list[Any] = np.frombuffer(body, "<f4").astype(np.float64).tolist()
        return made

    def text(self, value: Any) -> str:
        if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        short = f"{value:.6g}"
        return short if np.float32(float(short)) == np.float32(value) else f"{value:.9g}"


def _rounded(value: float) -> float:
    try:
        made: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return made


class _Bytes(Kind):
    dtype = None

    def check(self, value: Any) -> bytes:
        if not isinstance(value, bytes):
            raise TypeError(f"expected bytes, {type(value).__name__} found")
        return bytes(value)

    def encode(self, tag: bytes, values: list[Any]) -> bytes:
        return b"".join([tag + encode_varint(len(v)) + v for v in values])

    def decode(self, wire: int, body: Any) -> list[Any]:
        if wire != 2:
            raise FormatError("bytes have the wrong wire type", got=wire, want=2)
        return [bytes(body)]

    def text(self, value: Any) -> str:
        return escaped(value)


KINDS: dict[str, Kind] = {"int64": _Int64(), "float": _Float(), "bytes": _Bytes()}


class Scalars(list[Any]):
    """A repeated field of numbers or bytes."""

    def __init__(self, kind: Kind, touch: Callable[[], None]):
        super().__init__()
        self._kind, self._touch = kind, touch

    def append(self, value: Any) -> None:
        checked = self._kind.check(value)
        self._touch()
        super().append(checked)

    def extend(self, values: Iterable[Any]) -> None:
        checked = self._kind.checked(values)
        self._touch()
        super().extend(checked)

    MergeFrom = extend

    def insert(self, place: Any, value: Any) -> None:
        super().insert(place, self._kind.check(value))
        self._touch()

    def __setitem__(self, key: Any, value: Any) -> None:
        checked = [self._kind.check(v) for v in value] if isinstance(key, slice) else self._kind.check(value)
        self._touch()
        super().__setitem__(key, checked)

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]
        self.extend(values)
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(list(self), dtype=dtype or self._kind.dtype)

    def encode(self, tag: bytes) -> bytes:
        return self._kind.encode(tag, self)

    def decode(self, wire: int, body: Any) -> None:
        self._touch()
        super().extend(self._kind.decode(wire, body))

    def texts(self) -> list[str]:
        return [self._kind.text(v) for v in self]
