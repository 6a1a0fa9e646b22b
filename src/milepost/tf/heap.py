"""Keeps the memory of freed tensors for the next ones. Under glibc only; elsewhere, and where `MALLOC_…` variables say otherwise, nothing is done.

A training step frees and asks for the same few megabytes again and again. glibc gives large blocks back to the system each time, and every
page of the next one costs a fault: up to a third of a step with a layer of some million weights.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["keep"]

_TRIM, _MMAP = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
_KEPT, _LARGE = 256 << 20, 64 << 20  # bytes kept at the heap's end; blocks from this size on still come from the system


def keep() -> None:
    """Once, before the first large tensor."""
    if sys.platform != "linux" or any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return
    try:
        tell = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return
    tell(_TRIM, _KEPT)
    tell(_MMAP, _LARGE)
