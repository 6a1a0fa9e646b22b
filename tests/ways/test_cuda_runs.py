"""PyTorch runs on a GPU: saved from the device, restored on the device, or on the host; random state included."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from milepost import train

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here"),
]


def step(net: torch.nn.Module, optimizer: torch.optim.Optimizer) -> float:
    device = next(net.parameters()).device
    optimizer.zero_grad()
    x = torch.linspace(-1, 1, 24, device=device).reshape(8, 3)
    loss = (torch.nn.functional.dropout(net(x), 0.3) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


@pytest.mark.parametrize("fused", [False, True])
def test_a_run_on_the_gpu_goes_on_exactly(tmp_path: Path, fused: bool) -> None:
    """Weights, moments (the step counter on the device when fused) and CUDA's random state."""

    def make() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
        net = torch.nn.Sequential(torch.nn.Linear(3, 64), torch.nn.BatchNorm1d(64), torch.nn.Linear(64, 2)).cuda()
        return net, torch.optim.AdamW(net.parameters(), lr=0.01, fused=fused)

    net, optimizer = make()
    for _ in range(3):
        step(net, optimizer)
    path = train.Checkpoint(net=net, optimizer=optimizer, rng=train.Rng()).save(tmp_path / "ckpt")
    want = [step(net, optimizer) for _ in range(3)]
    live, again = make()
    train.Checkpoint(net=live, optimizer=again, rng=train.Rng()).restore(path).assert_consumed()
    assert all(state["exp_avg"].is_cuda for state in again.state.values())
    assert all(state["step"].is_cuda == fused for state in again.state.values())
    assert [step(live, again) for _ in range(3)] == want


def test_a_gpu_checkpoint_on_the_host_and_back(tmp_path: Path) -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.float8_e4m3fn, torch.int64, torch.bool):
        tensor = (torch.arange(6, device="cuda").reshape(2, 3) % 2).to(dtype)
        path = train.Checkpoint(t=tensor).save(tmp_path / str(dtype))
        host, device = torch.zeros(2, 3).to(dtype), torch.zeros(2, 3, device="cuda").to(dtype)
        for live in (host, device):
            train.Checkpoint(t=live).restore(path).assert_consumed()
            assert torch.equal(live.cpu().view(torch.uint8), tensor.cpu().view(torch.uint8))


def test_a_background_save_is_not_torn_by_training(tmp_path: Path) -> None:
    """The device's values at the moment of the save reach the file, whatever the next step does to them."""
    tensor = torch.ones(1 << 22, device="cuda")
    manager = train.CheckpointManager(train.Checkpoint(t=tensor), str(tmp_path), max_to_keep=2)
    path = manager.save(blocking=False)
    tensor.fill_(7)
    torch.cuda.synchronize()
    manager.wait()
    assert path is not None
    assert set(train.load_variable(path, "t/.ATTRIBUTES/VARIABLE_VALUE").tolist()) == {1.0}
    manager.close()
