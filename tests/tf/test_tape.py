"""GradientTape gives the gradients TensorFlow gives, and None where it gives None."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from milepost import tf


def test_the_tutorials_numbers() -> None:
    """loss 125, gradients [[70], [100]] and 30."""
    x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
    w, b = tf.Variable(initial_value=[[1.0], [2.0]]), tf.Variable(initial_value=1.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w) + b - y))
    w_grad, b_grad = tape.gradient(target=loss, sources=[w, b])
    assert float(loss) == 125.0
    assert w_grad.numpy().tolist() == [[70.0], [100.0]]
    assert float(b_grad) == 30.0
    with pytest.raises(
        RuntimeError, match="non-persistent GradientTape can only be used to compute one set of gradients"
    ):
        tape.gradient(loss, w)


def test_only_what_the_tape_saw_has_a_gradient() -> None:
    """Constants must be watched; what was computed before the tape, and other tapes' watched tensors, are not followed."""
    x, v = tf.constant(3.0), tf.Variable(2.0)
    before = v * 5.0
    with tf.GradientTape(persistent=True) as tape:
        y = x * x + before
    assert tape.gradient(y, x) is None
    assert tape.gradient(y, v) is None
    with tf.GradientTape() as watching:
        watching.watch(x)
        y = x * x
    assert float(watching.gradient(y, x)) == 6.0
    with tf.GradientTape() as later:
        y = x * x
    assert later.gradient(y, x) is None
    with tf.GradientTape(watch_accessed_variables=False) as blind:
        y = v * v
    assert blind.gradient(y, v) is None
    frozen = tf.Variable(1.0, trainable=False)
    with tf.GradientTape() as tape:
        y = frozen * v
    assert tape.gradient(y, frozen) is None
    with tf.GradientTape() as tape:
        y = v * v
    assert float(tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)) == 0.0


def test_higher_orders_lists_dicts_and_jacobians() -> None:
    b = tf.Variable(1.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            cube = b**3
        first = inner.gradient(cube, b)
    assert float(outer.gradient(first, b)) == 6.0
    with tf.GradientTape() as tape:
        targets = [b * 2.0, b * 3.0]
    assert float(tape.gradient(targets, b)) == 5.0
    with tf.GradientTape() as tape:
        square = b * b
    assert float(tape.gradient(square, {"b": b})["b"]) == 2.0
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.jacobian(y, x).numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]
    with tf.GradientTape() as tape:
        y = x * 2.0
    assert tape.gradient(y, x, output_gradients=[1.0, 3.0]).numpy().tolist() == [2.0, 6.0]


def test_stop_recording_and_nothing_outside() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        with tape.stop_recording():
            z = v * 10.0
        total = y + z
    assert float(tape.gradient(total, v)) == 4.0
    assert not (v * 2.0)._t.requires_grad
    assert np.asarray(v * 2.0) == 4.0


def test_linear_regression_of_the_tutorial() -> None:
    """Ten thousand steps of gradient descent end at a = 0.9591617, b = 0.0442288."""
    x_raw = np.array([2015, 2016, 2017, 2018, 2019, 2020], dtype=np.float32)
    y_raw = np.array([12000, 14000, 15000, 16500, 17500, 19000], dtype=np.float32)
    x = tf.constant((x_raw - x_raw.min()) / (x_raw.max() - x_raw.min()))
    y = tf.constant((y_raw - y_raw.min()) / (y_raw.max() - y_raw.min()))
    a, b = tf.Variable(initial_value=0.0), tf.Variable(initial_value=0.0)
    optimizer = tf.keras.optimizers.SGD(learning_rate=1e-3)
    for _ in range(10_000):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(a * x + b - y))
        grads = tape.gradient(loss, [a, b])
        optimizer.apply_gradients(grads_and_vars=zip(grads, [a, b], strict=True))
    assert a.numpy() == pytest.approx(0.9591617, abs=1e-6)
    assert b.numpy() == pytest.approx(0.0442288, abs=1e-6)
    assert str(b).startswith("<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=0.0442")


def test_a_kept_loss_keeps_no_graph() -> None:
    """A list of losses does not hold every step's intermediates."""
    v = tf.Variable(np.ones(1000, np.float32))
    losses, total = [], tf.constant(0.0)
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        tape.gradient(loss, v)
        losses.append(loss)
        total += loss
    gc.collect()
    assert all(kept._t.grad_fn is None for kept in losses)
    assert total._t.grad_fn is None


def test_a_function_recorded_before_a_variable_moved_reads_its_new_value() -> None:
    """An assignment after a tape's use gives the variable new memory; recorded functions follow."""
    v = tf.Variable(2.0)
    double = tf.function(lambda: v * 2.0)
    assert float(double()) == 4.0
    with tf.GradientTape() as tape:
        y = v * v
    v.assign(5.0)
    assert float(double()) == 10.0
    assert float(tape.gradient(y, v)) == 4.0
    v.assign_add(1.0)
    assert float(double()) == 12.0


def test_a_layers_variable_changed_too_early_is_an_error_that_says_what_to_do() -> None:
    """Never a wrong gradient."""
    layer = tf.keras.layers.Dense(1)
    optimizer = tf.keras.optimizers.Adam()
    x = tf.constant([[1.0, 2.0]])
    layer(x)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(layer(x) * [[1.0, 1.0]]))
    optimizer.apply_gradients([(tf.ones((2, 1)), layer.kernel)])
    with pytest.raises(RuntimeError, match=r"Call gradient\(\) before apply_gradients\(\)"):
        tape.gradient(y, layer.trainable_variables)


def test_losses_of_two_tapes_keep_no_graph() -> None:
    v = tf.Variable(np.ones(1000, np.float32))
    with tf.GradientTape() as first, tf.GradientTape() as second:
        a, b = tf.reduce_sum(v * v), tf.reduce_sum(v * v * v)
    first.gradient(a, v)
    second.gradient(b, v)
    assert a._t.grad_fn is None
    assert b._t.grad_fn is None


def test_a_kept_prediction_is_a_constant_to_the_next_tape() -> None:
    """Carried states neither fail nor leak gradients of steps that are over; layers' weights and variables alike."""
    layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    state = tf.constant([[0.1, 0.2]])
    for _ in range(3):
        before = state.numpy()
        with tf.GradientTape() as tape:
            state = tf.tanh(layer(state) * 0.1)
            loss = tf.reduce_sum(state)
        carried = tape.gradient(loss, layer.trainable_variables)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(layer(tf.constant(before)) * 0.1))
        alone = tape.gradient(loss, layer.trainable_variables)
        for a, b in zip(carried, alone, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)
