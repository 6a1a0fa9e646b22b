"""The safetensors header. In: the first bytes of a file, or a list of tensors. Out: where each tensor lies, or the header's bytes.

A file is `u64 header length | JSON header | data`; the JSON maps each name to dtype, shape and [begin, end) in the data. What is
read is checked before anything is believed: bounded header, known dtypes, sizes that agree, spans inside the file that do not
overlap. Not here: files, the tensors' bytes.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from milepost.errors import FormatError, TruncatedError, UsageError

__all__ = ["MAX_HEADER_BYTES", "Header", "Span", "decode_header", "encode_header", "header_length"]

MAX_HEADER_BYTES: Final = 100 << 20
MAX_RANK: Final = 64

# safetensors' code -> (dtype name, bytes per element)
CODES: Final[dict[str, tuple[str, int]]] = {
    "BOOL": ("bool", 1), "U8": ("uint8", 1), "I8": ("int8", 1), "F8_E5M2": ("float8_e5m2", 1), "F8_E4M3": ("float8_e4m3fn", 1),
    "F8_E5M2FNUZ": ("float8_e5m2fnuz", 1), "F8_E4M3FNUZ": ("float8_e4m3fnuz", 1),
    "I16": ("int16", 2), "U16": ("uint16", 2), "F16": ("float16", 2), "BF16": ("bfloat16", 2),
    "I32": ("int32", 4), "U32": ("uint32", 4), "F32": ("float32", 4), "C64": ("complex64", 8),
    "F64": ("float64", 8), "I64": ("int64", 8), "U64": ("uint64", 8),
}  # fmt: skip
_BY_NAME: Final = {name: code for code, (name, _) in CODES.items()}


@dataclass(frozen=True, slots=True)
class Span:
    """One tensor: what it is, and its bytes' place in the file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Header:
    spans: dict[str, Span]
    metadata: dict[str, str]


def header_length(first: bytes, *, where: str) -> int:
    """How many bytes the header takes, from the file's first eight."""
    if len(first) < 8:
        raise TruncatedError(
            "a safetensors file begins with eight bytes of header length", where=where, got=f"{len(first)} bytes"
        )
    (length,) = struct.unpack("<Q", first[:8])
    if length > MAX_HEADER_BYTES:
        raise FormatError(
            "the header is too long to be one", where=where, got=f"{length} bytes", want=f"≤ {MAX_HEADER_BYTES}"
        )
    return int(length)


def decode_header(data: bytes | bytearray | memoryview, file_size: int, *, where: str = "safetensors") -> Header:
    """The header of a file of `file_size` bytes whose beginning (at least the header) is `data`."""
    length = header_length(bytes(data[:8]), where=where)
    if len(data) < 8 + length:
        raise TruncatedError("the header ends too early", where=where, got=f"{len(data)} bytes", want=f"{8 + length}")
    try:
        parsed = json.loads(bytes(data[8 : 8 + length]), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the header is no JSON: {error}", where=where) from None
    if not isinstance(parsed, dict):
        raise FormatError("the header is no JSON object", where=where)
    metadata = parsed.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise FormatError("the metadata are not strings by name", where=where)
    start = 8 + length
    spans = {name: _span(name, entry, start, file_size, where) for name, entry in parsed.items()}
    at = start
    for name, span in sorted(spans.items(), key=lambda item: (item[1].begin, item[1].end)):
        if span.begin != at:
            raise FormatError(
                "the tensor does not begin where the one before it ends",
                where=f"{name!r} of {where}",
                got=span.begin,
                want=at,
            )
        at = span.end
    if at != file_size:
        raise FormatError("bytes after the last tensor", where=where, got=file_size, want=at)
    return Header(spans, metadata)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a name is there twice")
    return out


def _span(name: str, entry: Any, start: int, file_size: int, where: str) -> Span:
    place = f"{name!r} of {where}"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise FormatError("a tensor needs dtype, shape and data_offsets", where=place)
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in CODES:
        raise FormatError("unknown dtype", where=place, got=code, want=", ".join(CODES))
    dtype, width = CODES[code]
    numbers = [*shape, *offsets] if isinstance(shape, list) and isinstance(offsets, list) else [None]
    if len(shape) > MAX_RANK or len(offsets) != 2 or not all(type(n) is int and n >= 0 for n in numbers):
        raise FormatError("shape and data_offsets must be natural numbers", where=place)
    begin, end = offsets
    if end - begin != math.prod(shape) * width:
        raise FormatError(
            "the span is not as long as the shape wants", where=place, got=end - begin, want=math.prod(shape) * width
        )
    if start + end > file_size:
        raise TruncatedError(
            "the file ends before the tensor does", where=place, got=f"{file_size} bytes", want=f"≥ {start + end}"
        )
    return Span(dtype, tuple(shape), start + begin, start + end)


def encode_header(
    tensors: Sequence[tuple[str, str, tuple[int, ...]]], metadata: Mapping[str, str] | None = None
) -> tuple[bytes, list[int]]:
    """(name, dtype, shape) of tensors in file order -> the header's bytes and each tensor's place in the file."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    places, at = [], 0
    for name, dtype, shape in tensors:
        code = _BY_NAME.get(dtype)
        if code is None:
            raise UsageError(f"safetensors has no dtype {dtype}", where=name, todo=f"it has {', '.join(_BY_NAME)}")
        size = math.prod(shape) * CODES[code][1]
        header[name] = {"dtype": code, "shape": list(shape), "data_offsets": [at, at + size]}
        places.append(at)
        at += size
    body = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    body += b" " * (-len(body) % 8)  # tensors begin at a multiple of eight
    return struct.pack("<Q", len(body)) + body, [8 + len(body) + place for place in places]
