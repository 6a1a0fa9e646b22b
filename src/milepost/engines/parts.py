"""Engine objects in a list, tuple or dict attribute. In: the container and what counts as a part. Out: a node with the parts alone.

torch forgets such layers, TensorFlow's checkpoints lose Keras'. Positions count the other entries too, as TensorFlow counts them, so
that a function between two layers changes no name. Not here: what a part is (each engine says).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, final

import numpy as np

from milepost.engines.adapter import Adapter, register

__all__ = ["MAX_DEPTH", "Parts", "holds_parts", "may_hold"]

MAX_DEPTH = 8
_ORDERED = (list, tuple)
_PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None), np.ndarray})


@final
class Parts:
    """A view of a container: its parts, and the containers in it that hold some."""

    __slots__ = ("is_part", "items")

    def __init__(self, items: Any, is_part: Callable[[Any], bool]):
        self.items, self.is_part = items, is_part


def holds_parts(value: Any, is_part: Callable[[Any], bool], depth: int = 0) -> bool:
    """Whether something in the container, however deep, is a part with a name."""
    if depth > MAX_DEPTH or not may_hold(value):
        return False
    return any(is_part(item) or holds_parts(item, is_part, depth + 1) for _, item in _named(value))


def may_hold(value: Any) -> bool:
    """Whether a container holds anything but plain values. A vocabulary or a cached dataset is told at the speed of C."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (*_ORDERED, set, frozenset)):
        return False
    return not _PLAIN.issuperset(map(type, value))


def _named(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, str):  # what has another key has no name: the coverage guard tells of it
                yield key, item
    elif isinstance(value, _ORDERED):
        for i, item in enumerate(value):
            yield str(i), item


@final
class _PartsAdapter(Adapter):
    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        for name, item in _named(obj.items):
            if obj.is_part(item):
                yield name, item
            elif holds_parts(item, obj.is_part):
                yield name, Parts(item, obj.is_part)

    def glance(self, obj: Any) -> Any:
        return len(obj.items)

    def identity(self, obj: Any) -> int | None:
        return id(obj.items)


register(Parts, _PartsAdapter())
