"""PyTorch objects: names, values, and the way back, also for what does not exist yet."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from milepost.engines import WAIT, Spec, Value, detect, pulse  # noqa: E402
from milepost.engines.adapter import VARIABLE_VALUE  # noqa: E402

DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128", "float8_e4m3fn", "float8_e5m2",
]  # fmt: skip


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
        self.head = nn.Linear(4, 2)
        self.tied = self.head
        self.branches = [nn.Linear(2, 2), {"deep": nn.Linear(2, 1)}]
        self.register_buffer("mask", torch.ones(2))
        self.register_buffer("cache", torch.ones(2), persistent=False)
        self.activation = [torch.relu, nn.Linear]
        self.rate = 0.5

    def forward(self, x: Any) -> Any:
        return self.branches[0](self.head(self.body(x)))


def step(net: Any, optimizer: Any, scheduler: Any = None) -> float:
    optimizer.zero_grad()
    x = torch.linspace(-1, 1, 12).reshape(4, 3)
    loss = (net(x) ** 2).sum()
    loss.backward()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return float(loss.detach())


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (2, 3), (0,)])
def test_tensors_of_every_dtype_come_back_bit_for_bit(journey: Any, name: str, shape: tuple[int, ...]) -> None:
    dtype = getattr(torch, name)
    saved = (torch.arange(int(np.prod(shape))).reshape(shape) % 2).to(dtype)
    live = torch.zeros(shape, dtype=dtype)
    node = journey.save(saved)
    assert node.values[VARIABLE_VALUE].spec[:2] == (name, shape)
    assert journey.restore(node, live) is live
    assert torch.equal(live, saved)


def test_reading_a_cpu_tensor_copies_nothing() -> None:
    tensor = torch.zeros(3, requires_grad=True)
    leaf = detect(tensor).leaves(tensor)[VARIABLE_VALUE]  # type: ignore[union-attr]
    leaf.read()[1] = 5
    assert tensor.tolist() == [0, 5, 0]
    assert leaf.shared


def test_awkward_tensors(journey: Any) -> None:
    """Strided, conjugated and read-only sources work; sparse and meta tensors are refused by name."""
    base = torch.arange(6.0).reshape(2, 3)
    assert journey.save(base.T).values[VARIABLE_VALUE].array.tolist() == base.T.tolist()
    live = torch.zeros(2, 3).T
    journey.restore(journey.save(base.T), live)
    assert torch.equal(live, base.T)
    assert journey.save(torch.tensor([1 + 2j]).conj()).values[VARIABLE_VALUE].array.tolist() == [1 - 2j]
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    target = torch.zeros(3, dtype=torch.float64)
    detect(target).assign(target, {VARIABLE_VALUE: Value(frozen, Spec("float64", (3,)))})  # type: ignore[union-attr]
    assert target.tolist() == [0, 1, 2]
    for bad in (torch.eye(2).to_sparse(), torch.empty(2, device="meta")):
        with pytest.raises(TypeError, match="no bytes to save"):
            detect(bad).leaves(bad)  # type: ignore[union-attr]


def test_none_becomes_a_tensor(journey: Any) -> None:
    """`best_weights = None` in a fresh run, a tensor in the saved one."""
    saved = torch.arange(3, dtype=torch.bfloat16)
    live = journey.restore(journey.save({"best": saved}), {"best": None})
    assert torch.equal(live["best"], saved)


def test_cast_goes_through_torch() -> None:
    live = torch.zeros(2, dtype=torch.bfloat16)
    adapter = detect(live)
    assert adapter is not None
    spec = Spec("float32", (2,))
    assert adapter.accept(live, VARIABLE_VALUE, spec) == ("dtype", "float32", "bfloat16")
    assert adapter.accept(live, VARIABLE_VALUE, spec, cast=True) is None
    adapter.assign(live, {VARIABLE_VALUE: Value(np.array([0.5, 3], np.float32), spec)})
    assert live.tolist() == [0.5, 3]
    back = torch.zeros(2)
    bits = Value(live.view(torch.uint16).numpy(), Spec("bfloat16", (2,)))
    detect(back).assign(back, {VARIABLE_VALUE: bits})  # type: ignore[union-attr]
    assert back.tolist() == [0.5, 3]


def test_a_module_with_buffers_lists_and_shared_parts(journey: Any) -> None:
    """Everything in a module comes back, layers in lists and dicts too; non-persistent buffers and plain attributes are no state."""
    net, other = Net(), Net()
    for parameter in net.parameters():
        nn.init.normal_(parameter)
    nn.init.normal_(net.branches[1]["deep"].weight)
    net.body(torch.randn(8, 3))  # moves the running mean
    node = journey.save(net)
    paths = set(node.flat())
    assert {
        "body/0/weight",
        "body/1/running_mean",
        "head/bias",
        "mask",
        "branches/0/weight",
        "branches/1/deep/bias",
    } <= paths
    assert "cache" not in paths
    assert node.children["tied"] is node.children["head"]
    journey.restore(node, other)
    x = torch.randn(2, 3)
    net.eval(), other.eval()
    assert torch.equal(net(x), other(x))
    assert torch.equal(net.branches[1]["deep"].weight, other.branches[1]["deep"].weight)
    reached = {id(n.obj) for n in journey.seen.values()}
    journey.save(net)
    reached = set(journey.seen)
    assert all(id(state) in reached for _, state in detect(net).coverage(net))  # type: ignore[union-attr]


def test_wrappers_are_seen_through(journey: Any) -> None:
    """A compiled or data-parallel module has the names of the module inside."""
    net = nn.Linear(2, 2)
    for wrapped in (torch.compile(net), nn.DataParallel(net), torch.compile(nn.DataParallel(net))):
        assert set(journey.save(wrapped).flat()) == {"weight", "bias"}
        assert detect(wrapped).identity(wrapped) == id(net)  # type: ignore[union-attr]
    live = torch.compile(nn.Linear(2, 2))
    journey.restore(journey.save(net), live)
    assert torch.equal(live._orig_mod.weight, net.weight)


def test_lazy_modules_take_their_shape_from_the_file(journey: Any) -> None:
    saved = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d())
    saved(torch.randn(4, 5))
    live = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d())
    assert journey.save(live).flat().keys() == {"1/num_batches_tracked"}
    journey.restore(journey.save(saved), live)
    x = torch.randn(2, 5)
    saved.eval(), live.eval()
    assert torch.equal(saved(x), live(x))


OPTIMIZERS = {
    "adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "amsgrad": lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True),
    "sgd": lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01, centered=True),
    "lbfgs": lambda p: torch.optim.LBFGS(p, lr=0.01, max_iter=2),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.01),
    "nadam": lambda p: torch.optim.NAdam(p, lr=torch.tensor(0.01)),
}


def advance(net: Any, optimizer: Any) -> float:
    if not isinstance(optimizer, torch.optim.LBFGS):
        return step(net, optimizer)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (net(torch.linspace(-1, 1, 6).reshape(2, 3)) ** 2).sum()
        loss.backward()
        return loss

    return float(optimizer.step(closure).detach())


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_optimizers_go_on_exactly_even_before_their_first_step(journey: Any, kind: str) -> None:
    """A fresh optimizer without any state takes all of it from the file, and the next steps are bitwise those of the first run."""

    def run() -> tuple[Any, Any]:
        torch.manual_seed(1)
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        return net, OPTIMIZERS[kind](net.parameters())

    net, optimizer = run()
    for _ in range(3):
        advance(net, optimizer)
    optimizer.param_groups[0]["lr"] *= 0.5
    node = copy.deepcopy(journey.save({"net": net, "optimizer": optimizer}))
    after = [advance(net, optimizer) for _ in range(3)]
    net2, optimizer2 = run()
    journey.restore(node, {"net": net2, "optimizer": optimizer2})
    assert journey.waiting == []
    assert [advance(net2, optimizer2) for _ in range(3)] == after


def test_optimizer_state_follows_the_parameter_not_the_position(journey: Any) -> None:
    """The live optimizer lists its parameters the other way round: each still gets its own state."""
    net = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    node = journey.save({"net": net, "optimizer": optimizer})
    live = nn.Linear(3, 2)
    reverse = torch.optim.Adam([live.bias, live.weight])
    journey.restore(node, {"net": live, "optimizer": reverse})
    assert torch.equal(reverse.state[live.bias]["exp_avg"], optimizer.state[net.bias]["exp_avg"])
    assert reverse.state[live.weight]["exp_avg"].shape == (2, 3)


def test_schedulers_scalers_and_generators(journey: Any) -> None:
    net = nn.Linear(3, 2)

    def make() -> dict[str, Any]:
        optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
        schedulers = torch.optim.lr_scheduler
        return {
            "cosine": schedulers.CosineAnnealingLR(optimizer, 10),
            "steps": schedulers.MultiStepLR(optimizer, [2, 30]),
            "plateau": schedulers.ReduceLROnPlateau(optimizer),
            "lambda": schedulers.LambdaLR(optimizer, lambda epoch: 0.9**epoch),
            "sequence": schedulers.SequentialLR(
                optimizer, [schedulers.ConstantLR(optimizer), schedulers.ExponentialLR(optimizer, 0.9)], milestones=[2]
            ),
            "scaler": torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=3),
            "generator": torch.Generator().manual_seed(3),
        }

    first, second = make(), make()
    first["cosine"].optimizer.step()
    for name in ("cosine", "steps", "lambda", "sequence"):
        first[name].optimizer.step()
        first[name].step()
    first["plateau"].step(0.25)
    first["scaler"].scale(torch.ones(()))
    first["scaler"]._scale.fill_(8.0)
    torch.rand(5, generator=first["generator"])
    journey.restore(journey.save(first), second)
    assert journey.waiting == []
    for name in ("cosine", "steps", "plateau", "lambda", "sequence"):
        assert str(second[name].state_dict()) == str(first[name].state_dict()), name
    assert second["scaler"].state_dict() == first["scaler"].state_dict()
    assert torch.equal(torch.rand(5, generator=first["generator"]), torch.rand(5, generator=second["generator"]))


class Extra(nn.Module):
    seen = 0

    def get_extra_state(self) -> Any:
        return {"seen": self.seen, "table": torch.tensor([self.seen])}

    def set_extra_state(self, state: Any) -> None:
        self.seen = state["seen"] + int(state["table"][0])


def test_extra_state_of_a_module(journey: Any) -> None:
    module, live = Extra(), Extra()
    module.seen = 4
    journey.restore(journey.save({"m": module}), {"m": live})
    assert live.seen == 8


def test_a_watched_module_tells_of_new_parts_before_they_are_used() -> None:
    net, other, pokes = nn.Module(), nn.Module(), []
    adapter = detect(net)
    assert adapter is not None
    undo = adapter.watch(net, lambda: pokes.append([name for name, _ in adapter.children(net)]))
    assert undo is not None
    net.head = nn.Linear(1, 1)
    net.scale = nn.Parameter(torch.ones(1))
    net.register_buffer("mean", torch.zeros(1))
    other.head = nn.Linear(1, 1)
    undo()
    net.late = nn.Linear(1, 1)
    assert pokes == [["head"], ["scale", "head"], ["scale", "mean", "head"]]


def test_a_pulse_comes_before_forward_and_step() -> None:
    pokes: list[int] = []
    net = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    undo = pulse(lambda: pokes.append(1))
    net(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    assert len(pokes) == 2
    undo()
    net(torch.ones(1, 1))
    assert len(pokes) == 2


def test_a_slot_of_a_foreign_parameter_waits() -> None:
    net = nn.Linear(1, 1)
    optimizer = torch.optim.SGD([net.weight], lr=0.1)
    adapter = detect(optimizer)
    assert adapter is not None
    from milepost.engines import Sketch

    sketch = Sketch({VARIABLE_VALUE: Spec("float32", (1,))}, {})
    assert adapter.make_slot(optimizer, net.bias, "momentum_buffer", sketch) is WAIT
    assert [name for name, _ in adapter.coverage(optimizer)] == ["param_groups[0]['params'][0]"]


class Mixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = [nn.Linear(2, 2), torch.relu, nn.Linear(2, 2)]
        self.bag = {nn.Linear(2, 1)}
        self.table = {3: nn.Linear(1, 1), "ok": nn.Linear(1, 1)}


def test_modules_among_other_things_are_saved_or_told_of(journey: Any) -> None:
    """A function between two layers changes no name; what has no name, in a set or under another key, is known to be missing."""
    net = Mixed()
    paths = set(journey.save(net).flat())
    assert paths == {f"{p}/{n}" for p in ("steps/0", "steps/2", "table/ok") for n in ("weight", "bias")}
    known = dict(detect(net).coverage(net))  # type: ignore[union-attr]
    lost = {name for name, tensor in known.items() if id(tensor) not in journey.seen}
    assert lost == {"bag[0].weight", "bag[0].bias", "table[3].weight", "table[3].bias"}
