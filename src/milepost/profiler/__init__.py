"""Capture what a training run does. In: start and stop, or a schedule. Out: a trace file under the logdir.

    import milepost.profiler as profiler

    with profiler.Profile("runs/a"):
        for step in range(10):
            with profiler.Trace("train", step=step):
                train_step()

The file is Chrome trace JSON where TensorBoard keeps profiles; the board, Perfetto and `milepost profile show` open it.
"""

from __future__ import annotations

from milepost.profiler.schedule import Schedule, Scheduled, batch_range, schedule
from milepost.profiler.session import Profile, ProfilerOptions, active, start, stop
from milepost.profiler.spans import Trace

__all__ = [
    "Profile", "ProfilerOptions", "Schedule", "Scheduled", "Trace", "active", "batch_range", "schedule", "start", "stop",
]  # fmt: skip
