"""Tensors out of a checkpoint. In: index bytes and a way to get a shard's bytes. Out: numpy arrays, each verified.

Shards are asked for when the first tensor in them is read, so listing a checkpoint touches the index alone; when a shard
is a memory map, arrays are views of it. Not here: opening files (`storage`), a name for a whole checkpoint (`train.reader`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from typing_extensions import Buffer

from milepost._native.crc32c import crc32c, mask
from milepost.errors import CorruptionError, FormatError, MilepostError, TruncatedError, UsageError
from milepost.formats.bundle import Entry, Index, decode_index
from milepost.formats.dtypes import STRING
from milepost.formats.objectgraph import GRAPH_KEY, ObjectGraph
from milepost.formats.orderedcode import FULL, Slice
from milepost.formats.strings import decode_strings

__all__ = ["VERIFY_MODES", "BundleReader", "Verify"]

Verify = Literal["full", "index", "off"]
VERIFY_MODES = ("full", "index", "off")


class BundleReader:
    """Reads one checkpoint.

    `verify`: "full" checks the index and every tensor that is read, "index" the index alone, "off" nothing.
    `shard(i)` gives the bytes of shard i; `where` names the checkpoint in errors.
    """

    def __init__(
        self,
        index: bytes | bytearray | memoryview,
        shard: Callable[[int], Buffer],
        *,
        where: str = "checkpoint",
        verify: Verify = "full",
    ):
        if verify not in VERIFY_MODES:
            raise UsageError("no such way to verify", got=verify, want=" | ".join(VERIFY_MODES))
        self.where = where
        self.verify_mode: Verify = verify
        self.index: Index = decode_index(index, where=f"{where}.index", verify=verify != "off")
        self._shard = shard
        self._shards: dict[int, memoryview] = {}
        self._graph: ObjectGraph | None = None

    def __contains__(self, key: str) -> bool:
        return key in self.index.entries

    def __len__(self) -> int:
        return len(self.index.entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """All names, sorted; the object graph's own among them, as TensorFlow lists it."""
        return sorted(self.index.entries)

    def entry(self, key: str) -> Entry:
        try:
            return self.index.entries[key]
        except KeyError:
            raise UsageError(f"no tensor {key!r} in the checkpoint", where=self.where) from None

    @property
    def graph(self) -> ObjectGraph | None:
        """The object graph; None in a checkpoint that has names alone (TensorFlow 1)."""
        if self._graph is None and GRAPH_KEY in self.index.entries:
            data = self.get(GRAPH_KEY)
            if data.ndim or not isinstance(data.item(), bytes):
                raise FormatError("the object graph is no single string", where=self.where, got=data.shape)
            self._graph = ObjectGraph.decode(data.item(), where=f"object graph of {self.where}")
        return self._graph

    def get(self, key: str) -> np.ndarray[Any, Any]:
        """The tensor, read-only where it is a view of the file. Strings come as an array of bytes objects."""
        entry = self.entry(key)
        return self._assemble(key, entry) if entry.slices else self._whole(key, entry)

    def raw(self, key: str) -> memoryview:
        """A whole tensor's bytes as stored, unverified."""
        return self._bytes(key, self.entry(key))

    def verify(self) -> Iterator[tuple[str, MilepostError | None]]:
        """Read every tensor: its name, and what is wrong with it or None."""
        for key in self.keys():
            try:
                self._check(key, self.entry(key))
            except MilepostError as error:
                yield key, error
            else:
                yield key, None

    def _check(self, key: str, entry: Entry) -> None:
        if entry.slices:
            for part in entry.slices:
                self._check(key, self.index.part(key, part))
            self._cover(key, entry)
        elif entry.dtype is STRING:
            decode_strings(self._bytes(key, entry), entry.elements, where=self._place(key), crc=entry.crc)
        else:
            self._compare(key, entry, self._bytes(key, entry))

    def _place(self, key: str) -> str:
        return f"tensor {key!r} of {self.where}"

    def _bytes(self, key: str, entry: Entry) -> memoryview:
        shard = self._shards.get(entry.shard)
        if shard is None:
            shard = self._shards[entry.shard] = memoryview(self._shard(entry.shard)).cast("B")
        if entry.offset + entry.size > len(shard):
            raise TruncatedError(
                f"shard {entry.shard} ends before the tensor does",
                where=self._place(key), got=f"{len(shard)} bytes", want=f"≥ {entry.offset + entry.size}",
            )  # fmt: skip
        return shard[entry.offset : entry.offset + entry.size]

    def _compare(self, key: str, entry: Entry, data: memoryview) -> None:
        found = mask(crc32c(data))
        if found != entry.crc:
            raise CorruptionError(
                "the tensor does not match its checksum"
                f" (shard {entry.shard}, bytes {entry.offset}…{entry.offset + entry.size})",
                where=self._place(key), got=f"{found:08x}", want=f"{entry.crc:08x}",
            )  # fmt: skip

    def _whole(self, key: str, entry: Entry) -> np.ndarray[Any, Any]:
        data = self._bytes(key, entry)
        full = self.verify_mode == "full"
        if entry.dtype is STRING:
            strings = decode_strings(data, entry.elements, where=self._place(key), crc=entry.crc if full else None)
            out = np.empty(entry.elements, dtype=object)
            out[:] = strings
            return out.reshape(entry.shape)
        if not entry.dtype.itemsize:
            raise FormatError(f"tensors of type {entry.dtype.name} cannot be read", where=self._place(key))
        if full:
            self._compare(key, entry, data)
        dtype = entry.dtype.numpy
        if self.index.big_endian != (sys.byteorder == "big") and entry.dtype.itemsize > 1:
            return np.frombuffer(data, dtype=entry.dtype.plain).byteswap().view(dtype).reshape(entry.shape)
        if not entry.size:
            return np.empty(entry.shape, dtype)
        return np.frombuffer(data, dtype=dtype).reshape(entry.shape)

    def _cover(self, key: str, entry: Entry) -> list[tuple[slice, ...]]:
        """The parts as index ranges; they must fill the tensor exactly once, so that nothing is left unset."""
        boxes = [
            [(0, dim) if p == FULL else (p[0], p[0] + p[1]) for p, dim in zip(part, entry.shape, strict=True)]
            for part in entry.slices
        ]
        volume = sum(math.prod(stop - start for start, stop in box) for box in boxes)
        edges = np.array(boxes, dtype=np.int64).reshape(len(boxes), len(entry.shape), 2)
        for i in range(len(boxes) - 1):
            rest = edges[i + 1 :]
            overlap = (rest[:, :, 0] < edges[i, :, 1]) & (edges[i, :, 0] < rest[:, :, 1])
            if overlap.all(axis=1).any():
                raise FormatError("parts of a sliced tensor overlap", where=self._place(key), got=entry.slices[i])
        if volume != entry.elements:
            raise FormatError(
                "the parts of a sliced tensor do not fill it", where=self._place(key), got=volume, want=entry.elements
            )
        for part, box in zip(entry.slices, boxes, strict=True):
            piece = self.index.part(key, part)
            if (
                piece.shape != tuple(stop - start for start, stop in box)
                or piece.dtype is not entry.dtype
                or piece.slices
            ):
                raise FormatError(
                    "a part of a sliced tensor has another shape or type", where=self._place(key), got=part
                )
        return [tuple(slice(*edge) for edge in box) for box in boxes]

    def _assemble(self, key: str, entry: Entry) -> np.ndarray[Any, Any]:
        # The cover is exact, and each part's bytes must be there, so the size of `out` is bounded by the files.
        ranges = self._cover(key, entry)
        pieces: list[tuple[Slice, Entry]] = [(part, self.index.part(key, part)) for part in entry.slices]
        for _, piece in pieces:
            self._bytes(key, piece)
        out = np.empty(entry.shape, dtype=object if entry.dtype is STRING else entry.dtype.numpy)
        for place, (_, piece) in zip(ranges, pieces, strict=True):
            out[place] = self._whole(key, piece)
        return out
