"""The devices of this machine. In: the environment, the NVIDIA driver, the engines loaded here. Out: PhysicalDevice values. Chooses nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache

from milepost.engines import accelerators

__all__ = ["Gpu", "PhysicalDevice", "driver_gpus", "physical_devices", "visible_indices"]


@dataclass(frozen=True, repr=False)
class PhysicalDevice:
    """One device: name '/physical_device:GPU:0', device_type 'GPU'."""

    name: str
    device_type: str

    def __repr__(self) -> str:
        return f"PhysicalDevice(name={self.name!r}, device_type={self.device_type!r})"

    @property
    def index(self) -> int:
        return int(self.name.rpartition(":")[2])


@dataclass(frozen=True)
class Gpu:
    """What the driver says of one GPU."""

    index: int
    uuid: str
    name: str
    total_bytes: int
    compute_capability: tuple[int, int]


@lru_cache(maxsize=1)
def driver_gpus() -> tuple[Gpu, ...]:
    """Every GPU the driver knows, whoever may use it; empty without a driver or without nvidia-ml-py."""
    try:
        import pynvml
    except ImportError:
        return ()
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        found = []
        for i in range(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(i)
            major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
            total = int(pynvml.nvmlDeviceGetMemoryInfo(handle).total)
            found.append(
                Gpu(
                    i,
                    _text(pynvml.nvmlDeviceGetUUID(handle)),
                    _text(pynvml.nvmlDeviceGetName(handle)),
                    total,
                    (major, minor),
                )
            )
        return tuple(found)
    except pynvml.NVMLError:
        return ()
    finally:
        pynvml.nvmlShutdown()


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def visible_indices(environment: str | None, gpus: tuple[Gpu, ...]) -> list[int]:
    """The GPUs that CUDA_VISIBLE_DEVICES leaves, in its order; as in CUDA, the first unknown entry ends the list."""
    if environment is None:
        return [g.index for g in gpus]
    chosen: list[int] = []
    for part in filter(None, (p.strip() for p in environment.split(","))):
        match = next(
            (g.index for g in gpus if part == str(g.index) or (not part.isdigit() and g.uuid.startswith(part))), None
        )
        if match is None or match in chosen:
            break
        chosen.append(match)
    return chosen


def physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """CPU and GPUs of this process, numbered from 0 among themselves."""
    count = accelerators.gpu_count()
    if count is None:
        count = len(visible_indices(os.environ.get("CUDA_VISIBLE_DEVICES"), driver_gpus()))
    found = [PhysicalDevice("/physical_device:CPU:0", "CPU")]
    found += [PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in range(count)]
    return [d for d in found if device_type is None or d.device_type == device_type.upper()]
