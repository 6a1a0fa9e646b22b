"""JAX runs, saved and resumed through files: params, optax state, random keys, NNX modules."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from milepost import train
from milepost.errors import RestoreError, UntrackableError

TX = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(0.05))


class TrainState(NamedTuple):
    params: Any
    opt_state: Any
    key: Any
    step: Any


def start(seed: int) -> TrainState:
    params = {"w": jax.random.normal(jax.random.key(seed), (3, 2)), "b": jnp.zeros(2)}
    return TrainState(params, TX.init(params), jax.random.key(seed), jnp.zeros((), jnp.int32))


@jax.jit
def step(state: TrainState) -> tuple[TrainState, Any]:
    key, noise = jax.random.split(state.key)
    x = jax.random.normal(noise, (8, 3))
    loss, grads = jax.value_and_grad(lambda p: ((x @ p["w"] + p["b"] - 1) ** 2).mean())(state.params)
    updates, opt_state = TX.update(grads, state.opt_state, state.params)
    return TrainState(optax.apply_updates(state.params, updates), opt_state, key, state.step + 1), loss


def test_a_whole_train_state_goes_on_exactly(tmp_path: Path) -> None:
    """A named tuple of immutable arrays: the restored one is read from the checkpoint's attribute."""
    first = start(0)
    for _ in range(3):
        first, _ = step(first)
    path = train.Checkpoint(state=first).save(tmp_path / "ckpt")
    checkpoint = train.Checkpoint(state=start(1))
    checkpoint.restore(path).assert_consumed()
    second = checkpoint.state
    assert isinstance(second, TrainState)
    assert int(second.step) == 3
    for _ in range(3):
        (first, a), (second, b) = step(first), step(second)
        assert a == b


@flax.struct.dataclass
class State:
    params: Any
    apply: Any = flax.struct.field(pytree_node=False)


def test_flax_dataclasses_keep_their_static_fields(tmp_path: Path) -> None:
    path = train.Checkpoint(state=State({"w": jnp.ones(2)}, jnp.sin)).save(tmp_path / "ckpt")
    checkpoint = train.Checkpoint(state=State({"w": jnp.zeros(2)}, jnp.cos))
    checkpoint.restore(path).assert_consumed()
    assert checkpoint.state.params["w"].tolist() == [1, 1]
    assert checkpoint.state.apply is jnp.cos


def test_a_misfit_changes_nothing(tmp_path: Path) -> None:
    path = train.Checkpoint(p={"a": jnp.ones(2), "b": jnp.ones(3)}).save(tmp_path / "ckpt")
    live = {"a": jnp.zeros(2), "b": jnp.zeros(4)}
    with pytest.raises(RestoreError, match=r"p/b.*\(3,\).*\(4,\)"):
        train.Checkpoint(p=live).restore(path)
    assert live["a"].tolist() == [0, 0]


def test_saving_inside_jit_is_refused_by_name() -> None:
    @jax.jit
    def inside(x: Any) -> Any:
        train.Checkpoint(p={"x": x}).save("never")
        return x

    with pytest.raises(UntrackableError, match="p/x"):
        inside(jnp.ones(2))


class Net(nnx.Module):
    def __init__(self, rngs: Any):
        self.dense = nnx.Linear(3, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return self.norm(self.dense(x))


def test_an_nnx_module_and_optimizer(tmp_path: Path) -> None:
    def make(seed: int) -> tuple[Any, Any]:
        net = Net(nnx.Rngs(seed))
        return net, nnx.Optimizer(net, optax.adam(0.1), wrt=nnx.Param)

    @nnx.jit
    def advance(net: Any, optimizer: Any, x: Any) -> Any:
        loss, grads = nnx.value_and_grad(lambda net: ((net(x) - 1) ** 2).mean())(net)
        optimizer.update(net, grads)
        return loss

    x = jnp.linspace(-1, 1, 12).reshape(4, 3)
    (net, optimizer), (net2, optimizer2) = make(0), make(1)
    advance(net, optimizer, x)
    path = train.Checkpoint(net=net, optimizer=optimizer).save(tmp_path / "ckpt")
    train.Checkpoint(net=net2, optimizer=optimizer2).restore(path).assert_consumed()
    np.testing.assert_array_equal(net2.norm.mean.get_value(), net.norm.mean.get_value())
    assert [float(advance(net, optimizer, x)) for _ in range(3)] == [
        float(advance(net2, optimizer2, x)) for _ in range(3)
    ]
