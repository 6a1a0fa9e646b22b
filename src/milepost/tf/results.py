"""Named results of operations that give several tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["ApproxTopK", "TopKV2", "Unique", "UniqueWithCounts"]


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
