"""jax's own profiler behind `EngineCapture`: XLA ops on host and device. Out: an XSpace message."""

from __future__ import annotations

import tempfile
from pathlib import Path

from milepost.engines.profile import CaptureOptions, EngineTrace

__all__ = ["Capture"]


class Capture:
    name = "jax"

    def __init__(self, options: CaptureOptions):
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def start(self) -> None:
        import jax

        self._folder = tempfile.TemporaryDirectory(prefix="milepost-jax-")
        try:
            jax.profiler.start_trace(self._folder.name)
        except BaseException:
            self._folder.cleanup()
            raise

    def stop(self) -> EngineTrace | None:
        import jax

        assert self._folder is not None
        with self._folder as name:
            jax.profiler.stop_trace()
            written = sorted(Path(name).rglob("*.xplane.pb"))
            return EngineTrace("jax", xplane=written[0].read_bytes()) if written else None
