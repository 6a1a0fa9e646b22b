"""The features of serialised Examples, straight from the bytes. In: a payload. Out: for each feature its kind and where its values lie; the values.

This is the hot loop of reading records: nothing is made but what is asked for. Not here: descriptions of features (`parse`), messages (`message`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.errors import FormatError
from milepost.formats.wire import decode_varint
from milepost.tf.io.message import pieces
from milepost.tf.io.scalars import KINDS, varints

__all__ = ["BYTES", "FLOAT", "INT64", "Found", "feature_lists_of", "features_of", "values_of"]

BYTES, FLOAT, INT64 = 1, 2, 3  # the field numbers in Feature
Found = dict[bytes, tuple[int, int, int]]  # name -> (kind, or 0 for none; begin and end of the list's bytes)


def _length(data: bytes, at: int) -> tuple[int, int]:
    """The length that stands at `at`, and the position after it."""
    size = data[at]
    if size < 0x80:
        return size, at + 1
    return decode_varint(data, at)


def _field(data: bytes, at: int, end: int) -> tuple[int, int, int]:
    """(tag, begin, end) of the field at `at`; its payload lies between."""
    tag = data[at]
    at += 1
    if tag >= 0x80:
        tag, at = decode_varint(data, at - 1)
    wire = tag & 7
    if wire == 2:
        size, at = _length(data, at)
    elif wire == 0:
        after = decode_varint(data, at)[1]
        size = after - at
    elif wire in (1, 5):
        size = 8 if wire == 1 else 4
    else:
        raise FormatError("unknown protobuf wire type", where=f"byte {at}", got=wire, want="0, 1, 2 or 5")
    if at + size > end:
        raise FormatError("a field ends after its message", where=f"byte {at}")
    return tag, at, at + size


def _features(data: bytes, at: int, end: int, found: Found) -> None:
    """The entries of a Features message.

    An entry as every writer makes it — key, then one list — is read here without a call; anything else goes the general way.
    """
    while at < end:
        begin = at + 2
        size = data[at + 1]
        if size >= 0x80:
            size, begin = decode_varint(data, at + 1)
        stop = begin + size
        if data[at] != 0x0A or stop > end:
            tag, begin, stop = _field(data, at, end)
            if tag != 0x0A:
                at = stop
                continue
        at = stop
        if size > 5 and data[begin] == 0x0A and data[begin + 1] < 0x80:
            inner = begin + 2 + data[begin + 1]
            if inner < stop and data[inner] == 0x12:
                key = data[begin + 2 : inner]
                length, part = (
                    (data[inner + 1], inner + 2) if data[inner + 1] < 0x80 else decode_varint(data, inner + 1)
                )
                if part + length == stop and length > 1:
                    kind = data[part]
                    length, first = (
                        (data[part + 1], part + 2) if data[part + 1] < 0x80 else decode_varint(data, part + 1)
                    )
                    if first + length == stop and kind in (0x0A, 0x12, 0x1A):
                        found[key] = (kind >> 3, first, stop)
                        continue
        _entry(data, begin, stop, found)


def _entry(data: bytes, at: int, end: int, found: Found) -> None:
    key, place = b"", (0, 0, 0)
    while at < end:
        tag, start, at = _field(data, at, end)
        if tag == 0x0A:
            key = data[start:at]
        elif tag == 0x12:
            part = start
            while part < at:
                tag, first, part = _field(data, part, at)
                if tag in (0x0A, 0x12, 0x1A):
                    place = (tag >> 3, first, part)
    found[key] = place


def features_of(data: bytes, number: int = 1) -> Found:
    """The features of an Example (or of a SequenceExample's context)."""
    found: Found = {}
    at, end = 0, len(data)
    try:
        while at < end:
            tag, begin, at = _field(data, at, end)
            if tag == number << 3 | 2:
                _features(data, begin, at, found)
            elif not tag >> 3:
                raise FormatError("field number zero", where=f"byte {begin}")
    except IndexError:
        raise FormatError("the bytes end inside a field") from None
    return found


def feature_lists_of(data: bytes) -> dict[bytes, list[tuple[int, int, int]]]:
    """The steps of each feature list of a SequenceExample."""
    found: dict[bytes, list[tuple[int, int, int]]] = {}
    view = memoryview(data)
    for number, wire, lists in pieces(view):
        if number != 2 or wire != 2:
            continue
        for inner, inner_wire, entry in pieces(lists):
            if inner != 1 or inner_wire != 2:
                continue
            key, steps = b"", []
            for part, part_wire, body in pieces(entry):
                if part == 1 and part_wire == 2:
                    key = bytes(body)
                elif part == 2 and part_wire == 2:
                    steps = [_step(view, feature) for n, w, feature in pieces(body) if n == 1 and w == 2]
            found[key] = steps
    return found


def _step(whole: memoryview, feature: memoryview) -> tuple[int, int, int]:
    place = (0, 0, 0)
    for number, wire, body in pieces(feature):
        if number in (BYTES, FLOAT, INT64) and wire == 2:
            begin = _offset(whole, body)
            place = (number, begin, begin + len(body))
    return place


def _offset(whole: memoryview, part: memoryview) -> int:
    return (
        int(np.frombuffer(part, np.uint8).ctypes.data - np.frombuffer(whole, np.uint8).ctypes.data) if len(part) else 0
    )


def values_of(data: bytes, kind: int, begin: int, end: int) -> Any:
    """The values of one list: float32 or int64 numbers, or a list of bytes."""
    if kind == FLOAT:
        if begin == end:
            return np.zeros(0, np.float32)
        if data[begin] == 0x0A:
            size, at = _length(data, begin + 1)
            if at + size == end and not size % 4:
                return np.frombuffer(data, "<f4", size // 4, at).copy()
        return np.asarray(_slowly(data, "float", begin, end), np.float32)
    if kind == INT64:
        if begin == end:
            return np.zeros(0, np.int64)
        if data[begin] == 0x0A:
            size, at = _length(data, begin + 1)
            if at + size == end:
                if size == 1:
                    return np.array([data[at]], np.int64) if data[at] < 0x80 else varints(data[at:end])
                return varints(data[at:end])
        return np.asarray(_slowly(data, "int64", begin, end), np.int64)
    if end - begin > 1 and data[begin] == 0x0A:
        size, at = _length(data, begin + 1)
        if at + size == end:
            return [data[at:end]]
    found = []
    at = begin
    while at < end:
        tag, start, at = _field(data, at, end)
        if tag == 0x0A:
            found.append(data[start:at])
    return found


def _slowly(data: bytes, kind: str, begin: int, end: int) -> list[Any]:
    """Unpacked numbers, or several packed runs."""
    found: list[Any] = []
    for number, wire, body in pieces(memoryview(data)[begin:end]):
        if number == 1:
            found += KINDS[kind].decode(wire, body)
    return found
