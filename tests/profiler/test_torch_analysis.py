"""A real torch program, captured and analysed: modules of its ops, its data loader as input, its memory."""

from __future__ import annotations

import time

import pytest

from milepost import profiler
from milepost.store import profile

torch = pytest.importorskip("torch")


class Slow(torch.utils.data.Dataset):
    """Items that take their time."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int):
        time.sleep(0.01)
        return torch.ones(16)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    model = torch.nn.Sequential(torch.nn.Linear(16, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
    model(torch.ones(1, 16))
    with profiler.Profile(tmp_path_factory.mktemp("torch"), profiler.ProfilerOptions(engines=("torch",))) as captured:
        batches = iter(torch.utils.data.DataLoader(Slow(), batch_size=2))
        for step in range(6):
            with profiler.Trace("train", step=step):
                model(next(batches)).sum().backward()
    return profile.analyse(profile.load(captured.path))


def test_ops_belong_to_their_modules(analysis):
    rows = {(row.name, row.detail): row.calls for row in profile.op_table(analysis.kinded, "module")}
    assert rows["aten::addmm", "nn.Module: Linear_0"] == 6
    assert rows["aten::addmm", "nn.Module: Linear_1"] == 6


def test_hooks_are_gone_after_the_capture(analysis):
    """None of ours is left; hooks of others (a restore that waits) stay."""
    from torch.nn.modules import module

    left = [*module._global_forward_hooks.values(), *module._global_forward_pre_hooks.values()]
    assert not [hook for hook in left if "profile" in hook.__module__]


def test_the_data_loader_is_input_and_advice_says_so(analysis):
    """Two items of 10 ms a step: at least 20 ms of input in each, and nearly all of the step."""
    assert (analysis.split.parts["input"] >= 20_000_000).all()
    assert analysis.split.share["input"] > 0.5
    assert analysis.advice[0].topic == "input"


def test_memory_and_arrows(analysis):
    assert analysis.memory[0].name == "CPU allocated"
    names, flows = analysis.trace, analysis.trace.flows
    pairs = {
        (names.strings[names.name[a]], names.strings[names.name[b]])
        for a, b in zip(flows.source, flows.target, strict=True)
    }
    assert any("Backward" in target for _, target in pairs), pairs
