"""One file, any engine: what torch or jax saved is restored by path in Keras, numpy, jax or torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import optax
import torch

from milepost import train

X = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)


class TorchNet(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dense = torch.nn.Module()
        self.dense.kernel = torch.nn.Parameter(torch.randn(3, 2))
        self.dense.bias = torch.nn.Parameter(torch.randn(2))

    def forward(self, x: Any) -> Any:
        return x @ self.dense.kernel + self.dense.bias


class KerasNet(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.EinsumDense("ab,bc->ac", output_shape=2, bias_axes="c")

    def call(self, x: Any) -> Any:
        return self.dense(x)


def jax_params() -> dict[str, Any]:
    return {"dense": {"kernel": jnp.zeros((3, 2)), "bias": jnp.zeros(2)}}


def numpy_params() -> dict[str, Any]:
    return {"dense": {"kernel": np.zeros((3, 2), np.float32), "bias": np.zeros(2, np.float32)}}


def test_a_torch_run_elsewhere(tmp_path: Path) -> None:
    """Saved by torch with its optimizer; numpy and jax take the weights by path, Keras on torch with one rename."""
    net = TorchNet()
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.from_numpy(X)).sum().backward()
    optimizer.step()
    want = net(torch.from_numpy(X)).detach().numpy()
    path = train.Checkpoint(net=net, optimizer=optimizer, step=5).save(tmp_path / "ckpt")

    plain = train.Checkpoint(net=numpy_params(), step=0)
    plain.restore(path).assert_existing_objects_matched()
    np.testing.assert_allclose(
        X @ plain.net["dense"]["kernel"] + plain.net["dense"]["bias"], want, rtol=1e-5, atol=1e-6
    )
    assert plain.step == 5

    functional = train.Checkpoint(net=jax_params(), step=jnp.zeros((), jnp.int32))
    functional.restore(path, cast=True).assert_existing_objects_matched()
    np.testing.assert_allclose(
        X @ functional.net["dense"]["kernel"] + functional.net["dense"]["bias"], want, rtol=1e-5, atol=1e-6
    )
    assert int(functional.step) == 5

    model = KerasNet()
    model(X)
    train.Checkpoint(net=model).restore(
        path, mapping={"net/dense/kernel": "net/dense/_kernel"}
    ).assert_existing_objects_matched()
    np.testing.assert_allclose(model(X).detach().numpy(), want, rtol=1e-5, atol=1e-6)


def test_a_jax_run_elsewhere(tmp_path: Path) -> None:
    """Saved by jax with its optax state; numpy, torch and Keras take the weights, numpy also Adam's moments."""
    params = jax.tree.map(lambda a: jax.random.normal(jax.random.key(0), a.shape), jax_params())
    tx = optax.adam(0.1)
    state = tx.init(params)
    updates, state = tx.update(jax.tree.map(jnp.ones_like, params), state)
    params = optax.apply_updates(params, updates)
    path = train.Checkpoint(net=params, opt=state).save(tmp_path / "ckpt")
    want = np.asarray(X @ params["dense"]["kernel"] + params["dense"]["bias"])

    moments = numpy_params()
    plain = train.Checkpoint(net=numpy_params(), opt={"0": {"mu": moments}})
    plain.restore(path).assert_existing_objects_matched()
    np.testing.assert_allclose(
        X @ plain.net["dense"]["kernel"] + plain.net["dense"]["bias"], want, rtol=1e-5, atol=1e-6
    )
    np.testing.assert_array_equal(moments["dense"]["bias"], state[0].mu["dense"]["bias"])

    net = TorchNet()
    train.Checkpoint(net=net).restore(path).assert_existing_objects_matched()
    np.testing.assert_allclose(net(torch.from_numpy(X)).detach().numpy(), want, rtol=1e-5, atol=1e-6)

    model = KerasNet()
    status = train.Checkpoint(net=model).restore(path, mapping={"net/dense/kernel": "net/dense/_kernel"})
    np.testing.assert_allclose(model(X).detach().numpy(), want, rtol=1e-5, atol=1e-6)
    status.assert_existing_objects_matched()


def test_a_keras_run_in_numpy_and_jax(tmp_path: Path) -> None:
    model = KerasNet()
    want = model(X).detach().numpy()
    path = train.Checkpoint(net=model).save(tmp_path / "ckpt")
    for params in (numpy_params(), jax_params()):
        checkpoint = train.Checkpoint(net=params)
        checkpoint.restore(path, mapping={"net/dense/_kernel": "net/dense/kernel"}).assert_existing_objects_matched()
        np.testing.assert_allclose(X @ params["dense"]["kernel"] + params["dense"]["bias"], want, rtol=1e-5, atol=1e-6)
