"""TensorBundle's index: where each tensor's bytes lie, and their checksum. In: tensors to place, or index bytes. Out: the
index bytes, or entries.

    prefix.index                     a table: "" → header, key → entry {dtype, shape, shard, offset, size, crc32c}
    prefix.data-00000-of-00001       the tensors' bytes, in the machine's byte order

Not here: files (`storage`), reading tensors (`bundle_reader`), the object graph (`objectgraph`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from milepost._native.crc32c import mask
from milepost._native.table import BadBlock, decode_entry, encode_entry
from milepost.errors import FormatError, UsageError
from milepost.formats import dtypes, table, wire
from milepost.formats.dtypes import DType
from milepost.formats.orderedcode import FULL, Slice, slice_key

__all__ = [
    "ALIGNMENT", "MAX_SHARDS", "TF_ALIGNMENT", "BundleWriter", "Entry", "Index", "Placement", "decode_index", "shard_name",
]  # fmt: skip

ALIGNMENT = 64  # a cache line: every tensor can be mapped and used where it lies
TF_ALIGNMENT = 1  # TensorFlow's own writer packs tensors densely
MAX_SHARDS = 100_000  # five digits in the file name
LITTLE, BIG = 0, 1
_SLICE_MARK = b"\0"  # slice keys begin with an ordered-code zero; names never do


@dataclass(slots=True)
class _Version(wire.Message):
    producer: int = wire.field(1, wire.INT32)
    min_consumer: int = wire.field(2, wire.INT32)


@dataclass(slots=True)
class _Header(wire.Message):
    num_shards: int = wire.field(1, wire.INT32)
    endianness: int = wire.field(2, wire.ENUM)
    version: _Version | None = wire.message_field(3, _Version)


@dataclass(slots=True)
class _Extent(wire.Message):
    start: int = wire.field(1, wire.INT64)
    length: int | None = wire.field(2, wire.INT64, optional=True)


@dataclass(slots=True)
class _SliceProto(wire.Message):
    extent: list[_Extent] = wire.message_field(1, _Extent, repeated=True)


class Entry(NamedTuple):
    """Where one tensor lies. `crc` is masked, as stored. `slices`: it lies in parts, under their own keys."""

    dtype: DType
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc: int
    slices: tuple[Slice, ...] = ()

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


def shard_name(prefix: str, shard: int, shards: int) -> str:
    """The file name of one shard."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


@dataclass(slots=True)
class Index:
    """A whole index: entries by name, parts of sliced tensors by (name, part)."""

    num_shards: int
    big_endian: bool
    entries: dict[str, Entry]
    parts: dict[bytes, Entry] = field(default_factory=dict)

    def used_shards(self) -> list[int]:
        """The shards that hold something: others need not exist (a replaced checkpoint's data has another spelling)."""
        whole = {entry.shard for entry in self.entries.values() if not entry.slices}
        return sorted(whole | {entry.shard for entry in self.parts.values()})

    def part(self, key: str, part: Slice) -> Entry:
        """The entry of one part of a sliced tensor."""
        found = self.parts.get(slice_key(key.encode("utf-8", "surrogateescape"), part))
        if found is None:
            raise FormatError("a part of a sliced tensor has no entry", where=key, got=part)
        return found


def decode_index(data: bytes | bytearray | memoryview, *, where: str = "index", verify: bool = True) -> Index:
    """Everything an index says. Raises FormatError or a kind of it, naming the block or key."""
    columns = table.parse(data, where=where, verify=verify)
    if not columns.keys or columns.keys[0] != b"":
        raise FormatError(
            "the index has no header", where=where, todo="is it a checkpoint of TensorFlow 1's first format?"
        )
    header = _Header.decode(columns.values[0])
    if not 0 < header.num_shards <= MAX_SHARDS:
        raise FormatError("impossible number of shards", where=where, got=header.num_shards, want=f"1…{MAX_SHARDS}")
    if header.version is not None and header.version.min_consumer > 1:
        raise FormatError("the index needs a newer reader", where=where, got=header.version.min_consumer, want="≤ 1")
    entries: dict[str, Entry] = {}
    parts: dict[bytes, Entry] = {}
    known: dict[int, DType] = {}
    shards = header.num_shards
    new = tuple.__new__  # half the time of calling the class, once per tensor
    for key, value in zip(columns.keys[1:], columns.values[1:], strict=True):
        try:
            number, shape, shard, offset, size, crc, slices = decode_entry(value)
            dtype = known.get(number) or dtypes.by_number(number)
            known[number] = dtype
        except (BadBlock, FormatError) as error:
            raise FormatError(f"entry {key!r} is damaged: {error.args[0]}", where=where) from None
        if shard >= shards:
            raise FormatError(
                f"entry {key!r} lies in a shard that does not exist", where=where, got=shard, want=f"< {shards}"
            )
        if (offset | size) >> 62:
            raise FormatError(f"entry {key!r} lies beyond any file", where=where, got=(offset, size))
        if slices:
            entry = Entry(
                dtype, shape, shard, offset, size, crc, tuple(_decode_slice(s, shape, key, where) for s in slices)
            )
        else:
            if dtype.itemsize and math.prod(shape) * dtype.itemsize != size:
                raise FormatError(
                    f"entry {key!r}: size and shape do not fit",
                    where=where, got=f"{size} bytes", want=f"{shape} of {dtype.name}",
                )  # fmt: skip
            entry = new(Entry, (dtype, shape, shard, offset, size, crc, ()))
        if key[:1] == _SLICE_MARK:
            parts[key] = entry
        else:
            entries[key.decode("utf-8", "surrogateescape")] = entry
    return Index(shards, header.endianness == BIG, entries, parts)


def _decode_slice(data: bytes, shape: tuple[int, ...], key: bytes, where: str) -> Slice:
    extents = _SliceProto.decode(data).extent
    part = tuple(FULL if e.length is None else (e.start, e.length) for e in extents)
    if len(part) != len(shape) or any(
        p != FULL and not (p[0] >= 0 and p[1] >= 0 and p[0] + p[1] <= dim) for p, dim in zip(part, shape, strict=False)
    ):
        raise FormatError(
            f"entry {key!r}: a part lies outside its tensor", where=where, got=part, want=f"inside {shape}"
        )
    return part


@dataclass(frozen=True, slots=True)
class Placement:
    """The tensors of one shard, as columns in file order."""

    numbers: list[int]  # which tensors of the writer these are
    offsets: list[int]
    sizes: list[int]
    size: int  # of the file


class BundleWriter:
    """Places tensors in shards and writes the index; the bytes themselves go from their owner to the file.

    >>> writer = BundleWriter()
    >>> writer.add("x", dtypes.by_name("int32"), (2,), 8)
    >>> [shard.offsets for shard in writer.place()]
    [[0]]
    """

    def __init__(self, *, alignment: int = ALIGNMENT):
        if alignment < 1:
            raise UsageError("alignment of tensors must be positive", got=alignment)
        self.alignment = alignment
        self._keys: list[str] = []
        self._dtypes: list[int] = []
        self._shapes: list[tuple[int, ...]] = []
        self._sizes: list[int] = []
        self._slices: dict[int, Slice] = {}
        self._placed: list[tuple[int, int]] = []  # (shard, offset)
        self._num_shards = 1

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: str, dtype: DType, shape: tuple[int, ...], size: int, *, part: Slice | None = None) -> None:
        """A tensor of `size` bytes as stored. With `part`: that part of a tensor of `shape`."""
        if part is not None:
            self._slices[len(self._keys)] = part
        self._keys.append(key)
        self._dtypes.append(dtype.number)
        self._shapes.append(shape)
        self._sizes.append(size)

    def place(self, shard_of: Sequence[int] | None = None, num_shards: int = 1) -> list[Placement]:
        """Fix every tensor's place, in the order added; `shard_of` says which tensor goes into which shard."""
        self._num_shards = num_shards
        align = self.alignment
        ends = [0] * num_shards
        placed = self._placed = []
        columns = [Placement([], [], [], 0) for _ in range(num_shards)]
        for i, size in enumerate(self._sizes):
            shard = shard_of[i] if shard_of else 0
            offset = ends[shard]
            if offset % align:
                offset += align - offset % align
            placed.append((shard, offset))
            column = columns[shard]
            column.numbers.append(i)
            column.offsets.append(offset)
            column.sizes.append(size)
            ends[shard] = offset + size
        return [Placement(c.numbers, c.offsets, c.sizes, end) for c, end in zip(columns, ends, strict=True)]

    def place_at(self, places: Sequence[tuple[int, int]], num_shards: int) -> None:
        """Say where the tensors lie, (shard, offset) each: some may lie in shards that another checkpoint wrote."""
        self._placed, self._num_shards = list(places), num_shards

    def index(self, crcs: Sequence[int], *, shard_spelling: tuple[int, int] | None = None) -> bytes:
        """The index file; `crcs` are the unmasked checksums of the tensors, in the order added.

        `shard_spelling`: the one shard's file is spelled as (number, of how many) instead of (0, 1).
        """
        spelled, num_shards = shard_spelling or (None, self._num_shards)
        rows: dict[bytes, bytes] = {}
        sliced: dict[str, tuple[int, tuple[int, ...], list[Slice]]] = {}
        for i, (key, (shard, offset)) in enumerate(zip(self._keys, self._placed, strict=True)):
            name, part, shape = key.encode("utf-8", "surrogateescape"), self._slices.get(i), self._shapes[i]
            if spelled is not None:
                shard = spelled
            if part is not None:
                sliced.setdefault(key, (self._dtypes[i], shape, []))[2].append(part)
                name = slice_key(name, part)
                shape = tuple(dim if p == FULL else p[1] for p, dim in zip(part, shape, strict=True))
            elif not name or name[:1] == _SLICE_MARK:
                raise UsageError("a tensor's key may not be empty or begin with a zero byte", got=key)
            if name in rows:
                raise UsageError("two tensors under one key", where=key)
            rows[name] = encode_entry(self._dtypes[i], shape, shard, offset, self._sizes[i], mask(crcs[i]))
        for key, (number, shape, parts) in sliced.items():
            name = key.encode("utf-8", "surrogateescape")
            if name in rows:
                raise UsageError("two tensors under one key", where=key)
            rows[name] = encode_entry(number, shape, 0, 0, 0, 0) + b"".join(_encode_slice(p) for p in parts)
        header = _Header(num_shards, LITTLE if sys.byteorder == "little" else BIG, _Version(1))
        rows[b""] = header.encode()
        names = sorted(rows)
        return table.build(names, [rows[name] for name in names])


def _encode_slice(part: Slice) -> bytes:
    extents: Iterable[_Extent] = (_Extent() if p == FULL else _Extent(*p) for p in part)
    body = _SliceProto(list(extents)).encode()
    return b"\x3a" + wire.encode_varint(len(body)) + body
