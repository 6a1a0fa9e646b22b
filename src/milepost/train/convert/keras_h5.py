"""Keras' .weights.h5. In: a path. Out: tensors under Keras' own names (`layers/dense/vars/0`); a file Keras' load_weights reads.

Keras numbers a layer's variables and names layers in lists after their class. A checkpoint has attribute names instead; the layout
is made from them and from the variables' full names. That is exact for attributes, and for layers in lists and in Sequential or
functional models as long as they have the names Keras gave them.
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from milepost.engines.adapter import VARIABLE_VALUE
from milepost.errors import FormatError, MilepostError, UsageError
from milepost.formats import dtypes
from milepost.formats.objectgraph import ObjectGraph
from milepost.storage import Storage
from milepost.train.commit import temporary
from milepost.train.convert.tensor import LeftOut, Tensor, slashed

__all__ = ["keras_layout", "read", "write"]

_NUMBERED = re.compile(r"_\d+$")


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise MilepostError(
            "reading and writing .h5 needs h5py, which is not installed", todo="pip install h5py"
        ) from error
    return h5py


def read(storage: Storage, path: str) -> tuple[list[Tensor], list[LeftOut]]:
    h5py = _h5py()
    tensors: list[Tensor] = []
    left_out: list[LeftOut] = []
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise FormatError(f"no HDF5 file: {error}", where=path) from None

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            if item.dtype.kind in "OSU":
                left_out.append(LeftOut(name, "text, not a tensor of numbers"))
            else:
                tensors.append(
                    Tensor(
                        tuple(name.split("/")),
                        dtypes.of_numpy(item.dtype).name,
                        item.shape,
                        lambda: np.asarray(item[()]),
                    )
                )

    file.visititems(visit)
    return tensors, left_out


def write(storage: Storage, path: str, tensors: list[Tensor]) -> None:
    h5py = _h5py()
    for tensor in tensors:
        if dtypes.by_name(tensor.dtype).extension:
            raise UsageError(
                f".h5 has no dtype {tensor.dtype}", where=slashed(tensor.path), todo="write safetensors instead"
            )
    storage.make_directory(os.path.dirname(path) or ".")
    unfinished = temporary(path)
    try:
        with h5py.File(unfinished, "w") as file:
            for tensor in tensors:
                file.create_dataset("/".join(tensor.path), data=tensor.read())
        storage.replace(unfinished, path)
    except BaseException:
        storage.remove(unfinished)
        raise
    storage.sync_directory(os.path.dirname(path) or ".")


def keras_layout(graph: ObjectGraph) -> list[tuple[tuple[str, ...], str]]:
    """(path in .weights.h5, key) of the variables of a checkpoint's Keras model, in Keras' layout.

    The model is the root's child `model` where there is one, else the root. Its optimizer comes along as `optimizer/vars/N`.
    """
    root = dict(graph.nodes[0].children)
    start = root.get("model", 0)
    out: list[tuple[tuple[str, ...], str]] = []
    seen: set[int] = set()
    queue: list[tuple[int, tuple[str, ...]]] = [(start, ())]
    counted: dict[tuple[str, ...], dict[str, str]] = {}
    while queue:
        number, path = queue.pop(0)
        if number in seen:
            continue
        seen.add(number)
        own: list[tuple[str, str]] = []
        for name, child in graph.nodes[number].children:
            value = _value(graph, child)
            if value is None:
                if name not in ("optimizer", "seed_generator") and not (
                    number == 0 and name in ("save_counter", "root")
                ):
                    queue.append((child, (*path, name)))
            elif child not in seen and name != "save_counter":
                seen.add(child)
                own.append(value)
        if own:
            place = _place(path, own[0][1], counted)
            out += [((*place, "vars", str(i)), key) for i, (key, _) in enumerate(own)]
    optimizer = dict(graph.nodes[start].children).get("optimizer", root.get("optimizer"))
    if optimizer is not None:
        variables = dict(graph.nodes[optimizer].children).get("_variables")
        for name, child in graph.nodes[variables].children if variables is not None else ():
            value = _value(graph, child)
            if value is not None:
                out.append((("optimizer", "vars", name), value[0]))
    return out


def _value(graph: ObjectGraph, number: int) -> tuple[str, str] | None:
    """(key, full name) of a variable node."""
    for name, full_name, key in graph.nodes[number].attributes:
        if name == VARIABLE_VALUE:
            return key, full_name
    return None


def _place(path: tuple[str, ...], full_name: str, counted: dict[tuple[str, ...], dict[str, str]]) -> tuple[str, ...]:
    """A layer's group. A layer in a list is named after its class, which the name Keras gave it begins with, and counted there."""
    names = full_name.split("/")[:-1]
    parts = [part for part in path if part != "_functional"]
    # which layer name belongs to which part: counted from the end, since lists themselves have no layer name
    own: dict[int, str] = {}
    for depth in reversed(range(len(parts))):
        is_list = depth + 1 < len(parts) and parts[depth + 1].isdigit()
        if not is_list:
            own[depth] = names.pop() if names else "layer"
    out: list[str] = []
    for depth, part in enumerate(parts):
        if part.isdigit():
            used = counted.setdefault(tuple(out), {})
            if part not in used:
                base = _NUMBERED.sub("", own[depth])
                same = sum(_NUMBERED.sub("", name) == base for name in used.values())
                used[part] = f"{base}_{same}" if same else base
            out.append(used[part])
        else:
            out.append("layers" if part in ("_operations", "_layers") else part.lstrip("_"))
    return tuple(out)
