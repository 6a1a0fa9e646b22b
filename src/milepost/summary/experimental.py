"""The names TensorFlow keeps under `tf.summary.experimental`. In → out: see `context`."""

from __future__ import annotations

from milepost.summary.context import get_step, set_step, summary_scope

__all__ = ["get_step", "set_step", "summary_scope"]
