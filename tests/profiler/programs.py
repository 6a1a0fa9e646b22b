"""Programs whose time split is known: each part runs for a wanted time and says how long it really took."""

from __future__ import annotations

import time

import numpy as np


def sleep(seconds: float) -> float:
    began = time.perf_counter()
    time.sleep(seconds)
    return time.perf_counter() - began


def spin(seconds: float) -> float:
    """A Python loop: holds the GIL all the time."""
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        pass
    return time.perf_counter() - began


def multiply(seconds: float, size: int = 500) -> float:
    """Matrix products in native code: the GIL is free almost all the time."""
    matrix = np.ones((size, size))
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        matrix @ matrix
    return time.perf_counter() - began
