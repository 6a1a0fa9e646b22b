"""The safetensors header: what the reference package writes is read, what we write it reads, and lies are refused."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.errors import FormatError, TruncatedError, UsageError
from milepost.formats.safetensors import decode_header, encode_header

F32 = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def file(header: Any, data: bytes = b"\0" * 8) -> bytes:
    body = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(body)) + body + data


def test_both_ways_with_the_reference_package() -> None:
    from safetensors.numpy import load, save

    arrays = {
        "a.b": np.arange(6, dtype=np.float32).reshape(2, 3),
        "n": np.array(3),
        "empty": np.zeros((0, 2), np.int16),
        "ü": np.array([True]),
    }
    data = save(arrays, {"who": "me"})
    header = decode_header(data, len(data))
    assert header.metadata == {"who": "me"}
    for name, array in arrays.items():
        span = header.spans[name]
        assert (span.dtype, span.shape) == (array.dtype.name, array.shape)
        assert data[span.begin : span.end] == array.tobytes()
    ours, places = encode_header([(name, a.dtype.name, a.shape) for name, a in arrays.items()], {"x": "y"})
    whole = bytearray(ours)
    for place, array in zip(places, arrays.values(), strict=True):
        assert len(whole) == place
        whole += array.tobytes()
    back = load(bytes(whole))
    assert all(np.array_equal(back[name], array) for name, array in arrays.items())


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "eight bytes"),
        (struct.pack("<Q", 2**60) + b"{}", "too long"),
        (struct.pack("<Q", 50) + b"{}", "too early"),
        (file(b"[1]"), "no JSON object"),
        (file(b"{'a"), "no JSON"),
        (file(b"[" * 50_000), "no JSON"),
        (file(b'{"a":{},"a":{}}'), "twice"),
        (file({"__metadata__": {"a": 1}}, b""), "metadata"),
        (file({"a": {"dtype": "F32", "shape": [2]}}), "needs"),
        (file({"a": {**F32, "dtype": "PICKLE"}}), "unknown dtype"),
        (file({"a": {**F32, "shape": [-2]}}), "natural"),
        (file({"a": {**F32, "shape": [2.0]}}), "natural"),
        (file({"a": {**F32, "shape": [3]}}), "as long as"),
        (file({"a": {**F32, "shape": [2**62, 2**62]}}), "as long as"),
        (file({"a": {**F32, "shape": [200], "data_offsets": [0, 800]}}), "ends before"),
        (file({"a": F32, "b": F32}), "begin where"),
        (file({"a": F32}, b"\0" * 16), "after the last"),
        (file({"a": {**F32, "data_offsets": [8, 16]}}, b"\0" * 16), "begin where"),
    ],
)
def test_lies_are_refused_by_name(data: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        decode_header(data, len(data))


@given(st.binary(max_size=200))
def test_any_bytes_give_a_header_or_one_clear_error(data: bytes) -> None:
    for blob in (data, struct.pack("<Q", len(data)) + data):
        try:
            decode_header(blob, len(blob))
        except FormatError:
            pass


def test_a_shorter_file_is_truncated() -> None:
    data = file({"a": F32})
    with pytest.raises(TruncatedError, match="'a'"):
        decode_header(data[:-1], len(data) - 1)


def test_a_dtype_without_a_code_is_named() -> None:
    with pytest.raises(UsageError, match="complex128"):
        encode_header([("w", "complex128", (2,))])
