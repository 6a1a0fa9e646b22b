"""One exception tree. In: facts about what went wrong. Out: one message that says what, where, got / wanted, what to do.

MilepostError
├── FormatError              bytes do not mean what they should
│   ├── CorruptionError      a checksum does not match: the bytes were changed after they were written
│   └── TruncatedError       the bytes end too early
├── StorageError             a file or directory cannot be read, written or listed
├── CheckpointError
│   ├── CheckpointNotFoundError   no checkpoint at that place (also a FileNotFoundError)
│   ├── UntrackableError     an object that cannot be saved, with its path (also a TypeError)
│   ├── CoverageError        state of a tracked object that would not be saved
│   ├── RestoreError         saved and live state do not fit (also a ValueError)
│   └── UnmatchedError       an `assert_*` of a restore status does not hold (also an AssertionError)
├── SummaryError             a summary that cannot be written as asked
├── ProfileError             a capture that cannot be made or read
├── EngineMissingError       torch, jax or keras is needed and not installed (also an ImportError)
└── UsageError               a call or command that makes no sense as given
"""

from __future__ import annotations

__all__ = [
    "CheckpointError",
    "CheckpointNotFoundError",
    "CorruptionError",
    "CoverageError",
    "EngineMissingError",
    "FormatError",
    "MilepostError",
    "ProfileError",
    "RestoreError",
    "StorageError",
    "SummaryError",
    "TruncatedError",
    "UnmatchedError",
    "UntrackableError",
    "UsageError",
]


class MilepostError(Exception):
    """Root of every error Milepost raises on purpose.

    `where` is a file, offset or object path; `todo` is the remedy. Both end up in the one-line message.
    """

    def __init__(self, what: str, *, where: str | None = None, got: object = None, want: object = None, todo: str = ""):
        self.what, self.where, self.got, self.want, self.todo = what, where, got, want, todo
        message = what if where is None else f"{where}: {what}"
        if got is not None or want is not None:
            message += f" (got {got}, wanted {want})"
        if todo:
            message += f". {todo[0].upper()}{todo[1:]}" if not message.endswith(".") else f" {todo}"
        super().__init__(message)


class FormatError(MilepostError):
    """Bytes that do not mean what they should."""


class CorruptionError(FormatError):
    """A checksum does not match."""


class TruncatedError(FormatError):
    """The bytes end before what they announce."""


class StorageError(MilepostError, OSError):
    """A file or directory that cannot be read, written or listed."""


class CheckpointError(MilepostError):
    """Something about a checkpoint."""


class CheckpointNotFoundError(CheckpointError, FileNotFoundError):
    """No checkpoint there."""


class UntrackableError(CheckpointError, TypeError):
    """An object that cannot be saved."""


class CoverageError(CheckpointError):
    """State that would silently not be saved."""


class RestoreError(CheckpointError, ValueError):
    """Saved and live state do not fit."""


class UnmatchedError(CheckpointError, AssertionError):
    """An assertion about a restore does not hold."""


class SummaryError(MilepostError, ValueError):
    """A summary that cannot be written as asked."""


class ProfileError(MilepostError):
    """A capture that cannot be made or read."""


class EngineMissingError(MilepostError, ImportError):
    """An engine that is needed and not installed."""


class UsageError(MilepostError, ValueError):
    """A call or command that makes no sense as given."""
