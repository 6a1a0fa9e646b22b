"""The errors of `tf.errors`, and the sentences TensorFlow's users know. In: what did not fit. Out: an exception to raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from milepost.errors import MilepostError

__all__ = [
    "AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError", "FailedPreconditionError",
    "InternalError", "InvalidArgumentError", "NotFoundError", "OpError", "OperatorNotAllowedInGraphError", "OutOfRangeError",
    "PermissionDeniedError", "ResourceExhaustedError", "UnauthenticatedError", "UnavailableError", "UnimplementedError", "UnknownError",
    "dtype_mismatch", "kernel", "shapes_differ", "unsupported_dtype",
]  # fmt: skip


class OpError(MilepostError):
    """Root of `tf.errors`: an operation that cannot be done as asked."""

    code: ClassVar[int] = 2

    def __init__(self, node_def: Any = None, op: Any = None, message: str | None = None, error_code: int | None = None):
        # TensorFlow's own order of arguments; most of Milepost gives the message alone
        self.node_def: Any = node_def if message is not None else None
        self.op: Any = op if message is not None else None
        self.message = str(message if message is not None else node_def)
        self.error_code = self.code if error_code is None else error_code
        super().__init__(self.message)


class CancelledError(OpError):
    code = 1


class UnknownError(OpError):
    code = 2


class InvalidArgumentError(OpError):
    code = 3


class DeadlineExceededError(OpError):
    code = 4


class NotFoundError(OpError):
    code = 5


class AlreadyExistsError(OpError):
    code = 6


class PermissionDeniedError(OpError):
    code = 7


class ResourceExhaustedError(OpError):
    code = 8


class FailedPreconditionError(OpError):
    code = 9


class AbortedError(OpError):
    code = 10


class OutOfRangeError(OpError):
    code = 11


class UnimplementedError(OpError):
    code = 12


class InternalError(OpError):
    code = 13


class UnavailableError(OpError):
    code = 14


class DataLossError(OpError):
    code = 15


class UnauthenticatedError(OpError):
    code = 16


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was asked for a value it does not have yet."""


def brackets(shape: Sequence[int]) -> str:
    return "[" + ",".join(str(int(d)) for d in shape) + "]"


def kernel(op: str, sentence: str) -> InvalidArgumentError:
    """What a kernel says when its inputs do not fit."""
    where = "{{function_node __wrapped__" + op + "_device_/job:localhost/replica:0/task:0/device:CPU:0}}"
    return InvalidArgumentError(f"{where} {sentence} [Op:{op}] name: ")


def shapes_differ(op: str, a: Sequence[int], b: Sequence[int]) -> InvalidArgumentError:
    return kernel(op, f"Incompatible shapes: {brackets(a)} vs. {brackets(b)}")


def dtype_mismatch(op: str, wanted: Any, got: Any, position: int = 1) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"cannot compute {op} as input #{position}(zero-based) was expected to be a {wanted.short} tensor "
        f"but is a {got.short} tensor [Op:{op}] name: "
    )


def unsupported_dtype(value: Any) -> TypeError:
    return TypeError(f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType.")
