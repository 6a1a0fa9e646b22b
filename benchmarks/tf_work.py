"""The tutorials' training steps, on whichever module is named. In: module name, work, rounds. Out: best milliseconds a step, as one line of JSON.

    python benchmarks/tf_work.py milepost.tf mlp,linreg 3

bench_tf.py runs it in both environments, taking turns.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np

MODULE = sys.argv[1] if len(sys.argv) > 1 else "milepost.tf"
tf: Any = importlib.import_module(MODULE)
rng = np.random.default_rng(0)


class MLP(tf.keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.flatten = tf.keras.layers.Flatten()
        self.dense1 = tf.keras.layers.Dense(units=100, activation=tf.keras.activations.relu)
        self.dense2 = tf.keras.layers.Dense(units=10)

    def call(self, inputs: Any) -> Any:
        return tf.nn.softmax(self.dense2(self.dense1(self.flatten(inputs))))


class CNN(tf.keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = tf.keras.layers.Conv2D(32, [5, 5], padding="same", activation=tf.keras.activations.relu)
        self.pool1 = tf.keras.layers.MaxPool2D(pool_size=[2, 2], strides=2)
        self.conv2 = tf.keras.layers.Conv2D(64, [5, 5], padding="same", activation=tf.keras.activations.relu)
        self.pool2 = tf.keras.layers.MaxPool2D(pool_size=[2, 2], strides=2)
        self.flatten = tf.keras.layers.Reshape(target_shape=(7 * 7 * 64,))
        self.dense1 = tf.keras.layers.Dense(units=1024, activation=tf.keras.activations.relu)
        self.dense2 = tf.keras.layers.Dense(units=10)

    def call(self, inputs: Any) -> Any:
        x = self.pool2(self.conv2(self.pool1(self.conv1(inputs))))
        return tf.nn.softmax(self.dense2(self.dense1(self.flatten(x))))


class RNN(tf.keras.Model):  # type: ignore[misc]
    def __init__(self, num_chars: int, batch_size: int, seq_length: int) -> None:
        super().__init__()
        self.num_chars, self.seq_length, self.batch_size = num_chars, seq_length, batch_size
        self.cell = tf.keras.layers.LSTMCell(units=256)
        self.dense = tf.keras.layers.Dense(units=num_chars)

    def call(self, inputs: Any) -> Any:
        inputs = tf.one_hot(inputs, depth=self.num_chars)
        state = self.cell.get_initial_state(batch_size=self.batch_size)
        output = None
        for t in range(self.seq_length):
            output, state = self.cell(inputs[:, t, :], state)
        return tf.nn.softmax(self.dense(output))


class QNetwork(tf.keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.dense1 = tf.keras.layers.Dense(units=24, activation=tf.keras.activations.relu)
        self.dense2 = tf.keras.layers.Dense(units=24, activation=tf.keras.activations.relu)
        self.dense3 = tf.keras.layers.Dense(units=2)

    def call(self, inputs: Any) -> Any:
        return self.dense3(self.dense2(self.dense1(inputs)))


def classifier(
    model: Any, shape: tuple[int, ...], classes: int, traced: bool, integers: bool = False
) -> Callable[[], Any]:
    optimizer = tf.keras.optimizers.Adam(learning_rate=0.001)
    x = rng.integers(0, classes, shape) if integers else rng.random(shape, np.float32)
    y = rng.integers(0, classes, shape[0]).astype(np.int32)

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y_true=y, y_pred=model(x)))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(grads_and_vars=zip(grads, model.trainable_variables, strict=True))
        return loss

    run = tf.function(step) if traced else step
    if traced:
        model(x)
        x, y = tf.constant(x), tf.constant(y)
    return lambda: run(x, y).numpy()


def linear_regression() -> Callable[[], Any]:
    x = tf.constant(np.linspace(0, 1, 6, dtype=np.float32))
    y = tf.constant(np.linspace(0, 1, 6, dtype=np.float32) ** 2)
    a, b = tf.Variable(initial_value=0.0), tf.Variable(initial_value=0.0)
    optimizer = tf.keras.optimizers.SGD(learning_rate=1e-3)

    def step() -> None:
        with tf.GradientTape() as tape:
            y_pred = a * x + b
            loss = tf.reduce_sum(tf.square(y_pred - y))
        grads = tape.gradient(loss, [a, b])
        optimizer.apply_gradients(grads_and_vars=zip(grads, [a, b], strict=True))

    return step


def dqn() -> Callable[[], Any]:
    """One turn of the loop: an action from the network, then a batch from the replay buffer."""
    model, optimizer = QNetwork(), tf.keras.optimizers.Adam(learning_rate=1e-3)
    buffer: deque[Any] = deque(
        ((rng.random(4, np.float32), int(rng.integers(2)), 1.0, rng.random(4, np.float32), 0) for _ in range(1000)),
        maxlen=10000,
    )

    def step() -> None:
        int(tf.argmax(model(np.expand_dims(buffer[0][0], axis=0)), axis=-1).numpy()[0])
        state, action, reward, after, done = map(np.array, zip(*random.sample(buffer, 32), strict=True))
        y = reward + (1.0 * tf.reduce_max(model(after), axis=1)) * (1 - done)
        with tf.GradientTape() as tape:
            q = tf.reduce_sum(model(state) * tf.one_hot(action, depth=2), axis=1)
            loss = tf.keras.losses.MSE(y_true=y, y_pred=q)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(grads_and_vars=zip(grads, model.trainable_variables, strict=True))

    return step


def fit() -> Callable[[], Any]:
    """The tutorial's compile/fit: milliseconds a batch of 64."""
    model = tf.keras.Sequential(
        [tf.keras.Input((28, 28, 1)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(100, activation="relu"),
         tf.keras.layers.Dense(10), tf.keras.layers.Softmax()]
    )  # fmt: skip
    model.compile(
        optimizer=tf.keras.optimizers.Adam(0.001), loss="sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    x, y = rng.random((64 * 200, 28, 28, 1), np.float32), rng.integers(0, 10, 64 * 200).astype(np.int32)
    model.fit(x, y, batch_size=64, epochs=1, verbose=0)
    return lambda: model.fit(x, y, batch_size=64, epochs=1, verbose=0)


WORK: dict[
    str, tuple[Callable[[], Callable[[], Any]], int, int]
] = {  # name -> (make, steps a round, steps one call does)
    "mlp": (lambda: classifier(MLP(), (50, 28, 28, 1), 10, False), 20, 1),
    "mlp traced": (lambda: classifier(MLP(), (50, 28, 28, 1), 10, True), 50, 1),
    "linear regression": (linear_regression, 100, 1),
    "cnn": (lambda: classifier(CNN(), (64, 28, 28, 1), 10, False), 3, 1),
    "cnn traced": (lambda: classifier(CNN(), (64, 28, 28, 1), 10, True), 3, 1),
    "lstm": (lambda: classifier(RNN(57, 50, 40), (50, 40), 57, False, True), 2, 1),
    "lstm traced": (lambda: classifier(RNN(57, 50, 40), (50, 40), 57, True, True), 2, 1),
    "dqn": (dqn, 20, 1),
    "fit": (fit, 1, 200),
}


def main() -> None:
    names, rounds = sys.argv[2].split(","), int(sys.argv[3])
    best = {}
    for name in names:
        make, count, inner = WORK[name]
        step = make()
        for _ in range(3 if inner == 1 else 0):
            step()
        least = float("inf")
        for _ in range(rounds):
            started = time.perf_counter()
            for _ in range(count):
                step()
            least = min(least, (time.perf_counter() - started) / count / inner)
        best[name] = least * 1e3
    print(json.dumps(best))


if __name__ == "__main__":
    main()
