"""What the TensorBoard callback costs a `fit`, on whichever module is named. In: module name, work, rounds. Out: milliseconds, as one line of JSON.

    python benchmarks/callback_work.py milepost.tf mlp,cnn 3

bench_callback.py runs it in both environments, taking turns.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import time
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np

tf: Any = importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "milepost.tf")
rng = np.random.default_rng(0)
BATCH = 50
STEPS = {"mlp": 600, "cnn": 15}  # in an epoch; the first of three epochs warms up, and holds what a fit costs once
EPOCHS = 3
WAYS: dict[str, dict[str, Any] | None] = {"without": None, "default": {}, "batch": {"update_freq": "batch"}}


class Clock(tf.keras.callbacks.Callback):  # type: ignore[misc]
    """When epochs begin and end. No batch hooks: they would make Keras wait for every batch's values."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.began = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.seconds.append(time.perf_counter() - self.began)


def model(name: str) -> Any:
    layers = tf.keras.layers
    if name == "mlp":
        parts = [layers.Flatten(), layers.Dense(100, activation="relu"), layers.Dense(10, activation="softmax")]
    else:
        parts = [
            layers.Conv2D(32, 5, padding="same", activation="relu"), layers.MaxPool2D(2),
            layers.Conv2D(64, 5, padding="same", activation="relu"), layers.MaxPool2D(2),
            layers.Flatten(), layers.Dense(1024, activation="relu"), layers.Dense(10, activation="softmax"),
        ]  # fmt: skip
    made = tf.keras.Sequential([tf.keras.Input((28, 28, 1)), *parts])
    made.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return made


def measure(name: str, rounds: int) -> dict[str, Any]:
    steps = STEPS[name] if rounds else 10  # 0 rounds: a short look
    count = steps * BATCH
    x, y = rng.random((count, 28, 28, 1), np.float32), rng.integers(0, 10, count)
    trained = model(name)
    trained.fit(x[: 5 * BATCH], y[: 5 * BATCH], batch_size=BATCH, verbose=0)
    step: dict[str, float] = {}
    once: dict[str, float] = {}
    for turn in range(max(rounds, 1)):
        ways = list(WAYS.items())
        for way, options in ways[turn % 3 :] + ways[: turn % 3]:  # in turns, none always first
            with tempfile.TemporaryDirectory() as folder:
                clock = Clock()
                # the clock comes last: Keras runs callbacks in order, so what the other does at an epoch's end is in its time
                callbacks = [] if options is None else [tf.keras.callbacks.TensorBoard(folder, **options)]
                began = time.perf_counter()
                trained.fit(
                    x, y, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0, callbacks=[*callbacks, clock]
                )
                whole = time.perf_counter() - began
            steady = min(clock.seconds[1:])
            step[way] = min(step.get(way, np.inf), steady / steps * 1e3)
            once[way] = min(once.get(way, np.inf), (whole - sum(clock.seconds[1:]) - steady) * 1e3)
    return {"step_ms": step, "once_ms": once}


def main() -> None:
    names, rounds = sys.argv[2].split(","), int(sys.argv[3])
    print(json.dumps({name: measure(name, rounds) for name in names}))


if __name__ == "__main__":
    main()
