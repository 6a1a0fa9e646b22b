"""`tf.lookup`: tables from keys to values, fixed or growing. In: tensors of keys. Out: tensors of values. Where vocabularies come from is in initializers.py."""

from __future__ import annotations

from typing import Any

from milepost.tf.lookup import experimental, saving
from milepost.tf.lookup.initializers import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer
from milepost.tf.lookup.tables import StaticHashTable, StaticVocabularyTable

__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex", "TextFileInitializer", "experimental",
]  # fmt: skip

saving.serve()


def __getattr__(name: str) -> Any:
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.lookup", __all__)
