"""`tf.profiler.experimental`: Milepost's own profiler under TensorFlow's names."""

from __future__ import annotations

import types
from typing import Any

from milepost import profiler as _own

__all__ = ["experimental"]


def _start(logdir: str, options: Any = None) -> None:
    """Capture from here on, into this log directory."""
    _own.start(logdir, options) if options is not None else _own.start(logdir)


def _stop(save: bool = True) -> None:
    """End the capture, and write it."""
    _own.stop(save=save)


class Trace(_own.Trace):
    """A named span: `with Trace('train', step_num=step, _r=1):`."""

    def __init__(self, name: str, **kwargs: Any):
        kwargs.pop("_r", None)
        step = kwargs.pop("step_num", None)
        if step is not None:
            kwargs["step"] = int(step)
        super().__init__(name, **kwargs)


experimental = types.SimpleNamespace(
    start=_start, stop=_stop, Profile=_own.Profile, ProfilerOptions=_own.ProfilerOptions, Trace=Trace
)
