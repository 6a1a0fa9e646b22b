"""What this process is doing right now: how many tapes record, whether Keras or a trace is running, where new tensors go.

Every operation reads this, so it is one flat object of plain attributes.
"""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["NOW", "Inside"]


class Now:
    """The moment's facts."""

    __slots__ = ("device", "recording", "trace")

    def __init__(self) -> None:
        self.recording = 0  # tapes (or Keras training steps) that want gradients; 0: results carry no graph
        self.trace: Any = None  # the trace that is being made by tf.function, if any
        self.device: Any = None  # torch device of new tensors; None: the CPU


class Inside(threading.local):
    """Whether Keras' own code is running in this thread: it wants torch tensors, its callers want ours."""

    keras = False


NOW = Now()
