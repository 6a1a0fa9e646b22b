"""`tf.train`: Milepost's own checkpoints, and the records of `tf.io` (Example, Feature)."""

from __future__ import annotations

import importlib
from typing import Any

from milepost import train as _own

_RECORDS = frozenset(
    {
        "BytesList",
        "Example",
        "Feature",
        "FeatureList",
        "FeatureLists",
        "Features",
        "FloatList",
        "Int64List",
        "SequenceExample",
    }
)
_OLDER = frozenset({"Saver", "Optimizer"})


class CheckpointManager(_own.CheckpointManager):
    """Milepost's manager with TensorFlow's habits: the files TensorFlow writes, and a restarted program deletes what the last one left."""

    def _worth_noting(self, notes: Any) -> bool:
        return bool(notes.metrics) or notes.step is not None

    def _owns(self, path: str) -> bool:
        return True


def __getattr__(name: str) -> Any:
    if name in _RECORDS:
        value = globals()[name] = getattr(importlib.import_module("milepost.tf.io.example"), name)
        return value
    if name in _OLDER:
        return getattr(importlib.import_module("milepost.tf.compat_v1").train, name)
    try:
        return getattr(_own, name)
    except AttributeError:
        from milepost.tf.missing import no_such_name

        raise no_such_name(
            name, "tf.train", [*_RECORDS, *_OLDER, *(n for n in dir(_own) if not n.startswith("_"))]
        ) from None


def __dir__() -> list[str]:
    return sorted({*_RECORDS, *_OLDER, *dir(_own)})
