"""TensorProto -> numpy. In: the message. Out: an array (objects of bytes for strings). Every numeric type, content or list.

A list shorter than its shape repeats its last element, as TensorFlow does. Not here: scalars in bulk (native).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.errors import FormatError
from milepost.formats.event import TensorProto

__all__ = ["MAX_ELEMENTS", "to_array"]

MAX_ELEMENTS = 1 << 30  # a broadcast shape may announce more than any log holds

_STRING, _BFLOAT16, _HALF = 7, 14, 19
_DTYPES: dict[int, tuple[Any, str]] = {
    1: (np.float32, "float_val"), 2: (np.float64, "double_val"), 3: (np.int32, "int_val"), 4: (np.uint8, "int_val"),
    5: (np.int16, "int_val"), 6: (np.int8, "int_val"), 8: (np.complex64, "scomplex_val"), 9: (np.int64, "int64_val"),
    10: (np.bool_, "bool_val"), 14: (np.float32, "half_val"), 17: (np.uint16, "int_val"), 18: (np.complex128, "dcomplex_val"),
    19: (np.float16, "half_val"), 22: (np.uint32, "uint32_val"), 23: (np.uint64, "uint64_val"),
}  # fmt: skip


def to_array(message: TensorProto) -> NDArray[Any]:
    """The tensor; bfloat16 comes as float32."""
    shape = tuple(d.size for d in message.shape.dim) if message.shape else ()
    if any(size < 0 for size in shape) or math.prod(shape) > MAX_ELEMENTS:
        raise FormatError("a tensor of an impossible shape", got=shape, want=f"at most {MAX_ELEMENTS} elements")
    count = math.prod(shape)
    if message.dtype == _STRING:
        strings = np.empty(len(message.string_val), object)
        strings[:] = message.string_val
        return _shaped(strings, shape, count)
    if message.dtype not in _DTYPES:
        raise FormatError("a tensor of an unknown type", got=message.dtype, want="a TensorFlow data type")
    dtype, name = _DTYPES[message.dtype]
    if message.content:
        wire = np.dtype(np.uint16) if message.dtype == _BFLOAT16 else np.dtype(dtype)
        if len(message.content) != count * wire.itemsize:
            raise FormatError(
                "a tensor whose content does not fit its shape",
                got=f"{len(message.content)} bytes",
                want=count * wire.itemsize,
            )
        flat = np.frombuffer(message.content, wire)
        return (_bfloat(flat) if message.dtype == _BFLOAT16 else flat).reshape(shape)
    values = getattr(message, name)
    if message.dtype == _BFLOAT16:
        return _shaped(_bfloat(np.array(values, np.int64).astype(np.uint16)), shape, count)
    if message.dtype == _HALF:
        return _shaped(np.array(values, np.int64).astype(np.uint16).view(np.float16), shape, count)
    if name in ("scomplex_val", "dcomplex_val"):
        pairs = np.array(values, np.float32 if name[0] == "s" else np.float64)
        return _shaped(pairs[: len(pairs) // 2 * 2].view(dtype), shape, count)
    return _shaped(np.array(values).astype(dtype), shape, count)


def _bfloat(bits: NDArray[np.uint16]) -> NDArray[np.float32]:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _shaped(flat: NDArray[Any], shape: tuple[int, ...], count: int) -> NDArray[Any]:
    if len(flat) == count:
        return flat.reshape(shape)
    if len(flat) == 0:
        return np.full(shape, b"" if flat.dtype == object else 0, flat.dtype)
    if len(flat) < count:
        return np.concatenate([flat, np.repeat(flat[-1:], count - len(flat))]).reshape(shape)
    raise FormatError("a tensor with more values than its shape has room for", got=len(flat), want=count)
