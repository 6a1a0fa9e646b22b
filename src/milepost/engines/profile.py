"""Capture of what the engines do. In: options. Out: one `EngineCapture` for each engine this process has loaded.

An engine that was never imported is never imported here. Each adapter answers three questions: start, stop, and what it
wrote, in its own format. Not here: merging (`profiler.write`), what the formats mean (`formats.trace`, `formats.xplane`).
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import Protocol

__all__ = ["CaptureOptions", "EngineCapture", "EngineTrace", "captures"]


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What to record beside names and times; each costs a little."""

    shapes: bool = True
    memory: bool = True  # with torch: ops of the starting thread and of backward passes; False: ops of every thread
    stacks: bool = False  # Python stacks of every op: exact, and slow; the host sampler shows stacks without it
    engines: tuple[str, ...] = ("torch", "jax")
    modules: bool = True  # which torch module each op belongs to: about two microseconds for each module call


@dataclass(frozen=True, slots=True)
class EngineTrace:
    """What an engine's own profiler wrote."""

    engine: str
    chrome: bytes | None = None  # Chrome trace JSON
    xplane: bytes | None = None  # an XSpace message
    marker: tuple[str, int] | None = None  # an event in it, and the unix time (ns) at which that began


class EngineCapture(Protocol):
    name: str

    def start(self) -> None: ...

    def stop(self) -> EngineTrace | None: ...


_ADAPTERS = {"torch": "milepost.engines.profile_torch", "jax": "milepost.engines.profile_jax"}


def captures(options: CaptureOptions) -> list[EngineCapture]:
    """Captures that could be started now: one for each engine in `options.engines` that is already imported."""
    found: list[EngineCapture] = []
    for engine in options.engines:
        if engine in _ADAPTERS and engine in sys.modules:
            adapter = importlib.import_module(_ADAPTERS[engine])
            found.append(adapter.Capture(options))
    return found
