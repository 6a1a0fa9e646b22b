"""TensorBundle checkpoints as a list of tensors, and back. In: a prefix. Out: tensors by object path; a checkpoint TensorFlow reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, final

from milepost.engines import Adapter, Leaf, register
from milepost.engines.adapter import VARIABLE_VALUE
from milepost.errors import UsageError
from milepost.formats.objectgraph import GRAPH_KEY
from milepost.storage import Storage
from milepost.train.convert.keras_h5 import keras_layout
from milepost.train.convert.tensor import LeftOut, Tensor, slashed, unslashed
from milepost.train.reader import CheckpointReader, resolve
from milepost.train.snapshot import snapshot
from milepost.train.walk import walk
from milepost.train.write import write_checkpoint

__all__ = ["read", "read_for_keras", "write"]

_SUFFIX = f"/.ATTRIBUTES/{VARIABLE_VALUE}"


def read(storage: Storage, path: str) -> tuple[list[Tensor], list[LeftOut]]:
    """Every variable by its object path; strings and Python values that are no numbers are left out."""
    reader = CheckpointReader(resolve(path, storage), storage=storage)
    graph = reader.graph
    kinds = {key: full_name for _, (_, full_name, key) in graph.attributes()} if graph is not None else {}
    tensors, left_out = [], []
    for key in sorted(reader.index.entries):
        if key == GRAPH_KEY:
            continue
        entry, name = reader.entry(key), key.removesuffix(_SUFFIX)
        if kinds.get(key) == "milepost:none":
            left_out.append(LeftOut(name, "it is None"))
        elif entry.dtype.name in ("string", "variant", "resource"):
            left_out.append(LeftOut(name, f"a {entry.dtype.name}, not a tensor of numbers"))
        else:
            tensors.append(Tensor(unslashed(name), entry.dtype.name, entry.shape, partial(reader.get, key)))
    return tensors, left_out


def read_for_keras(storage: Storage, path: str) -> tuple[list[Tensor], list[LeftOut]]:
    """The variables of the checkpoint's Keras model, named as .weights.h5 names them."""
    reader = CheckpointReader(resolve(path, storage), storage=storage)
    if reader.graph is None:
        raise UsageError(
            "a checkpoint with names alone does not tell which variable belongs to which layer", where=path
        )
    tensors = []
    for place, key in keras_layout(reader.graph):
        entry = reader.entry(key)
        tensors.append(Tensor(place, entry.dtype.name, entry.shape, partial(reader.get, key)))
    return tensors, []


@dataclass(slots=True)
class _Entry:
    """An object made of names alone: a value, children, or both."""

    tensor: Tensor | None = None
    children: dict[str, _Entry] = field(default_factory=dict)


@final
class _EntryAdapter(Adapter):
    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return list(obj.children.items())

    def leaves(self, obj: Any) -> Mapping[str, Leaf]:
        tensor = obj.tensor
        if tensor is None:
            return {}
        return {VARIABLE_VALUE: Leaf(tensor.dtype, tensor.shape, tensor.read, slashed(tensor.path), shared=False)}


register(_Entry, _EntryAdapter())


def write(storage: Storage, path: str, tensors: list[Tensor]) -> None:
    """A checkpoint whose object graph follows the names."""
    root = _Entry()
    for tensor in tensors:
        at = root
        for part in tensor.path:
            at = at.children.setdefault(part, _Entry())
        at.tensor = tensor
    write_checkpoint(storage, os.path.normpath(path), snapshot(walk(root)))
