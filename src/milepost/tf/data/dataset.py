"""tf.data.Dataset: the fluent way to write an input pipeline. In: tensors, files, generators, functions. Out: iterators of tensors whose
state a checkpoint keeps.

The methods live by idea: `sources`, `elements` (map, filter …), `ordering` (shuffle, repeat …), `grouping` (batch, window …), `joining`
(zip, interleave …), `saving`; what all datasets have is in `base`.
"""

from __future__ import annotations

from milepost.tf.data.base import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from milepost.tf.data.elements import Elements
from milepost.tf.data.grouping import Grouping
from milepost.tf.data.joining import Joining
from milepost.tf.data.options import Options
from milepost.tf.data.ordering import Ordering
from milepost.tf.data.saving import Saving
from milepost.tf.data.sources import Sources
from milepost.tf.data.specs import DatasetSpec

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "Options"]


class Dataset(Sources, Elements, Ordering, Grouping, Joining, Saving):
    """A potentially large set of elements."""
