"""What is to be written, fixed at one moment. In: a LiveGraph. Out: a Snapshot: the object graph and tensors as columns.

A plain snapshot refers to the live memory: it must be written before training goes on. `detach` copies it, for writing
while training goes on. Not here: files (`write`).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from milepost.engines import Leaf
from milepost.errors import UntrackableError, UsageError
from milepost.formats import dtypes
from milepost.formats.dtypes import STRING, DType
from milepost.formats.objectgraph import GRAPH_KEY, Node, ObjectGraph, attribute_key
from milepost.formats.strings import encode_strings
from milepost.storage import Bytes
from milepost.train.walk import LiveGraph, readable

__all__ = ["Snapshot", "Staging", "snapshot"]

PY_STATE = "py_state"
LAZY_ABOVE = 64 << 10  # bytes; a smaller value that lives elsewhere (a GPU) is fetched at once
COPY_BLOCK = 4 << 20

Fetch = Callable[[], np.ndarray[Any, Any]]


@dataclass(slots=True)
class Snapshot:
    """Tensors as columns, in the order of the data file. `data` holds buffers, or functions that fetch one."""

    keys: list[str] = field(default_factory=list)
    dtypes: list[DType] = field(default_factory=list)
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    data: list[Bytes | Fetch] = field(default_factory=list)
    crcs: dict[int, int] = field(default_factory=dict)  # checksums that are not the plain crc of the bytes

    def add(self, key: str, leaf: Leaf, where: str) -> None:
        if leaf.dtype == "string":
            self.add_strings(key, leaf.shape, leaf.read().ravel().tolist())
            return
        try:
            dtype = dtypes.by_name(leaf.dtype)
        except UsageError as error:
            raise UntrackableError(str(error), where=where) from None
        size = dtype.itemsize * math.prod(leaf.shape)
        self.keys.append(key)
        self.dtypes.append(dtype)
        self.shapes.append(leaf.shape)
        self.sizes.append(size)
        if leaf.shared or size < LAZY_ABOVE:
            array = leaf.read()
            kind = array.dtype
            if array.flags.c_contiguous and kind.isnative:
                self.data.append(array if kind.kind in "biufc" else as_bytes(array))
            else:
                self.data.append(leaf.read if size >= LAZY_ABOVE else as_bytes(array))
        else:
            self.data.append(leaf.read)

    def add_strings(self, key: str, shape: tuple[int, ...], strings: list[bytes]) -> None:
        data, crc = encode_strings(strings)
        self.crcs[len(self.keys)] = crc
        self.keys.append(key)
        self.dtypes.append(STRING)
        self.shapes.append(shape)
        self.sizes.append(len(data))
        self.data.append(data)

    def detach(self, staging: Staging) -> Snapshot:
        """The same snapshot over memory of its own."""
        places, at = [], 0
        for size in self.sizes:
            places.append(at)
            at += -(-size // 64) * 64
        memory = staging.take(at)
        copies: list[Bytes | Fetch] = [
            memory[place : place + size] for place, size in zip(places, self.sizes, strict=True)
        ]
        _copy(self.data, copies, self.sizes)
        return Snapshot(self.keys, self.dtypes, self.shapes, self.sizes, copies, self.crcs)


def as_bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array's memory (copied only if it is not in C order or not in this machine's byte order) as plain bytes."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    # numpy refuses to export the buffer of foreign dtypes (bfloat16), but not that of their bytes
    return array if array.dtype.kind in "biufc" else array.reshape(-1).view(np.uint8)


def snapshot(graph: LiveGraph, *, tf_layout: bool = False) -> Snapshot:
    """Fix what the graph holds now. `tf_layout`: name Python values as TensorFlow names variables without a name."""
    nodes = [Node(list(live.children.items())) for live in graph.nodes]
    taken = Snapshot()
    states: list[tuple[str, Leaf, str]] = []
    for node, live in zip(nodes, graph.nodes, strict=True):
        for name, leaf in live.leaves.items():
            key = attribute_key(live.path, name)
            full_name = leaf.full_name
            if tf_layout and full_name.startswith("milepost:"):
                full_name = "" if name == PY_STATE else "Variable"
            node.attributes.append((name, full_name, key))
            if name == PY_STATE:
                states.append((key, leaf, live.path))  # TensorFlow lays these after all variables
            else:
                taken.add(key, leaf, live.path)
    for key, leaf, path in states:
        taken.add(key, leaf, readable(path))
    for slot in graph.slots:
        nodes[slot.optimizer].slots.append((slot.variable, slot.name, slot.value))
    saved = ObjectGraph(nodes)
    saved.mark_values()
    taken.add_strings(GRAPH_KEY, (), [saved.encode()])
    return taken


class Staging:
    """Memory for detached snapshots, kept from one save to the next: fresh pages cost more than the copy itself."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)

    def take(self, size: int) -> np.ndarray[Any, Any]:
        if len(self._memory) < size:
            self._memory = np.empty(size, np.uint8)
        return self._memory[:size]


def _copy(sources: list[Any], targets: list[Any], sizes: list[int]) -> None:
    """Copy everything; large buffers in two threads, since one core does not use all the memory's bandwidth."""
    large: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
    for source, target, size in zip(sources, targets, sizes, strict=True):
        if not size:
            continue
        if callable(source):
            array = source()
            target[:] = as_bytes(array).reshape(-1).view(np.uint8)
            continue
        plain = source.reshape(-1).view(np.uint8) if isinstance(source, np.ndarray) else np.frombuffer(source, np.uint8)
        if size < COPY_BLOCK:
            target[:] = plain
        else:
            large += [(plain[at : at + COPY_BLOCK], target[at : at + COPY_BLOCK]) for at in range(0, size, COPY_BLOCK)]
    pending = iter(large)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                pair = next(pending, None)
            if pair is None:
                return
            np.copyto(pair[1], pair[0])

    other = threading.Thread(target=work, name="milepost-copy", daemon=True) if len(large) > 4 else None
    if other:
        other.start()
    work()
    if other:
        other.join()
