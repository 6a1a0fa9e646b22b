"""What is in force in this thread: default writer, step, recording, name scopes. In: `with` blocks. Out: lookups.

Each thread has its own, as in TensorFlow. Not here: writers (`writer`), what is written (`values`, `media`, …).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from milepost.errors import SummaryError

if TYPE_CHECKING:
    from milepost.summary.writer import SummaryWriterLike

__all__ = [
    "current",
    "get_step",
    "name_scope",
    "record_if",
    "resolve_step",
    "set_step",
    "should_record_summaries",
    "summary_scope",
]


class Current(threading.local):
    """This thread's state; the attributes are read on the hot path."""

    writer: SummaryWriterLike | None = None
    step: Any = None
    recording: bool | Callable[[], Any] = True
    scope: str = ""


current = Current()


def get_step() -> Any:
    """The default step of this thread, or None."""
    return current.step


def set_step(step: Any) -> None:
    """Use `step` for summaries that name none. An integer, or something that converts to one each time it is read."""
    current.step = step


def resolve_step(step: Any) -> int:
    if step is None:
        step = current.step
        if step is None:
            raise SummaryError("no step set", todo="pass step=, or call milepost.summary.experimental.set_step() first")
    return int(step)


def should_record_summaries() -> bool:
    """Whether a summary written now would be: a default writer is set and `record_if` allows it."""
    if current.writer is None or not current.writer.records:
        return False
    recording = current.recording
    return bool(recording() if callable(recording) else recording)


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Within, summaries are recorded only if `condition` (a value, or a function asked each time) is true."""
    before = current.recording
    current.recording = condition if callable(condition) else bool(condition)
    try:
        yield
    finally:
        current.recording = before


_SCOPE_REFUSED = re.compile(r"[^-\w.\\/]", re.ASCII)


@contextmanager
def name_scope(name: str) -> Iterator[str]:
    """Within, every tag is prefixed with `name/`. Scopes nest."""
    before = current.scope
    current.scope = f"{before}{_SCOPE_REFUSED.sub('_', name).strip('/')}/" if name else ""
    try:
        yield current.scope
    finally:
        current.scope = before


@contextmanager
def summary_scope(name: str, default_name: str = "summary", values: Any = None) -> Iterator[tuple[str, str]]:
    """The tag and the scope a custom summary should use: `(tag, scope)`. The tag keeps characters a scope may not have."""
    tag_name = name or default_name
    tag = current.scope + tag_name
    with name_scope(tag_name) as scope:
        yield tag, scope
