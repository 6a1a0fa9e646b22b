"""TensorFlow 1's way: after disable_eager_execution a program writes a graph, which a Session runs. What cannot take part says so."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from milepost import tf

tf1 = tf.compat.v1


@pytest.fixture
def graphs() -> Iterator[None]:
    tf1.disable_eager_execution()
    tf1.reset_default_graph()
    try:
        yield
    finally:
        tf1.enable_eager_execution()


@pytest.mark.usefixtures("graphs")
def test_disable_eager_execution_switches_to_graphs() -> None:
    """Placeholders, variables, an optimizer and a Session; and back again."""
    assert not tf.executing_eagerly()
    x, y = tf1.placeholder(tf.float32, [None]), tf1.placeholder(tf.float32, [None])
    w = tf.Variable(0.0)
    loss = tf.reduce_mean((w * x - y) ** 2)
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as session:
        session.run(tf1.global_variables_initializer())
        for _ in range(50):
            session.run(train, feed_dict={x: [1.0, 2.0], y: [3.0, 6.0]})
        assert session.run(w) == pytest.approx(3.0, abs=1e-3)
    tf1.enable_eager_execution()
    assert float(tf.constant(1.0) + 1.0) == 2.0
    assert isinstance(tf.Variable(1.0).numpy(), object)


@pytest.mark.usefixtures("graphs")
def test_what_needs_values_says_so() -> None:
    x = tf1.placeholder(tf.float32, [None, 2])
    with pytest.raises(TypeError, match=r"node of a graph .* Keras' layers take tensors with values only"):
        tf.keras.layers.Dense(1)(x)
    with pytest.raises(TypeError, match=r"symbolic `tf.Tensor` as a Python `bool`"):
        bool(x[0, 0] > 0)


def test_functions_are_their_own_again_afterwards() -> None:
    before = tf.reduce_sum, tf.math.log, tf.nn.relu, tf.Variable
    with tf.Graph().as_default():
        assert tf.reduce_sum is not before[0]
    assert (tf.reduce_sum, tf.math.log, tf.nn.relu, tf.Variable) == before


def test_a_file_loaded_while_a_graph_is_built_keeps_the_functions_themselves() -> None:
    """In a process that has loaded nothing yet: functions that call others still compute afterwards."""
    program = """
from milepost import tf
with tf.compat.v1.Graph().as_default():
    tf.compat.v1.placeholder(tf.float32)
print(tf.image.random_flip_left_right(tf.ones((2, 2, 3))).shape, tf.nn.dropout(tf.ones(3), 0.5).shape)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout.strip() == "(2, 2, 3) (3,)", done.stderr[-2000:]
