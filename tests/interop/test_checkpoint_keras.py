"""Keras models, optimizers and slot variables between TensorFlow 2.21 and us: it restores ours, we restore its."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from milepost import train

pytestmark = pytest.mark.peers

X = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)

# what both sides build: plain Keras 3, whatever the backend
MODELS = '''
import keras
import numpy as np

X = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)
layers = keras.layers


class Sub(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(4)
        self.norm = layers.BatchNormalization()
        self.drop = layers.Dropout(0.5)
        self.rnn = layers.LSTM(3)
        self.head = layers.Dense(2)

    def call(self, x, training=False):
        x = self.drop(self.norm(self.first(x), training=training), training=training)
        return self.head(self.rnn(x[:, None, :]))


def functional():
    x = keras.Input((3,))
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(4)])
    return keras.Model(x, layers.Dense(2)(keras.ops.relu(inner(layers.Dense(4)(x)))))


def make(kind):
    """A model, trained a little."""
    if kind == "sub":
        model = Sub()
    elif kind == "functional":
        model = functional()
    else:
        model = keras.Sequential([keras.Input((3,)), layers.Dense(4, activation="tanh"), layers.Dense(2)])
    model.compile(keras.optimizers.Adam(0.01), "mse")
    return model


def fit(model):
    model.fit(X, np.ones((4, 2), "float32"), epochs=2, batch_size=4, shuffle=False, verbose=0)


KINDS = ("sub", "functional", "sequential")
'''

TF_SIDE = (
    MODELS
    + """
import json, sys
import tensorflow as tf

where, out = sys.argv[1], {}
for kind in KINDS:
    model = make(kind)
    fit(model)
    tf.train.Checkpoint(model=model).save(f"{where}/tf/{kind}-compiled")
    tf.train.Checkpoint(net=model, adam=model.optimizer).save(f"{where}/tf/{kind}-apart")
    np.savez(f"{where}/tf/{kind}.npz", y=model.predict(X, verbose=0), *[v.numpy() for v in model.optimizer.variables])
    for form in ("compiled", "apart"):
        other = make(kind)
        other(X)
        other.optimizer.build(other.trainable_variables)
        c = tf.train.Checkpoint(model=other) if form == "compiled" else tf.train.Checkpoint(net=other, adam=other.optimizer)
        status = c.restore(f"{where}/ours/{kind}-{form}-1")
        status.assert_existing_objects_matched()
        if kind != "sub":  # dropout's seed, which TensorFlow does not know, is the one thing it does not consume
            status.assert_consumed()
        out[f"{kind}-{form}"] = [other.predict(X, verbose=0).tolist(), [v.numpy().tolist() for v in other.optimizer.variables]]

# slot variables: the one kind of optimizer state TensorFlow keeps per variable
class Module(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(np.arange(3, dtype="f4"))
        self.parts = [tf.Variable([[1.0, 2.0]])]
        self.table = {"a/b.c": tf.Variable(7, dtype=tf.int64)}

module = Module()
optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(module.w ** 2) + tf.reduce_sum(module.parts[0] ** 2)
    variables = [module.w, module.parts[0]]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
tf.train.Checkpoint(module=module, optimizer=optimizer).save(f"{where}/tf/slots")
out["tf_slots"] = {s: [optimizer.get_slot(v, s).numpy().tolist() for v in variables] for s in ("m", "v")}
out["tf_module"] = [v.numpy().tolist() for v in variables]
tf.train.Checkpoint(module=module, optimizer=optimizer).restore(f"{where}/ours/slots-1").expect_partial()
out["our_slots"] = {s: [optimizer.get_slot(v, s).numpy().tolist() for v in variables] for s in ("m", "v")}
out["our_module"] = [v.numpy().tolist() for v in variables]

# what torch and jax saved, as variables of TensorFlow
for name in ("torch", "jax"):
    net = {"dense": {"weight": tf.Variable(tf.zeros([2, 3])), "bias": tf.Variable(tf.zeros([2]))}}
    step = tf.Variable(0, dtype=tf.int64)
    tf.train.Checkpoint(net=net, step=step).restore(f"{where}/ours/{name}-1").assert_existing_objects_matched()
    out[name] = [net["dense"]["weight"].numpy().tolist(), net["dense"]["bias"].numpy().tolist(), int(step)]
print(json.dumps(out))
"""
)


class Moments(torch.optim.Optimizer):
    """An optimizer with TensorFlow's names for its state."""

    def __init__(self, parameters: Any):
        super().__init__(parameters, {"lr": 0.1})

    def fill(self) -> None:
        for group in self.param_groups:
            for i, parameter in enumerate(group["params"]):
                self.state[parameter] = {
                    "m": torch.full_like(parameter, 2.0 + i),
                    "v": torch.full_like(parameter, 5.0 + i),
                }


class Module(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = torch.nn.Parameter(torch.full((3,), 9.0))
        self.parts = torch.nn.ParameterList([torch.full((1, 2), 8.0)])
        self.table = torch.nn.Module()
        self.table.register_parameter("a/b_c", None)


@pytest.fixture(scope="module")
def both(peer: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """Both sides have saved and TensorFlow has restored ours: the directory, what it saw, and our own models."""
    import jax.numpy as jnp

    where = tmp_path_factory.mktemp("keras")
    scope: dict[str, Any] = {"__name__": "models"}
    exec(MODELS, scope)
    models = {}
    for kind in scope["KINDS"]:
        model = models[kind] = scope["make"](kind)
        scope["fit"](model)
        train.Checkpoint(model=model).save(where / "ours" / f"{kind}-compiled")
        train.Checkpoint(net=model, adam=model.optimizer).save(where / "ours" / f"{kind}-apart")
    module = Module()
    optimizer = Moments([module.w, module.parts[0]])
    optimizer.fill()
    train.Checkpoint(module=module, optimizer=optimizer).save(where / "ours" / "slots")
    net = torch.nn.Module()
    net.dense = torch.nn.Linear(3, 2)
    torch.nn.init.ones_(net.dense.weight)
    torch.nn.init.zeros_(net.dense.bias)
    train.Checkpoint(net=net, step=3).save(where / "ours" / "torch")
    train.Checkpoint(net={"dense": {"weight": jnp.ones((2, 3)), "bias": jnp.zeros(2)}}, step=3).save(
        where / "ours" / "jax"
    )
    return where, peer.json(TF_SIDE, where), {**models, "scope": scope}


@pytest.mark.parametrize("form", ["compiled", "apart"])
@pytest.mark.parametrize("kind", ["sub", "functional", "sequential"])
def test_tensorflow_restores_our_keras_models(both: Any, kind: str, form: str) -> None:
    """Weights, moving averages and Adam's moments; inside a compiled model and beside it."""
    _, seen, models = both
    output, variables = seen[f"{kind}-{form}"]
    np.testing.assert_allclose(output, models[kind].predict(X, verbose=0), rtol=1e-5, atol=1e-6)
    for theirs, ours in zip(variables, models[kind].optimizer.variables, strict=True):
        np.testing.assert_array_equal(np.asarray(theirs, ours.numpy().dtype), ours.numpy())


@pytest.mark.parametrize("built", [True, False], ids=["built", "not built yet"])
@pytest.mark.parametrize("form", ["compiled", "apart"])
@pytest.mark.parametrize("kind", ["sub", "functional", "sequential"])
def test_we_restore_tensorflows_keras_models(both: Any, kind: str, form: str, built: bool) -> None:
    """Also into a model that has never been called and an optimizer that was never applied: there TensorFlow itself fails."""
    where, _, models = both
    model = models["scope"]["make"](kind)
    if built:
        model(X)
        model.optimizer.build(model.trainable_variables)
    checkpoint = (
        train.Checkpoint(model=model) if form == "compiled" else train.Checkpoint(net=model, adam=model.optimizer)
    )
    status = checkpoint.restore(where / "tf" / f"{kind}-{form}-1")
    output = model(X).detach().numpy()
    model.optimizer.build(model.trainable_variables)
    if kind != "sub":  # TensorFlow's file lacks dropout's seed
        status.assert_consumed()
    with np.load(where / "tf" / f"{kind}.npz") as saved:
        np.testing.assert_allclose(output, saved["y"], rtol=1e-5, atol=1e-6)
        for i, ours in enumerate(model.optimizer.variables):
            np.testing.assert_array_equal(ours.numpy(), saved[f"arr_{i}"])
    report = status.report()
    assert all(path.endswith("seed_generator/state") for path in report.missing)
    assert report.unexpected == ()


def test_slot_variables_both_ways(both: Any) -> None:
    """State per variable of tf.compat.v1 optimizers is torch optimizers' state per parameter, made from the file if need be."""
    where, seen, _ = both
    assert seen["our_slots"] == {"m": [[2.0] * 3, [[3.0] * 2]], "v": [[5.0] * 3, [[6.0] * 2]]}
    assert seen["our_module"] == [[9.0] * 3, [[8.0] * 2]]
    module = Module()
    optimizer = Moments([module.w, module.parts[0]])
    train.Checkpoint(module=module, optimizer=optimizer).restore(where / "tf" / "slots-1")
    assert [module.w.tolist(), module.parts[0].tolist()] == seen["tf_module"]
    for slot in ("m", "v"):
        assert [optimizer.state[p][slot].tolist() for p in (module.w, module.parts[0])] == seen["tf_slots"][slot]


def test_tensorflow_restores_torch_and_jax_state(both: Any) -> None:
    _, seen, _ = both
    assert seen["torch"] == seen["jax"] == [np.ones((2, 3)).tolist(), [0, 0], 3]


def test_the_keys_are_tensorflows(both: Any) -> None:
    """The very same names of tensors, except for what TensorFlow does not save."""
    where, _, _ = both
    for kind in ("sub", "functional", "sequential"):
        for form in ("compiled", "apart"):
            ours, theirs = (
                {name: tuple(shape) for name, shape in train.list_variables(where / side / f"{kind}-{form}-1")}
                for side in ("ours", "tf")
            )
            extra = ours.keys() - theirs.keys()
            assert theirs.items() <= ours.items(), json.dumps(sorted(theirs.keys() - ours.keys()))
            assert all(name.endswith("seed_generator/state/.ATTRIBUTES/VARIABLE_VALUE") for name in extra)
