"""PyTorch runs, saved and resumed through files: exact, deferred, covered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from milepost import train
from milepost.errors import CoverageError, RestoreError, UntrackableError

X = torch.linspace(-1, 1, 24).reshape(8, 3)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Dropout(0.2))
        self.heads = [nn.Linear(5, 2), nn.Linear(5, 2)]

    def forward(self, x: Any) -> Any:
        return sum(head(self.body(x)) for head in self.heads)

    def parameters(self, recurse: bool = True) -> Any:
        yield from super().parameters(recurse)
        for head in self.heads:
            yield from head.parameters()


def make(net: Any = None) -> dict[str, Any]:
    net = net or Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
    return {
        "net": net,
        "optimizer": optimizer,
        "schedule": torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=50),
        "scaler": torch.amp.GradScaler("cpu", enabled=True),
        "epoch": 0,
        "best": None,
        "history": [],
    }


def step(run: dict[str, Any]) -> float:
    run["optimizer"].zero_grad()
    loss = (run["net"](X) ** 2).mean()
    loss.backward()
    run["optimizer"].step()
    run["schedule"].step()
    run["history"].append(loss.item())
    run["best"] = min(run["history"])
    return loss.item()


def test_a_run_goes_on_exactly_from_any_checkpoint(tmp_path: Path) -> None:
    """Model, optimizer, schedule, scaler, random state, counters and lists: the second half of the run is bitwise the first one's."""
    torch.manual_seed(0)
    first = make()
    for _ in range(3):
        step(first)
    first["epoch"] = 3
    random_state = torch.get_rng_state()
    path = train.Checkpoint(run=first).save(tmp_path / "ckpt")
    want = [step(first) for _ in range(4)]
    torch.manual_seed(99)
    second = make()
    train.Checkpoint(run=second).restore(path).assert_consumed()
    torch.set_rng_state(random_state)
    assert second["epoch"] == 3
    assert second["best"] == min(second["history"])
    assert len(second["history"]) == 3
    assert [step(second) for _ in range(4)] == want


def test_the_optimizer_may_list_its_parameters_in_another_order(tmp_path: Path) -> None:
    net = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters())
    net(X).sum().backward()
    optimizer.step()
    path = train.Checkpoint(net=net, optimizer=optimizer).save(tmp_path / "ckpt")
    live = nn.Linear(3, 2)
    reverse = torch.optim.Adam([{"params": [live.bias]}, {"params": [live.weight]}])
    train.Checkpoint(net=live, optimizer=reverse).restore(path)
    assert torch.equal(reverse.state[live.weight]["exp_avg"], optimizer.state[net.weight]["exp_avg"])
    assert torch.equal(reverse.state[live.bias]["exp_avg_sq"], optimizer.state[net.bias]["exp_avg_sq"])


def test_a_compiled_module_and_a_plain_one_share_checkpoints(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(3, 2))
    path = train.Checkpoint(net=torch.compile(net)).save(tmp_path / "ckpt")
    live = nn.Sequential(nn.Linear(3, 2))
    train.Checkpoint(net=live).restore(path).assert_consumed()
    assert torch.equal(live[0].weight, net[0].weight)


def test_names_of_wrappers_in_foreign_files_are_hinted_at(tmp_path: Path) -> None:
    """A state dict with torch's wrapper prefixes restores with the mapping that report() suggests."""
    net = nn.Linear(3, 2)
    for wrapper in ("module", "_orig_mod"):
        path = train.Checkpoint(net={wrapper: {"weight": net.weight, "bias": net.bias}}).save(tmp_path / wrapper)
        live = nn.Linear(3, 2)
        status = train.Checkpoint(net=live).restore(path)
        (hint,) = status.report().hints
        assert hint == f"mapping={{'net/{wrapper}/': 'net/'}} would match 2 more"
        train.Checkpoint(net=live).restore(path, mapping={f"net/{wrapper}/": "net/"}).assert_consumed()
        assert torch.equal(live.weight, net.weight)


def test_lazy_modules_and_their_optimizer(tmp_path: Path) -> None:
    """A module without shapes takes them from the file, and the optimizer made for it its state."""

    def lazy() -> Any:
        return nn.Sequential(nn.LazyLinear(4), nn.Tanh(), nn.LazyLinear(2))

    net = lazy()
    net(X)
    optimizer = torch.optim.Adam(net.parameters())
    net(X).sum().backward()
    optimizer.step()
    path = train.Checkpoint(net=net, optimizer=optimizer).save(tmp_path / "ckpt")
    live = lazy()
    train.Checkpoint(net=live).restore(path)
    assert torch.equal(live(X), net(X))
    again = torch.optim.Adam(live.parameters())
    train.Checkpoint(net=live, optimizer=again).restore(path).assert_consumed()
    assert torch.equal(again.state[live[2].weight]["exp_avg"], optimizer.state[net[2].weight]["exp_avg"])


def test_parts_that_come_later_are_restored_before_they_are_used(tmp_path: Path) -> None:
    """A new attribute of a module at once; a new entry of a plain dict or list at the latest before its first forward."""
    saved = {"net": nn.Module(), "experts": {"a": nn.Linear(3, 2), "b": nn.Linear(3, 2)}, "stack": [nn.Linear(3, 2)]}
    saved["net"].head = nn.Linear(3, 2)
    saved["net"].scale = nn.Parameter(torch.rand(2))
    path = train.Checkpoint(**saved).save(tmp_path / "ckpt")
    live: dict[str, Any] = {"net": nn.Module(), "experts": {"a": nn.Linear(3, 2)}, "stack": []}
    status = train.Checkpoint(**live).restore(path)
    assert set(status.report().waiting) == {
        "net/head/weight", "net/head/bias", "net/scale", "experts/b/weight", "experts/b/bias", "stack/0/weight", "stack/0/bias",
    }  # fmt: skip
    live["net"].head = nn.Linear(3, 2)
    assert torch.equal(live["net"].head.weight, saved["net"].head.weight)
    live["net"].register_parameter("scale", nn.Parameter(torch.zeros(2)))
    assert torch.equal(live["net"].scale, saved["net"].scale)
    live["experts"]["b"] = nn.Linear(3, 2)
    live["stack"].append(nn.Linear(3, 2))
    assert torch.equal(live["experts"]["b"](X), saved["experts"]["b"](X))
    assert torch.equal(live["stack"][0](X), saved["stack"][0](X))
    status.assert_consumed()
    assert status.report().waiting == ()


def test_an_optimizer_given_later(tmp_path: Path) -> None:
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    net(X).sum().backward()
    optimizer.step()
    path = train.Checkpoint(net=net, optimizer=optimizer).save(tmp_path / "ckpt")
    live = nn.Linear(3, 2)
    checkpoint = train.Checkpoint(net=live)
    status = checkpoint.restore(path)
    checkpoint.optimizer = torch.optim.SGD(live.parameters(), lr=0.7, momentum=0.9)
    status.assert_consumed()
    assert checkpoint.optimizer.param_groups[0]["lr"] == 0.1
    assert torch.equal(
        checkpoint.optimizer.state[live.weight]["momentum_buffer"], optimizer.state[net.weight]["momentum_buffer"]
    )


def test_state_that_would_be_lost_is_named(tmp_path: Path) -> None:
    """An optimizer without its model would be restored into nothing."""
    net = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters())
    net(X).sum().backward()
    optimizer.step()
    with pytest.raises(CoverageError, match=r"param_groups\[0\]\['params'\]\[1\]"):
        train.Checkpoint(optimizer=optimizer).save(tmp_path / "ckpt")
    train.Checkpoint(optimizer=optimizer, net=net).save(tmp_path / "ckpt")


def test_a_misfit_changes_nothing(tmp_path: Path) -> None:
    """One wrong shape among many values: the live module is as it was, and the message has path, got and wanted."""
    path = train.Checkpoint(net=nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))).save(tmp_path / "ckpt")
    live = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5))
    before = {name: value.clone() for name, value in live.state_dict().items()}
    with pytest.raises(RestoreError, match=r"net/1/weight.*\(2, 4\).*\(5, 4\)"):
        train.Checkpoint(net=live).restore(path)
    assert all(torch.equal(value, before[name]) for name, value in live.state_dict().items())


def test_half_precision_on_request(tmp_path: Path) -> None:
    net = nn.Linear(3, 2)
    path = train.Checkpoint(net=net).save(tmp_path / "ckpt")
    live = nn.Linear(3, 2, dtype=torch.bfloat16)
    with pytest.raises(RestoreError, match="float32"):
        train.Checkpoint(net=live).restore(path)
    train.Checkpoint(net=live).restore(path, cast=True).assert_consumed()
    assert torch.equal(live.weight, net.weight.to(torch.bfloat16))


def test_what_cannot_be_saved_is_named_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(UntrackableError, match=r"run/hooks/0"):
        train.Checkpoint(run={"hooks": [print]}).save(tmp_path / "ckpt")
    with pytest.raises(UntrackableError, match="run/w"):
        train.Checkpoint(run={"w": torch.eye(2).to_sparse()}).save(tmp_path / "ckpt")


class Loader:
    """A data iterator that knows where it is."""

    def __init__(self) -> None:
        self.order, self.at = np.random.default_rng(3).permutation(8), 0

    def __next__(self) -> int:
        self.at += 1
        return int(self.order[self.at - 1])

    def state_dict(self) -> dict[str, Any]:
        return {"order": self.order.copy(), "at": self.at}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.order, self.at = np.array(state["order"]), state["at"]


def test_a_data_iterator_goes_on_where_it_was(tmp_path: Path) -> None:
    data = Loader()
    next(data), next(data)
    path = train.Checkpoint(data=data).save(tmp_path / "ckpt")
    other = Loader()
    other.order = np.arange(8)
    train.Checkpoint(data=other).restore(path).assert_consumed()
    assert [next(other) for _ in range(6)] == [next(data) for _ in range(6)]


def test_a_mapping_takes_optimizer_state_and_late_parts_along(tmp_path: Path) -> None:
    """Saved from inside a wrapper of the user's own, restored without it: moments follow, a part that comes later does, too."""
    wrapper = nn.Module()
    wrapper.inner = nn.Module()
    wrapper.inner.a, wrapper.inner.b = nn.Linear(3, 2), nn.Linear(2, 1)
    optimizer = torch.optim.Adam(wrapper.parameters())
    wrapper.inner.b(wrapper.inner.a(X)).sum().backward()
    optimizer.step()
    path = train.Checkpoint(net=wrapper, optimizer=optimizer).save(tmp_path / "ckpt")
    live = nn.Module()
    live.a = nn.Linear(3, 2)
    again = torch.optim.Adam(live.parameters())
    status = train.Checkpoint(net=live, optimizer=again).restore(path, mapping={"net/inner/": "net/"})
    assert torch.equal(again.state[live.a.weight]["exp_avg"], optimizer.state[wrapper.inner.a.weight]["exp_avg"])
    live.b = nn.Linear(2, 1)
    assert torch.equal(live.b.weight, wrapper.inner.b.weight)
    assert set(status.report().waiting) == {
        f"net/inner/b/{p}/.OPTIMIZER_SLOT/optimizer/{s}" for p in ("weight", "bias") for s in ("step", "exp_avg", "exp_avg_sq")
    }  # fmt: skip
    again.add_param_group({"params": list(live.b.parameters())})
    live.b(live.a(X))
    assert torch.equal(again.state[live.b.weight]["exp_avg_sq"], optimizer.state[wrapper.inner.b.weight]["exp_avg_sq"])
    assert status.report().waiting == ()


def test_a_restore_that_never_completes_costs_nothing(tmp_path: Path) -> None:
    """Weights alone out of a whole run's checkpoint: no hook is left on torch; a head that will never come is only glanced at."""
    from torch.nn.modules import module as hooks

    from milepost.train import pending

    for left in pending._waiting():  # of other tests
        pending.drop(left)
    net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    optimizer = torch.optim.Adam(net.parameters())
    net(X).sum().backward()
    optimizer.step()
    path = train.Checkpoint(net=net, optimizer=optimizer, rng=train.Rng(), epoch=3).save(tmp_path / "ckpt")
    live = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    checkpoint = train.Checkpoint(net=live)
    status = checkpoint.restore(path)
    assert status.report().waiting
    assert not hooks._global_forward_pre_hooks
    backbone = nn.Sequential(nn.Linear(3, 2))
    looks: list[int] = []
    other = train.Checkpoint(net=backbone)
    other.restore(path)
    assert hooks._global_forward_pre_hooks
    retry = pending.Deferred.retry
    try:
        pending.Deferred.retry = lambda self, newer: (looks.append(1), retry(self, newer))[1]  # type: ignore[method-assign]
        for _ in range(5):
            backbone(X)
        assert looks == []
        backbone.append(nn.Linear(2, 1))
        assert looks
        assert torch.equal(backbone[1].weight, net[1].weight)
    finally:
        pending.Deferred.retry = retry  # type: ignore[method-assign]
    assert not hooks._global_forward_pre_hooks


def test_weights_alone_do_not_keep_a_model_in_memory(tmp_path: Path) -> None:
    """A model restored without its optimizer can go when the program lets it go."""
    import gc
    import weakref

    net = nn.Linear(3, 2)
    path = train.Checkpoint(net=net, optimizer=torch.optim.Adam(net.parameters())).save(tmp_path / "ckpt")
    live = nn.Linear(3, 2)
    assert train.Checkpoint(net=live).restore(path).report().waiting
    alive = weakref.ref(live)
    del live
    gc.collect()
    assert alive() is None


class Tied(nn.Module):
    def __init__(self, tied: bool) -> None:
        super().__init__()
        self.embed, self.out = nn.Sequential(nn.Linear(2, 2)), nn.Sequential(nn.Linear(2, 2))
        if tied:
            self.out = self.embed


def test_tied_weights_in_a_model_that_does_not_tie_them(tmp_path: Path) -> None:
    """Both get the value, and the program is told; the other way round the first value counts."""
    tied = Tied(True)
    path = train.Checkpoint(net=tied).save(tmp_path / "ckpt")
    free = Tied(False)
    with pytest.warns(UserWarning, match="both were given its value"):
        status = train.Checkpoint(net=free).restore(path)
    assert torch.equal(free.out[0].weight, tied.out[0].weight)
    assert torch.equal(free.embed[0].bias, tied.embed[0].bias)
    status.assert_consumed()


def test_what_came_late_is_saved_with_its_restored_value(tmp_path: Path) -> None:
    saved = {"a": nn.Linear(2, 2)}
    path = train.Checkpoint(parts=saved).save(tmp_path / "first")
    live: dict[str, nn.Module] = {}
    checkpoint = train.Checkpoint(parts=live)
    checkpoint.restore(path)
    live["a"] = nn.Linear(2, 2)
    again = checkpoint.save(tmp_path / "second")
    key = "parts/a/weight/.ATTRIBUTES/VARIABLE_VALUE"
    np.testing.assert_array_equal(train.load_variable(again, key), train.load_variable(path, key))
