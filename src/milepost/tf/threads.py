"""How many threads torch uses for one operation: one for light work, all for heavy.

A barrier between threads costs more than a small matrix product, and much more on a busy machine, where one of the threads may not be
running. So a program begins with one thread, and gets the rest when it first does something large enough to be worth sharing.
`OMP_NUM_THREADS` and `tf.config.threading` decide when they are set.
"""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["HEAVY", "choose", "fix", "work"]

HEAVY = 20_000_000  # floating point operations in one call: about half a millisecond on one core


class _Threads:
    available = 1  # what torch would use by itself
    fixed = False  # somebody decided: nothing is changed any more
    shared = False  # heavy work was seen


def choose() -> None:
    """Begin with one thread, unless the user asked for another number."""
    if "torch" not in sys.modules and "OMP_WAIT_POLICY" not in os.environ:
        # threads that wait for each other spin for a fraction of a millisecond, then sleep: long enough to pass from one operation to the
        # next, short enough not to hold a core another process could use; read when torch loads
        os.environ.setdefault("GOMP_SPINCOUNT", "100000")
    import torch

    if "OMP_NUM_THREADS" in os.environ:
        _Threads.fixed = True
        return
    _Threads.available = int(torch.get_num_threads())
    torch.set_num_threads(1)


def fix(count: int) -> None:
    """Use this many from now on."""
    import torch

    _Threads.fixed = True
    torch.set_num_threads(count)


def work(operations: Any) -> None:
    """Told how much one call computes; the first heavy one brings in the other threads."""
    if operations > HEAVY and not _Threads.shared and not _Threads.fixed:
        _Threads.shared = True
        if _Threads.available > 1:
            import torch

            torch.set_num_threads(_Threads.available)
