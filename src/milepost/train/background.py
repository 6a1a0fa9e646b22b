"""One job at a time, in a thread of its own. In: a function. Out: its error, at the next call or at close.

The thread's start, its lock and its end all stand here. Not here: what is written (`manager`).
"""

from __future__ import annotations

import atexit
import threading
import warnings
import weakref
from collections.abc import Callable

__all__ = ["Background"]


class Background:
    """Runs one job at a time; `submit` waits for the one before."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        _open.add(self)

    @property
    def busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def submit(self, job: Callable[[], None]) -> None:
        """Start a job. Raises the error of the job before, if it had one; the new one then does not start."""
        self.wait()

        def work() -> None:
            try:
                job()
            except BaseException as error:
                self._error = error

        # A daemon, so that an interpreter that is told to stop can; `_finish` waits for it at a normal exit.
        self._thread = threading.Thread(target=work, name="milepost-save", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Until nothing runs; raises the last job's error, once."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
            self._thread = None
        self.check()

    def check(self) -> None:
        """Raise the error of a finished job, once."""
        if self._error is not None and not self.busy:
            error, self._error = self._error, None
            raise error


_open: weakref.WeakSet[Background] = weakref.WeakSet()


@atexit.register
def _finish() -> None:
    for background in list(_open):
        try:
            background.wait()
        except BaseException as error:
            warnings.warn(f"the last background save failed: {error}")
