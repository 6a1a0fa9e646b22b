"""`tf.lookup.experimental`: tables that grow."""

from __future__ import annotations

from milepost.tf.lookup.tables import DenseHashTable, MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]
