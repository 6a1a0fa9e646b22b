"""Spellings of older Keras that the tutorials use: they work, and warn once of the spelling of today."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from keras.src import metrics
from keras.src.layers import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells
from keras.src.optimizers.base_optimizer import BaseOptimizer

__all__ = ["install", "old_spelling"]


def old_spelling(old: str, new: str) -> None:
    """One DeprecationWarning at the caller's line."""
    warnings.warn(f"{old} is an old spelling: write {new}.", DeprecationWarning, stacklevel=3)


def _forgiving(function: Callable[..., Any], old: str) -> Callable[..., Any]:
    """get_initial_state(inputs=, batch_size=, dtype=): Keras 3 knows only batch_size."""

    def get_initial_state(self: Any, batch_size: Any = None, inputs: Any = None, dtype: Any = None) -> Any:
        if hasattr(batch_size, "shape") and len(batch_size.shape):
            batch_size, inputs = inputs, batch_size
        if dtype is not None or inputs is not None:
            old_spelling(f"{old}.get_initial_state(dtype=…)", "get_initial_state(batch_size=…)")
        if batch_size is None and inputs is not None:
            batch_size = inputs.shape[0]
        from milepost.tf.bridge.boundary import INSIDE, dressed

        state = function(self, batch_size=batch_size)
        if dtype is not None:
            from keras import ops

            from milepost.tf.dtypes import as_dtype

            name = as_dtype(dtype).name
            state = [ops.cast(s, name) for s in state] if isinstance(state, (list, tuple)) else ops.cast(state, name)
        return state if INSIDE.keras else dressed(state)

    return get_initial_state


def _reset_states(self: Any) -> None:
    old_spelling("Metric.reset_states()", "reset_state()")
    self.reset_state()


def _get_weights_of_optimizer(self: Any) -> list[Any]:
    old_spelling("Optimizer.get_weights()", "[v.numpy() for v in optimizer.variables]")
    return [v.numpy() for v in self.variables]


def install() -> None:
    metrics.Metric.reset_states = _reset_states
    BaseOptimizer.get_weights = _get_weights_of_optimizer
    for cell in (LSTMCell, GRUCell, SimpleRNNCell, StackedRNNCells):
        cell.get_initial_state = _forgiving(cell.get_initial_state, cell.__name__)
