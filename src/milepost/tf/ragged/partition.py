"""Which values belong to which row, as arrays of numbers. In: row lengths, ids, limits, starts. Out: row splits, and indices that follow them. No tensors here."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Splits", "columns", "from_ids", "from_lengths", "lengths", "ranges", "rowids", "uniform"]

Splits = (
    Any  # a numpy array: the partition of nvals values into nrows rows: nrows + 1 numbers, the first 0, never falling
)


def from_lengths(row_lengths: Any, dtype: Any = np.int64) -> Splits:
    """Splits of rows of these lengths."""
    made = np.zeros(len(row_lengths) + 1, dtype)
    np.cumsum(row_lengths, out=made[1:])
    return made


def from_ids(value_rowids: Any, nrows: int, dtype: Any = np.int64) -> Splits:
    """Splits from the row of each value."""
    return from_lengths(np.bincount(value_rowids, minlength=nrows)[:nrows], dtype)


def uniform(nrows: int, length: int, dtype: Any = np.int64) -> Splits:
    return np.arange(nrows + 1, dtype=dtype) * np.asarray(length, dtype)


def lengths(splits: Splits) -> Splits:
    return splits[1:] - splits[:-1]


def rowids(splits: Splits) -> Splits:
    """The row of each value."""
    return np.repeat(np.arange(len(splits) - 1, dtype=splits.dtype), lengths(splits))


def columns(splits: Splits) -> Splits:
    """The place of each value in its row."""
    return np.arange(splits[-1], dtype=splits.dtype) - np.repeat(splits[:-1], lengths(splits))


def ranges(starts: Any, sizes: Any) -> Splits:
    """start, start + 1, … of each range, one after another."""
    starts, sizes = np.asarray(starts, np.int64), np.asarray(sizes, np.int64)
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - sizes), sizes)
