"""Which devices and how much of their memory this process takes. In: choices, before a GPU is first used. Out: the environment and the engines set accordingly.

torch takes GPU memory as it needs it, always; jax takes three quarters at once unless told not to. Both are told here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from milepost.devices.listing import PhysicalDevice, driver_gpus, physical_devices
from milepost.engines import accelerators

__all__ = ["CHOICE", "Choice", "LogicalDevice", "LogicalDeviceConfiguration"]

_MB = 1 << 20


@dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """A part of a device: its memory limit in MB, or None for no limit."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


@dataclass(frozen=True)
class LogicalDevice:
    """A device as programs name it: '/device:GPU:0'."""

    name: str
    device_type: str


class Choice:
    """This process' choice of devices; it can be changed until a device is in use."""

    def __init__(self) -> None:
        self._visible: dict[str, list[PhysicalDevice]] = {}
        self._growth: dict[PhysicalDevice, bool] = {}
        self._parts: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}
        self._initialized = False

    def initialize(self) -> None:
        """From here on the devices are taken: choices are final."""
        self._initialized = True

    def _changeable(self, what: str) -> None:
        engine = accelerators.in_use() if physical_devices("GPU") else None
        if self._initialized or engine is not None:
            by = f" ({engine} already uses the GPUs)" if engine else ""
            raise RuntimeError(
                f"{what} cannot be modified after being initialized{by}. Call this first in the program, before any tensor or model is made."
            )

    # --- visible devices --------------------------------------------------------------------------------------------

    def visible(self, device_type: str | None = None) -> list[PhysicalDevice]:
        return [d for d in physical_devices(device_type) if d in self._visible.get(d.device_type, [d])]

    def set_visible(self, devices: list[PhysicalDevice], device_type: str | None = None) -> None:
        known = physical_devices()
        for d in devices:
            if d not in known:
                raise ValueError(f"Unrecognized device: {d!r}")
            if device_type is not None and d.device_type != device_type.upper():
                raise ValueError(f"Unrecognized device: {d!r} is not of type {device_type}")
        kinds = {device_type.upper()} if device_type is not None else {d.device_type for d in known}
        wanted = {k: [d for d in devices if d.device_type == k] for k in kinds}
        if all(self.visible(k) == v for k, v in wanted.items()):
            return
        self._changeable("Visible devices")
        self._visible.update(wanted)
        if "GPU" in wanted and physical_devices("GPU"):
            self._hide_gpus(wanted["GPU"])

    def _hide_gpus(self, devices: list[PhysicalDevice]) -> None:
        """CUDA reads its variable at first use; both engines then see only these."""
        before = os.environ.get("CUDA_VISIBLE_DEVICES")
        names = [p.strip() for p in before.split(",")] if before else [str(g.index) for g in driver_gpus()]
        if not names:
            names = [str(i) for i in range(len(physical_devices("GPU")))]
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(names[d.index] for d in devices) if devices else "-1"

    # --- memory -----------------------------------------------------------------------------------------------------

    def growth(self, device: PhysicalDevice) -> bool:
        if device.device_type != "GPU":
            raise ValueError(f"Cannot get memory growth of {device!r}: only GPUs have it")
        return self._growth.get(device, True)

    def set_growth(self, device: PhysicalDevice, enable: bool) -> None:
        if device.device_type != "GPU":
            raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
        if device not in physical_devices("GPU"):
            raise ValueError(f"Unrecognized device: {device!r}")
        if device in self._parts and enable:
            raise ValueError("Cannot set memory growth on device when virtual devices configured")
        self._changeable("Physical devices")
        self._growth[device] = bool(enable)
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false" if enable else "true"

    def set_fraction(self, fraction: float) -> None:
        """Use at most this part of every visible GPU's memory."""
        if not 0.0 < fraction <= 1.0:
            raise ValueError(f"per_process_gpu_memory_fraction must be above 0 and at most 1, got {fraction}")
        os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = f"{fraction:g}"
        for device in self.visible("GPU"):
            accelerators.limit_memory(device.index, fraction=fraction)

    # --- logical devices --------------------------------------------------------------------------------------------

    def set_parts(self, device: PhysicalDevice, parts: list[LogicalDeviceConfiguration]) -> None:
        if device not in physical_devices():
            raise ValueError(f"Unrecognized device: {device!r}")
        for part in parts:
            if device.device_type == "CPU" and part.memory_limit is not None:
                raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
            if device.device_type == "GPU" and part.memory_limit is None and len(parts) > 1:
                raise ValueError("memory_limit must be set for all virtual devices")
        self._changeable("Virtual devices")
        self._parts[device] = list(parts)
        if device.device_type == "GPU":
            limits = [p.memory_limit for p in parts if p.memory_limit is not None]
            if limits:
                self._limit(device, sum(limits) * _MB)

    def _limit(self, device: PhysicalDevice, limit: int) -> None:
        accelerators.limit_memory(device.index, limit=limit)
        total = next((g.total_bytes for g in driver_gpus()), None)
        if total:  # jax knows fractions only, one for all GPUs
            os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = f"{min(1.0, limit / total):g}"

    def parts(self, device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
        return self._parts.get(device)

    def logical(self, device_type: str | None = None) -> list[LogicalDevice]:
        """The devices programs name; asking makes the choice final."""
        self.initialize()
        found: list[LogicalDevice] = []
        for kind in ("CPU", "GPU"):
            number = 0
            for device in self.visible(kind):
                for _ in self._parts.get(device, [LogicalDeviceConfiguration()]):
                    found.append(LogicalDevice(f"/device:{kind}:{number}", kind))
                    number += 1
        return [d for d in found if device_type is None or d.device_type == device_type.upper()]


CHOICE = Choice()
