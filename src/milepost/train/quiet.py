"""No garbage collection for a moment. In: nothing. Out: a context.

Saving and restoring make many small objects that all stay alive: the collector would walk them again and again for nothing,
a third of the time for a model of thousands of variables.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_collection"]

MANY = 10_000  # new objects


@contextmanager
def no_collection() -> Iterator[None]:
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > MANY and not gc.get_freeze_count():
            # Straight to the oldest generation: the young one would be walked, object by object, at the very next allocation.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
