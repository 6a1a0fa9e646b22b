"""torch's own profiler behind `EngineCapture`: CPU ops, CUDA kernels and copies, shapes, memory. Out: Chrome trace JSON."""

from __future__ import annotations

import os
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def _quiet() -> Iterator[None]:
    """torch warns while its profiler starts and ends; made an error (`python -W error`), that warning crashes the process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class _ModuleSpans:
    """A span around every module's forward, named as torch's own stacks name them: `nn.Module: Linear_0`."""

    def __init__(self) -> None:
        from torch.autograd.profiler import record_function
        from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

        self._record = record_function
        self._open = threading.local()
        self._names: dict[int, tuple[Any, str]] = {}  # by id; the module is kept, so that an id is not given twice
        self._count: dict[str, int] = {}
        self._handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]

    def _name(self, module: Any) -> str:
        known = self._names.get(id(module))
        if known is None:
            kind = type(module).__name__
            number = self._count.get(kind, 0)
            self._count[kind] = number + 1
            known = self._names[id(module)] = (module, f"nn.Module: {kind}_{number}")
        return known[1]

    def _enter(self, module: Any, args: Any) -> None:
        span = self._record(self._name(module))
        span.__enter__()
        self._open.spans = getattr(self._open, "spans", [])
        self._open.spans.append(span)

    def _leave(self, module: Any, args: Any, output: Any) -> None:
        spans = getattr(self._open, "spans", None)
        if spans:  # a forward that began before the capture has no span
            spans.pop().__exit__(None, None, None)

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()


class Capture:
    name = "torch"

    def __init__(self, options: CaptureOptions):
        self._options = options
        self._profile: Any = None
        self._modules: _ModuleSpans | None = None

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
        with _quiet():
            self._profile.start()
        if self._options.modules:
            self._modules = _ModuleSpans()

    def stop(self) -> EngineTrace | None:
        profile, self._profile = self._profile, None
        if self._modules is not None:
            self._modules.remove()
        with _quiet():
            profile.stop()
        handle, path = tempfile.mkstemp(suffix=".json")  # torch writes by name only
        os.close(handle)
        try:
            profile.export_chrome_trace(path)
            with open(path, "rb") as file:
                return EngineTrace("torch", chrome=file.read())
        finally:
            os.unlink(path)
