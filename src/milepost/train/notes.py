"""What is known of a checkpoint beside its tensors. In: metrics, a pin. Out: `prefix.milepost.json`, and back.

A file of its own for each checkpoint, because TensorFlow gives up on a state file with unknown fields, and because it
lives and dies with its checkpoint. The board reads it, too.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from milepost.errors import FormatError, StorageError, UsageError
from milepost.storage import Storage

__all__ = ["NOTES", "Notes", "read_notes", "write_notes"]

NOTES = ".milepost.json"
MAX_NOTES_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Notes:
    """Metrics by name, when and at which step it was saved, and whether it is never to be deleted."""

    metrics: Mapping[str, float] = field(default_factory=dict)
    time: float = 0.0
    step: int | None = None
    pinned: bool = False


def as_metrics(metrics: Mapping[str, Any] | None) -> dict[str, float]:
    """Plain floats of whatever numbers an engine has."""
    out = {}
    for name, value in (metrics or {}).items():
        try:
            out[str(name)] = float(value)
        except (TypeError, ValueError):
            raise UsageError(f"metric {name!r} is no single number", got=type(value).__name__) from None
    return out


def read_notes(storage: Storage, prefix: str) -> Notes:
    """The notes of a checkpoint; empty ones when there are none or they are damaged: they are never worth a failure."""
    path = prefix + NOTES
    if not storage.exists(path):
        return Notes()
    try:
        found = json.loads(storage.read(path, MAX_NOTES_BYTES))
        metrics = {str(k): float(v) for k, v in found.get("metrics", {}).items() if v is not None}
        step = found.get("step")
        return Notes(
            metrics, float(found.get("time", 0)), None if step is None else int(step), bool(found.get("pinned"))
        )
    except (ValueError, TypeError, AttributeError, StorageError, FormatError):
        return Notes()


def write_notes(storage: Storage, prefix: str, notes: Notes) -> None:
    from milepost.train.state import replace_file

    storage.make_directory(os.path.dirname(prefix) or ".")
    plain = asdict(notes)
    # JSON has no NaN; a metric that is none is kept by name
    plain["metrics"] = {k: v if math.isfinite(v) else None for k, v in notes.metrics.items()}
    replace_file(storage, prefix + NOTES, json.dumps(plain).encode())
