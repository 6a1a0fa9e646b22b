"""Lines of CSV as columns. In: strings, defaults that say the types. Out: one tensor a column."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.structure import to_numpy
from milepost.tf.failures import InvalidArgumentError, kernel

__all__ = ["decode_csv", "fields"]


def fields(line: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """The fields of one record, as TensorFlow splits it."""
    if not quotes or b'"' not in line:
        return line.split(delimiter)
    found: list[bytes] = []
    at, end = 0, len(line)
    while True:
        if at < end and line[at] == 34:
            closed = re.compile(rb'"((?:[^"]|"")*)"').match(line, at)
            if closed is None:
                raise InvalidArgumentError("Quoted field has to end with quote followed by delim or end")
            at = closed.end()
            if at < end and line[at : at + 1] != delimiter:
                raise InvalidArgumentError("Quote inside a string has to be escaped by another quote")
            found.append(closed[1].replace(b'""', b'"'))
        else:
            stop = line.find(delimiter, at)
            stop = end if stop < 0 else stop
            if b'"' in line[at:stop]:
                raise InvalidArgumentError("Unquoted fields cannot have quotes inside")
            found.append(line[at:stop])
            at = stop
        if at >= end:
            return found
        at += 1
        if at == end:
            return [*found, b""]


def decode_csv(
    records: Any, record_defaults: list[Any], field_delim: str = ",", use_quote_delim: bool = True, na_value: str = "",
    select_cols: list[int] | None = None, name: str | None = None,
) -> list[Any]:  # fmt: skip
    """Lines of CSV as one tensor a column, typed by the defaults."""
    if len(field_delim) != 1:
        raise ValueError(f"field_delim should be only 1 char, got {field_delim!r}")
    if select_cols is not None:
        if any(a >= b for a, b in itertools.pairwise(select_cols)):
            raise ValueError(f"select_cols is not strictly increasing. Received select_cols={select_cols}.")
        if select_cols and select_cols[0] < 0:
            raise ValueError(f"select_cols contains negative values. Received select_cols={select_cols}.")
        if len(select_cols) != len(record_defaults):
            raise ValueError(f"Length of select_cols and record_defaults do not match: {len(select_cols)} and {len(record_defaults)}.")  # fmt: skip
    lines = to_numpy(records)
    if lines.dtype != object:
        raise InvalidArgumentError(f"records must be strings, got {lines.dtype}.")
    kinds = [_kind(default) for default in record_defaults]
    rows = [_row(line, i, len(kinds), field_delim.encode(), use_quote_delim, select_cols) for i, line in enumerate(lines.ravel().tolist())]  # fmt: skip
    missing = (b"", na_value.encode())
    return [
        edge.wrap(_column([row[place] for row in rows], kind, missing, place).reshape(lines.shape))
        for place, kind in enumerate(kinds)
    ]


def _kind(default: Any) -> np.ndarray[Any, Any]:
    """The default as an array: its type is the column's, empty means that the field must be there."""
    if hasattr(default, "as_numpy_dtype"):
        return np.zeros(0, edge.numpy_dtype(default))
    made: np.ndarray[Any, Any] = to_numpy(default)
    return made.reshape(-1)


def _row(
    line: bytes, number: int, wanted: int, delimiter: bytes, quotes: bool, select: list[int] | None
) -> list[bytes]:
    try:
        found = fields(line, delimiter, quotes)
    except InvalidArgumentError as error:
        raise kernel("DecodeCSV", str(error)) from None
    if select is not None:
        if select and select[-1] >= len(found):
            raise kernel(
                "DecodeCSV",
                f"Expect {len(select)} fields but have {sum(i < len(found) for i in select)} in record {number}",
            )
        return [found[i] for i in select]
    if len(found) != wanted:
        raise kernel("DecodeCSV", f"Expect {wanted} fields but have {len(found)} in record {number}")
    return found


def _column(cells: list[bytes], kind: np.ndarray[Any, Any], missing: tuple[bytes, bytes], place: int) -> np.ndarray[Any, Any]:  # fmt: skip
    made: list[Any] = []
    whole = kind.dtype.kind in "iu"
    for number, value in enumerate(cells):
        if value in missing:
            if kind.size == 0:
                raise kernel("DecodeCSV", f"Field {place} is required but missing in record {number}!")
            made.append(kind[0])
        elif kind.dtype == object:
            made.append(value)
        else:
            try:
                made.append(kind.dtype.type(int(value) if whole else float(value)))
            except (ValueError, OverflowError):
                raise kernel("DecodeCSV", f"Field {place} in record {number} is not a valid {kind.dtype.name}: {value.decode(errors='replace')}") from None  # fmt: skip
    column = np.empty(len(made), dtype=kind.dtype)
    column[:] = made
    return column
