"""The names TensorFlow keeps under `tf.summary.experimental`. In → out: see `context` and `values`."""

from __future__ import annotations

from milepost.summary.context import get_step, set_step, summary_scope
from milepost.summary.values import write_raw_pb

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
