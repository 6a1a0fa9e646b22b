"""What a checkpoint sees of tables: the keys and values of one that grows; nothing of a fixed one, which its initializer fills."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from milepost.engines.adapter import Adapter, Leaf, Misfit, Spec, Value, register
from milepost.tf.lookup.tables import MutableHashTable, StaticHashTable, StaticVocabularyTable
from milepost.tf.tensor import host

__all__ = ["serve"]

_KEYS, _VALUES = "table-keys", "table-values"


class _FixedTable(Adapter):
    engine = "tf"


class _GrowingTable(Adapter):
    """Restoring puts the saved pairs in place of those the table has, whatever their number."""

    engine = "tf"

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        made = {}
        for attribute, tensor in zip((_KEYS, _VALUES), obj.export(), strict=True):
            array = host(tensor._t)
            made[attribute] = Leaf(tensor.dtype.name, array.shape, lambda array=array: array, "", False)  # type: ignore[misc]
        return made

    def accept(self, obj: Any, attribute: str, saved: Spec, *, cast: bool = False) -> Misfit | None:
        live = self.leaves(obj).get(attribute)
        if live is None:
            return Misfit("attribute", attribute, f"{_KEYS}/{_VALUES}")
        if live.dtype != saved.dtype:
            return Misfit("dtype", saved.dtype, live.dtype)
        if live.shape[1:] != saved.shape[1:]:
            return Misfit("shape", str(saved.shape), str((None, *live.shape[1:])))
        return None

    def assign(self, obj: Any, values: Mapping[str, Value]) -> Any:
        keys, held = (np.asarray(values[a].array) for a in (_KEYS, _VALUES))
        obj._pairs = dict(zip(keys.tolist(), held if held.ndim > 1 else held.tolist(), strict=True))
        return obj


def serve() -> None:
    """Let checkpoints see tables."""
    for fixed in (StaticHashTable, StaticVocabularyTable):
        register(fixed, _FixedTable())
    register(MutableHashTable, _GrowingTable())
