"""Runs a TensorJob in as many threads as help. In: a job. Out: its checksums, or an error that names tensor and cause.

A thread's start and end both stand here. Not here: the loops (`_native.tensorio`), files (`local`).
"""

from __future__ import annotations

import errno
import os
import threading

from milepost._native.tensorio import TensorJob
from milepost.errors import StorageError, TruncatedError

__all__ = ["PARALLEL_ABOVE", "run"]

PARALLEL_ABOVE = 8 << 20  # bytes; starting a thread costs as much as moving about half a megabyte
MAX_THREADS = 8


def run(job: TensorJob, path: str, *, doing: str) -> None:
    """Move everything. Returns only when no thread touches the job's memory or file any more."""
    threads: list[threading.Thread] = []
    if job.total > PARALLEL_ABOVE:
        count = min(MAX_THREADS, _cores()) - 1
        threads = [threading.Thread(target=job.work, name="milepost-io", daemon=True) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()
        job.work()
    except BaseException:
        job.stop()
        raise
    finally:
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    if job.failed is not None:
        number, tensor = job.failed
        if number < 0:
            raise TruncatedError(f"the file ends before tensor {tensor} of it does", where=path)
        raise failure(OSError(number, os.strerror(number)), path, doing)


def failure(error: OSError, path: str, doing: str) -> StorageError:
    """One line for what the system said."""
    todo = {
        errno.ENOSPC: "free some space or save elsewhere; earlier checkpoints are untouched",
        errno.EDQUOT: "the quota is used up; earlier checkpoints are untouched",
        errno.EACCES: "check who owns the directory",
        errno.EROFS: "save to a place that can be written",
    }.get(error.errno or 0, "")
    made = StorageError(f"cannot {doing}: {error.strerror or error}", where=path, todo=todo)
    made.errno = error.errno
    return made


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
