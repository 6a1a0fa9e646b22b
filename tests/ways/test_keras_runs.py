"""Keras runs on torch (here) and on jax (in another process): the train/test program of the seeds, deferred, covered, exact."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from milepost import train
from milepost.errors import CoverageError

OBJECTS = str(Path(__file__).parents[1] / "engines" / "test_keras.py")
ON_JAX = "seeds_train or middle or loses or list_of_variables"

layers = keras.layers
X = np.random.default_rng(0).normal(size=(64, 4, 2)).astype("float32")
Y = (X.sum((1, 2)) > 0).astype("int32")


def host(value: Any) -> Any:
    return value.detach().numpy() if keras.backend.backend() == "torch" else np.asarray(value)


class MLP(keras.Model):
    """The seeds' model, with layers in a list as well."""

    def __init__(self) -> None:
        super().__init__()
        self.flatten = layers.Flatten()
        self.dense1 = layers.Dense(16, activation="relu")
        self.blocks = [layers.Dense(8), layers.BatchNormalization(), layers.Dropout(0.1)]
        self.heads = {"out": layers.Dense(2)}

    def call(self, x: Any, training: bool = False) -> Any:
        x = self.dense1(self.flatten(x))
        for block in self.blocks:
            x = block(x, training=training) if not isinstance(block, layers.Dense) else block(x)
        return self.heads["out"](x)


def trained() -> tuple[Any, Any]:
    keras.utils.set_random_seed(1)
    model, optimizer = MLP(), keras.optimizers.Adam(0.02)
    model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(X, Y, epochs=12, batch_size=16, verbose=0)
    return model, optimizer


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, str]:
    model, optimizer = trained()
    return (
        model,
        optimizer,
        train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path_factory.mktemp("run") / "ckpt"),
    )


def accuracy(model: Any) -> float:
    return float((host(model(X)).argmax(-1) == Y).mean())


def test_the_seeds_train_and_test_program(run: Any) -> None:
    """restore() into a model that was never called, then test: every weight is back. (TensorFlow 2.21 tests at chance level here.)"""
    model, _, path = run
    late = MLP()
    status = train.Checkpoint(model=late).restore(path)
    assert len(late.variables) in (0, 1)  # nothing but dropout's seed exists yet
    assert (
        "model/dense1/_kernel" in status.report().waiting
        or "optimizer/_trainable_variables/0" in status.report().waiting
    )
    assert accuracy(late) == accuracy(model) > 0.9
    np.testing.assert_array_equal(host(late(X)), host(model(X)))
    status.assert_existing_objects_matched()


@pytest.mark.parametrize("use", ["call", "predict", "fit"])
def test_any_order_of_restore_and_first_use(run: Any, use: str) -> None:
    model, _, path = run
    late, optimizer = MLP(), keras.optimizers.Adam(0.5)
    late.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    status = train.Checkpoint(model=late, optimizer=optimizer).restore(path)
    if use == "fit":
        late.fit(X, Y, epochs=1, batch_size=64, verbose=0)
        assert int(optimizer.iterations.numpy()) == 12 * 4 + 1
        status.assert_consumed()
        return
    if use == "predict":
        late.predict(X, verbose=0)
    np.testing.assert_array_equal(host(late(X)), host(model(X)))
    optimizer.build(late.trainable_variables)
    status.assert_consumed()
    for a, b in zip(optimizer.variables, run[1].variables, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_a_run_goes_on_exactly(tmp_path: Path) -> None:
    """Weights, moments, dropout's seed and moving averages: the following epochs are the same numbers."""
    model, optimizer = trained()
    path = train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "ckpt")
    other, again = MLP(), keras.optimizers.Adam(0.5)
    other.compile(again, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    status = train.Checkpoint(model=other, optimizer=again).restore(path)
    # on torch, dropout draws from torch's own generator, and so does the building of a model at the beginning of fit
    seed = keras.callbacks.LambdaCallback(on_train_begin=lambda logs: keras.utils.set_random_seed(5))
    histories = [
        each.fit(X, Y, epochs=2, batch_size=16, shuffle=False, verbose=0, callbacks=[seed]).history["loss"]
        for each in (model, other)
    ]
    status.assert_consumed()
    assert histories[0] == histories[1]


def test_a_single_layer_a_sequential_and_an_optimizer_not_built_yet(tmp_path: Path) -> None:
    x = np.ones((1, 3), "float32")
    for make in (
        lambda: layers.Dense(2),
        lambda: keras.Sequential([layers.Dense(4), layers.Dense(2)]),
        lambda: layers.LSTMCell(2),
    ):
        saved, live = make(), make()
        arguments = (x, [x[:, :2], x[:, :2]]) if isinstance(saved, layers.LSTMCell) else (x,)
        want = saved(*arguments)
        path = train.Checkpoint(part=saved).save(tmp_path / f"{type(saved).__name__}")
        status = train.Checkpoint(part=live).restore(path)
        got = live(*arguments)
        status.assert_consumed()
        for a, b in zip(*(t if isinstance(t, (list, tuple)) else (t,) for t in (want, got)), strict=True):
            for one, two in zip(*(t if isinstance(t, (list, tuple)) else (t,) for t in (a, b)), strict=True):
                np.testing.assert_array_equal(host(one), host(two))


def test_metrics_and_seed_generators(tmp_path: Path) -> None:
    mean, seed = keras.metrics.SparseCategoricalAccuracy(), keras.random.SeedGenerator(4)
    mean.update_state([1, 0], np.eye(2, dtype="float32"))
    seed.next()
    path = train.Checkpoint(mean=mean, seed=seed).save(tmp_path / "ckpt")
    mean2, seed2 = keras.metrics.SparseCategoricalAccuracy(), keras.random.SeedGenerator(9)
    train.Checkpoint(mean=mean2, seed=seed2).restore(path).assert_consumed()
    assert float(mean2.result()) == float(mean.result())
    np.testing.assert_array_equal(
        host(keras.random.normal((3,), seed=seed)), host(keras.random.normal((3,), seed=seed2))
    )


def test_a_metric_that_learns_its_shape_later(tmp_path: Path) -> None:
    saved, live = keras.metrics.F1Score(), keras.metrics.F1Score()
    labels, guess = np.eye(3, dtype="float32"), np.eye(3, dtype="float32")[[0, 2, 2]]
    saved.update_state(labels, guess)
    status = train.Checkpoint(f1=live).restore(train.Checkpoint(f1=saved).save(tmp_path / "ckpt"))
    for metric in (saved, live):
        metric.update_state(labels, labels)
    status.assert_consumed()
    np.testing.assert_array_equal(host(saved.result()), host(live.result()))


def test_saving_in_the_middle_of_an_epoch(tmp_path: Path) -> None:
    """A callback saves the weights of that very step, also on jax, where Keras keeps them elsewhere during an epoch."""
    model = keras.Sequential([keras.Input((4, 2)), layers.Flatten(), layers.Dense(2)])
    model.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    checkpoint = train.Checkpoint(model=model)
    paths: list[str] = []
    every = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: paths.append(checkpoint.save(tmp_path / "ckpt"))
    )
    model.fit(X, Y, batch_size=16, epochs=1, shuffle=False, verbose=0, callbacks=[every])
    key = next(name for name, shape in train.list_variables(paths[0]) if shape == [8, 2])
    weights = [train.load_variable(path, key) for path in paths]
    assert len({w.tobytes() for w in weights}) == 4
    np.testing.assert_array_equal(weights[-1], model.layers[-1].kernel.numpy())
    counts = [int(train.load_variable(p, "model/optimizer/_iterations/.ATTRIBUTES/VARIABLE_VALUE")) for p in paths]
    assert counts == [1, 2, 3, 4]


class Hidden(layers.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.parts = {layers.Dense(1)}  # a set has no names to save its layers under

    def call(self, x: Any) -> Any:
        return next(iter(self.parts))(x)


def test_state_that_would_be_lost_is_named(tmp_path: Path) -> None:
    """The silent loss TensorFlow has with lists is an error here with whatever has no name."""
    layer = Hidden()
    layer(np.ones((1, 3), "float32"))
    with pytest.raises(CoverageError, match=r"kernel.*bias|bias.*kernel"):
        train.Checkpoint(layer=layer).save(tmp_path / "ckpt")


@pytest.mark.timeout(300)  # another process, another engine: on a busy machine that takes its time
def test_on_the_jax_backend() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", __file__, OBJECTS, "-q", "-p", "no:cacheprovider", "-k", ON_JAX],
        env={**os.environ, "KERAS_BACKEND": "jax"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
