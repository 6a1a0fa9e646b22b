"""Writers as `tf.summary` has them. In: a directory. Out: an object that is the default in a `with` block and owns an event log.

Not here: threads, files (`event_log`, `event_file`), the drop-in for torch's class (`drop_in`).
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from milepost._native.event_buffer import Template
from milepost.errors import SummaryError, UsageError
from milepost.formats.scalar_event import tensor_template
from milepost.summary.context import current
from milepost.summary.event_log import EventLog, Job
from milepost.types import PathLike

__all__ = [
    "FileWriter",
    "NoopWriter",
    "SummaryWriterLike",
    "create_file_writer",
    "create_noop_writer",
    "flush",
    "local_directory",
]


class ClosedWriterError(SummaryError, RuntimeError):
    """A writer used after it was closed (a RuntimeError, as in TensorFlow)."""


class SummaryWriterLike:
    """What a default writer answers. Final classes below; use `create_file_writer` or `create_noop_writer`."""

    records = False  # whether anything given to it is kept
    logdir = ""

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriterLike]:
        """Within, this is the writer of this thread, and `step`, if given, its step."""
        self._check_open()
        writer_before, step_before = current.writer, current.step
        current.writer = self
        if step is not None:
            current.step = step
        try:
            yield self
        finally:
            current.writer = writer_before
            if step is not None:
                current.step = step_before
            self._leave()

    def set_as_default(self, step: Any = None) -> None:
        """From now on this is the writer of this thread, and `step`, if given, its step."""
        self._check_open()
        current.writer = self
        if step is not None:
            current.step = step

    def init(self) -> None:
        """Nothing to do: a writer is ready when it is made."""

    def flush(self) -> None:
        """Everything written so far is with the operating system when this returns."""

    def close(self) -> None:
        """Write what is left and let go of the file. Raises StorageError when summaries were lost on the way."""

    def _check_open(self) -> None: ...

    def _leave(self) -> None: ...

    def scalar(self, tag: str, value: float, step: int, description: str | None) -> bool:
        return False

    def scalar_later(self, tag: str, read: Callable[[], float], step: int, description: str | None) -> bool:
        return False

    def append(self, payload: bytes) -> bool:
        return False

    def submit(self, job: Job, size: int) -> bool:
        return False


class NoopWriter(SummaryWriterLike):
    """Keeps nothing; for processes that should not log."""


class FileWriter(SummaryWriterLike):
    """Writes one run. Made by `create_file_writer`."""

    records = True

    def __init__(self, log: EventLog, name: str | None = None, *, owns: bool = True):
        self.name = name or "logdir:" + log.directory
        self._log = log
        self.logdir = log.directory
        self._templates: dict[tuple[str, str | None], Template] = {}
        self._plain: dict[str, Template] = {}
        if owns:
            weakref.finalize(self, log.close_soon).atexit = False  # at exit `process` writes every log

    def __repr__(self) -> str:
        return f"<milepost.summary.FileWriter of {self._log.directory!r}{' (closed)' if self._log.closed else ''}>"

    @property
    def path(self) -> str | None:
        """The event file that is being written."""
        return self._log.path

    @property
    def closed(self) -> bool:
        return self._log.closed

    def flush(self) -> None:
        if not self._log.closed:
            self._log.flush()

    def close(self) -> None:
        self._log.close()

    def _check_open(self) -> None:
        if self._log.closed:
            raise ClosedWriterError("the writer is already closed", where=self._log.directory, todo="make a new one")

    def _leave(self) -> None:
        self._log.flush_soon()

    def scalar(self, tag: str, value: float, step: int, description: str | None = None) -> bool:
        template = self._plain.get(tag) if description is None else None
        if template is None:
            template = self._template(tag, description)
        return self._log.scalar(template, value, step, time.time())

    def scalar_later(self, tag: str, read: Callable[[], float], step: int, description: str | None = None) -> bool:
        return self._log.scalar_later(self._template(tag, description), read, step, time.time())

    def _template(self, tag: str, description: str | None) -> Template:
        if description is None:
            template = self._plain.get(tag)
            return template if template is not None else self._plain.setdefault(tag, tensor_template(tag))
        template = self._templates.get((tag, description))
        if template is None:
            template = self._templates[tag, description] = tensor_template(tag, description)
        return template

    def append(self, payload: bytes) -> bool:
        return self._log.append(payload)

    def submit(self, job: Job, size: int) -> bool:
        return self._log.submit(job, size)


def local_directory(logdir: PathLike) -> str:
    """`logdir` as an absolute local path: a program that changes its directory later must not move its logs."""
    text = os.fsdecode(logdir)
    if text.startswith("file://"):
        text = text[len("file://") :]
    elif "://" in text:
        raise UsageError(
            "event files are written to a local directory", got=text, todo="write locally and copy, or mount it"
        )
    return os.path.abspath(os.path.expanduser(text))


def create_file_writer(
    logdir: PathLike,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> FileWriter:
    """A writer of event files in `logdir`, which is made if missing; the file exists when this returns.

    A queue of more than `max_queue` (10) records is written at once, a shorter one after `flush_millis`
    (a second; TensorFlow waits two minutes). `filename_suffix` replaces `.v2` at the end of the file's name.

        >>> import milepost
        >>> writer = milepost.summary.create_file_writer("runs/first")
        >>> with writer.as_default():
        ...     for step in range(3):
        ...         _ = milepost.summary.scalar("loss", 1 / (step + 1), step=step)
        >>> writer.close()
    """
    seconds = None if flush_millis is None else float(flush_millis) / 1000
    log = EventLog(
        local_directory(logdir),
        max_queue=None if max_queue is None else int(max_queue),
        flush_seconds=seconds,
        suffix=filename_suffix,
    )
    return FileWriter(log, name)


def create_noop_writer() -> NoopWriter:
    """A writer that keeps nothing."""
    return NoopWriter()


def flush(writer: SummaryWriterLike | None = None, name: str | None = None) -> None:
    """Flush `writer`, or the default one."""
    writer = writer if writer is not None else current.writer
    if writer is not None:
        writer.flush()
