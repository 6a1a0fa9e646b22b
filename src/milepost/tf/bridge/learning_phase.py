"""`set_learning_phase`: the old process-wide answer to "training or inference?", for layers that are not told.

A call's own `training=` argument, and an outer layer's, still come first.
"""

from __future__ import annotations

from typing import Any

from keras.src.layers.layer import Layer

from milepost.tf.bridge.upkeep import old_spelling

__all__ = ["learning_phase", "set_learning_phase"]

_phase: bool | None = None
_resolve = Layer._resolve_and_populate_arg


def _resolve_with_phase(self: Any, arg_name: str, call_spec: Any, call_context: Any, kwargs: dict[str, Any]) -> None:
    if (
        _phase is not None
        and arg_name == "training"
        and arg_name not in call_spec.user_arguments_dict
        and call_context.get_value(arg_name) is None
    ):
        call_context.set_value(arg_name, _phase)
    _resolve(self, arg_name, call_spec, call_context, kwargs)


def set_learning_phase(value: Any) -> None:
    """1 or True: layers behave as in training unless told otherwise; 0 or False: as in inference."""
    global _phase
    old_spelling("tf.keras.backend.set_learning_phase", "model(x, training=True)")
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _phase = bool(value)
    Layer._resolve_and_populate_arg = _resolve_with_phase


def learning_phase() -> int:
    """The phase that was set, 0 by default."""
    return int(bool(_phase))
