"""JAX arrays, pytrees, optax states and flax NNX modules."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
import optax  # noqa: E402
from flax import nnx  # noqa: E402
from flax.core import FrozenDict  # noqa: E402

from milepost.engines import Spec, Value, detect  # noqa: E402
from milepost.engines.adapter import VARIABLE_VALUE  # noqa: E402


@pytest.mark.parametrize(
    "dtype", ["float32", "bfloat16", "float16", "int32", "uint8", "bool", "complex64", "float8_e4m3fn"]
)
def test_arrays_are_replaced_by_new_ones(journey: Any, dtype: str) -> None:
    saved = jnp.arange(6).reshape(2, 3).astype(dtype)
    live = {"a": jnp.zeros((2, 3), dtype), "b": [jnp.zeros((2, 3), dtype)]}
    node = journey.save({"a": saved, "b": [saved]})
    assert node.children["a"].values[VARIABLE_VALUE].spec.dtype == dtype
    assert journey.restore(node, live) is live
    for new in (live["a"], live["b"][0]):
        assert new.dtype == saved.dtype
        assert np.asarray(new).tobytes() == np.asarray(saved).tobytes()


def test_a_restored_array_never_points_into_the_file() -> None:
    """jax keeps a numpy array's memory when it can; a mapping of a file that is later rotated away would change under it."""
    buffer = np.zeros(1024, np.float32)
    live = jnp.ones(1024, jnp.float32)
    new = detect(live).assign(live, {VARIABLE_VALUE: Value(buffer, Spec("float32", (1024,)))})  # type: ignore[union-attr]
    buffer[:] = 9
    assert float(new.sum()) == 0


def test_none_becomes_an_array(journey: Any) -> None:
    live = journey.restore(journey.save({"best": jnp.arange(3, dtype=jnp.bfloat16)}), {"best": None})
    assert isinstance(live["best"], jax.Array)
    assert live["best"].tolist() == [0, 1, 2]


def test_bits_and_casts() -> None:
    live = jnp.zeros(2, jnp.bfloat16)
    bits = np.asarray(jnp.array([0.5, 3], jnp.bfloat16)).view(np.uint16)
    adapter = detect(live)
    assert adapter is not None
    new = adapter.assign(live, {VARIABLE_VALUE: Value(bits, Spec("bfloat16", (2,)))})
    assert new.tolist() == [0.5, 3]
    assert adapter.accept(live, VARIABLE_VALUE, Spec("float32", (2,)), cast=True) is None
    cast = adapter.assign(live, {VARIABLE_VALUE: Value(np.array([1, 2], np.float32), Spec("float32", (2,)))})
    assert cast.dtype == jnp.bfloat16


def test_random_keys_of_both_kinds(journey: Any) -> None:
    saved = {"typed": jax.random.key(7), "raw": jax.random.PRNGKey(7), "batch": jax.random.split(jax.random.key(1), 3)}
    live = {"typed": jax.random.key(0), "raw": jax.random.PRNGKey(0), "batch": jax.random.split(jax.random.key(0), 3)}
    journey.restore(journey.save(saved), live)
    for name in ("typed", "raw"):
        assert jax.random.normal(live[name]) == jax.random.normal(saved[name])
    assert jax.random.normal(live["batch"][2]) == jax.random.normal(saved["batch"][2])


@jax.tree_util.register_pytree_with_keys_class
class Pair:
    def __init__(self, left: Any, right: Any):
        self.left, self.right = left, right

    def tree_flatten_with_keys(self) -> Any:
        attr = jax.tree_util.GetAttrKey
        return [(attr("left"), self.left), (attr("right"), self.right)], None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> Pair:
        return cls(*children)


def test_custom_pytrees_and_frozen_dicts(journey: Any) -> None:
    saved = {"pair": Pair(jnp.ones(2), (jnp.full(1, 5.0),)), "frozen": FrozenDict({"w": {"k": jnp.ones(3)}})}
    live = {"pair": Pair(jnp.zeros(2), (jnp.zeros(1),)), "frozen": FrozenDict({"w": {"k": jnp.zeros(3)}})}
    node = journey.save(saved)
    assert set(node.flat()) == {"pair/left", "pair/right/0", "frozen/w/k"}
    journey.restore(node, live)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), saved, live))
    assert isinstance(live["frozen"], FrozenDict)


@pytest.mark.parametrize(
    "tx",
    [
        optax.adam(0.1),
        optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(0.1, 10))),
        optax.inject_hyperparams(optax.sgd)(learning_rate=0.1, momentum=0.9),
        optax.MultiSteps(optax.sgd(0.1), 2),
    ],
    ids=["adam", "chain", "hyperparams", "multisteps"],
)
def test_optax_states_go_on_exactly(journey: Any, tx: Any) -> None:
    """A fresh params/opt_state pair restored in the middle of a run makes the same next steps, bit for bit."""

    def loss(params: Any) -> Any:
        return ((params["w"] - 1) ** 2).sum() + params["b"] ** 2

    @jax.jit
    def step(params: Any, state: Any) -> Any:
        updates, state = tx.update(jax.grad(loss)(params), state, params)
        return optax.apply_updates(params, updates), state

    params = {"w": jnp.arange(3.0), "b": jnp.ones(())}
    live: dict[str, Any] = {"params": jax.tree.map(jnp.zeros_like, params), "opt_state": tx.init(params)}
    state = tx.init(params)
    for _ in range(3):
        params, state = step(params, state)
    node = journey.save({"params": params, "opt_state": state})
    journey.restore(node, live)
    assert journey.waiting == []
    assert jax.tree.structure(live["opt_state"]) == jax.tree.structure(state)
    want, got = step(params, state), step(live["params"], live["opt_state"])
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), want, got))


class Net(nnx.Module):
    def __init__(self, rngs: Any):
        self.dense = nnx.Linear(3, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.blocks = nnx.List([nnx.Linear(4, 4, rngs=rngs), nnx.Linear(4, 1, rngs=rngs)])
        self.extra = nnx.Variable({"table": jnp.ones(2)})
        self.width = 4

    def __call__(self, x: Any) -> Any:
        x = self.drop(self.norm(self.dense(x)))
        for block in self.blocks:
            x = block(x)
        return x


def test_nnx_modules_optimizers_and_rngs(journey: Any) -> None:
    """A module, its optimizer and its dropout stream go on exactly; everything NNX knows of is reached."""

    def make(seed: int) -> dict[str, Any]:
        net = Net(nnx.Rngs(seed))
        return {"net": net, "optimizer": nnx.Optimizer(net, optax.adam(0.1), wrt=nnx.Param)}

    @nnx.jit
    def update(net: Any, optimizer: Any) -> Any:
        x = jnp.linspace(-1, 1, 12).reshape(4, 3)
        loss, grads = nnx.value_and_grad(lambda net: (net(x) ** 2).mean())(net)
        optimizer.update(net, grads)
        return loss

    def step(run: dict[str, Any]) -> float:
        return float(update(run["net"], run["optimizer"]))

    first, second = make(0), make(1)
    step(first)
    first["net"].extra.set_value({"table": jnp.full(2, 7.0)})
    node = journey.save(first)
    paths = set(node.flat())
    assert {
        "net/dense/kernel",
        "net/norm/mean",
        "net/blocks/1/bias",
        "net/drop/rngs/key",
        "net/extra/value/table",
    } <= paths
    for obj in first.values():
        assert all(id(state) in journey.seen for _, state in detect(obj).coverage(obj))  # type: ignore[union-attr]
    journey.restore(node, second)
    assert journey.waiting == []
    assert second["net"].extra.get_value()["table"].tolist() == [7, 7]
    assert [step(first) for _ in range(2)] == [step(second) for _ in range(2)]


def test_nnx_states(journey: Any) -> None:
    saved, live = (nnx.state(Net(nnx.Rngs(seed))) for seed in (0, 1))
    journey.restore(journey.save(saved), live)
    assert bool((saved["dense"]["kernel"].get_value() == live["dense"]["kernel"].get_value()).all())


def test_asking_imports_no_engine() -> None:
    """Plain objects are known without importing torch, jax or keras."""
    source = (
        "import sys, numpy as np\nfrom milepost.engines import detect, pulse\n"
        "assert detect({'a': np.zeros(2)}) and detect(object()) is None\npulse(print)()\n"
        "assert not {'torch', 'jax', 'keras', 'flax'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", source], check=True)
