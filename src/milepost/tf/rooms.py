"""The doors from `tf` to Milepost's other rooms, each opened when it is first asked for: train, summary, profiler, devices."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

__all__ = ["enter_name_scope"]


def enter_name_scope(name: str) -> AbstractContextManager[Any]:
    """Summaries written inside a tf.name_scope carry its name."""
    try:
        from milepost.summary import name_scope
    except ImportError:
        return nullcontext()
    scope: AbstractContextManager[Any] = name_scope(name)
    return scope
