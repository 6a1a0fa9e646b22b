"""Code of the user's that Keras runs and that is no layer: callbacks, generators' and sequences' batches. It runs on the user's side.

A callback that calls `self.model(x)` in the midst of `fit` gets our tensors back, and nothing it computes is recorded for the step.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from keras.src.callbacks.callback_list import CallbackList
from keras.src.trainers.data_adapters.py_dataset_adapter import PyDataset

from milepost.tf.bridge.boundary import INSIDE, as_user, callee_is_keras

__all__ = ["install", "watch_subclasses"]

_HOOKS = [
    *(f"on_{kind}_{when}" for kind in ("epoch", "train", "test", "predict") for when in ("begin", "end")),
    *(f"on_{kind}_batch_{when}" for kind in ("train", "test", "predict") for when in ("begin", "end")),
    *(f"on_batch_{when}" for when in ("begin", "end")),
]


def _on_their_side(hook: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(hook)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not INSIDE.keras:
            return hook(self, *args, **kwargs)
        if kwargs:
            return as_user(functools.partial(hook, self, *args, **kwargs))
        return as_user(hook, self, *args)

    return run


def watch_subclasses(base: Any, names: tuple[str, ...], dressed: Callable[[Any], Any]) -> None:
    """Every class a user derives from `base` gets its own methods wrapped where it is defined."""

    def dress(cls: type) -> None:
        for name in names:
            own = vars(cls).get(name)
            if own is not None and callable(own) and not hasattr(own, "__milepost_crossing__"):
                setattr(cls, name, dressed(own))
                if name == "call":
                    _open_base(base, cls)

    inherited = base.__init_subclass__

    def __init_subclass__(cls: type, **kwargs: Any) -> None:
        inherited(**kwargs)
        if not cls.__module__.startswith("keras."):
            dress(cls)

    base.__init_subclass__ = classmethod(__init_subclass__)  # type: ignore[arg-type]


def _open_base(base: Any, cls: Any) -> None:
    """A user's `super().call(x)` gets our tensors back: the Keras class it derives from is opened now, not before: it costs."""
    for kind in cls.__mro__[1:]:
        own = vars(kind).get("call")
        if kind is not base and own is not None and kind.__module__.startswith("keras."):
            if not hasattr(own, "__milepost_crossing__"):
                kind.call = callee_is_keras(own)
            return


def install() -> None:
    watch_subclasses(PyDataset, ("__getitem__", "on_epoch_begin", "on_epoch_end"), _on_their_side)
    for name in _HOOKS:
        if name in vars(CallbackList):
            setattr(CallbackList, name, _on_their_side(vars(CallbackList)[name]))
