"""tf.io: files, records, raw bytes and images. In: names, bytes and tensors. Out: tensors, bytes, files.

Not here: Examples (`parse`), reading records in a pipeline (`data.files`), file system calls (`gfile`).
"""

from __future__ import annotations

import base64
import gzip
import io as streams
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from milepost.formats.event import Dim, TensorProto
from milepost.formats.event import TensorShape as ShapeProto
from milepost.formats.record import frame
from milepost.tf.data import edge
from milepost.tf.data.structure import to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError, NotFoundError
from milepost.tf.io import gfile
from milepost.tf.io.image import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    is_jpeg,
)  # fmt: skip
from milepost.tf.io.parse import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
    parse_single_sequence_example,
)  # fmt: skip

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "TFRecordOptions", "TFRecordWriter", "VarLenFeature", "decode_and_crop_jpeg",
    "decode_base64", "decode_bmp", "decode_csv", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "decode_raw",
    "encode_base64", "encode_jpeg", "encode_png", "gfile", "is_jpeg", "matching_files", "parse_example", "parse_single_example",
    "parse_single_sequence_example", "parse_tensor", "read_file", "serialize_tensor", "write_file",
]  # fmt: skip


class TFRecordOptions:
    def __init__(self, compression_type: str | None = None, **kwargs: Any):
        self.compression_type = compression_type or ""


class TFRecordWriter:
    """Writes payloads as records, each with its checksums."""

    def __init__(self, path: Any, options: TFRecordOptions | str | None = None):
        kind = options.compression_type if isinstance(options, TFRecordOptions) else options or ""
        self._name, self._kind = edge.text(path), kind.upper()
        try:
            self._file: Any = gzip.open(self._name, "wb") if self._kind == "GZIP" else open(self._name, "wb")  # noqa: SIM115 - closed by close()
        except FileNotFoundError as error:
            raise NotFoundError(f"{self._name}; No such file or directory") from error
        self._held = streams.BytesIO() if self._kind == "ZLIB" else None

    def write(self, record: Any) -> None:
        payload = record if isinstance(record, bytes) else bytes(to_numpy(record)[()])
        (self._held or self._file).write(frame(payload))

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        if not self._file.closed:
            if self._held is not None:
                self._file.write(zlib.compress(self._held.getvalue()))
            self._file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _string(value: bytes) -> Any:
    cell = np.empty((), dtype=object)
    cell[()] = value
    return edge.wrap(cell)


def read_file(filename: Any, name: str | None = None) -> Any:
    """The whole contents as a string tensor."""
    path = edge.text(filename)
    try:
        return _string(Path(path).read_bytes())
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}; No such file or directory") from error


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    path = Path(edge.text(filename))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(to_numpy(contents)[()]))


def matching_files(pattern: Any, name: str | None = None) -> Any:
    found = sorted(set(gfile.glob([edge.text(p) for p in np.atleast_1d(to_numpy(pattern)).tolist()])))
    return edge.wrap(to_numpy(np.asarray(found, dtype=object)))


def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Any:
    """Strings as rows of numbers."""
    dtype = edge.numpy_dtype(out_type)
    dtype = dtype.newbyteorder("<" if little_endian else ">")
    array = to_numpy(input_bytes)
    rows = []
    for item in array.ravel().tolist():
        if len(item) % dtype.itemsize:
            raise InvalidArgumentError(
                f"Input to DecodeRaw has length {len(item)} that is not a multiple of {dtype.itemsize}, the size of {as_dtype(out_type).name}"
            )
        rows.append(np.frombuffer(item, dtype).astype(dtype.newbyteorder("=")))
    if len({len(row) for row in rows}) > 1:
        raise InvalidArgumentError("DecodeRaw requires input strings to all be the same size.")
    return edge.wrap(np.stack(rows).reshape(*array.shape, -1) if rows else np.zeros((*array.shape, 0), dtype))


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    """Web-safe base64, unpadded unless told."""

    def one(value: bytes) -> bytes:
        made = base64.urlsafe_b64encode(value)
        return made if pad else made.rstrip(b"=")

    return _each(input, one)


def decode_base64(input: Any, name: str | None = None) -> Any:
    return _each(input, lambda value: base64.urlsafe_b64decode(value + b"=" * (-len(value) % 4)))


def _each(input: Any, function: Any) -> Any:
    array = to_numpy(input)
    made = np.empty(array.size, dtype=object)
    made[:] = [function(item) for item in array.ravel().tolist()]
    return edge.wrap(made.reshape(array.shape))


def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """A tensor as the bytes of a TensorProto."""
    array = to_numpy(tensor)
    shape = ShapeProto(dim=[Dim(size=n) for n in array.shape])
    dtype = as_dtype(array.dtype).as_datatype_enum
    if array.dtype == object:
        proto = TensorProto(dtype=dtype, shape=shape, string_val=[bytes(item) for item in array.ravel().tolist()])
    else:
        proto = TensorProto(dtype=dtype, shape=shape, content=np.ascontiguousarray(array).tobytes())
    return _string(proto.encode())


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Any:
    proto = TensorProto.decode(bytes(to_numpy(serialized)[()]))
    wanted = as_dtype(out_type)
    if proto.dtype != wanted.as_datatype_enum:
        raise InvalidArgumentError(
            f"Type mismatch between parsed tensor (enum {proto.dtype}) and dtype ({wanted.name})"
        )
    shape = tuple(d.size for d in proto.shape.dim) if proto.shape else ()
    if wanted.name == "string":
        made = np.empty(len(proto.string_val), dtype=object)
        made[:] = proto.string_val
        return edge.wrap(made.reshape(shape))
    if not proto.content:
        lists = (
            proto.float_val,
            proto.double_val,
            proto.int_val,
            proto.int64_val,
            proto.bool_val,
            proto.uint32_val,
            proto.uint64_val,
        )
        values = next((v for v in lists if v), [])
        array = np.asarray(values, edge.numpy_dtype(wanted))
        return edge.wrap(np.broadcast_to(array, shape).copy() if array.size == 1 else array.reshape(shape))
    return edge.wrap(np.frombuffer(proto.content, edge.numpy_dtype(wanted)).reshape(shape).copy())


def decode_csv(
    records: Any, record_defaults: list[Any], field_delim: str = ",", use_quote_delim: bool = True, na_value: str = "",
    select_cols: list[int] | None = None, name: str | None = None,
) -> list[Any]:  # fmt: skip
    """Lines of CSV as one tensor a column, typed by the defaults."""
    import csv

    lines = to_numpy(records)
    quoting: Any = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
    rows = [
        next(csv.reader([line.decode()], delimiter=field_delim, quoting=quoting)) for line in lines.ravel().tolist()
    ]
    columns: list[Any] = []
    for place, default in enumerate(record_defaults):
        source = select_cols[place] if select_cols is not None else place
        kind = to_numpy(default) if not hasattr(default, "as_numpy_dtype") else np.zeros(0, edge.numpy_dtype(default))
        cells: list[Any] = []
        for number, row in enumerate(rows):
            if select_cols is None and len(row) != len(record_defaults):
                raise InvalidArgumentError(
                    f"Expect {len(record_defaults)} fields but have {len(row)} in record {number}"
                )
            cell = row[source]
            if cell in ("", na_value):
                if kind.size == 0:
                    raise InvalidArgumentError(f"Field {source} is required but missing in record {number}!")
                cells.append(kind.ravel()[0])
            elif kind.dtype == object:
                cells.append(cell.encode())
            else:
                try:
                    cells.append(kind.dtype.type(cell))
                except ValueError as error:
                    raise InvalidArgumentError(
                        f"Field {source} in record {number} is not a valid {kind.dtype}: {cell}"
                    ) from error
        column = np.empty(len(cells), dtype=kind.dtype)
        column[:] = cells
        columns.append(edge.wrap(column.reshape(lines.shape)))
    return columns
