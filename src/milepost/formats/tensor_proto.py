"""TensorProto ↔ numpy. In: an array, or a TensorProto of any writer. Out: the other one.

Numbers travel in `content` (raw little-endian bytes, TF 2) or in a typed list (torch, tensorboardX), where one value
stands for all when the shape asks for more. Strings are object arrays of bytes. bfloat16 becomes float32, which holds it exactly.
Validate, then allocate: a shape from a stranger may ask for petabytes. Not here: what a plugin's tensor means.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from milepost.errors import FormatError
from milepost.formats.event import Dim, TensorProto, TensorShape

__all__ = ["DTYPES", "DT_STRING", "MAX_ELEMENTS", "from_array", "to_array"]

DT_STRING, DT_BFLOAT16, DT_HALF = 7, 14, 19
DTYPES: dict[int, np.dtype[Any]] = {
    number: np.dtype(code).newbyteorder("<")
    for number, code in {
        1: "f4", 2: "f8", 3: "i4", 4: "u1", 5: "i2", 6: "i1", 8: "c8", 9: "i8", 10: "?", 17: "u2", 18: "c16", 19: "f2",
        22: "u4", 23: "u8",
    }.items()
}  # fmt: skip
_NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
_LISTS = {
    1: "float_val", 2: "double_val", 3: "int_val", 4: "int_val", 5: "int_val", 6: "int_val", 8: "scomplex_val", 9: "int64_val",
    10: "bool_val", 17: "int_val", 18: "dcomplex_val", 22: "uint32_val", 23: "uint64_val",
}  # fmt: skip
MAX_ELEMENTS = 1 << 28  # what a single summary may expand to


def from_array(value: Any) -> TensorProto:
    """The TensorProto of an array, as TensorFlow's own writers lay it out: numbers as `content`, strings as a list."""
    array = np.asarray(value)
    if array.dtype.kind == "S" and not isinstance(value, np.ndarray):
        array = np.asarray(value, object)  # numpy's own bytes type drops zeros at the end
    shape = TensorShape([Dim(size=size) for size in array.shape])
    if array.dtype.kind in "SUO":
        return TensorProto(
            dtype=DT_STRING, shape=shape, string_val=[_as_bytes(item) for item in array.reshape(-1).tolist()]
        )
    if array.dtype.name == "bfloat16":
        return TensorProto(dtype=DT_BFLOAT16, shape=shape, content=array.tobytes())
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _NUMBERS:
        raise FormatError("an array that no tensor message can hold", got=array.dtype, want="numbers or strings")
    return TensorProto(dtype=_NUMBERS[dtype], shape=shape, content=array.astype(dtype, copy=False).tobytes())


def _as_bytes(item: Any) -> bytes:
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        return item.encode("utf-8", "backslashreplace")
    raise FormatError("a string tensor holds something else", got=type(item).__name__, want="str or bytes")


def to_array(proto: TensorProto) -> np.ndarray[Any, Any]:
    """The array a TensorProto stands for; read-only where it shares the message's bytes."""
    shape = tuple(dim.size for dim in proto.shape.dim) if proto.shape is not None else ()
    if any(size < 0 for size in shape):
        raise FormatError("a tensor of unknown shape has no values", got=shape)
    count = math.prod(shape)
    if count > MAX_ELEMENTS:
        raise FormatError("a tensor larger than any summary", got=f"{count} elements", want=f"at most {MAX_ELEMENTS}")
    if proto.dtype == DT_STRING:
        strings = np.empty(len(proto.string_val), object)
        strings[:] = proto.string_val
        return _shaped(strings, shape, count, np.array(b"", object))
    if proto.dtype == DT_BFLOAT16:
        if proto.content:
            halves = _raw(proto.content, np.dtype("<u2"), count)
        else:
            halves = np.array(proto.half_val, np.uint32)
            if halves.size and int(halves.max()) > 0xFFFF:  # torch stores the bits of a float32 here
                return _shaped(halves.view(np.float32), shape, count, np.float32(0))
        wide = (halves.astype(np.uint32) << 16).view(np.float32)
        return _shaped(wide, shape, count, np.float32(0))
    dtype = DTYPES.get(proto.dtype)
    if dtype is None:
        raise FormatError("a tensor of a kind that summaries do not have", got=f"dtype {proto.dtype}")
    if proto.content:
        return _shaped(_raw(proto.content, dtype, count), shape, count, dtype.type(0))
    if proto.dtype == DT_HALF:
        bits = np.array(proto.half_val, np.int64)
        if bits.size and (int(bits.max()) > 0xFFFF or int(bits.min()) < 0):  # torch, as above
            values = bits.astype(np.int32).view(np.float32).astype(np.float16)
        else:
            values = bits.astype(np.uint16).view(np.float16)
        return _shaped(values, shape, count, np.float16(0))
    items: list[Any] = getattr(proto, _LISTS[proto.dtype])
    if not items and proto.dtype == 4:
        items = proto.uint32_val  # where torch puts uint8
    if dtype.kind == "c":
        flat = np.array(items[: len(items) // 2 * 2], np.float64)
        return _shaped((flat[0::2] + 1j * flat[1::2]).astype(dtype), shape, count, dtype.type(0))
    with np.errstate(over="ignore"):
        return _shaped(np.array(items).astype(dtype), shape, count, dtype.type(0))


def _raw(content: bytes, dtype: np.dtype[Any], count: int) -> np.ndarray[Any, Any]:
    if len(content) % dtype.itemsize or len(content) // dtype.itemsize not in (1, count):
        raise FormatError("tensor bytes do not fit its shape", got=f"{len(content)} bytes", want=count * dtype.itemsize)
    return np.frombuffer(content, dtype)


def _shaped(flat: np.ndarray[Any, Any], shape: tuple[int, ...], count: int, zero: Any) -> np.ndarray[Any, Any]:
    """`flat` in `shape`; a shorter list is filled up with its last value, an empty one with zeros."""
    if flat.size == count:
        return flat.reshape(shape)
    if flat.size > count:
        raise FormatError("a tensor holds more values than its shape", got=flat.size, want=count)
    full = np.empty(count, flat.dtype if flat.size else np.asarray(zero).dtype)
    full[: flat.size] = flat
    full[flat.size :] = flat[-1] if flat.size else np.asarray(zero).item()
    return full.reshape(shape)
