"""Where the user's code and Keras' meet: ours go in as torch tensors, torch tensors come out as ours.

Keras calling Keras crosses nothing. A user's `call`, `loss` or `train_step` that Keras calls crosses back.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from keras.src.backend.common.symbolic_scope import in_symbolic_scope

from milepost.tf.state import NOW, Inside
from milepost.tf.tensor import Tensor, wrap

__all__ = ["INSIDE", "as_user", "bare", "callee_is_keras", "callee_is_user", "dressed"]

INSIDE = Inside()
_grad_mode = torch._C._set_grad_enabled
_is_grad_enabled = torch.is_grad_enabled
_Torch = torch.Tensor


def bare(value: Any) -> Any:
    """The same structure with torch tensors in place of ours; texts, which torch does not know, stay as they are."""
    if isinstance(value, Tensor):
        t = value._t
        return value if type(t) is np.ndarray else t
    kind = type(value)
    if kind is tuple:
        return tuple([bare(v) for v in value])
    if kind is list:
        return [bare(v) for v in value]
    if kind is dict:
        return {k: bare(v) for k, v in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*[bare(v) for v in value])
    return value


def dressed(value: Any) -> Any:
    """The same structure with our tensors in place of torch's."""
    if isinstance(value, _Torch):
        return wrap(value)
    kind = type(value)
    if kind is tuple:
        return tuple([dressed(v) for v in value])
    if kind is list:
        return [dressed(v) for v in value]
    if kind is dict:
        return {k: dressed(v) for k, v in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*[dressed(v) for v in value])
    return value


def callee_is_keras(function: Callable[..., Any], training: bool = False) -> Callable[..., Any]:
    """Called from the user's side, it is handed torch tensors and its torch tensors come out as ours.

    Outside tapes it keeps no graph; a `training` function keeps one whatever the tapes say.
    """

    @functools.wraps(function)
    def crossing(*args: Any, **kwargs: Any) -> Any:
        if INSIDE.keras:
            return function(*args, **kwargs)
        before = _is_grad_enabled()
        INSIDE.keras = True
        if training:
            NOW.recording += 1
            _grad_mode(True)
        elif before and not NOW.recording:
            _grad_mode(False)
        try:
            return dressed(function(*bare(args), **(bare(kwargs) if kwargs else kwargs)))
        finally:
            INSIDE.keras = False
            if training:
                NOW.recording -= 1
            _grad_mode(before)

    crossing.__milepost_crossing__ = True  # type: ignore[attr-defined]
    return crossing


def as_user(function: Callable[..., Any], *args: Any) -> Any:
    """The user's code run from inside Keras, on the user's side and outside any step that trains: nothing is converted or recorded."""
    inside, recording, before = INSIDE.keras, NOW.recording, _is_grad_enabled()
    INSIDE.keras, NOW.recording = False, 0
    _grad_mode(False)
    try:
        return function(*args)
    finally:
        INSIDE.keras, NOW.recording = inside, recording
        _grad_mode(before)


def callee_is_user(function: Any) -> Callable[..., Any]:
    """A method the user wrote and Keras calls: it is handed our tensors, and gives Keras torch's."""
    method = function if not hasattr(function, "__get__") else None
    python = getattr(function, "python_function", None)  # of a tf.function

    @functools.wraps(function)
    def crossing(self: Any, *args: Any, **kwargs: Any) -> Any:
        if python is not None and in_symbolic_scope():  # Keras asks for shapes only: nothing is to be recorded
            bound = functools.partial(python, self)
        else:
            bound = function.__get__(self, type(self)) if method is None else functools.partial(function, self)
        if not INSIDE.keras:
            return bound(*args, **kwargs)
        INSIDE.keras = False
        try:
            return bare(bound(*dressed(args), **(dressed(kwargs) if kwargs else kwargs)))
        finally:
            INSIDE.keras = True

    crossing.__milepost_crossing__ = True  # type: ignore[attr-defined]
    return crossing
