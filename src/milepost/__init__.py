"""Milepost: save it, watch it, resume it. Durable checkpoints, summaries and a board, without TensorFlow.

Importing this module imports no engine, no web server and no numpy-heavy room: each name loads its room when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# public name -> (room, attribute in it or None for the room itself)
_DOORS: dict[str, tuple[str, str | None]] = {
    "errors": ("milepost.errors", None),
    "train": ("milepost.train", None),
    "summary": ("milepost.summary", None),
    "profiler": ("milepost.profiler", None),
    "modelgraph": ("milepost.modelgraph", None),
    "devices": ("milepost.devices", None),
    "tf": ("milepost.tf", None),
    "SummaryWriter": ("milepost.summary", "SummaryWriter"),
    "open": ("milepost.store", "open"),
}

__all__ = [*sorted(_DOORS), "__version__"]


def __getattr__(name: str) -> Any:
    try:
        room, attribute = _DOORS[name]
    except KeyError:
        raise AttributeError(f"module 'milepost' has no attribute {name!r}") from None
    value = importlib.import_module(room)
    value = value if attribute is None else getattr(value, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext milepost` in a notebook: adds %milepost and %tensorboard."""
    importlib.import_module("milepost.integrations.notebook").load(ipython)
