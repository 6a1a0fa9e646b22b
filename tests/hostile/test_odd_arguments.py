"""Every numeric function of `milepost.tf`, given what it is not made for, works or raises what TensorFlow programs catch: never an error of torch or numpy."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

pytest.importorskip("keras")

ELSEWHERE = {  # functions of functions, and those that say what they are not for in TensorFlow's own way
    "Assert", "case", "cond", "control_dependencies", "custom_gradient", "device", "foldl", "foldr", "function", "get_logger", "grad_pass_through",
    "gradients", "group", "hessians", "init_scope", "map_fn", "name_scope", "numpy_function", "parallel_stack", "print", "py_function", "recompute_grad",
    "scan", "set_seed", "switch_case", "vectorized_map", "while_loop",
}  # fmt: skip
SPACES = ("", "math", "nn", "linalg", "image", "random", "bitwise", "debugging", "quantization")


def functions() -> list[tuple[str, Any]]:
    from milepost import tf

    found: dict[Any, str] = {}
    for space in SPACES:
        module = getattr(tf, space) if space else tf
        for name in module.__all__:
            function = getattr(module, name, None)
            if inspect.isfunction(function) and name not in ELSEWHERE:
                found.setdefault(function, f"tf.{space}.{name}".replace("..", "."))
    return [(name, function) for function, name in found.items()]


@pytest.mark.filterwarnings("ignore:Casting complex")  # numpy's and torch's; TensorFlow casts without a word
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_odd_arguments_give_errors_of_tensorflow() -> None:
    from milepost import tf

    odd = [
        tf.constant(["a", "b"]), tf.constant([True, False]), tf.constant(1), tf.zeros((0,)), tf.zeros((1, 4, 4, 3)), tf.constant([1 + 2j]), None,
        "text", [[1], [2, 3]], -1,
    ]  # fmt: skip
    leaked = []
    for name, function in functions():
        needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]  # fmt: skip
        for first in odd if needed else ():
            for rest in (1, tf.constant([0, 1]), "SAME") if len(needed) > 1 else (1,):
                try:
                    function(first, *[rest] * (len(needed) - 1))
                except (tf.errors.OpError, TypeError, ValueError, NotImplementedError):
                    pass
                except Exception as error:
                    leaked.append(f"{name}({first!r:.40}, {rest!r:.20}): {type(error).__name__}: {error!s:.80}")
    assert not leaked, "\n".join(leaked)
