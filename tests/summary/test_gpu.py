"""Values that live on a GPU are logged like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import milepost
from milepost import summary


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_cuda_tensors(tmp_path: Path, points: Any) -> None:
    """Scalars, histograms and pictures of CUDA tensors, with gradients and in half precision."""
    values = torch.arange(12.0, device="cuda", requires_grad=True)
    writer = summary.create_file_writer(tmp_path / "tf")
    with writer.as_default(step=1):
        summary.scalar("s", values.sum())
        summary.scalar("half", values.sum().bfloat16())
        summary.histogram("h", values.bfloat16(), buckets=3)
        summary.image("i", torch.ones(1, 4, 4, 3, device="cuda"))
    writer.close()
    found = {tag: value for tag, _, value in points(tmp_path / "tf")}
    assert (found["s"], found["half"]) == (66.0, 66.0)
    assert [row[2] for row in found["h"]] == [4.0, 4.0, 4.0]
    with milepost.SummaryWriter(tmp_path / "torch") as drop_in:
        drop_in.add_scalar("s", values.sum(), 1)
        drop_in.add_histogram("h", values, 1)
        drop_in.add_image("i", torch.rand(3, 8, 8, device="cuda"), 1)
    assert [tag for tag, _, _ in points(tmp_path / "torch")] == ["s", "h", "i"]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_the_gpu_is_not_waited_for(tmp_path: Path, points: Any) -> None:
    """Logging a value that is still being computed returns before it is, and the value is the one of that moment."""
    import time

    big = torch.rand(8192, 8192, device="cuda")
    loss = torch.zeros((), device="cuda")
    torch.mm(big, big)
    torch.cuda.synchronize()
    with milepost.SummaryWriter(tmp_path) as writer:
        writer.add_scalar("warm", loss, 0)
        started = time.perf_counter()
        for step in range(20):
            for _ in range(10):
                torch.mm(big, big)
            loss += 1
            writer.add_scalar("loss", loss, step)
        queued = time.perf_counter() - started
        torch.cuda.synchronize()
        computed = time.perf_counter() - started
    assert queued < computed / 4
    assert points(tmp_path)[1:] == [("loss", step, float(step + 1)) for step in range(20)]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_jax_is_not_waited_for(tmp_path: Path, points: Any) -> None:
    """The same for jax, also when the buffer is donated to the next step."""
    import time

    import jax
    import jax.numpy as jnp

    if jax.default_backend() == "cpu":
        pytest.skip("jax sees no GPU")

    @jax.jit
    def work(big: Any, loss: Any) -> tuple[Any, Any]:
        for _ in range(10):
            big = (big @ big) * 1e-4
        return big, loss + 1 + 0 * big[0, 0]

    step_of = jax.jit(work, donate_argnums=(1,))
    big, loss = jnp.ones((8192, 8192)), jnp.zeros(())
    big, loss = step_of(big, loss)
    loss.block_until_ready()
    with milepost.SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", loss, 0)
        started = time.perf_counter()
        for step in range(1, 20):
            big, loss = step_of(big, loss)
            writer.add_scalar("loss", loss, step)
        queued = time.perf_counter() - started
        loss.block_until_ready()
        computed = time.perf_counter() - started
    assert queued < computed / 2
    assert points(tmp_path) == [("loss", step, float(step + 1)) for step in range(20)]
