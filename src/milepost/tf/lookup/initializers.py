"""What a fixed table starts with: tensors, or the lines of a text file. In: keys and values, or a file name. Out: pairs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from milepost.tf import dtypes, failures
from milepost.tf.convert import convert_to_tensor
from milepost.tf.data.edge import text
from milepost.tf.dtypes import as_dtype
from milepost.tf.tensor import host

__all__ = ["KeyValueTensorInitializer", "TextFileIndex", "TextFileInitializer"]


class TextFileIndex:
    """Which part of a line is meant, beside a column's number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class KeyValueTensorInitializer:
    """Keys and values given as tensors or lists of equal length."""

    def __init__(self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None):
        self._keys = convert_to_tensor(keys, key_dtype)
        self._values = convert_to_tensor(values, value_dtype)
        self._key_dtype, self._value_dtype = self._keys.dtype, self._values.dtype
        if self._keys.shape != self._values.shape:
            raise failures.kernel("LookupTableImportV2", f"Expected shape {failures.brackets(self._keys.shape)} for value, got {failures.brackets(self._values.shape)}")  # fmt: skip

    @property
    def key_dtype(self) -> dtypes.DType:
        return as_dtype(self._key_dtype)

    @property
    def value_dtype(self) -> dtypes.DType:
        return as_dtype(self._value_dtype)

    def initialize(self, table: Any) -> None:
        """Put the pairs into the table."""
        table._fill(host(self._keys._t).reshape(-1).tolist(), host(self._values._t).reshape(-1).tolist())


class TextFileInitializer:
    """One pair a line."""

    def __init__(
        self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any, value_index: int, vocab_size: int | None = None,
        delimiter: str = "\t", name: str | None = None, value_index_offset: int = 0,
    ):  # fmt: skip
        for which, index, dtype in (("key", key_index, key_dtype), ("value", value_index, value_dtype)):
            if index < -2:
                raise ValueError(f"`{which}_index` should be >= -2, received: {index}.")
            kind = as_dtype(dtype)
            if index == TextFileIndex.LINE_NUMBER and kind.name != "int64":
                raise ValueError(f"`{which}_dtype` must be int64 for a line number, received: {kind}")
            if index == TextFileIndex.WHOLE_LINE and kind.name not in ("string", "int64"):
                raise ValueError(f"`{which}_dtype` must be string or int64 for a whole line, received: {kind}")
        if vocab_size is not None and int(vocab_size) <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename, self._delimiter, self._vocab_size = text(filename), delimiter.encode(), vocab_size
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._key_index, self._value_index, self._offset = key_index, value_index, value_index_offset

    @property
    def key_dtype(self) -> dtypes.DType:
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        return self._value_dtype

    def initialize(self, table: Any) -> None:
        """Read the file into the table."""
        if not os.path.exists(self._filename):
            raise failures.NotFoundError(f"{self._filename}; No such file or directory")
        lines = Path(self._filename).read_bytes().split(b"\n")
        if lines and lines[-1] == b"":
            lines.pop()
        if self._vocab_size is not None:
            if len(lines) < self._vocab_size:
                raise failures.InvalidArgumentError(
                    f"Invalid vocab_size in {self._filename}: expected {self._vocab_size} but got {len(lines)}"
                )
            lines = lines[: self._vocab_size]
        keys = [self._cell(line, n, self._key_index, self._key_dtype) for n, line in enumerate(lines)]
        values = [self._cell(line, n, self._value_index, self._value_dtype) for n, line in enumerate(lines)]
        if self._offset and self._value_dtype.is_integer:
            values = [v + self._offset for v in values]
        table._fill(keys, values)

    def _cell(self, line: bytes, number: int, index: int, dtype: dtypes.DType) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return number
        found = line.rstrip(b"\r")
        if index >= 0:
            columns = found.split(self._delimiter)
            if index >= len(columns):
                raise failures.InvalidArgumentError(
                    f"Invalid number of columns in {self._filename} line {number} ({found.decode(errors='replace')}) : "
                    f"expected at least {index + 1} got {len(columns)}"
                )
            found = columns[index]
        if dtype.name == "string":
            return found
        try:
            return int(found) if dtype.is_integer else float(np.float32(found.decode()))
        except ValueError:
            raise failures.InvalidArgumentError(
                f"Field {found.decode(errors='replace')} in line {number} is not a valid {dtype.name}."
            ) from None
