"""The TensorFlow 2 programming model on Keras 3 and torch: `from milepost import tf`.

Every name loads its file when it is first used; what is not there says so, and names the nearest thing.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

# Keras reads this once, at its import: training loops with tapes need the torch backend.
os.environ.setdefault("KERAS_BACKEND", "torch")

from milepost.tf import heap as _heap
from milepost.tf import threads as _threads
from milepost.tf.names import NAMES as _NAMES
from milepost.tf.names import SPACES as _SPACES

_threads.choose()
_heap.keep()
for _file in ("arithmetic", "indexing"):  # these give Tensor its operators
    importlib.import_module(f"milepost.tf.{_file}")
_placement = importlib.import_module("milepost.tf.placement")

__version__ = "2.21.0"
newaxis = None

__all__ = sorted({*_NAMES, *_SPACES, "newaxis", "__version__"})


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        home, own = _NAMES[name]
        value = getattr(importlib.import_module(f"milepost.tf.{home}"), own)
    elif name in _SPACES:
        value = importlib.import_module(_SPACES[name])
    else:
        from milepost.tf.missing import no_such_name

        raise no_such_name(name)
    value = _placement.together(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


_placement.place()  # last: with a GPU it loads namespaces, and they ask this module for names
