"""Keras' guides and the tutorials, one way of working a test: what a user holds is always ours, and things learn. Numbers: against_tf/cases/keras_*."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from milepost import tf

layers = tf.keras.layers
IMAGES, LABELS = load_digits(return_X_y=True)
IMAGES = (IMAGES.reshape(-1, 8, 8, 1) / 16.0).astype(np.float32)
LABELS = LABELS.astype(np.int32)


def digits(count: int = 1500, batch: int = 50) -> Any:
    return tf.data.Dataset.from_tensor_slices((IMAGES[:count], LABELS[:count])).shuffle(count, seed=1).batch(batch)


def held_out() -> Any:
    return tf.data.Dataset.from_tensor_slices((IMAGES[1500:], LABELS[1500:])).batch(100)


def classifier() -> Any:
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential(
        [tf.keras.Input((8, 8, 1)), layers.Flatten(), layers.Dense(32, activation="relu"), layers.Dense(10)]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model


def ours(value: Any) -> bool:
    return all(isinstance(v, tf.Tensor) for v in tf.nest.flatten(value))


def test_what_layers_losses_and_metrics_give_is_ours() -> None:
    """No torch tensor reaches the user: not from calls, losses, metrics, masks, initializers, regularizers, schedules or functions."""
    x, keras = tf.ones((2, 4)), tf.keras
    dense = layers.Dense(3, kernel_regularizer="l2", activity_regularizer="l1")
    embedding = layers.Embedding(5, 2, mask_zero=True)
    mean = keras.metrics.Mean()
    model = keras.Sequential([keras.Input((4,)), layers.Dense(2)])
    model.compile("sgd", "mse")
    given = {
        "call": dense(x), "direct call": model(x, training=True), "losses": dense.losses,
        "mask": embedding.compute_mask(np.array([[1, 0]])), "carried mask": embedding(np.array([[1, 0]]))._keras_mask,
        "loss": keras.losses.MeanSquaredError()(x, x), "loss function": keras.losses.mean_squared_error(x, x),
        "metric": mean(3.0), "result": mean.result(), "initializer": keras.initializers.HeNormal()((2, 2)),
        "regularizer": keras.regularizers.L2(0.1)(x), "constraint": keras.constraints.NonNeg()(x),
        "schedule": keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)(3), "activation": keras.activations.relu(x),
        "looked up": keras.activations.get("gelu")(x), "op": keras.ops.mean(x), "random": keras.random.normal((2,)),
        "backend": keras.backend.mean(x), "state": layers.LSTM(2, return_state=True)(tf.ones((1, 2, 3))),
        "compute_loss": model.compute_loss(x=x, y=tf.ones((2, 2)), y_pred=model(x)),
        "variable": dense.kernel * 2.0, "read": dense.kernel[0], "utils": keras.layers.Rescaling(2.0)(np.ones(3)),
    }  # fmt: skip
    assert [name for name, value in given.items() if not ours(value)] == []
    assert isinstance(dense.kernel.shape, tf.TensorShape)
    assert isinstance(model.predict(x, verbose=0), np.ndarray)


def test_built_in_training_learns_digits_from_a_dataset() -> None:
    model = classifier()
    history = model.fit(digits(), epochs=6, validation_data=held_out(), verbose=0).history
    assert history["accuracy"][-1] > 0.95
    assert model.evaluate(held_out(), verbose=0)[1] > 0.85
    assert tf.argmax(model(IMAGES[:5]), axis=-1).shape == (5,)


def test_a_loop_from_scratch_learns_digits() -> None:
    """Tape, metrics, a traced step: the accuracy that fit reaches."""
    model, optimizer = classifier(), tf.keras.optimizers.Adam(0.01)
    loss_fn, accuracy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), tf.keras.metrics.Mean()

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_fn(y, logits) + sum(model.losses)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights, strict=True)
        )
        accuracy.update_state(tf.keras.metrics.sparse_categorical_accuracy(y, logits))
        return loss

    for _ in range(6):
        accuracy.reset_state()
        for x, y in digits():
            step(x, y)
    assert float(accuracy.result()) > 0.95


def test_callbacks_see_our_side_in_the_midst_of_fit(tmp_path: Path) -> None:
    """A callback may call the model, take gradients, predict and write summaries; training is none the wiser."""
    seen: list[Any] = []

    class Look(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            assert isinstance(logs["loss"], float)
            if batch == 0:
                image = tf.constant(IMAGES[:1])
                with tf.GradientTape() as tape:
                    tape.watch(image)
                    score = tf.reduce_max(self.model(image))
                seen.append(ours([score, tape.gradient(score, image), self.model.layers[-1].kernel + 1.0]))

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            with tf.summary.create_file_writer(str(tmp_path)).as_default():
                tf.summary.scalar("max", tf.reduce_max(self.model(IMAGES[:2])), step=epoch)
            seen.append(self.model.predict(digits(10), verbose=0).shape == (10, 10))

    watched, alone = classifier(), classifier()
    one = watched.fit(digits(200), epochs=2, callbacks=[Look()], verbose=0).history
    two = alone.fit(digits(200), epochs=2, verbose=0).history
    assert seen == [True] * 4
    np.testing.assert_allclose(one["loss"], two["loss"], rtol=1e-5)


def test_the_usual_callbacks_together(tmp_path: Path) -> None:
    """Early stopping, checkpoints, schedule, plateau, CSV, backup, TensorBoard in one fit from a dataset; the best weights load."""
    c, rates = tf.keras.callbacks, []
    model = classifier()
    history = model.fit(
        digits(500), validation_data=held_out(), epochs=4, verbose=0,
        callbacks=[
            c.EarlyStopping(patience=3, restore_best_weights=True), c.ReduceLROnPlateau(patience=1),
            c.ModelCheckpoint(str(tmp_path / "best.weights.h5"), save_weights_only=True, save_best_only=True),
            c.ModelCheckpoint(str(tmp_path / "epoch-{epoch:02d}.keras")), c.CSVLogger(str(tmp_path / "log.csv")),
            c.LearningRateScheduler(lambda epoch, rate: rate * 0.9), c.BackupAndRestore(str(tmp_path / "backup")),
            c.LambdaCallback(on_epoch_begin=lambda epoch, logs: rates.append(float(model.optimizer.learning_rate))),
            c.TerminateOnNaN(), c.TensorBoard(str(tmp_path / "board"), update_freq="batch", profile_batch=0),
        ],
    ).history  # fmt: skip
    assert len(rates) == 4
    assert rates == sorted(rates, reverse=True)
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 5
    fresh = tf.keras.models.clone_model(model)
    fresh.load_weights(tmp_path / "best.weights.h5")
    fresh.compile(loss=model.loss, metrics=["accuracy"])
    assert fresh.evaluate(held_out(), verbose=0)[0] == pytest.approx(min(history["val_loss"]), rel=1e-4)
    loaded = tf.keras.models.load_model(tmp_path / "epoch-04.keras")
    assert loaded.evaluate(held_out(), verbose=0)[0] == pytest.approx(history["val_loss"][-1], rel=1e-4)
    import milepost

    assert len(milepost.open(tmp_path / "board", cache=False)["train"].scalars["batch_loss"].step) == 40


def test_custom_objects_travel_with_a_saved_model(tmp_path: Path) -> None:
    """Layers, functions, losses, metrics and a model class of one's own, saved and loaded; an unknown one says its name."""

    @tf.keras.utils.register_keras_serializable(package="guides")
    def shifted_relu(x: Any) -> Any:
        return tf.nn.relu(x) + 0.1

    class Antirectifier(layers.Layer):  # type: ignore[misc]
        def __init__(self, offset: float = 0.0, **kwargs: Any):
            super().__init__(**kwargs)
            self.offset = offset

        def build(self, shape: Any) -> None:
            self.kernel = self.add_weight(shape=(shape[-1] * 2, 3), initializer="glorot_uniform", name="kernel")

        def call(self, x: Any) -> Any:
            x = x - tf.reduce_mean(x, axis=-1, keepdims=True) + self.offset
            return tf.matmul(tf.concat([tf.nn.relu(x), tf.nn.relu(-x)], -1), self.kernel)

        def get_config(self) -> Any:
            return {**super().get_config(), "offset": self.offset}

    def loss(y: Any, p: Any) -> Any:
        return tf.reduce_mean(tf.square(y - p), axis=-1)

    inputs = tf.keras.Input((4,))
    model = tf.keras.Model(inputs, layers.Dense(1, activation=shifted_relu)(Antirectifier(0.5, name="anti")(inputs)))
    model.compile("adam", loss)
    x = np.random.default_rng(0).random((8, 4), np.float32)
    model.fit(x, x[:, :1], verbose=0)
    model.save(tmp_path / "m.keras")
    loaded = tf.keras.models.load_model(
        tmp_path / "m.keras", custom_objects={"Antirectifier": Antirectifier, "loss": loss}
    )
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-5)
    assert loaded.get_layer("anti").offset == 0.5
    loaded.fit(x, x[:, :1], verbose=0)
    with pytest.raises(TypeError, match="Antirectifier"):
        tf.keras.models.load_model(tmp_path / "m.keras")


def test_augmentation_in_a_pipeline_and_in_a_model() -> None:
    """The same layers map over a dataset and stand in a model; only training changes images; each epoch sees new ones."""
    augment = tf.keras.Sequential([layers.RandomFlip("horizontal", seed=1), layers.RandomRotation(0.1, seed=2)])
    mapped = digits(20, 10).map(lambda x, y: (augment(x, training=True), y), num_parallel_calls=tf.data.AUTOTUNE)
    first, second = next(iter(mapped))[0], next(iter(mapped))[0]
    assert ours(first)
    assert first.shape == (10, 8, 8, 1)
    assert not np.allclose(first, second)
    model = tf.keras.Sequential(
        [tf.keras.Input((8, 8, 1)), augment, layers.Rescaling(2.0, -1.0), layers.Flatten(), layers.Dense(10)]
    )
    np.testing.assert_allclose(model(IMAGES[:4], training=False), model.predict(IMAGES[:4], verbose=0), rtol=1e-5)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    losses = model.fit(mapped.prefetch(2), epochs=2, verbose=0).history["loss"]
    assert all(np.isfinite(losses))


def test_normalization_adapts_to_a_dataset_and_travels() -> None:
    features = np.random.default_rng(0).normal(5.0, 3.0, (200, 3)).astype(np.float32)
    norm = layers.Normalization()
    norm.adapt(tf.data.Dataset.from_tensor_slices((features, features[:, 0])).batch(64).map(lambda x, y: x))
    scaled = norm(features).numpy()
    np.testing.assert_allclose([scaled.mean(), scaled.std()], [0.0, 1.0], atol=1e-2)
    model = tf.keras.Sequential([norm, layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.1), "mean_absolute_error")
    history = model.fit(features, features @ [1.0, 2.0, -1.0], epochs=30, validation_split=0.2, verbose=0).history
    assert history["val_loss"][-1] < history["val_loss"][0] / 3


def test_a_stack_that_is_frozen_stays_frozen() -> None:
    """Transfer learning: a trained base under a new head; frozen weights do not move, thawed ones do."""
    base_model = classifier()
    base_model.fit(digits(300), verbose=0)
    base = tf.keras.Model(base_model.inputs, base_model.layers[-2].output)
    base.trainable = False
    inputs = tf.keras.Input((8, 8, 1))
    model = tf.keras.Model(inputs, layers.Dense(2)(base(inputs, training=False)))
    parity = digits(300).map(lambda x, y: (x, y % 2))
    before = [w.numpy().copy() for w in base.weights]
    for trainable in (False, True):
        base.trainable = trainable
        model.compile(tf.keras.optimizers.Adam(1e-3), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        assert len(model.trainable_weights) == (4 if trainable else 2)
        model.fit(parity, verbose=0)
        moved = any(not np.array_equal(a, b.numpy()) for a, b in zip(before, base.weights, strict=True))
        assert moved is trainable


def test_mixed_precision_trains_and_keeps_float32_weights() -> None:
    tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        model = tf.keras.Sequential(
            [tf.keras.Input((8, 8, 1)), layers.Flatten(), layers.Dense(16, activation="relu"), layers.Dense(10)]
        )
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = model.fit(digits(500), epochs=3, verbose=0).history
    assert model(IMAGES[:1]).dtype == tf.bfloat16
    assert model.layers[1].kernel.dtype == "float32"
    assert history["loss"][-1] < history["loss"][0]
