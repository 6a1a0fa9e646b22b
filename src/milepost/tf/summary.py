"""`tf.summary`: Milepost's own summaries. Inside a tf.function they are written at every run, not only while it is traced."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from milepost import summary as _own
from milepost.tf.state import NOW

_WRITES = frozenset({"audio", "histogram", "image", "scalar", "text", "write"})


def _every_run(function: Any) -> Any:
    @functools.wraps(function)
    def write(*args: Any, **kwargs: Any) -> Any:
        if NOW.trace is not None:
            NOW.trace.stay_eager(f"tf.summary.{function.__name__}")
        return function(*args, **kwargs)

    return write


def __getattr__(name: str) -> Any:
    try:
        value = getattr(_own, name)
    except AttributeError:
        from milepost.tf.missing import no_such_name

        raise no_such_name(name, "tf.summary", [n for n in dir(_own) if not n.startswith("_")]) from None
    if name in _WRITES and inspect.isfunction(value):
        value = _every_run(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return dir(_own)
