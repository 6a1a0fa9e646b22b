"""Summaries of single values: scalar. In: a name, a value, a step. Out: an event in the default writer's log, and whether it was written.

Not here: media (`media`), distributions, how the event is encoded (`formats.scalar_event`).
"""

from __future__ import annotations

from typing import Any

from milepost.errors import SummaryError
from milepost.summary.context import current, resolve_step

__all__ = ["scalar", "to_number"]


def to_number(data: Any) -> float:
    """A rank-0 number of any engine as a float."""
    shape = getattr(data, "shape", ())
    if len(shape) != 0:
        raise SummaryError("a scalar summary takes one number", got=f"shape {tuple(shape)}", want="shape ()")
    if isinstance(data, (str, bytes)):
        raise SummaryError("a scalar summary takes one number", got=repr(data)[:60], want="a number")
    try:
        return float(data)
    except (TypeError, ValueError) as error:
        raise SummaryError("a scalar summary takes one number", got=type(data).__name__, want="a number") from error


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """Write one number under the tag `name`. True if it was written, False if there is no default writer.

    `data` is a number or a rank-0 array of numpy, torch, jax or Keras; it is stored as float32.
    """
    state = current
    writer = state.writer
    if writer is None or not writer.records:
        return False
    recording = state.recording
    if recording is not True and not (recording() if callable(recording) else recording):
        return False
    if type(step) is not int:
        step = resolve_step(step)
    if type(data) is not float:
        data = to_number(data)
    scope = state.scope
    return writer.scalar(scope + name if scope else name, data, step, description)
