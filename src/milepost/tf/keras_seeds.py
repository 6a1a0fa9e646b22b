"""Where Keras' initialisers and layers take their seeds from after `tf.random.set_seed`: from that seed, until Keras itself is told another."""

from __future__ import annotations

import functools
import random as python_random
import sys
from typing import Any

__all__ = ["follow"]


class _Seeds:
    """The stream of Keras' seeds, or (None) Python's `random`, as Keras has it."""

    stream: Any = None
    installed = False


def follow(seed: int) -> None:
    """From here on Keras' own seeds come from this one, until `keras.utils.set_random_seed` says otherwise."""
    _Seeds.stream = python_random.Random(seed)
    if _Seeds.installed:
        return
    _Seeds.installed = True
    import keras
    from keras.src.random import seed_generator
    from keras.src.utils import rng_utils

    draw, reset = seed_generator.make_default_seed, rng_utils.set_random_seed

    def make_default_seed() -> int:
        return int(draw()) if _Seeds.stream is None else int(_Seeds.stream.randint(1, int(1e9)))

    @functools.wraps(reset)
    def set_random_seed(seed: int) -> None:
        _Seeds.stream = None
        reset(seed)

    keras.utils.set_random_seed = set_random_seed
    for name, module in list(sys.modules.items()):
        if name.startswith("keras.src"):
            for own, value in list(vars(module).items()):
                if value is draw:
                    setattr(module, own, make_default_seed)
                elif value is reset:
                    setattr(module, own, set_random_seed)
