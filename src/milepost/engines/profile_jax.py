"""jax's own profiler behind `EngineCapture`: XLA ops on host and device. Out: an XSpace message."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from milepost.engines.profile import CaptureOptions, EngineTrace

__all__ = ["Capture"]

MARKER = "milepost_clock"


class Capture:
    name = "jax"

    def __init__(self, options: CaptureOptions):
        self._marked = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def start(self) -> None:
        import jax

        self._folder = tempfile.TemporaryDirectory(prefix="milepost-jax-")
        try:
            self._begin(jax, self._folder.name)
        except BaseException:
            self._folder.cleanup()
            raise
        # jax counts from its own start; one event whose time we know ties its clock to ours
        with jax.profiler.TraceAnnotation(MARKER):
            self._marked = time.time_ns()

    def _begin(self, jax: Any, folder: str) -> None:
        options = getattr(jax.profiler, "ProfileOptions", None)
        if options is None:
            jax.profiler.start_trace(folder)
            return
        wanted = options()
        wanted.python_tracer_level = (
            0  # it hooks every Python call; the host sampler shows frames for a hundredth of that
        )
        jax.profiler.start_trace(folder, profiler_options=wanted)

    def stop(self) -> EngineTrace | None:
        import jax

        assert self._folder is not None
        with self._folder as name:
            jax.profiler.stop_trace()
            written = sorted(Path(name).rglob("*.xplane.pb"))
            return (
                EngineTrace("jax", xplane=written[0].read_bytes(), marker=(MARKER, self._marked)) if written else None
            )
