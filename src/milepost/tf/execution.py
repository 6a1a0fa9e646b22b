"""How programs run: eager or traced, on which device, in which name scope; checks and printing that work in both."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from milepost.tf import failures
from milepost.tf.convert import raw
from milepost.tf.printing import line, shown
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "Assert",
    "control_dependencies",
    "executing_eagerly",
    "get_current_name_scope",
    "get_logger",
    "get_static_value",
    "group",
    "init_scope",
    "inside_function",
    "is_symbolic_tensor",
    "name_scope",
    "no_op",
    "print",
    "scope_prefix",
]

_write = sys.modules["builtins"].print
_scopes: list[str] = [""]  # the full name of each scope that is open, ending in a slash


def scope_prefix() -> str:
    """'outer/inner/' inside those scopes, '' outside."""
    return _scopes[-1]


def executing_eagerly() -> bool:
    """False only while tf.function traces."""
    return NOW.trace is None


def inside_function() -> bool:
    """Whether tf.function is tracing."""
    return NOW.trace is not None


def is_symbolic_tensor(tensor: Any) -> bool:
    """Tensors have values at all times."""
    return False


def get_current_name_scope() -> str:
    """'outer/inner'."""
    return scope_prefix().rstrip("/")


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The values as an array, where they are known: always, but in a function that is being traced."""
    if not isinstance(tensor, Tensor):
        return None if not isinstance(tensor, (np.ndarray, np.generic)) else tensor
    if NOW.trace is not None and not NOW.trace.is_constant(tensor._t):
        return None
    return tensor.numpy()


class name_scope:
    """Names inside a `with` get this prefix."""

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def __enter__(self) -> str:
        from milepost.tf.rooms import enter_name_scope

        outer = _scopes[-1]
        # a name that ends in a slash is a scope's full name, entered again
        full = self._name if self._name.endswith("/") or not self._name else f"{outer}{self._name}/"
        self._inner = enter_name_scope(full.removeprefix(outer).rstrip("/"))
        self._inner.__enter__()
        _scopes.append(full)
        return full

    def __exit__(self, *error: Any) -> None:
        self._inner.__exit__(*error)
        _scopes.pop()


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Things already happen in the order they are written."""
    yield


@contextmanager
def init_scope() -> Iterator[None]:
    """Outside the trace."""
    before, NOW.trace = NOW.trace, None
    try:
        yield
    finally:
        NOW.trace = before


def no_op(name: str | None = None) -> None:
    """Nothing."""


def group(*inputs: Any, **_: Any) -> None:
    """Everything was done already."""


def print(*inputs: Any, output_stream: Any = None, summarize: int = 3, sep: str = " ", end: str = "\n", name: str | None = None) -> None:  # fmt: skip
    """Values to standard error, at every run of a tf.function too."""

    def show(*values: Any) -> None:
        text = line(values, summarize, sep)
        if isinstance(output_stream, str) and output_stream.startswith("file://"):
            with Path(output_stream.removeprefix("file://")).open("a") as file:
                _write(text, end=end, file=file)
            return
        target = {"sys.stdout": sys.stdout, "sys.stderr": sys.stderr, None: sys.stderr}.get(
            output_stream, output_stream
        )
        _write(text, end=end, file=target)

    if NOW.trace is not None:
        NOW.trace.on_host(show, inputs)
    else:
        show(*inputs)


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:
    """InvalidArgumentError with the data, unless the condition holds."""
    if NOW.trace is not None:
        NOW.trace.on_host(lambda c, d: Assert(c, d), (condition, data))
        return
    if not bool(wrap(raw(condition)).numpy().all()):
        text = " ".join(
            f"b'{d}'" if isinstance(d, str) else shown(d, 3 if summarize is None else summarize) for d in data
        )
        raise failures.InvalidArgumentError(f"Expected '{condition}' to be true. Summarized data: {text}")


_logger: logging.Logger | None = None


def get_logger() -> logging.Logger:
    """The logger that warnings of `milepost.tf` go to."""
    return logging.getLogger("milepost.tf")
