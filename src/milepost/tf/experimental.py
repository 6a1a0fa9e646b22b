"""`tf.experimental`: the optional values that iterators give."""

from __future__ import annotations

from milepost.tf.data.optional import Optional

__all__ = ["Optional"]
