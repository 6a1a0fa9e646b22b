"""tf.data: input pipelines in numpy, tensors at the edge, state in checkpoints."""

from __future__ import annotations

from types import SimpleNamespace

from milepost.tf.data.dataset import (
    AUTOTUNE,
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Dataset,
    DatasetSpec,
    Options,
)  # fmt: skip
from milepost.tf.data.files import TextLineDataset, TFRecordDataset
from milepost.tf.data.iterator import OwnedIterator as Iterator

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "Iterator", "Options",
    "TFRecordDataset", "TextLineDataset", "experimental",
]  # fmt: skip

# the older spellings that tutorials still use
experimental = SimpleNamespace(
    AUTOTUNE=AUTOTUNE,
    INFINITE_CARDINALITY=INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY=UNKNOWN_CARDINALITY,
    cardinality=lambda dataset: dataset.cardinality(),
    sample_from_datasets=Dataset.sample_from_datasets,
    choose_from_datasets=Dataset.choose_from_datasets,
    unbatch=lambda: lambda dataset: dataset.unbatch(),
)
