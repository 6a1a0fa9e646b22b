"""Keras 3 objects, on torch; tests/ways/test_keras_runs.py runs these on jax, too, in a process of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

keras = pytest.importorskip("keras")

from milepost.engines import Spec, detect, pulse  # noqa: E402
from milepost.engines.adapter import VARIABLE_VALUE  # noqa: E402

layers = keras.layers
X = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)


@keras.saving.register_keras_serializable("tests")
class Net(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.first = layers.Dense(4)
        self.blocks = [layers.Dense(4), layers.BatchNormalization(), "a note"]
        self.heads = {"main": layers.Dense(1), "aux": [layers.Dense(1)]}
        self.drop = layers.Dropout(0.5, seed=3)
        self.seen = keras.metrics.Mean()

    def call(self, x: Any, training: bool = False) -> Any:
        x = self.drop(self.first(x), training=training)
        x = self.blocks[1](self.blocks[0](x), training=training)
        return self.heads["main"](x) + self.heads["aux"][0](x)


def reached(journey: Any, obj: Any) -> bool:
    found = detect(obj)
    assert found is not None
    return all(id(state) in journey.seen for _, state in found.coverage(obj))


def test_a_subclassed_model_keeps_what_tensorflow_loses(journey: Any) -> None:
    """Layers in lists and dicts, moving averages, seed generators and metrics are all saved, under TensorFlow's names where it has any."""
    net, other = Net(), Net()
    net(X, training=True)
    other(X)
    net.seen.update_state([1.0, 3.0])
    node = journey.save(net)
    assert set(node.flat()) == {
        "first/_kernel", "first/bias", "blocks/0/_kernel", "blocks/0/bias", "blocks/1/gamma", "blocks/1/beta",
        "blocks/1/moving_mean", "blocks/1/moving_variance", "heads/main/_kernel", "heads/main/bias", "heads/aux/0/_kernel",
        "heads/aux/0/bias", "drop/seed_generator/state", "seen/total", "seen/count",
    }  # fmt: skip
    assert reached(journey, net)
    journey.restore(node, other)
    assert journey.waiting == []
    host = keras.ops.convert_to_numpy
    np.testing.assert_array_equal(host(net(X, training=True)), host(other(X, training=True)))
    assert float(other.seen.result()) == 2


def test_sequential_and_functional_names_are_tensorflows(journey: Any) -> None:
    sequential = keras.Sequential([keras.Input((3,)), layers.Dense(4), layers.Dense(2)])
    assert {"_functional/_operations/1/_kernel", "_functional/_operations/2/bias"} <= set(
        journey.save(sequential).flat()
    )
    x = keras.Input((3,))
    functional = keras.Model(x, keras.ops.relu(layers.Dense(2)(x)))
    assert set(journey.save(functional).flat()) == {"_operations/1/_kernel", "_operations/1/bias"}


def test_an_optimizer_and_its_list_of_variables(journey: Any) -> None:
    model = keras.Sequential([keras.Input((3,)), layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.1), "mse")
    model.fit(X, X[:, :1], epochs=2, verbose=0)
    node = journey.save(model)
    optimizer = node.children["optimizer"]
    assert list(optimizer.children) == [
        "_variables", "_trainable_variables", "_iterations", "_learning_rate", "_momentums", "_velocities"
    ]  # fmt: skip
    assert optimizer.children["_iterations"] is optimizer.children["_variables"].children["0"]
    assert optimizer.children["_momentums"].children["1"] is optimizer.children["_variables"].children["4"]
    assert reached(journey, model)
    assert reached(journey, model.optimizer)
    other = keras.Sequential([keras.Input((3,)), layers.Dense(1)])
    other.compile(keras.optimizers.Adam(0.5), "mse")
    other.optimizer.build(other.trainable_variables)
    journey.restore(node, other)
    assert float(other.optimizer.learning_rate.value) == pytest.approx(0.1)
    losses = [m.fit(X, X[:, :1], epochs=1, shuffle=False, verbose=0).history["loss"] for m in (model, other)]
    assert losses[0] == losses[1]


def test_other_optimizers(journey: Any) -> None:
    for make in (
        lambda: keras.optimizers.SGD(
            keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9), momentum=0.9, use_ema=True
        ),
        lambda: keras.optimizers.LossScaleOptimizer(keras.optimizers.RMSprop(0.1, centered=True)),
        lambda: keras.optimizers.Adafactor(0.1),
    ):
        if keras.backend.backend() == "jax" and isinstance(make(), keras.optimizers.LossScaleOptimizer):
            continue  # Keras itself cannot apply it eagerly there: tracers leak from its cond
        variable = keras.Variable(np.ones((3, 2), "float32"))
        live = keras.Variable(np.ones((3, 2), "float32"))
        first, second = make(), make()
        second.build([live])
        for _ in range(2):
            first.apply([keras.ops.ones((3, 2))], [variable])
        journey.restore(journey.save({"v": variable, "o": first}), {"v": live, "o": second})
        assert journey.waiting == []
        first.apply([keras.ops.ones((3, 2))], [variable])
        second.apply([keras.ops.ones((3, 2))], [live])
        np.testing.assert_array_equal(variable.numpy(), live.numpy())
        journey.save({"v": live, "o": second})
        assert reached(journey, second)


def test_a_watched_layer_tells_after_its_build_and_before_its_first_use() -> None:
    layer, seen = layers.Dense(2), []
    found = detect(layer)
    assert found is not None
    undo = found.watch(layer, lambda: seen.append([name for name, _ in found.children(layer)]))
    assert undo is not None
    assert seen == []
    layer(X)
    assert seen[0] == ["_kernel", "bias"]
    undo()
    optimizer = keras.optimizers.Adam()
    found = detect(optimizer)
    assert found is not None
    undo = found.watch(optimizer, lambda: seen.append(len(optimizer.variables)))
    assert undo is not None
    optimizer.apply([keras.ops.ones(v.shape) for v in layer.trainable_variables], layer.trainable_variables)
    assert seen[-1] == 6
    undo()
    assert "build" not in vars(optimizer)


def test_a_pulse_comes_before_layers_and_optimizers_and_goes_without_trace() -> None:
    pokes: list[int] = []
    before = layers.Layer.__call__, keras.optimizers.Optimizer.apply
    undo = pulse(lambda: pokes.append(1))
    layer = layers.Dense(2)
    layer(X)
    assert pokes
    model = keras.Sequential([layers.Dense(1)])
    model.compile("sgd", "mse")
    pokes.clear()
    model.fit(X, X[:, :1], verbose=0)
    assert pokes
    undo()
    assert before == (layers.Layer.__call__, keras.optimizers.Optimizer.apply)


def test_variables_say_what_lies_in_memory() -> None:
    for dtype in ("float32", "bfloat16", "float16", "int32", "bool"):
        variable = keras.Variable(np.ones(2), dtype=dtype, trainable=False)
        leaf = detect(variable).leaves(variable)[VARIABLE_VALUE]  # type: ignore[union-attr]
        assert leaf.dtype == dtype
    counter = keras.Variable(0, dtype="int32", trainable=False)
    found = detect(counter)
    assert found is not None
    assert found.accept(counter, VARIABLE_VALUE, Spec("int64", ())) is None
    assert found.accept(counter, VARIABLE_VALUE, Spec("float32", ())) is not None


class Hidden(layers.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.parts = {layers.Dense(1)}  # a set has no names

    def call(self, x: Any) -> Any:
        return next(iter(self.parts))(x)


def test_what_has_no_name_is_seen_by_the_coverage(journey: Any) -> None:
    layer = Hidden()
    layer(X)
    journey.save(layer)
    assert not reached(journey, layer)
