"""This machine's devices: which there are, which this process takes, and how much of their memory."""

from __future__ import annotations

from milepost.devices.choice import CHOICE, Choice, LogicalDevice, LogicalDeviceConfiguration
from milepost.devices.listing import Gpu, PhysicalDevice, driver_gpus, physical_devices, visible_indices

__all__ = [
    "CHOICE", "Choice", "Gpu", "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "driver_gpus", "physical_devices",
    "visible_indices",
]  # fmt: skip
