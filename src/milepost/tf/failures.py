"""The errors of `tf.errors`, and the sentences TensorFlow's users know. In: what did not fit. Out: an exception to raise."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

from milepost.errors import MilepostError

__all__ = [
    "AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError", "FailedPreconditionError",
    "InternalError", "InvalidArgumentError", "NotFoundError", "OpError", "OperatorNotAllowedInGraphError", "OutOfRangeError",
    "PermissionDeniedError", "ResourceExhaustedError", "UnauthenticatedError", "UnavailableError", "UnimplementedError", "UnknownError",
    "dtype_mismatch", "guard", "kernel", "not_converted", "refused", "shapes_differ", "told", "unsupported_dtype",
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


def kernel(op: str, sentence: str, name: str | None = "", variant: str = "") -> InvalidArgumentError:
    """What a kernel says when its inputs do not fit. Some operations end with a name (None: they do not); `variant` is `_N_2` and the like."""
    where = "{{function_node __wrapped__" + op + variant + "_device_/job:localhost/replica:0/task:0/device:CPU:0}}"
    return InvalidArgumentError(f"{where} {sentence} [Op:{op}]" + ("" if name is None else f" name: {name}"))


def refused(op: str, dtype: Any, allowed: str, signature: str = "x:T -> y:T", name: str | None = "") -> OpError:
    """An operation that has no kernel for a dtype; `allowed` names the dtypes it has one for."""
    listed = allowed.split()
    enums = ", ".join("DT_" + d.upper() for d in listed)
    return InvalidArgumentError(
        f"Value for attr 'T' of {dtype.short} is not in the list of allowed values: {', '.join(listed)}\n\t; NodeDef: {{{{node {op}}}}}; "
        f"Op<name={op}; signature={signature}; attr=T:type,allowed=[{enums}]> [Op:{op}]"
        + ("" if name is None else f" name: {name}")
    )


def not_converted(value: Any, dtype: Any) -> TypeError:
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.short}")


Function = TypeVar("Function", bound=Callable[..., Any])


_TEXT = re.compile(r"numpy\.nd|numpy\.dtypes|dtype\('O'\)|'bytes' object")  # what strings meet in functions of numbers


def told(op: str) -> Callable[[Function], Function]:
    """Of a function that leaves checking to torch: what torch says against its arguments is an InvalidArgumentError of that operation."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (RuntimeError, IndexError, ZeroDivisionError) as error:
                if isinstance(error, NotImplementedError) or type(error).__module__.startswith("milepost"):
                    raise
                raise kernel(op, str(error).split("\n")[0]) from None
            except (AttributeError, KeyError) as error:
                if not _TEXT.search(str(error)):
                    raise
                raise InvalidArgumentError(
                    f"Value for attr 'T' of string is not in the list of allowed values: {op} is for numbers [Op:{op}]"
                ) from None

        return cast(Function, call)

    return decorate


def guard(names: dict[str, Any], public: Sequence[str], quick: str = "") -> None:
    """The public functions of a namespace, told; but for the quick ones, which check for themselves."""
    for name in public:
        function = names.get(name)
        if isinstance(function, types.FunctionType) and name not in quick.split():
            names[name] = told(name.title().replace("_", ""))(function)


def shapes_differ(op: str, a: Sequence[int], b: Sequence[int]) -> InvalidArgumentError:
    return kernel(op, f"Incompatible shapes: {brackets(a)} vs. {brackets(b)}")


def dtype_mismatch(op: str, wanted: Any, got: Any, position: int = 1) -> Exception:
    if op == "RealDiv":
        return TypeError(f"`x` and `y` must have the same dtype, got {wanted!r} != {got!r}.")
    return InvalidArgumentError(
        f"cannot compute {op} as input #{position}(zero-based) was expected to be a {wanted.short} tensor "
        f"but is a {got.short} tensor [Op:{op}] name: "
    )


def unsupported_dtype(value: Any) -> TypeError:
    return TypeError(f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType.")
