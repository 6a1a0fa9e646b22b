"""The random state of a run, as one object of a Checkpoint. In: the generators of every engine in use. Out: their state, and back.

Not here: how each engine keeps it (`engines.randomness`); generators of your own are saved like any other object.
"""

from __future__ import annotations

from typing import Any

from milepost.engines import randomness

__all__ = ["Rng"]


class Rng:
    """Python's, numpy's, torch's (CPU and CUDA) and Keras' global random state, saved and restored with the rest of the run.

    >>> import random, tempfile
    >>> from milepost import train
    >>> checkpoint = train.Checkpoint(rng=train.Rng())
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    >>> first = random.random()
    >>> _ = checkpoint.restore(path)
    >>> random.random() == first
    True

    jax has no hidden random state: keep its keys in the Checkpoint, as arrays.
    """

    def state_dict(self) -> dict[str, Any]:
        return randomness.states()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        randomness.set_states(state)

    def __repr__(self) -> str:
        return f"Rng({', '.join(randomness.states())})"
