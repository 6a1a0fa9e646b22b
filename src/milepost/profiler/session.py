"""The one capture of this process. In: start and stop. Out: `<logdir>/plugins/profile/<time>/<host>.trace.json.gz`.

Only one capture can run at a time, as the engines' own profilers allow only one. An engine whose profiler refuses to
start is named in a warning and left out: half a profile is better than a stopped training.
Not here: sampling (`sampler`), the merged trace (`write`), when to start (`schedule`).
"""

from __future__ import annotations

import gzip
import os
import platform
import socket
import threading
import time
import warnings
from dataclasses import dataclass, field
from typing import Any, Self

from milepost._native.sampler import monotonic_ns
from milepost.engines.profile import CaptureOptions, EngineCapture, EngineTrace, captures
from milepost.errors import ProfileError, StorageError
from milepost.profiler import spans as span_rows
from milepost.profiler.sampler import DEFAULT_PERIOD_MS, HostSampler
from milepost.profiler.write import Captured, chrome_trace
from milepost.types import PathLike

__all__ = ["Profile", "ProfilerOptions", "active", "attach", "start", "stop"]


@dataclass(frozen=True, slots=True)
class ProfilerOptions:
    """What a capture records.

    With `memory=True` torch records allocations, and ops of the thread that starts the capture (backward passes included);
    with `memory=False` no allocations, but ops of every thread. `sample_ms=0` switches the host sampler off; `engines=()` the engines' own profilers. The `*_tracer_level` and
    `delay_ms` names are TensorFlow's: level 0 of the host tracer is `sample_ms=0`, level 0 of the device tracer is
    `engines=()`.
    """

    sample_ms: float = DEFAULT_PERIOD_MS
    shapes: bool = True
    memory: bool = True
    stacks: bool = False
    modules: bool = True
    engines: tuple[str, ...] = ("torch", "jax")
    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


@dataclass(slots=True)
class _Session:
    logdir: str | None
    options: ProfilerOptions
    engines: list[EngineCapture] = field(default_factory=list)
    sampler: HostSampler | None = None
    spans: list[span_rows.Span] = field(default_factory=list)
    began: int = 0
    start_cost: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)


_lock = threading.Lock()
_session: _Session | None = None


def active() -> bool:
    """Whether a capture is running."""
    return _session is not None


def start(logdir: PathLike | None, options: ProfilerOptions | None = None) -> None:
    """Begin a capture that `stop()` writes under `logdir`. None: `stop(logdir=...)` will say.

    >>> import milepost.profiler as profiler
    >>> profiler.start("runs/a")        # doctest: +SKIP
    >>> profiler.stop()                 # doctest: +SKIP
    'runs/a/plugins/profile/2026_01_31_12_00_00/host.trace.json.gz'
    """
    global _session
    options = options or ProfilerOptions()
    with _lock:
        if _session is not None:
            raise ProfileError(
                "a capture is already running",
                where=_session.logdir,
                todo="stop it first: only one can run in a process",
            )
        session = _Session(None if logdir is None else os.fspath(logdir), options)
        asked = monotonic_ns()
        if options.device_tracer_level > 0:
            _start_engines(session)
        session.spans = span_rows.collect()
        session.began = time.time_ns()
        if options.sample_ms > 0 and options.host_tracer_level > 0:
            session.sampler = HostSampler(options.sample_ms)
            session.sampler.start()
        session.start_cost = (monotonic_ns() - asked) / 1e9
        _session = session


def attach() -> None:
    """Start the profilers of engines that were imported after the capture began (`milepost profile record`)."""
    with _lock:
        if _session is not None and _session.options.device_tracer_level > 0:
            _start_engines(_session)


def _capture_options(wanted: ProfilerOptions) -> CaptureOptions:
    return CaptureOptions(wanted.shapes, wanted.memory, wanted.stacks, wanted.engines, wanted.modules)


def _start_engines(session: _Session) -> None:
    wanted = session.options
    running = {capture.name for capture in session.engines}
    for capture in captures(_capture_options(wanted)):
        if capture.name in running:
            continue
        try:
            capture.start()
        except Exception as error:
            warnings.warn(f"{capture.name}'s profiler did not start and is left out of the capture: {error}")
        else:
            session.engines.append(capture)


def stop(save: bool = True, *, logdir: PathLike | None = None) -> str | None:
    """End the capture; the path of what was written, or None with `save=False`. `logdir` overrules that of `start`."""
    global _session
    with _lock:
        session, _session = _session, None
        if session is None:
            raise ProfileError("no capture is running", todo="call milepost.profiler.start(logdir) first")
        host = session.sampler.stop() if session.sampler else None
        ended, now = time.time_ns(), monotonic_ns()
        span_rows.release()
        traces = _stop_engines(session)
        if not save:
            return None
        about = {
            "version": 1,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "python": platform.python_version(),
            "engines": [capture.name for capture in session.engines],
            "seconds": (ended - session.began) / 1e9,
            "start_seconds": session.start_cost,
        }
        if host is not None:
            about |= {
                "sample_ms": session.options.sample_ms,
                "samples": host.samples,
                "sampler_cpu_seconds": host.cpu_seconds,
                "overhead": round(host.overhead, 5),
            }
        captured = Captured(host, session.spans, traces, ended - now, session.began, ended, about)
        target = session.logdir if logdir is None else os.fspath(logdir)
        if target is None:
            raise ProfileError("the capture has no place to go", todo="name a logdir in start() or stop()")
        return _save(target, captured)


def _stop_engines(session: _Session) -> list[EngineTrace]:
    traces = []
    for capture in session.engines:
        try:
            trace = capture.stop()
        except Exception as error:
            warnings.warn(f"{capture.name}'s profiler failed to stop; its events are missing: {error}")
        else:
            if trace is not None:
                traces.append(trace)
    return traces


def _save(logdir: str, captured: Captured) -> str:
    began = time.strftime("%Y_%m_%d_%H_%M_%S", time.localtime(captured.began / 1e9))
    parent = os.path.join(logdir, "plugins", "profile")
    try:
        folder = _fresh(parent, began)
        path = os.path.join(folder, f"{socket.gethostname()}.trace.json.gz")
        # Level 1: a trace shrinks twelvefold at any level, and the run is waiting.
        with gzip.open(path, "wb", compresslevel=1) as file:
            for piece in chrome_trace(captured):
                file.write(piece)
        for trace in captured.engines:
            if trace.xplane is not None:
                with open(os.path.join(folder, f"{socket.gethostname()}.xplane.pb"), "wb") as file:
                    file.write(trace.xplane)
    except OSError as error:
        raise StorageError("the capture cannot be written", where=parent, todo=str(error)) from error
    return path


def _fresh(parent: str, name: str) -> str:
    """A folder of that name, numbered when two captures end up in one second."""
    for number in range(1000):
        folder = os.path.join(parent, name if not number else f"{name}_{number}")
        try:
            os.makedirs(folder)
        except FileExistsError:
            continue
        return folder
    raise ProfileError("a thousand captures in one second", where=parent)


class Profile:
    """A capture as a block.

    >>> with Profile("runs/a"):         # doctest: +SKIP
    ...     train_some_steps()
    """

    def __init__(self, logdir: PathLike, options: ProfilerOptions | None = None):
        self._logdir, self._options = logdir, options
        self.path: str | None = None

    def __enter__(self) -> Self:
        start(self._logdir, self._options)
        return self

    def __exit__(self, *exc: object) -> None:
        self.path = stop()
