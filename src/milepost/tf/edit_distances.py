"""`tf.edit_distance`: Levenshtein's distance between the sequences of two sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from milepost.tf.convert import raw
from milepost.tf.sparse.tensor import SparseTensor, places, sizes
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["edit_distance"]


def _sequences(sp: SparseTensor) -> dict[tuple[int, ...], list[Any]]:
    made: dict[tuple[int, ...], list[Any]] = {}
    for place, item in zip(places(sp).tolist(), host(raw(sp.values)).tolist(), strict=True):
        made.setdefault(tuple(place[:-1]), []).append(item)
    return made


def _distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """How many insertions, deletions and exchanges lead from one to the other; divided by the length of `truth` if normalized."""
    for value, what in ((hypothesis, "hypothesis"), (truth, "truth")):
        if not isinstance(value, SparseTensor):
            raise TypeError(f"{what.capitalize()} must be a SparseTensor.")
    said, meant = _sequences(hypothesis), _sequences(truth)
    outer = np.maximum(sizes(hypothesis)[:-1], sizes(truth)[:-1]).tolist()
    made = np.zeros(outer, np.float32)
    for place in np.ndindex(*outer):
        a, b = said.get(place, []), meant.get(place, [])
        distance: float = _distance(a, b)
        if normalize:
            distance = distance / len(b) if b else (np.inf if a else 0.0)
        made[place] = distance
    return wrap(torch.from_numpy(made))
