"""`tf.config`: devices, their memory, threads. In: choices as TensorFlow spells them. Out: torch and jax set accordingly (through `milepost.devices`)."""

from __future__ import annotations

import sys
import types
from typing import Any

import torch

from milepost.devices import CHOICE, LogicalDevice, LogicalDeviceConfiguration, PhysicalDevice
from milepost.devices import physical_devices as _physical_devices
from milepost.engines import accelerators
from milepost.tf import threads
from milepost.tf.placement import place

__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "experimental", "functions_run_eagerly", "get_logical_device_configuration",
    "get_soft_device_placement", "get_visible_devices", "list_logical_devices", "list_physical_devices", "optimizer", "run_functions_eagerly",
    "set_logical_device_configuration", "set_soft_device_placement", "set_visible_devices", "threading",
]  # fmt: skip

_soft = True


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The CPU and the GPUs of this process."""
    return _physical_devices(device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices as programs name them; from here on their choice is final."""
    return CHOICE.logical(device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Those this process may use."""
    return CHOICE.visible(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Use only these. Must come before a GPU is first used."""
    listed = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    CHOICE.set_visible(listed, device_type)
    place()


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: list[LogicalDeviceConfiguration]) -> None:
    """Split a device, or limit its memory."""
    CHOICE.set_parts(device, logical_devices)


def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """How a device was split."""
    return CHOICE.parts(device)


def get_soft_device_placement() -> bool:
    """Whether `tf.device('/GPU:0')` uses the CPU where there is no GPU."""
    return _soft


def set_soft_device_placement(enabled: bool) -> None:
    """Whether it should."""
    global _soft
    _soft = bool(enabled)


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Whether every tf.function runs as plain Python."""
    from milepost.tf import functions

    functions.EAGERLY[0] = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether they do."""
    from milepost.tf import functions

    return functions.EAGERLY[0]


def _set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Take GPU memory only as it is needed."""
    CHOICE.set_growth(device, enable)


def _get_memory_growth(device: PhysicalDevice) -> bool:
    return CHOICE.growth(device)


def _get_memory_info(device: str) -> dict[str, int]:
    """Bytes in use, and the most so far."""
    kind, _, index = device.upper().removeprefix("/DEVICE:").removeprefix("/").partition(":")
    found = accelerators.memory(int(index or 0)) if kind == "GPU" else (0, 0)
    current, peak = found or (0, 0)
    return {"current": current, "peak": peak}


def _reset_memory_stats(device: str) -> None:
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.reset_peak_memory_stats(int(device.rpartition(":")[2] or 0))


def _get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    if device.device_type != "GPU" or not torch.cuda.is_available():
        return {}
    about = torch.cuda.get_device_properties(device.index)
    return {"compute_capability": (about.major, about.minor), "device_name": about.name}


def _enable_op_determinism() -> None:
    torch.use_deterministic_algorithms(True)


def _intra() -> int:
    return int(torch.get_num_threads())


def _set_intra(num_threads: int) -> None:
    """Threads for one operation; 0 leaves it to Milepost."""
    threads.fix(max(int(num_threads), 1))


def _inter() -> int:
    return int(torch.get_num_interop_threads())


def _set_inter(num_threads: int) -> None:
    try:
        torch.set_num_interop_threads(max(int(num_threads), 1))
    except RuntimeError:
        raise RuntimeError("Inter op parallelism cannot be modified after initialization.") from None


def _space(name: str, **members: Any) -> types.ModuleType:
    made = types.ModuleType(f"{__name__}.{name}")
    made.__dict__.update(members)
    sys.modules[made.__name__] = made
    return made


threading = _space(
    "threading",
    get_intra_op_parallelism_threads=_intra,
    set_intra_op_parallelism_threads=_set_intra,
    get_inter_op_parallelism_threads=_inter,
    set_inter_op_parallelism_threads=_set_inter,
)
optimizer = _space(
    "optimizer",
    set_jit=lambda enabled=True: None,
    get_jit=lambda: "",
    set_experimental_options=lambda options: None,
    get_experimental_options=dict,
)
experimental = _space(
    "experimental",
    set_memory_growth=_set_memory_growth,
    get_memory_growth=_get_memory_growth,
    get_memory_info=_get_memory_info,
    get_memory_usage=lambda device: _get_memory_info(device)["current"],
    reset_memory_stats=_reset_memory_stats,
    get_device_details=_get_device_details,
    list_physical_devices=list_physical_devices,
    list_logical_devices=list_logical_devices,
    get_visible_devices=get_visible_devices,
    set_visible_devices=set_visible_devices,
    set_virtual_device_configuration=set_logical_device_configuration,
    get_virtual_device_configuration=get_logical_device_configuration,
    VirtualDeviceConfiguration=LogicalDeviceConfiguration,
    enable_op_determinism=_enable_op_determinism,
)
experimental_run_functions_eagerly = run_functions_eagerly
