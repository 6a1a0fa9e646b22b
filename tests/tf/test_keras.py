"""Keras at home in tf: the user sees our tensors, tapes see its variables, older spellings work and warn."""

from __future__ import annotations

import numpy as np
import pytest

from milepost import tf


class MLP(tf.keras.Model):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.flatten = tf.keras.layers.Flatten()
        self.dense1 = tf.keras.layers.Dense(units=5, activation=tf.keras.activations.relu)
        self.dense2 = tf.keras.layers.Dense(units=3)
        self.seen: list[str] = []

    def call(self, inputs: object, training: bool = False) -> object:
        self.seen.append(f"{type(inputs).__name__} {training}")
        return tf.nn.softmax(self.dense2(self.dense1(self.flatten(inputs))))


def test_the_short_way_and_keras_way_give_the_same() -> None:
    """A layer called alone, on a tensor, on an array, in a tape and inside fit computes one and the same function."""
    x = np.random.default_rng(0).random((4, 6, 6, 2), np.float32)
    for layer in (
        tf.keras.layers.Conv2D(3, 3, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(3, (3, 5), padding="valid", activation="tanh"),
        tf.keras.layers.Conv2D(3, 2, strides=2, padding="same"),
        tf.keras.layers.MaxPooling2D(2),
        tf.keras.layers.Dense(4, activation="sigmoid"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Reshape((72,)),
        tf.keras.layers.Softmax(),
    ):
        first = layer(x)  # builds, Keras' way
        again = layer(x)  # the short way
        assert isinstance(again, tf.Tensor)
        np.testing.assert_allclose(first.numpy(), again.numpy(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(first.numpy(), layer(tf.constant(x)).numpy(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(first.numpy(), layer(x.astype(np.float64)).numpy(), rtol=1e-5, atol=1e-6)


def test_lstm_cell_the_short_way_with_its_gradients() -> None:
    x = np.random.default_rng(0).random((3, 4), np.float32)
    cell = tf.keras.layers.LSTMCell(5)
    results = []
    for _ in range(2):  # the first call builds and goes Keras' way
        with tf.GradientTape() as tape:
            output, state = cell(x, cell.get_initial_state(batch_size=3))
            output, state = cell(x, state)
            loss = tf.reduce_sum(output)
        results.append(
            [output.numpy(), state[1].numpy(), *[g.numpy() for g in tape.gradient(loss, cell.trainable_variables)]]
        )
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_a_model_of_ones_own() -> None:
    """call gets our tensors and the training flag; variables appear at the first call; gradients reach all of them."""
    model = MLP()
    assert model.variables == []
    x = np.random.default_rng(0).random((4, 2, 2), np.float32)
    for kwargs in ({}, {"training": True}, {}):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x, **kwargs))
        grads = tape.gradient(loss, model.trainable_variables)
    assert [g.shape for g in grads] == [v.shape for v in model.trainable_variables]
    assert model.seen[-3:] == ["Tensor False", "Tensor True", "Tensor False"]
    with pytest.raises(Exception, match="expected axis -1"):
        model(np.zeros((4, 3, 3), np.float32))


def test_adam_equals_keras_own_adam() -> None:
    """The fused step follows Keras' arithmetic, and its state is Keras' state."""
    import keras

    rng = np.random.default_rng(0)
    start, grads = rng.standard_normal(50).astype(np.float32), rng.standard_normal((20, 50)).astype(np.float32)
    fused, plain = tf.Variable(start), tf.Variable(start)
    ours, theirs = keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.01, clipvalue=1e9)  # clipping takes Keras' way
    for g in grads:
        ours.apply_gradients([(tf.constant(g), fused)])
        theirs.apply_gradients([(tf.constant(g), plain)])
    np.testing.assert_allclose(fused.numpy(), plain.numpy(), rtol=1e-4, atol=1e-5)
    for a, b in zip(ours.variables, theirs.variables, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-6)


def test_adam_with_gradients_that_are_permuted_views() -> None:
    """A convolution's gradient arrives as a view in another order; the update must not mix up its elements."""
    import keras

    x = np.random.default_rng(0).random((4, 6, 6, 2), np.float32)
    ends = []
    for options in ({}, {"clipvalue": 1e9}):  # clipping takes Keras' way
        keras.utils.set_random_seed(3)
        layer, optimizer = tf.keras.layers.Conv2D(3, (3, 2)), keras.optimizers.Adam(0.1, **options)
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(layer(x)) * tf.constant(x[:, :4, :5, :1]))
            optimizer.apply_gradients(
                zip(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables, strict=True)
            )
        ends.append(layer.kernel.numpy())
    np.testing.assert_allclose(*ends, rtol=1e-3, atol=1e-4)


def test_fit_evaluate_predict_and_custom_parts() -> None:
    class MyLoss(tf.keras.losses.Loss):  # type: ignore[misc, name-defined]
        def call(self, y_true: object, y_pred: object) -> object:
            assert isinstance(y_pred, tf.Tensor)
            return tf.reduce_mean(tf.square(y_pred - y_true))  # type: ignore[operator]

    class Hits(tf.keras.metrics.Metric):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.total = self.add_weight(name="total", dtype=tf.int32, initializer=tf.zeros_initializer())

        def update_state(self, y_true: object, y_pred: object, sample_weight: object = None) -> None:
            self.total.assign_add(tf.shape(y_true)[0])

        def result(self) -> object:
            return self.total / 2

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.1), MyLoss(), metrics=[Hits()])
    x = np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)
    history = model.fit(x, 2 * x, epochs=30, batch_size=4, verbose=0).history
    assert history["loss"][-1] < history["loss"][0] / 10
    assert history["hits"][-1] == 2.0
    assert isinstance(model.predict(x, verbose=0), np.ndarray)


def test_older_spellings_work_and_warn() -> None:
    metric = tf.keras.metrics.Mean("loss")
    metric(3.0)
    with pytest.warns(DeprecationWarning, match="reset_state"):
        metric.reset_states()
    assert float(metric.result()) == 0.0
    with pytest.warns(DeprecationWarning, match="get_initial_state"):
        state = tf.keras.layers.LSTMCell(4).get_initial_state(batch_size=2, dtype=tf.float32)
    assert [tuple(s.shape) for s in state] == [(2, 4), (2, 4)]
    assert (
        float(tf.keras.losses.mean_squared_error(np.array([1.0, 2.0], np.float32), np.array([1.0, 4.0], np.float32)))
        == 2.0
    )
    assert tf.keras.losses.MSE([1.0], [2.0]).numpy() == 1.0


def test_learning_phase_is_obeyed_where_nothing_else_is_said() -> None:
    layer = tf.keras.layers.Dropout(0.5)
    from milepost.tf.bridge import learning_phase

    with pytest.warns(DeprecationWarning, match="training=True"):
        tf.keras.backend.set_learning_phase(1)
    try:
        assert float(tf.reduce_min(layer(np.ones((1, 100), np.float32)))) == 0.0
        assert float(tf.reduce_min(layer(np.ones((1, 100), np.float32), training=False))) == 1.0
    finally:
        learning_phase._phase = None


def test_an_optimizer_without_variables_or_gradients_says_what_is_wrong() -> None:
    optimizer = tf.keras.optimizers.Adam()
    unbuilt = MLP()
    with pytest.raises(ValueError, match="is the model built"):
        optimizer.apply_gradients(zip([], unbuilt.trainable_variables, strict=True))
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, tf.Variable(1.0))])


def test_importing_from_tf_keras() -> None:
    from milepost.tf.keras.layers import Dense

    from milepost.tf.keras import layers

    assert layers.Dense is Dense is tf.keras.layers.Dense


def test_build_makes_the_variables() -> None:
    """`model.build(input_shape=[64, 784])` creates them, as tutorials say, and a wrong shape says so."""
    model = MLP()
    model.build(input_shape=[64, 28 * 28])
    assert [tuple(v.shape) for v in model.variables] == [(784, 5), (5,), (5, 3), (3,)]
    assert model.built
    assert model.variables[0].path == f"{model.name}/{model.dense1.name}/kernel"


def test_memory_does_not_grow() -> None:
    """Thousands of eager steps leave no tensors behind (the long run does a hundred thousand)."""
    _steps_without_growth(1_500)


@pytest.mark.long
def test_memory_does_not_grow_in_a_hundred_thousand_steps() -> None:
    _steps_without_growth(100_000)


def _steps_without_growth(count: int) -> None:
    import gc
    import resource

    model, optimizer = MLP(), tf.keras.optimizers.Adam()
    x, y = np.random.default_rng(0).random((8, 4, 4), np.float32), np.zeros(8, np.int32)

    def steps(n: int) -> None:
        total = tf.constant(0.0)
        for _ in range(n):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, model(x)))
            optimizer.apply_gradients(zip(tape.gradient(loss, model.variables), model.variables, strict=True))
            total += loss
            model.seen.clear()

    steps(300)
    gc.collect()
    before, peak = len(gc.get_objects()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    steps(count)
    gc.collect()
    assert len(gc.get_objects()) - before < 500
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 20_000  # kilobytes


def test_running_means_the_short_way() -> None:
    """Keras' means and their results, bit for bit, however they are fed: numbers, rows, weights, masks, nothing at all; gradients pass division."""
    import keras
    from keras.src.metrics.reduction_metrics import Mean

    from milepost.tf.bridge.boundary import bare

    keras_update, keras_result = Mean.update_state.__wrapped__.__wrapped__, Mean.result.__wrapped__.__wrapped__
    rng = np.random.default_rng(0)
    feeds = [
        (tf.constant(0.3), None), (tf.constant(0.7), 50), (tf.constant(rng.random(7, np.float32)), None), (0.5, None),
        (tf.constant(rng.random((3, 4), np.float32)), None), (tf.constant([1.0, 2.0]), np.array([0.1, 0.9])), ([1, 2], None),
    ]  # fmt: skip
    short, long = tf.keras.metrics.Mean(), tf.keras.metrics.Mean()
    assert float(short.result()) == 0.0
    for values, weight in feeds:
        short.update_state(values, sample_weight=weight)
        keras_update(long, bare(values), weight)
        assert float(short.result()) == float(keras_result(long))
        assert [float(v) for v in short.variables] == [float(v) for v in long.variables]
    x = tf.Variable([0.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.keras.ops.divide_no_nan(tf.ones(2), x))
    assert tape.gradient(y, x).numpy().tolist() == [0.0, -0.25]
    assert isinstance(keras.metrics.Mean().result(), tf.Tensor)
