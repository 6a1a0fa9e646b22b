"""What `fit`, `evaluate` and `predict` take: tf.data datasets first, on Keras' torch and jax backends, and what else Keras' guides feed them."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from milepost import tf

JAX = keras.backend.backend() == "jax"
rng = np.random.default_rng(0)
X = rng.random((100, 4), np.float32)
Y = (X.sum(1) > 2).astype(np.int32)


def pairs() -> Any:
    return tf.data.Dataset.from_tensor_slices((X, Y))


def classifier(**options: Any) -> Any:
    keras.utils.set_random_seed(0)
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.SGD(0.1), loss, metrics=["accuracy"], **options)
    return model


class Steps(tf.keras.callbacks.Callback):  # type: ignore[misc]
    """Counts batches, and keeps what the progress bar is told."""

    def __init__(self) -> None:
        super().__init__()
        self.epochs: list[int] = []
        self.tests = 0

    def on_train_begin(self, logs: Any = None) -> None:
        self.total = self.params["steps"]

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epochs.append(0)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.epochs[-1] += 1

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self.tests += 1


def test_a_dataset_trains_as_its_arrays_do() -> None:
    """Batch for batch the same losses, evaluation and predictions as from arrays."""
    arrays, dataset = classifier(), classifier()
    one = arrays.fit(X, Y, batch_size=32, epochs=3, shuffle=False, validation_data=(X, Y), verbose=0).history
    two = dataset.fit(pairs().batch(32), epochs=3, validation_data=pairs().batch(32), verbose=0).history
    for name in one:
        np.testing.assert_allclose(one[name], two[name], rtol=1e-5)
    np.testing.assert_allclose(
        arrays.evaluate(X, Y, verbose=0), dataset.evaluate(pairs().batch(32), verbose=0), rtol=1e-5
    )
    predicted = dataset.predict(pairs().batch(32).prefetch(2), verbose=0)  # targets are ignored
    assert isinstance(predicted, np.ndarray)
    assert predicted.shape == (100, 2)
    np.testing.assert_allclose(predicted, arrays.predict(tf.constant(X), verbose=0), rtol=1e-4, atol=1e-5)


def test_the_number_of_batches_is_known() -> None:
    seen = Steps()
    classifier().fit(pairs().batch(30).prefetch(tf.data.AUTOTUNE), epochs=2, callbacks=[seen], verbose=0)
    assert seen.total == 4
    assert seen.epochs == [4, 4]


def test_steps_per_epoch_goes_on_where_the_last_epoch_ended() -> None:
    """A finite dataset is used up across epochs; an endless one never is; validation_steps starts anew each time."""
    used: list[int] = []

    class Watch(tf.keras.Model):  # type: ignore[misc]
        def train_step(self, data: Any) -> Any:
            used.append(int(data[0][0, 0]))
            return {"loss": 0.0}

    numbers = tf.data.Dataset.from_tensor_slices((np.arange(10.0, dtype=np.float32)[:, None], np.zeros(10))).batch(1)
    if not JAX:  # a step of one's own in jax is stateless, and traced
        model = Watch()
        model.built = True
        model.compile()
        model.fit(numbers, epochs=2, steps_per_epoch=4, verbose=0)
        assert used == [0, 1, 2, 3, 4, 5, 6, 7]
    seen = Steps()
    classifier().fit(
        pairs().batch(10).repeat(), epochs=3, steps_per_epoch=7, validation_data=pairs().batch(10).repeat(),
        validation_steps=2, callbacks=[seen], verbose=0,
    )  # fmt: skip
    assert seen.epochs == [7, 7, 7]
    assert seen.tests == 6
    assert seen.total == 7
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        classifier().fit(pairs().batch(10), epochs=2, steps_per_epoch=8, verbose=0)
    assert any("ran out of data" in str(w.message) for w in said)


def test_weights_of_samples_and_of_classes() -> None:
    weights = np.where(Y == 1, 3.0, 1.0).astype(np.float32)
    by_sample = classifier().fit(tf.data.Dataset.from_tensor_slices((X, Y, weights)).batch(25), verbose=0)
    by_class = classifier().fit(pairs().batch(25), class_weight={0: 1.0, 1: 3.0}, verbose=0)
    arrays = classifier().fit(X, Y, batch_size=25, shuffle=False, sample_weight=weights, verbose=0)
    only_one = classifier().fit(pairs().batch(25), class_weight={1: 3.0}, verbose=0)
    for run in (by_class, arrays, only_one):
        np.testing.assert_allclose(run.history["loss"], by_sample.history["loss"], rtol=1e-5)
    with pytest.raises(ValueError, match=r"class_weight.*sample_weight"):
        classifier().fit(tf.data.Dataset.from_tensor_slices((X, Y, weights)).batch(25), class_weight={1: 2.0})


def test_a_shuffle_differs_from_epoch_to_epoch() -> None:
    orders: list[list[int]] = []
    current: list[int] = []

    def note(x: Any) -> Any:
        current.append(int(x[0]))
        return x

    numbers = tf.data.Dataset.from_tensor_slices(np.arange(20.0, dtype=np.float32)[:, None]).shuffle(20)
    seen = numbers.map(lambda x: (tf.ensure_shape(tf.numpy_function(note, [x], tf.float32), [1]), 0))

    class Cut(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            current.clear()

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            orders.append(current[-20:])  # the first epoch may try the function on the side

    classifier().fit(seen.batch(5), epochs=3, callbacks=[Cut()], verbose=0)
    assert all(sorted(order) == list(range(20)) for order in orders)
    assert len({tuple(order) for order in orders}) == 3


def test_named_inputs_and_several_outputs() -> None:
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((2,), name="b")
    joined = tf.keras.layers.concatenate([a, b])
    outputs = {
        "kind": tf.keras.layers.Dense(2, name="kind")(joined),
        "size": tf.keras.layers.Dense(1, name="size")(joined),
    }
    model = tf.keras.Model([a, b], outputs)
    model.compile(
        "sgd",
        {"kind": tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), "size": "mse"},
        loss_weights={"kind": 1.0, "size": 0.5},
        metrics={"kind": ["accuracy"], "size": ["mae"]},
    )
    inputs = {"a": X, "b": X[:, :2]}
    data = tf.data.Dataset.from_tensor_slices((inputs, {"kind": Y, "size": X[:, 0]})).batch(20)
    history = model.fit(data, epochs=2, validation_data=data, verbose=0).history
    assert {"kind_loss", "size_loss", "kind_accuracy", "size_mae", "val_loss"} <= set(history)
    predicted = model.predict(data, verbose=0)
    assert {k: v.shape for k, v in predicted.items()} == {"kind": (100, 2), "size": (100, 1)}
    tuples = tf.keras.Model([a, b], [outputs["kind"], outputs["size"]])
    tuples.compile("sgd", [tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), "mse"])
    pair = tf.data.Dataset.from_tensor_slices(((X, X[:, :2]), (Y, X[:, 0]))).batch(20)
    assert np.isfinite(tuples.fit(pair, verbose=0).history["loss"]).all()


def test_the_pipeline_runs_on_the_users_side() -> None:
    """Functions in a pipeline, and generators, see our tensors although Keras asks for the batch."""
    scale = tf.keras.layers.Rescaling(2.0)
    kinds: set[str] = set()

    def prepare(x: Any, y: Any) -> Any:
        scaled = scale(x)
        kinds.update({type(x).__name__, type(scaled).__name__})
        return scaled - 1.0, y

    classifier().fit(pairs().map(prepare).batch(50), verbose=0)
    assert kinds == {"Tensor"}
    assert isinstance(scale(X), tf.Tensor)


def test_generators_sequences_loaders_lists_and_frames() -> None:
    def batches() -> Any:
        for i in range(0, 100, 20):
            yield tf.constant(X[i : i + 20]) + 0.0, tf.constant(Y[i : i + 20])

    assert tf.keras.utils.Sequence is tf.keras.utils.PyDataset

    class Rows(tf.keras.utils.Sequence):  # type: ignore[misc]
        def __len__(self) -> int:
            return 5

        def __getitem__(self, index: int) -> Any:
            x = tf.constant(X[index * 20 : index * 20 + 20])
            assert isinstance(tf.keras.layers.Rescaling(2.0)(x), tf.Tensor)
            return x, tf.constant(Y[index * 20 : index * 20 + 20])

    import pandas
    import torch

    losses = [
        classifier().fit(X, Y, batch_size=20, shuffle=False, verbose=0),
        classifier().fit(batches(), steps_per_epoch=5, shuffle=False, verbose=0),
        classifier().fit(Rows(), shuffle=False, verbose=0),
        classifier().fit(tf.constant(X), tf.constant(Y), batch_size=20, shuffle=False, verbose=0),
        classifier().fit(pandas.DataFrame(X), pandas.Series(Y), batch_size=20, shuffle=False, verbose=0),
    ]
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(Y)), batch_size=20
    )
    losses.append(classifier().fit(loader, shuffle=False, verbose=0))
    for run in losses[1:]:
        np.testing.assert_allclose(run.history["loss"], losses[0].history["loss"], rtol=1e-4)
    split = classifier().fit(X, Y, validation_split=0.2, verbose=0).history
    assert "val_loss" in split


def test_what_does_not_go_together_says_so() -> None:
    with pytest.raises(ValueError, match=r"`x` as a tf.data.Dataset, `y` should not be passed"):
        classifier().fit(pairs().batch(10), Y)
    with pytest.raises(ValueError, match="sample_weights"):
        classifier().fit(pairs().batch(10), sample_weight=Y)
    with pytest.raises(ValueError, match=r"(?s)batch|dimension|shape"):
        classifier().fit(pairs(), verbose=0)  # not batched


@pytest.mark.skipif(not JAX, reason="of the jax backend")
def test_what_jax_cannot_do_says_so() -> None:
    """tf's operations run on torch: in what Keras traces on jax they say what to write; outside, values and masks cross."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.compile("sgd", lambda y, p: tf.reduce_mean(tf.square(y - p)))
    with pytest.raises(TypeError, match=r"keras\.ops"):
        model.fit(X, X[:, :2], verbose=0)
    embedding = tf.keras.layers.Embedding(5, 2, mask_zero=True, embeddings_initializer="ones")
    lstm = tf.keras.layers.LSTM(3, kernel_initializer="ones", recurrent_initializer="ones")
    ids = np.array([[1, 2, 0], [3, 0, 0]])
    np.testing.assert_allclose(lstm(embedding(ids)), lstm(embedding(ids), mask=ids > 0), rtol=1e-5)
    assert float(tf.reduce_sum(embedding.embeddings)) == 10.0


@pytest.mark.skipif(JAX, reason="it is the run on jax")
def test_all_of_this_on_jax() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__))],
        env={**os.environ, "KERAS_BACKEND": "jax"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
