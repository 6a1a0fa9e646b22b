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


def torch_products(seconds: float) -> float:
    """Products long enough that what Python does between two of them does not count."""
    import torch

    matrix = torch.ones(800, 800)
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        matrix @ matrix
    return time.perf_counter() - began


def main(logdir: str, engine: str) -> None:
    """Two steps of all three, captured; prints what each took and where the capture is."""
    import json

    work = torch_products if engine == "torch" else multiply
    work(0.05)
    from milepost import profiler

    took = {"compute": 0.0, "python": 0.0, "idle": 0.0}
    with profiler.Profile(logdir) as captured:
        for step in range(2):
            with profiler.Trace("train", step=step):
                took["idle"] += sleep(0.4)
                took["compute"] += work(0.4)
                took["python"] += spin(0.4)
    print(json.dumps({"path": captured.path, "took": took}))


if __name__ == "__main__":
    import sys

    main(*sys.argv[1:])
