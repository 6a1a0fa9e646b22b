"""On a CUDA device: kernels and copies appear on their streams, tied to what launched them, and count as compute and copy."""

from __future__ import annotations

import time

import numpy as np
import pytest

from milepost import profiler
from milepost.store import profile
from milepost.store.profile.kinds import COPY, KERNEL, KINDS

pytestmark = pytest.mark.gpu
torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device here", allow_module_level=True)


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """Five steps: a copy to the device on a stream of its own, products on the default one, a copy back, and a sleep."""
    device, side = torch.device("cuda"), torch.cuda.Stream()
    weights = torch.randn(4096, 4096, device=device)
    host = torch.randn(4096, 4096).pin_memory()
    (weights @ weights).sum().item()
    with profiler.Profile(tmp_path_factory.mktemp("gpu")) as made:
        for step in range(5):
            with profiler.Trace("train", step=step):
                with torch.cuda.stream(side):
                    there = host.to(device, non_blocking=True)
                torch.cuda.current_stream().wait_stream(side)
                result = there
                for _ in range(5):
                    result = result @ weights
                result.cpu()
                torch.cuda.synchronize()
                time.sleep(0.02)
    return profile.analyse(profile.load(made.path))


def test_kernels_and_copies_lie_on_streams(captured):
    trace, known = captured.trace, captured.kinded
    assert known.has_device
    kernels, copies = known.which(KERNEL), known.which(COPY)
    copies = copies[known.device_track[trace.track[copies]]]
    names = {trace.strings[i] for i in trace.name[kernels]}
    assert len(kernels) >= 25, names
    assert known.device_track[trace.track[kernels]].all(), "kernels lie on device tracks"
    tracks = {trace.tracks[i].thread for i in np.unique(trace.track[np.concatenate((kernels, copies))])}
    assert len(tracks) >= 2, tracks
    assert all("stream" in name.lower() for name in tracks), tracks
    kinds = {trace.strings[i].split()[1] for i in trace.name[copies] if trace.strings[i].startswith("Memcpy")}
    assert {"HtoD", "DtoH"} <= kinds, kinds


def test_arrows_lead_from_the_launch_to_the_kernel(captured):
    trace, kind = captured.trace, captured.kinded.kind
    pairs = {(KINDS[kind[a]], KINDS[kind[b]]) for a, b in zip(trace.flows.source, trace.flows.target, strict=True)}
    assert ("runtime", "kernel") in pairs, pairs


def test_device_work_is_inside_the_steps_and_the_split_is_true(captured):
    """Products are compute, the waited-for copies are copy, the sleep is idle: within 5 % of what the device's events say."""
    split, trace, known = captured.split, captured.trace, captured.kinded
    assert split.step.tolist() == [0, 1, 2, 3, 4]
    kernels = known.which(KERNEL)
    inside = (
        (trace.start[kernels][:, None] >= split.start - 2_000_000)
        & (trace.end[kernels][:, None] <= split.end + 2_000_000)
    ).any(axis=1)
    assert inside.all(), "host and device share one clock"
    assert split.total["compute"] == pytest.approx(int(trace.duration[kernels].sum()), rel=0.05)
    assert split.total["idle"] / 5 >= 0.95 * 20_000_000 - 1_000_000
    assert split.share["copy"] > 0


def test_memory_of_the_device_is_recorded(captured):
    assert any(curve.name.startswith("CUDA") and curve.peak > 4096 * 4096 * 4 for curve in captured.memory)
