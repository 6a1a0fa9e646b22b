"""`tf.autograph`: Python's own control flow runs as Python here, so there is nothing to convert. What asks for converted code says so."""

from __future__ import annotations

import sys
import types
from enum import Enum
from typing import Any

__all__ = ["experimental", "set_verbosity", "trace"]


class Feature(Enum):
    """Parts of TensorFlow's conversion; none is needed here."""

    ALL = "ALL"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def _do_not_convert(func: Any = None) -> Any:
    """The function itself: nothing is ever converted."""
    return (lambda f: f) if func is None else func


def _set_loop_options(
    parallel_iterations: Any = None, swap_memory: Any = None, maximum_iterations: Any = None, shape_invariants: Any = None
) -> None:  # fmt: skip
    """Loops are Python's: their values may change shape as they like."""


experimental = types.SimpleNamespace(
    Feature=Feature, do_not_convert=_do_not_convert, set_loop_options=_set_loop_options
)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """There is no conversion to talk about."""


def trace(*args: Any) -> None:
    """Prints its arguments."""
    sys.stdout.write(" ".join(map(str, args)) + "\n")


def __getattr__(name: str) -> Any:
    if name in ("to_code", "to_graph"):
        raise AttributeError(
            f"tf.autograph.{name} is not there: Milepost does not rewrite Python. A tf.function runs its Python and records torch's "
            "operations; docs/reference/tf.md says what that means for loops and branches."
        )
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.autograph", __all__)
