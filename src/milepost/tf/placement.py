"""Where new tensors go: the first visible GPU if there is one, else the CPU, or what `with tf.device(...)` says.

torch refuses operations on tensors of several devices, TensorFlow brings them together. So where there is a GPU, every public function is
tried as it is, which costs nothing, and once more on the GPU when torch refuses.
"""

from __future__ import annotations

import copy
import functools
import importlib
import os
import re
import sys
import types
from typing import Any

import torch

from milepost.devices import CHOICE
from milepost.tf import convert
from milepost.tf.arithmetic import OPERATORS
from milepost.tf.failures import ResourceExhaustedError
from milepost.tf.state import NOW
from milepost.tf.structure import map_structure
from milepost.tf.tensor import Tensor, wrap

__all__ = ["device", "place", "together"]

# the namespaces whose functions compute with tensors
_OF_TENSORS = ("bitwise", "debugging", "image", "linalg", "lookup", "math", "nn", "quantization", "ragged", "random", "sets", "signal", "sparse", "strings")  # fmt: skip


def place() -> None:
    """The default device of tensors and of Keras' variables, from the devices this process may use. Takes no device yet."""
    there = bool(CHOICE.visible("GPU"))
    NOW.device = torch.device("cuda") if there else None
    if there:
        for name, operation in OPERATORS.items():
            OPERATORS[name] = together(operation)
            setattr(Tensor, name, OPERATORS[name])
        for space in _OF_TENSORS:  # at once: one that another file imports is never asked for by its name
            together(importlib.import_module(f"milepost.tf.{space}"))
    elif torch.backends.cuda.is_built():
        os.environ["KERAS_TORCH_DEVICE"] = "cpu"
        core = sys.modules.get("keras.src.backend.torch.core")
        if core is not None:
            core.DEFAULT_DEVICE = "cpu"  # type: ignore[attr-defined]


def together(function: Any) -> Any:
    """The function, or every function of a module, for tensors of more than one device."""
    if NOW.device is None:
        return function
    if isinstance(function, types.ModuleType):
        for name in getattr(function, "__all__", ()):
            setattr(function, name, together(getattr(function, name)))
        return function
    if not isinstance(function, types.FunctionType) or hasattr(function, "__milepost_together__"):
        return function

    @functools.wraps(function)
    def on_one_device(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except torch.OutOfMemoryError as error:
            raise ResourceExhaustedError(f"OOM when allocating tensor in {function.__name__}: {error}") from error
        except Exception as error:
            if not _refused(error):
                raise
        try:
            return function(*_moved(args, NOW.device), **_moved(kwargs, NOW.device))
        except Exception as error:
            if not _refused(error):
                raise
        # something in it works on the CPU only
        with device("/CPU:0"):
            made = function(*_moved(args, "cpu"), **_moved(kwargs, "cpu"))
        return _moved(made, NOW.device)

    on_one_device.__milepost_together__ = True  # type: ignore[attr-defined]
    return on_one_device


_REFUSALS = re.compile(
    r"same device|can't convert cuda|Input type \(torch\.cuda|device type for generator|_cuda\" not implemented|not implemented for '(Int|Long|Short|Byte|Char)'"
)


def _refused(error: BaseException | None) -> bool:
    """Whether torch refused for a device's sake: the error itself, or the one it explains."""
    while error is not None:
        if _REFUSALS.search(str(error)):
            return True
        error = error.__context__
    return False


def _moved(structure: Any, target: Any) -> Any:
    """The structure with its tensors on one device; variables are read."""

    def move(value: Any) -> Any:
        if isinstance(value, (Tensor, *convert.variable_types)) and isinstance(t := convert.raw(value), torch.Tensor):
            return wrap(t.to(target or "cpu"))
        if hasattr(value, "_answer"):  # a ragged or sparse tensor: its parts
            value = copy.copy(value)
            for name in type(value).__slots__:
                if name != "__weakref__":
                    setattr(value, name, move(getattr(value, name)))
        return value

    return map_structure(move, structure)


class device:
    """`with tf.device('/GPU:0'):` tensors made inside go there; without that device, to the CPU (unless soft placement is off)."""

    def __init__(self, device_name: Any):
        self._name = device_name
        self._before: Any = None
        self._keras: Any = None

    def __enter__(self) -> None:
        self._before = NOW.device
        target = self._target()
        NOW.device = None if target == "cpu" else torch.device(target)
        if "keras" in sys.modules and torch.cuda.is_available():
            import keras

            self._keras = keras.device(target.replace("cuda", "gpu"))
            self._keras.__enter__()

    def __exit__(self, *error: Any) -> None:
        NOW.device = self._before
        if self._keras is not None:
            self._keras.__exit__(*error)
            self._keras = None

    def _target(self) -> str:
        if self._name is None:
            return "cpu" if self._before is None else str(self._before)
        found = re.fullmatch(
            r"(?:/job:\w+)?(?:/replica:\d+)?(?:/task:\d+)?/?(?:device:)?(CPU|GPU|XLA_CPU|XLA_GPU|TPU)(?::(\d+|\*))?",
            str(self._name),
            re.IGNORECASE,
        )
        if found is None:
            raise ValueError(f"Unknown attribute in device name {self._name!r}: write it like '/GPU:0'.")
        kind, index = found[1].upper(), int(found[2]) if (found[2] or "*").isdigit() else 0
        if kind == "GPU" and torch.cuda.is_available() and index < len(CHOICE.visible("GPU")):
            return f"cuda:{index}"
        from milepost.tf import config, failures

        if kind != "CPU" and not config.get_soft_device_placement():
            raise failures.InvalidArgumentError(
                f"Could not satisfy device specification '{self._name}': there is no such device here."
            )
        return "cpu"
