"""tf.data: input pipelines in numpy, tensors at the edge, state in checkpoints."""

from __future__ import annotations

import importlib
from typing import Any

from milepost.tf.data.dataset import (
    AUTOTUNE,
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Dataset,
    DatasetSpec,
    Options,
)  # fmt: skip
from milepost.tf.data.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from milepost.tf.data.iterator import NumpyIterator
from milepost.tf.data.iterator import OwnedIterator as Iterator
from milepost.tf.data.options import ThreadingOptions
from milepost.tf.data.specs import IteratorSpec

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "Iterator",
    "IteratorSpec", "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions", "experimental",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "experimental":
        return importlib.import_module("milepost.tf.data.experimental")
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.data", __all__)
