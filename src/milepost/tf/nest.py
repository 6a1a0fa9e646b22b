"""`tf.nest`."""

from __future__ import annotations

from milepost.tf.structure import assert_same_structure, flatten, is_nested, map_structure
from milepost.tf.structure import pack_as as pack_sequence_as

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
