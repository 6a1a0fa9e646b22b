"""Named results of operations that give several tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = [
    "ApproxTopK",
    "IsotonicRegression",
    "LogMatrixDeterminant",
    "Lu",
    "MaxPoolWithArgmax",
    "Qr",
    "TopKV2",
    "Unique",
    "UniqueWithCounts",
]


class TopKV2(NamedTuple):
    values: Any
    indices: Any


class Unique(NamedTuple):
    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    y: Any
    idx: Any
    count: Any  # TensorFlow's name hides tuple.count


class ApproxTopK(NamedTuple):
    values: Any
    indices: Any


class MaxPoolWithArgmax(NamedTuple):
    output: Any
    argmax: Any


class IsotonicRegression(NamedTuple):
    output: Any
    segments: Any


class LogMatrixDeterminant(NamedTuple):
    sign: Any
    log_abs_determinant: Any


class Qr(NamedTuple):
    q: Any
    r: Any


class Lu(NamedTuple):
    lu: Any
    p: Any
