"""Short ways through Keras' running means, which every step of a `fit` goes several times: float32 numbers on the CPU, nothing masked or traced.

The arithmetic and its order are Keras'; only conversions and checks are left out. Every other case takes Keras' way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from keras.src.backend.common.global_state import GLOBAL_STATE_TRACKER
from keras.src.backend.torch import numpy as keras_numpy
from keras.src.metrics.reduction_metrics import Mean

from milepost.tf import recorded
from milepost.tf.state import NOW

__all__ = ["install"]

_float32 = torch.float32


def _plain(t: Any) -> bool:
    return isinstance(t, torch.Tensor) and t.dtype is _float32 and t.device.type == "cpu"


def _free() -> bool:
    """Whether a variable may change at once: no trace or tape holds it, no scope of Keras' keeps its value elsewhere."""
    return (
        NOW.trace is None
        and not recorded.BOXES
        and getattr(GLOBAL_STATE_TRACKER, "stateless_scope", None) is None
        and getattr(GLOBAL_STATE_TRACKER, "autocast_scope", None) is None
    )


def _update(theirs: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(theirs)
    def update_state(self: Any, values: Any, sample_weight: Any = None) -> Any:
        total, count = self.total._value, self.count._value
        if (
            not _plain(values)
            or values.ndim > 1
            or hasattr(values, "_keras_mask")
            or not (sample_weight is None or (type(sample_weight) is int and values.ndim == 0))
            or not _plain(total)
            or not _free()
        ):
            return theirs(self, values, sample_weight)
        with torch.no_grad():
            if sample_weight is not None:
                total.add_(values * float(sample_weight))
                count.add_(float(sample_weight))
            elif values.ndim:
                total.add_(values.sum())
                count.add_(float(values.shape[0]))
            else:
                total.add_(values)
                count.add_(1.0)
        return None

    return update_state


def _result(theirs: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(theirs)
    def result(self: Any) -> Any:
        total, count = self.total._value, self.count._value
        if not _plain(total) or not _free():
            return theirs(self)
        with torch.no_grad():
            return torch.where(count == 0, 0.0, total / count)

    return result


def _divide(theirs: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(theirs)
    def divide_no_nan(x1: Any, x2: Any) -> Any:
        if not _plain(x1) or not _plain(x2):
            return theirs(x1, x2)
        zero = x2 == 0
        # the divisor is made safe before the division: what is not chosen must have no gradient of its own
        return torch.where(zero, 0.0, x1 / torch.where(zero, 1.0, x2))

    return divide_no_nan


def install() -> None:
    Mean.update_state = _update(Mean.update_state)
    Mean.result = _result(Mean.result)
    keras_numpy.divide_no_nan = _divide(keras_numpy.divide_no_nan)
