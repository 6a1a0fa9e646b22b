"""tf.function runs Python once per kind of arguments, and gives the same numbers as without it."""

from __future__ import annotations

import numpy as np
import pytest

from milepost import tf


def test_python_runs_once_for_each_kind_of_arguments() -> None:
    """Shapes, dtypes and Python values make kinds; tensors' values do not."""
    seen = []

    @tf.function
    def double(x: object, factor: float = 2.0) -> object:
        seen.append(1)
        return x * factor  # type: ignore[operator]

    assert [float(double(tf.constant(v))) for v in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]
    assert len(seen) == 1
    double(tf.constant([1.0, 2.0]))
    double(tf.constant(1.0), 3.0)
    double(tf.constant(1.0), factor=3.0)
    assert len(seen) == double.experimental_get_tracing_count() == 3


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_a_traced_training_step_equals_the_plain_one(name: str) -> None:
    """Losses and all variables agree, step by step, and a changed learning rate is obeyed."""
    rng = np.random.default_rng(0)
    x, y = rng.random((16, 4), np.float32), rng.integers(0, 3, 16)
    histories = []
    for traced in (False, True):
        tf.random.set_seed(1)
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(3, activation="softmax")]
        )
        optimizer = getattr(tf.keras.optimizers, name)(learning_rate=0.1)

        def step(x: object, y: object, model: object = model, optimizer: object = optimizer) -> object:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, model(x)))  # type: ignore[operator]
            grads = tape.gradient(loss, model.trainable_variables)  # type: ignore[attr-defined]
            optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))  # type: ignore[attr-defined]
            return loss

        run = tf.function(step) if traced else step
        losses = []
        for i in range(8):
            if i == 5:
                optimizer.learning_rate = 0.01
            losses.append(float(run(x, y)))
        histories.append((losses, [v.numpy() for v in model.variables], int(optimizer.iterations)))
    (a, va, ia), (b, vb, ib) = histories
    assert a == pytest.approx(b, rel=1e-4)
    assert ia == ib == 8
    for p, q in zip(va, vb, strict=True):
        np.testing.assert_allclose(p, q, rtol=1e-3, atol=1e-4)


def test_branches_on_values_are_taken_at_every_call() -> None:
    @tf.function
    def size(x: object) -> object:
        if x > 0:  # type: ignore[operator]
            return x
        return -x  # type: ignore[operator]

    assert [float(size(tf.constant(v))) for v in (1.0, -3.0, 2.0)] == [1.0, 3.0, 2.0]


def test_random_numbers_prints_and_state_are_new_at_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    counter = tf.Variable(0)

    @tf.function
    def draw(x: object) -> object:
        counter.assign_add(1)
        tf.print("run", x)
        return tf.random.uniform(()), counter.read_value()

    first, second = draw(tf.constant(1.0)), draw(tf.constant(2.0))
    assert float(first[0]) != float(second[0])
    assert [int(first[1]), int(second[1])] == [1, 2]
    assert capsys.readouterr().err == "run 1\nrun 2\n"


def test_variables_are_made_on_the_first_call_only() -> None:
    @tf.function
    def bad(x: object) -> object:
        return tf.Variable(1.0) * x

    bad(tf.constant(1.0))
    with pytest.raises(ValueError, match=r"singleton tf.Variables created on the first call"):
        bad(tf.constant(1.0))


def test_input_signature_is_enforced() -> None:
    triple = tf.function(lambda x: x * 3.0, input_signature=[tf.TensorSpec([None], tf.float32)])
    assert triple([1.0, 2.0]).numpy().tolist() == [3.0, 6.0]
    assert triple(tf.constant([1.0])).numpy().tolist() == [3.0]
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(1, 2\)"):
        triple(tf.constant([[1.0, 2.0]]))
    with pytest.raises(TypeError, match="int32"):
        triple(tf.constant([1, 2]))


def test_gradients_flow_through_a_traced_function() -> None:
    v = tf.Variable(3.0)
    square = tf.function(lambda: v * v)
    square()
    with tf.GradientTape() as tape:
        y = square()
    assert float(tape.gradient(y, v)) == 6.0


def test_call_of_a_model_may_be_traced() -> None:
    """`@tf.function` on `call`, as tutorials write it, trains."""

    class Small(tf.keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.d = tf.keras.layers.Dense(2, activation="softmax")

        @tf.function
        def call(self, x: object) -> object:
            return self.d(x)

    model = Small()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(np.ones((8, 3), np.float32), np.zeros(8, np.int32), epochs=3, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]


def test_elements_of_a_dataset_and_the_clock_are_new_at_every_call() -> None:
    """Nothing that comes from outside is mistaken for a constant."""
    dataset = tf.data.Dataset.range(100).shuffle(100)
    first = tf.function(lambda: next(iter(dataset)))
    assert len({int(first()) for _ in range(8)}) > 1
    now = tf.function(lambda: tf.timestamp())
    assert float(now()) < float(now())


def test_another_object_at_the_same_address_is_another_argument() -> None:
    class Box:
        def __init__(self, value: float):
            self.value = value

    times = tf.function(lambda x, box: x * box.value)
    assert [float(times(tf.constant(1.0), Box(v))) for v in (1.0, 2.0, 3.0)] == [1.0, 2.0, 3.0]
