"""Repeated messages and maps of messages, as fields of a message. In: messages of one kind, copied. Out: the same, in protobuf's manners."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["Map", "Messages", "text_key"]


def text_key(key: Any) -> str:
    if isinstance(key, bytes):
        return key.decode()
    if not isinstance(key, str):
        raise TypeError(f"bad argument type for built-in operation: a key is text, got {type(key).__name__}")
    return key


class Messages(list[Any]):
    """A repeated message."""

    def __init__(self, kind: type[Any], touch: Callable[[], None]):
        super().__init__()
        self._kind, self._touch = kind, touch

    def add(self, **values: Any) -> Any:
        made = self._kind(**values)
        self.append(made)
        return super().__getitem__(-1)

    def append(self, value: Any) -> None:
        if type(value) is not self._kind:
            raise TypeError(
                f"Parameter to append() must be an instance of {self._kind.__name__}: got {type(value).__name__}."
            )
        self._touch()
        super().append(value._copy(lambda: None))

    def extend(self, values: Iterable[Any]) -> None:
        self._touch()
        for value in values:
            self.append(value)

    MergeFrom = extend

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError("Messages in a repeated field are changed in place, not assigned.")


class Map(dict[str, Any]):
    """A map of messages: looking a key up makes it."""

    def __init__(self, kind: type[Any], touch: Callable[[], None]):
        super().__init__()
        self._kind, self._touch = kind, touch

    def __missing__(self, key: Any) -> Any:
        self._touch()
        made = self._kind()
        super().__setitem__(text_key(key), made)
        return made

    get_or_create = dict.__getitem__

    def __setitem__(self, key: str, value: Any) -> None:
        raise ValueError("May not set values directly, call my_map[key].foo = 5")

    def _put(self, key: Any, value: Any) -> None:
        self._touch()
        super().__setitem__(text_key(key), value)

    def MergeFrom(self, other: Map) -> None:
        for key, value in other.items():
            self._put(key, value._copy(lambda: None))
