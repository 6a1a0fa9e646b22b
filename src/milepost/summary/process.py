"""What must happen to open event logs when the process ends, is told to end, or forks. In: logs. Out: nothing lost.

- the interpreter ends: everything is written from an atexit hook; what is logged later still is written in line;
- SIGTERM and SIGHUP, where nobody else handles them: everything is written, then the signal takes its course;
- fork: the child forgets what the parent has not written yet (the parent will) and opens files of its own;
- multiprocessing children leave by os._exit, without atexit: their own finalizers are used.
Not here: how a log is written (`event_log`).
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from typing import Any, Protocol

__all__ = ["end_if_told", "ending", "enroll", "release"]

EXIT_PATIENCE_SECONDS = 60.0  # for a disk that has stopped answering
SIGNAL_PATIENCE_SECONDS = 10.0  # schedulers send SIGKILL some 30 s after SIGTERM


class Log(Protocol):
    def drain(self, timeout: float = -1) -> bool: ...
    def drains_here(self) -> bool: ...
    def write_through(self) -> None: ...
    def after_fork(self) -> None: ...


_logs: set[Log] = set()
_enrolled_in = 0  # the process whose hooks are set; a forked child sets its own
_told: int | None = None  # a signal that came while the main thread itself was writing
_ending = False


def ending() -> bool:
    """True once the interpreter ends: threads can no longer be started, so write in line."""
    return _ending


def enroll(log: Log) -> None:
    _logs.add(log)
    _set_hooks()


def release(log: Log) -> None:
    _logs.discard(log)


def _set_hooks() -> None:
    global _enrolled_in
    if _enrolled_in != os.getpid():
        if _enrolled_in == 0:
            atexit.register(_at_exit)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_after_fork)
        _enrolled_in = os.getpid()
        _finalize_with_multiprocessing()
    _listen()


def _listen() -> None:
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread may set handlers; the next log it makes will
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _on_signal)


def _finalize_with_multiprocessing() -> None:
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        from multiprocessing.util import Finalize

        Finalize(None, _at_exit, exitpriority=0)


def _at_exit() -> None:
    global _ending
    _ending = True
    for log in tuple(_logs):
        log.write_through()
        log.drain(EXIT_PATIENCE_SECONDS)


def _on_signal(number: int, frame: Any) -> None:
    global _told
    if any(log.drains_here() for log in tuple(_logs)):
        _told = number  # we interrupted our own write: let it finish, `end_if_told` follows it
        return
    deadline = time.monotonic() + SIGNAL_PATIENCE_SECONDS
    for log in tuple(_logs):
        log.drain(max(0.1, deadline - time.monotonic()))
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def end_if_told() -> None:
    global _told
    if _told is not None and threading.current_thread() is threading.main_thread():
        number, _told = _told, None
        _on_signal(number, None)


def _after_fork() -> None:
    global _told
    _told = None
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is _on_signal:
            signal.signal(
                number, signal.SIG_DFL
            )  # a worker that logs nothing must die at once; one that logs asks again
    for log in tuple(_logs):
        log.after_fork()
