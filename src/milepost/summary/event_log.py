"""The way from a training thread to an event file. In: scalars, payloads, encoding jobs. Out: records, in a file, soon.

The caller only appends to memory: a scalar is encoded in place (100 ns), anything heavier is a job for the log's own
thread, which encodes, writes and naps. Memory is bounded; when the disk does not take what training gives, a call
waits a moment once, then summaries are dropped and counted. Nothing here raises into training except wrong arguments;
`close` says what was lost.
The thread's start, its lock and its end are all in this file. Not here: the file (`event_file`), exit and fork (`process`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

import numpy as np

from milepost._native.event_buffer import EventBuffer, Template
from milepost.errors import StorageError
from milepost.formats.record import MAX_RECORD_BYTES
from milepost.summary import process
from milepost.summary.event_file import DEFAULT_SUFFIX, EventFile

__all__ = ["EventLog"]

BUFFER_BYTES = 64 << 20  # framed records in memory; at 300 000 scalars a second two seconds' worth
JOB_BYTES = 256 << 20  # images, audio, histograms waiting to be encoded
SCALAR_JOB_BYTES = 1024  # what a scalar that waits costs in memory, roughly
NAP_SECONDS = 0.005  # between two writes: many records a system call, and nobody sees the difference
PATIENCE_SECONDS = 1.0  # how long one call waits for room before summaries are dropped
RETRY_SECONDS = (0.5, 1.0, 2.0, 5.0)  # after a failed write
DEFAULT_QUEUE = 10
DEFAULT_FLUSH_SECONDS = (
    1.0  # TensorFlow waits up to 120 s; a board that is live needs less, and one write a second is free
)
NEVER = (1 << 62) - 1

logger = logging.getLogger("milepost.summary")

Job = Callable[[], bytes]


def _refuse(template: Template, value: float, step: int, wall_time: float) -> int:
    """Takes the place of `append_scalar` in a closed log."""
    return 0


class EventLog:
    """One run's stream of events, and the thread that writes it."""

    def __init__(
        self, directory: str, *, max_queue: int | None = None, flush_seconds: float | None = None, suffix: str | None = None
    ):  # fmt: skip
        self.directory = directory
        self._suffix = DEFAULT_SUFFIX if suffix is None else suffix
        self._max_queue = DEFAULT_QUEUE if max_queue is None else max_queue
        self._flush_seconds = DEFAULT_FLUSH_SECONDS if flush_seconds is None else flush_seconds
        self._buffer = EventBuffer(BUFFER_BYTES)
        self.append_scalar: Callable[[Template, float, int, float], int] = self._buffer.append_scalar
        try:
            self._file: EventFile | None = EventFile(directory, self._suffix)
        except OSError as error:
            raise StorageError(
                f"no event file can be made here: {error.strerror}", where=directory, todo="choose another directory or its permissions"
            ) from error  # fmt: skip
        self._reset()
        process.enroll(self)

    def _reset(self) -> None:
        """The state that neither survives a fork nor is known before the first record."""
        self._jobs: deque[tuple[Job, int]] = deque()
        self._order = (
            threading.RLock()
        )  # held to decide whether a scalar joins jobs or buffer; a signal handler may come back to it
        self._queueing = False  # scalars wait behind one whose value is still being computed
        self._job_bytes = 0
        self._io = threading.RLock()  # held while records go from memory to the file; reentrant only to know its owner
        self._bell = threading.Lock()  # locked: the thread may sleep; released: it has work
        self._bell.acquire()
        self._thread: threading.Thread | None = None
        self._ending = threading.Lock()
        self._hurry = self._closing = self.closed = self._told = False
        self._mark_end = False  # the interpreter ends: the next write says so in the file
        self._error: StorageError | None = None
        self._stuck = False  # a call has waited in vain; the next ones do not
        self._failures = 0  # writes that failed in a row
        self._warned: set[str] = set()
        self.dropped = 0

    # ---- called by training threads

    @property
    def path(self) -> str | None:
        return self._file.path if self._file is not None else None

    def scalar(self, template: Template, value: float, step: int, wall_time: float) -> bool:
        """Append one scalar. False when it had to be dropped."""
        answer = self.append_scalar(template, value, step, wall_time)
        if answer == 1:
            return True
        if answer == 2:
            self._wake()
            return True
        return self._wait_for_room(lambda: self.append_scalar(template, value, step, wall_time))

    def scalar_later(self, template: Template, read: Callable[[], float], step: int, wall_time: float) -> bool:
        """Append a scalar whose value `read` will know, on the log's thread.

        Scalars that come after it wait behind it: readers take a step that goes back for a restart.
        """

        def job() -> bytes:
            self._buffer.append_scalar(template, read(), step, wall_time)
            return b""

        with self._order:
            taken = self._put(job, SCALAR_JOB_BYTES)
            if taken and not self.closed:
                self._queueing, self.append_scalar = True, self._append_behind
        if taken:
            self._wake()
            return True
        return self._wait_for_room(lambda: self._put(job, SCALAR_JOB_BYTES))

    def _append_behind(self, template: Template, value: float, step: int, wall_time: float) -> int:
        """Takes the place of `append_scalar` while `_queueing`."""

        def job() -> bytes:
            self._buffer.append_scalar(template, value, step, wall_time)
            return b""

        with self._order:
            if not self._queueing:
                return 0 if self.closed else self._buffer.append_scalar(template, value, step, wall_time)
            taken = self._put(job, SCALAR_JOB_BYTES)
        return 2 if taken else 0

    def append(self, payload: bytes) -> bool:
        """Append one encoded event. False when it had to be dropped."""
        if self.closed:
            return self._wait_for_room(lambda: 0)
        if len(payload) >= MAX_RECORD_BYTES:
            self._drop(f"a summary of {len(payload)} bytes is larger than an event may be")
            return False
        answer = self._buffer.append(payload)
        if answer == 2:
            self._wake()
        return answer != 0 or self._wait_for_room(lambda: self._buffer.append(payload))

    def submit(self, job: Job, size: int) -> bool:
        """Have `job` encode an event later. It owns its data, about `size` bytes of it."""

        if not self._put(job, size) and not self._wait_for_room(lambda: self._put(job, size)):
            return False
        self._wake()
        return True

    def _put(self, job: Job, size: int) -> int:
        if self.closed or (self._job_bytes + size > JOB_BYTES and self._jobs):
            return 0
        self._jobs.append((job, size))
        self._job_bytes += size
        return 1

    def flush_soon(self) -> None:
        """Have everything so far written without waiting for it."""
        if self._buffer.records or self._jobs:
            self._hurry = True
            self._wake()

    def flush(self) -> None:
        """Everything so far is with the operating system when this returns, or a warning has said why not."""
        self.drain()

    def close(self) -> None:
        """Write everything, end the thread, close the file. Raises StorageError when something was lost, the first time."""
        if self._told:
            return
        self._closing = True
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            self._ring()
            thread.join()
        self._finish()
        self._told = True
        if self._error is not None:
            raise self._error
        if self.dropped:
            raise StorageError(
                f"{self.dropped} summaries were not written", where=self.directory,
                todo="the log of `milepost.summary` has the first cause",
            )  # fmt: skip

    def close_soon(self) -> None:
        """For a writer that nobody holds any more: the thread writes the rest and closes."""
        if not self.closed and not process.ending():
            self._closing = True
            self._wake()

    # ---- room

    def _wait_for_room(self, attempt: Callable[[], int]) -> bool:
        if self.closed:
            self._drop("a summary came after its writer was closed")
            return False
        self._hurry = True
        self._wake()
        deadline = time.monotonic() + (0.0 if self._stuck else PATIENCE_SECONDS)
        while True:
            if attempt():
                self._stuck = False
                return True
            if time.monotonic() >= deadline:
                self._stuck = True
                self._drop("summaries come faster than they can be written")
                return False
            time.sleep(0.001)

    def _drop(self, why: str) -> None:
        self.dropped += 1
        self._warn("drop", f"{why}: dropping summaries, training goes on")

    def _warn(self, kind: str, message: str) -> None:
        if kind not in self._warned:
            self._warned.add(kind)
            logger.warning("%s: %s", self.directory, message)

    # ---- the thread

    def _ring(self) -> None:
        try:
            self._bell.release()
        except RuntimeError:
            pass  # it rings already

    def _wake(self) -> None:
        if self.closed:
            return
        if self._thread is None:
            if process.ending():
                self.drain()
                return
            process.enroll(self)  # once more, here: a forked child sets its own hooks, and only its main thread can
            thread = threading.Thread(target=self._run, name="milepost-summary", daemon=True)
            self._thread = thread
            try:
                thread.start()
            except RuntimeError:  # no more threads, or the interpreter ends: write in line
                self._thread = None
                self.drain()
            return
        if process.ending():
            self.drain()
        else:
            self._ring()

    def _run(self) -> None:
        while not self._closing:
            self._wait()
            self._buffer.wake_at = NEVER  # until the next _wait: nobody else sets it, so the bell is never missed
            self.drain()
            if not self._closing:
                time.sleep(NAP_SECONDS)
        self._finish()

    def _finish(self) -> None:
        """Refuse what comes from now on, write what came before, close the file. Errors are kept for `close`."""
        with self._ending:
            if self.closed:
                return
            with self._order:
                self.append_scalar, self._queueing, self.closed = _refuse, False, True
            self.drain()
            file, self._file = self._file, None
            try:
                if file is not None:
                    self._buffer.take_into(file.waiting)
                    file.mark_end()
                    file.close()
            except StorageError as error:
                self._error = error
            except Exception as error:
                self._error = StorageError(f"the event file could not be closed: {error}", where=self.directory)
            self.dropped += len(self._jobs) + self._buffer.records
            if self._error is not None:
                self._warn("write", str(self._error))
            process.release(self)

    def _wait(self) -> None:
        """Return when there is something to write and it is time to."""
        buffer, deadline = self._buffer, 0.0  # deadline 0: nothing waits yet
        if self._failures:
            deadline = time.monotonic() + RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS)) - 1]
            while not self._closing and (left := deadline - time.monotonic()) > 0:
                self._bell.acquire(timeout=left)
            return
        while not (self._hurry or self._closing):
            if self._jobs or buffer.records > self._max_queue:
                return
            if buffer.records == 0:
                buffer.wake_at, deadline = 1, 0.0
                if buffer.records == 0:
                    self._bell.acquire()
                continue
            now = time.monotonic()
            deadline = deadline or now + self._flush_seconds
            if now >= deadline:
                return
            buffer.wake_at = self._max_queue + 1
            if buffer.records <= self._max_queue:
                self._bell.acquire(timeout=deadline - now)

    def write_through(self) -> None:
        """From now on every record is written by the thread that logs it: the interpreter ends, and the log's thread with it."""
        self._buffer.urgent = self._mark_end = True

    def drains_here(self) -> bool:
        """Whether the calling thread is inside `drain`."""
        return bool(self._io._is_owned())  # type: ignore[attr-defined]  # what threading.Condition asks, too

    def drain(self, timeout: float = -1) -> bool:
        """Encode the jobs and hand everything to the operating system, on the calling thread."""
        if self.drains_here():
            return False
        if timeout < 0:
            with self._io:  # and not acquire(): a Ctrl-C between the call and `try` would leave it locked
                self._to_file()
        else:
            if not self._io.acquire(timeout=timeout):
                return False
            try:
                self._to_file()
            finally:
                self._io.release()
        process.end_if_told()
        return True

    def _to_file(self) -> None:
        self._hurry = False
        if not (
            self._buffer.records or self._jobs or (self._file is not None and (self._file.waiting or self._mark_end))
        ):
            return
        try:
            if self._file is None:
                self._file = EventFile(self.directory, self._suffix)  # first record after a fork
            elif not self._file.ours():
                self._warn("renewed", "the event file was deleted; going on in a new one")
                self._file.renew()
            file = self._file
            file.push()  # first what an earlier write left; a full disk stops here, and memory stays bounded
            while self._buffer.records or self._jobs:
                while self._jobs and len(self._buffer) < BUFFER_BYTES // 2:
                    self._encode()
                self._stop_queueing()
                self._buffer.take_into(file.waiting)
                file.push()
            if self._mark_end:  # most programs never close their writer
                self._mark_end = False
                file.mark_end()
                file.push()
        except Exception as error:  # whatever it is, training goes on and the next round tries again
            self._failures += 1
            self._warn("write", f"cannot write summaries: {error}; will try again, training goes on")
        else:
            if self._failures:
                self._warned.discard("write")
                self._failures = 0

    def _stop_queueing(self) -> None:
        if self._queueing:
            with self._order:
                if not self._jobs:
                    self._queueing = False
                    self.append_scalar = _refuse if self.closed else self._buffer.append_scalar

    def _encode(self) -> None:
        job, size = self._jobs[0]
        try:
            with np.errstate(
                all="ignore"
            ):  # odd values are the user's; a warning filter must not turn them into a lost summary
                payload = job()
        except Exception as error:
            payload = b""
            self.dropped += 1
            self._warn("encode", f"a summary could not be encoded: {type(error).__name__}: {error}")
        if len(payload) >= MAX_RECORD_BYTES:
            self._drop(f"a summary of {len(payload)} bytes is larger than an event may be")
        elif payload and self._buffer.append(payload) == 0:  # an empty payload: the job wrote files of its own
            self._drop("the buffer is full")
        self._jobs.popleft()
        self._job_bytes = self._job_bytes - size if self._jobs else 0

    # ---- fork

    def after_fork(self) -> None:
        """In the child: what is in memory is the parent's to write; what comes next goes to a file of the child's own."""
        self._buffer.take()
        self._buffer.wake_at = 1
        closed = self.closed
        if self._file is not None:
            self._file.abandon()
        self._file = None
        self._reset()
        self.closed = self._told = closed
        self.append_scalar = _refuse if closed else self._buffer.append_scalar
