"""`tf.keras`: the Keras 3 of this process, its functions taking and giving our tensors. Classes are Keras' own."""

from __future__ import annotations

from typing import Any

from milepost.tf.keras.facade import attribute as _attribute
from milepost.tf.keras.facade import root as _root


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    value = _attribute(_root, "keras", name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return dir(_root)
