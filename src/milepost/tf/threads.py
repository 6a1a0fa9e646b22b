"""How many threads torch uses for one operation. Small work must not pay for a barrier between threads that the machine may not be running.

`OMP_NUM_THREADS` and `tf.config.threading` decide when they are set.
"""

from __future__ import annotations

import os

__all__ = ["choose"]


def choose() -> None:
    """One thread, unless the user asked for more."""
    import torch

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(1)
