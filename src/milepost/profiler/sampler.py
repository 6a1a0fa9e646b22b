"""The host sampler: one thread that looks at every thread's Python frames. In: a period. Out: `HostSpans` when stopped.

It changes nothing in the program it watches: no trace function, no signal, no patching. What it costs is its own CPU
time, which it counts and hands over with the result. Not here: the walk itself (`_native.sampler`), files (`write`).
"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass
from types import CodeType

import numpy as np
from numpy.typing import NDArray

from milepost._native import sampler as native

__all__ = ["DEFAULT_PERIOD_MS", "STATES", "HostSampler", "HostSpans"]

DEFAULT_PERIOD_MS = 4.0
STATES = ("idle", "python", "native", "waiting for a core")  # by the numbers of _native.sampler


@dataclass(frozen=True, slots=True)
class HostSpans:
    """What the threads did, in columns; times are CLOCK_MONOTONIC nanoseconds."""

    codes: list[CodeType]
    code: NDArray[np.int32]
    depth: NDArray[np.int32]
    tid: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    state: NDArray[np.int8]
    state_tid: NDArray[np.int64]
    state_start: NDArray[np.int64]
    state_end: NDArray[np.int64]
    thread_names: dict[int, str]
    samples: int
    seconds: float
    cpu_seconds: float  # of the sampler itself

    @property
    def overhead(self) -> float:
        """The sampler's CPU time as a share of the capture."""
        return self.cpu_seconds / self.seconds if self.seconds else 0.0


class HostSampler:
    """Samples from `start()` to `stop()`.

    >>> sampler = HostSampler(period_ms=2)
    >>> sampler.start()
    >>> _ = sum(range(2_000_000))
    >>> sampler.stop().samples > 0
    True
    """

    def __init__(self, period_ms: float = DEFAULT_PERIOD_MS):
        self._period = int(period_ms * 1e6)
        self._stopping = False
        self._spans = native.Spans()
        self._names: dict[int, str] = {}
        self._began = 0
        self._cpu = 0.0
        self._thread = threading.Thread(target=self._run, name="milepost-sampler", daemon=True)

    def start(self) -> None:
        self._began = native.monotonic_ns()
        self._thread.start()

    def _run(self) -> None:
        own, spans, period = threading.get_ident(), self._spans, self._period
        at = native.monotonic_ns()
        while not self._stopping:
            # From the time the last sample was taken, not from the planned one: a late one must not cause a burst.
            now, free, let_go, waited = native.wait(at + period)
            spans.take(sys._current_frames(), own, now, free, let_go - at + waited)
            at = now
            # at every sample: a thread that took the place, even the identity, of one that ended has a name of its own
            self._name_threads()
        self._cpu = time.thread_time()

    def _name_threads(self) -> None:
        for thread in threading.enumerate():
            if thread.native_id is not None:
                self._names[thread.native_id] = thread.name

    def stop(self) -> HostSpans:
        """End the thread; everything it saw."""
        self._stopping = True
        self._thread.join()
        spans = self._spans
        spans.close()
        return HostSpans(
            codes=spans.codes,
            code=np.array(spans.code, np.int32),
            depth=np.array(spans.depth, np.int32),
            tid=np.array(spans.tid, np.int64),
            start=np.array(spans.start, np.int64),
            end=np.array(spans.end, np.int64),
            state=np.array(spans.state_kind, np.int8),
            state_tid=np.array(spans.state_tid, np.int64),
            state_start=np.array(spans.state_start, np.int64),
            state_end=np.array(spans.state_end, np.int64),
            thread_names=self._names,
            samples=spans.samples,
            seconds=(native.monotonic_ns() - self._began) / 1e9,
            cpu_seconds=self._cpu,
        )
