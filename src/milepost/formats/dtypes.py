"""TensorFlow's dtype numbers and numpy's dtypes. In: one of them. Out: the other, and how wide an element is.

bfloat16 and the small floats are `ml_dtypes` types when that package is installed (torch, jax and keras bring it);
without it their bytes are given as plain integers of the same width, never converted. Not here: string layout (`bundle`).
"""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from milepost.errors import FormatError, UsageError

__all__ = ["STRING", "VARIANT", "DType", "by_name", "by_number", "of_numpy"]


@dataclass(frozen=True, slots=True)
class DType:
    """One element type: TensorFlow's number and name, and the numpy type whose bytes are the same."""

    number: int
    name: str
    itemsize: int  # 0: elements of varying length
    plain: str  # numpy type of the raw bytes
    extension: str = ""  # name in ml_dtypes, when numpy itself has no such type

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype of arrays of this type; the raw integer one where `ml_dtypes` would be needed and is missing."""
        return _numpy(self)


def _rows() -> list[DType]:
    plain = [
        (1, "float32", "f4"), (2, "float64", "f8"), (3, "int32", "i4"), (4, "uint8", "u1"), (5, "int16", "i2"),
        (6, "int8", "i1"), (8, "complex64", "c8"), (9, "int64", "i8"), (10, "bool", "?"), (17, "uint16", "u2"),
        (18, "complex128", "c16"), (19, "float16", "f2"), (22, "uint32", "u4"), (23, "uint64", "u8"),
        # quantised: the integers; the scale lies elsewhere in the model
        (11, "qint8", "i1"), (12, "quint8", "u1"), (13, "qint32", "i4"), (15, "qint16", "i2"), (16, "quint16", "u2"),
    ]  # fmt: skip
    small = [
        (14, "bfloat16", "u2"), (24, "float8_e5m2", "u1"), (25, "float8_e4m3fn", "u1"), (26, "float8_e4m3fnuz", "u1"),
        (27, "float8_e4m3b11fnuz", "u1"), (28, "float8_e5m2fnuz", "u1"),
        (29, "int4", "i1"), (30, "uint4", "u1"), (31, "int2", "i1"), (32, "uint2", "u1"), (33, "float4_e2m1fn", "u1"),
    ]  # fmt: skip
    rows = [DType(number, name, np.dtype(code).itemsize, code) for number, name, code in plain]
    rows += [DType(number, name, np.dtype(code).itemsize, code, name) for number, name, code in small]
    return [*rows, DType(7, "string", 0, "O"), DType(20, "resource", 0, "O"), DType(21, "variant", 0, "O")]


_BY_NUMBER = {row.number: row for row in _rows()}
_BY_NAME = {row.name: row for row in _rows()}
STRING = _BY_NUMBER[7]
VARIANT = _BY_NUMBER[21]

# numpy's own types, first come first served: int8 is int8, not qint8
_BY_NUMPY: dict[np.dtype[Any], DType] = {}
for _row in _rows():
    if not _row.extension and _row.itemsize:
        _BY_NUMPY.setdefault(np.dtype(_row.plain), _row)


@functools.cache
def _numpy(row: DType) -> np.dtype[Any]:
    if row.extension:
        try:
            found: np.dtype[Any] = np.dtype(getattr(importlib.import_module("ml_dtypes"), row.extension))
            return found
        except (ImportError, AttributeError):
            pass  # the raw integers are exact, too
    return np.dtype(row.plain)


def by_number(number: int) -> DType:
    """The type with TensorFlow's `number`."""
    try:
        return _BY_NUMBER[number]
    except KeyError:
        raise FormatError("unknown tensor type", got=number, want="a DataType of TensorFlow 2.21") from None


def by_name(name: str) -> DType:
    try:
        return _BY_NAME[name]
    except KeyError:
        raise UsageError(f"no such tensor type: {name!r}", todo=f"use one of {', '.join(sorted(_BY_NAME))}") from None


def of_numpy(dtype: np.dtype[Any]) -> DType:
    """The type of an array with this dtype. Byte order does not matter: files hold the machine's own."""
    found = _BY_NUMPY.get(dtype)
    if found is None:
        found = _lookup(dtype)
        _BY_NUMPY[dtype] = found
    return found


def _lookup(dtype: np.dtype[Any]) -> DType:
    native = dtype.newbyteorder("=")
    if native in _BY_NUMPY:
        return _BY_NUMPY[native]
    if dtype.kind in "OSU" and dtype.fields is None:
        return STRING
    named = _BY_NAME.get(dtype.name)
    if (named is not None and dtype.kind == "V") or (named is not None and dtype.itemsize == named.itemsize):
        return named
    raise UsageError(
        f"arrays of type {dtype} have no place in a checkpoint",
        todo="convert them to a number or string type first",
    )
