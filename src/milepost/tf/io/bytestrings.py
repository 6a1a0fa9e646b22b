"""Between tensors and strings of bytes: whole tensors (TensorProto), raw numbers, base64, packed data. In: the one. Out: the other."""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from milepost.errors import FormatError
from milepost.formats.event import Dim, TensorProto
from milepost.formats.event import TensorShape as ShapeProto
from milepost.tf.data import edge
from milepost.tf.data.structure import cell, to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError, kernel

__all__ = [
    "decode_base64", "decode_compressed", "decode_json_example", "decode_raw", "encode_base64", "parse_tensor", "serialize_tensor",
]  # fmt: skip


def _each(input: Any, function: Callable[[bytes], bytes]) -> Any:
    array = to_numpy(input)
    if array.dtype != object:
        raise InvalidArgumentError(f"Expected strings, got a tensor of {as_dtype(array.dtype).name}.")
    made = np.empty(array.size, dtype=object)
    made[:] = [function(item) for item in array.ravel().tolist()]
    return edge.wrap(made.reshape(array.shape))


def decode_raw(
    input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None, name: str | None = None
) -> Any:
    """Strings as rows of numbers."""
    dtype = edge.numpy_dtype(out_type)
    ordered = dtype.newbyteorder("<" if little_endian else ">")
    array = to_numpy(input_bytes)
    items = array.ravel().tolist()
    if fixed_length is not None:
        length = int(fixed_length)
        if length <= 0 or length % dtype.itemsize:
            raise kernel("DecodePaddedRaw", f"fixed_length ({length}) must be greater than zero and a multiple of the size of {as_dtype(out_type).name} ({dtype.itemsize})")  # fmt: skip
        items = [item[:length].ljust(length, b"\0") for item in items]
    for place, item in enumerate(items):
        if len(item) != len(items[0]):
            raise kernel("DecodeRaw", f"DecodeRaw requires input strings to all be the same size, but element {place} has size {len(items[0])} != {len(item)}")  # fmt: skip
        if len(item) % dtype.itemsize:
            raise kernel("DecodeRaw", f"Input to DecodeRaw has length {len(item)} that is not a multiple of {dtype.itemsize}, the size of {as_dtype(out_type).name}")  # fmt: skip
    rows = np.frombuffer(b"".join(items), ordered).astype(dtype)
    return edge.wrap(rows.reshape(*array.shape, -1) if items else np.zeros((*array.shape, 0), dtype))


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    """Web-safe base64, unpadded unless told."""

    def one(value: bytes) -> bytes:
        made = base64.urlsafe_b64encode(value)
        return made if pad else made.rstrip(b"=")

    return _each(input, one)


def decode_base64(input: Any, name: str | None = None) -> Any:
    def one(value: bytes) -> bytes:
        bare = value.rstrip(b"=")
        if not re.fullmatch(rb"[A-Za-z0-9_-]*", bare) or len(bare) % 4 == 1:
            raise kernel("DecodeBase64", "Invalid character found in base64.")
        return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))

    return _each(input, one)


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Any:
    """Packed strings, unpacked."""
    if compression_type not in ("", "GZIP", "ZLIB"):
        raise InvalidArgumentError(f"Only ZLIB, GZIP or NONE are supported compressions, got {compression_type!r}")
    unpack = {"": lambda value: value, "GZIP": gzip.decompress, "ZLIB": zlib.decompress}[compression_type]

    def one(value: Any) -> Any:
        try:
            return unpack(value)
        except (OSError, EOFError, zlib.error) as error:
            raise InvalidArgumentError(f"These bytes are no {compression_type} data: {error}") from error

    return _each(bytes, one)


def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """A tensor as the bytes of a TensorProto."""
    array = to_numpy(tensor)
    shape = ShapeProto(dim=[Dim(size=n) for n in array.shape])
    dtype = as_dtype(array.dtype).as_datatype_enum
    if array.dtype == object:
        proto = TensorProto(dtype=dtype, shape=shape, string_val=[bytes(item) for item in array.ravel().tolist()])
    else:
        proto = TensorProto(dtype=dtype, shape=shape, content=np.ascontiguousarray(array).tobytes())
    return edge.wrap(cell(proto.encode()))


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Any:
    """The tensor again; of the dtype it was."""
    data, wanted = to_numpy(serialized)[()], as_dtype(out_type)
    if not isinstance(data, bytes):
        raise InvalidArgumentError(f"Expected `serialized` to be a scalar string, got {type(data).__name__}.")
    try:
        proto = TensorProto.decode(data)
    except FormatError as error:
        raise kernel("ParseTensor", f"Could not parse `serialized` as TensorProto, base64: {base64.b64encode(data[:60]).decode()} ({error})") from error  # fmt: skip
    if proto.dtype != wanted.as_datatype_enum:
        try:
            have = as_dtype(proto.dtype).short
        except (TypeError, ValueError):
            have = f"type {proto.dtype}"
        raise kernel("ParseTensor", f"Type mismatch between parsed tensor ({have}) and dtype ({wanted.short})")
    shape = tuple(d.size for d in proto.shape.dim) if proto.shape else ()
    try:
        return edge.wrap(_values(proto, shape, wanted))
    except (ValueError, OverflowError) as error:
        raise kernel("ParseTensor", f"Cannot parse tensor from proto: dtype {wanted.name}, shape {list(shape)}: {error}") from error  # fmt: skip


def _values(proto: Any, shape: tuple[int, ...], wanted: Any) -> Any:
    if any(n < 0 for n in shape):
        raise ValueError("a dimension is negative")
    count = int(np.prod(shape, dtype=object)) if shape else 1
    if wanted.name == "string":
        made = np.empty(len(proto.string_val), dtype=object)
        made[:] = proto.string_val
        return made.reshape(shape)
    if proto.content:
        return np.frombuffer(proto.content, edge.numpy_dtype(wanted)).reshape(shape).copy()
    lists = (
        proto.float_val, proto.double_val, proto.int_val, proto.int64_val, proto.bool_val, proto.uint32_val, proto.uint64_val,
    )  # fmt: skip
    values: Any = next((v for v in lists if v), [])
    array = np.asarray(values, edge.numpy_dtype(wanted))
    if count > max(array.size, 1) and count > 1 << 28:
        raise ValueError(f"{count} values are announced, {array.size} are there")
    if array.size == 1:
        return np.broadcast_to(array, shape).copy()
    if 1 < array.size < count:  # the last one stands for the rest
        array = np.concatenate([array, np.full(count - array.size, array[-1])])
    return array.reshape(shape) if array.size else np.zeros(shape, array.dtype)


def decode_json_example(json_examples: Any, name: str | None = None) -> Any:
    """Examples written as JSON, as serialised Examples."""
    from milepost.tf.io.example import Example

    def one(text: bytes) -> bytes:
        try:
            features = json.loads(text)["features"]["feature"]
            made = Example()
            for key, feature in features.items():
                for kind, held in feature.items():
                    own = {"int64List": "int64_list", "floatList": "float_list", "bytesList": "bytes_list"}.get(
                        kind, kind
                    )
                    values = held.get("value", [])
                    if own == "bytes_list":
                        values = [base64.b64decode(v) for v in values]
                    elif own == "int64_list":
                        values = [int(v) for v in values]
                    else:
                        values = [float(v) for v in values]
                    getattr(made.features.feature[key], own).value.extend(values)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidArgumentError(f"Error while parsing JSON: {error}") from error
        return made.SerializeToString()

    return _each(json_examples, one)
