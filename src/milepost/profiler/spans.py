"""Named spans of the user's own program. In: `with Trace("train", step=3):`. Out: rows for the capture that is running.

While nothing is being captured a Trace costs one look at a global. Not here: who captures (`session`), files (`write`).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, Self, TypeVar

from milepost._native.sampler import monotonic_ns

__all__ = ["Span", "Trace", "collect", "release"]

P = ParamSpec("P")
R = TypeVar("R")

# (name, start, end, kernel thread id, step or None, metadata)
Span = tuple[str, int, int, int, int | None, dict[str, Any]]

_sink: list[Span] | None = None


def collect() -> list[Span]:
    """From now on spans are kept, in the list returned."""
    global _sink
    _sink = []
    return _sink


def release() -> None:
    global _sink
    _sink = None


class Trace:
    """A named stretch of the program; with a step number, one step of training.

    >>> with Trace("train", step=3):
    ...     pass
    >>> @Trace("prepare")
    ... def prepare(): ...

    `step_num=` is `step=` under TensorFlow's name. Further keywords are shown beside the span.
    """

    __slots__ = ("_metadata", "_name", "_start", "_step")

    def __init__(self, name: str, step: int | None = None, *, step_num: int | None = None, **metadata: Any):
        self._name = name
        self._step = step if step is not None else step_num
        self._metadata = metadata
        self._start = 0

    def __enter__(self) -> Self:
        if _sink is not None:
            self._start = monotonic_ns()
        return self

    def __exit__(self, *exc: object) -> None:
        sink = _sink
        # A span that began before the capture has no beginning in it: it is left out.
        if sink is not None and self._start:
            tid = threading.get_native_id()
            sink.append((self._name, self._start, monotonic_ns(), tid, self._step, self._metadata))
            self._start = 0

    def set_metadata(self, **metadata: Any) -> None:
        """Add what is only known inside the span."""
        self._metadata = {**self._metadata, **metadata}

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            with Trace(self._name, self._step, **self._metadata):
                return function(*args, **kwargs)

        return wrapped
