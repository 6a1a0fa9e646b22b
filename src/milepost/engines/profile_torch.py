"""torch's own profiler behind `EngineCapture`: CPU ops, CUDA kernels and copies, shapes, memory. Out: Chrome trace JSON."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from milepost.engines.profile import CaptureOptions, EngineTrace

__all__ = ["Capture"]


def _every_thread() -> Any:
    """A configuration that sees ops of all threads, where this torch has one; else only the starting thread's."""
    from torch._C._profiler import _ExperimentalConfig

    try:
        return _ExperimentalConfig(profile_all_threads=True)
    except TypeError:
        return None


class Capture:
    name = "torch"

    def __init__(self, options: CaptureOptions):
        self._options = options
        self._profile: Any = None

    def start(self) -> None:
        import torch
        from torch.profiler import ProfilerActivity, profile

        activities = [ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(ProfilerActivity.CUDA)
        self._profile = profile(
            activities=activities,
            record_shapes=self._options.shapes,
            profile_memory=self._options.memory,
            with_stack=self._options.stacks,
            # torch reports memory to the thread that started it only, so one has to choose
            experimental_config=None if self._options.memory else _every_thread(),
        )
        self._profile.start()

    def stop(self) -> EngineTrace | None:
        profile, self._profile = self._profile, None
        profile.stop()
        handle, path = tempfile.mkstemp(suffix=".json")  # torch writes by name only
        os.close(handle)
        try:
            profile.export_chrome_trace(path)
            with open(path, "rb") as file:
                return EngineTrace("torch", chrome=file.read())
        finally:
            os.unlink(path)
