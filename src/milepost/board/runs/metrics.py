"""Last and best value of a metric. In: a run and a tag. Out: a few numbers, remembered until the tag changes. No lists of runs here."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from milepost.board.http.envelope import finite
from milepost.store import Run, Series

__all__ = ["metric"]

# a run that went away takes what is remembered of it along
_remembered: WeakKeyDictionary[Run, dict[str, tuple[int, dict[str, Any]]]] = WeakKeyDictionary()
_lock = threading.Lock()


def metric(run: Run, tag: str) -> dict[str, Any] | None:
    """{"last", "last_step", "min", "min_step", "max", "max_step", "count"}; None when the run has no such scalar."""
    version = run.version_of("scalars", tag)
    with _lock:
        mine = _remembered.setdefault(run, {})
    known = mine.get(tag)
    if known is not None and known[0] == version:
        return known[1]
    try:
        made = figures(run.scalars[tag])
    except KeyError:
        return None
    mine[tag] = (version, made)
    return made


def figures(series: Series) -> dict[str, Any]:
    value, step = series.value, series.step
    out: dict[str, Any] = {
        "last": None,
        "last_step": None,
        "min": None,
        "min_step": None,
        "max": None,
        "max_step": None,
        "count": len(value),
    }
    if not len(value):
        return out
    out["last"], out["last_step"] = finite(value[-1]), int(step[-1])
    if series.truth.nan or series.truth.inf:
        good = np.flatnonzero(np.isfinite(value))
        value, step = value[good], step[good]
    if len(value):
        low, high = int(value.argmin()), int(value.argmax())
        out |= {
            "min": finite(value[low]),
            "min_step": int(step[low]),
            "max": finite(value[high]),
            "max_step": int(step[high]),
        }
    return out
