"""The bytes a plan needs, verified before anything is assigned. In: a reader and assignments. Out: arrays.

Small tensors are read once, in runs, checked and kept until they are assigned; large ones are checked by streaming through a
buffer, and read again when their turn comes, so that memory stays bounded. Not here: what goes where (`match`, `assign`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from milepost._native.crc32c import mask
from milepost._native.tensorio import checksums
from milepost.errors import CorruptionError
from milepost.formats.dtypes import STRING, DType
from milepost.train.match import Assignment
from milepost.train.reader import CheckpointReader
from milepost.train.snapshot import as_bytes

__all__ = ["Fetched"]

SMALL = 64 << 10  # bytes; above it one more copy costs more than finding the live memory
RUN_BYTES = 4 << 20
KEEP_BYTES = 32 << 20  # of small tensors in memory at once; beyond it they count as large
GAP = 4096

Span = tuple[int, int, Assignment]  # offset, size


class Fetched:
    """What was read for one plan. `small` has the arrays that are already in memory."""

    def __init__(self, reader: CheckpointReader, assignments: Sequence[Assignment]):
        self.reader = reader
        self._foreign = reader.index.big_endian != (sys.byteorder == "big")
        self.small: dict[str, np.ndarray[Any, Any]] = {}
        shards: dict[int, dict[str, Span]] = {}
        room = KEEP_BYTES
        for a in assignments:
            if self.is_plain(a):
                entry = a.entry
                if entry.shard not in shards:
                    shards[entry.shard] = {}
                if entry.offset + entry.size > reader.file(entry.shard).size:
                    reader.span(a.key, entry)  # says what is wrong
                shards[entry.shard][a.key] = (entry.offset, entry.size, a)
            elif a.key not in self.small:
                array = reader.get(a.key)  # decodes and verifies
                if room > a.entry.size and a.entry.size < SMALL:
                    room -= a.entry.size
                    self.small[a.key] = array
        for shard, spans in shards.items():
            small, large = [], []
            for span in sorted(spans.values(), key=lambda span: span[0]):
                if span[1] < SMALL and span[1] <= room:
                    room -= span[1]
                    small.append(span)
                else:
                    large.append(span)
            for run in _runs(small):
                self._read_run(shard, run)
            if reader.verify_mode == "full":
                for group in _apart(large):
                    crcs = reader.file(shard).checksum([s[0] for s in group], [s[1] for s in group])
                    self._compare(shard, group, [mask(crc) for crc in crcs])

    def is_plain(self, a: Assignment) -> bool:
        """Whether the file has the value's bytes as this machine has them in memory, in one piece."""
        entry = a.entry
        return not (entry.slices or self._foreign) and entry.dtype is not STRING and entry.dtype.itemsize > 0

    def _read_run(self, shard: int, run: list[Span]) -> None:
        begin, end = run[0][0], max(s[0] + s[1] for s in run)
        data = self.reader.file(shard).read(begin, end - begin)
        if self.reader.verify_mode == "full":
            self._compare(shard, run, checksums(data, [s[0] - begin for s in run], [s[1] for s in run]))
        small = self.small
        kinds: dict[DType, np.dtype[Any]] = {}
        for offset, size, a in run:
            dtype, shape = a.entry[0], a.entry[1]
            kind = kinds.get(dtype)
            if kind is None:
                kind = kinds[dtype] = dtype.numpy
            # an array over the run's memory, without a step in between
            small[a.key] = np.ndarray(shape, kind, data, offset - begin) if size else np.empty(shape, kind)

    def _compare(self, shard: int, spans: list[Span], crcs: list[int]) -> None:
        """Hold masked checksums against those of the index."""
        if crcs == [s[2].entry.crc for s in spans]:
            return
        for crc, (offset, size, a) in zip(crcs, spans, strict=True):
            if crc != a.entry.crc:
                raise CorruptionError(
                    "the tensor does not match its checksum"
                    f" (bytes {offset}…{offset + size} of {self.reader.shard_path(shard)})",
                    where=f"tensor {a.key!r} of {self.reader.where}", got=f"{crc:08x}", want=f"{a.entry.crc:08x}",
                )  # fmt: skip

    def arrays(self, batch: Sequence[Assignment]) -> list[np.ndarray[Any, Any]]:
        """The values of some assignments; those not in memory yet are read."""
        read: dict[str, np.ndarray[Any, Any]] = {}
        shards: dict[int, dict[str, Span]] = {}
        for a in batch:
            if a.key in self.small:
                continue
            if self.is_plain(a):
                read[a.key] = np.empty(a.entry.shape, a.entry.dtype.numpy)
                shards.setdefault(a.entry.shard, {})[a.key] = (*self.reader.span(a.key, a.entry), a)
            else:
                read[a.key] = self.reader.get(a.key)
        for shard, spans in shards.items():
            for group in _apart(sorted(spans.values(), key=lambda span: span[0])):
                self.reader.file(shard).read_into(
                    [s[0] for s in group], [s[1] for s in group], [as_bytes(read[s[2].key]) for s in group]
                )
        return [self.small[a.key] if a.key in self.small else read[a.key] for a in batch]

    def read_into(self, targets: Sequence[tuple[Assignment, np.ndarray[Any, Any]]]) -> None:
        """Values straight into live memory."""
        shards: dict[int, list[tuple[Span, np.ndarray[Any, Any]]]] = {}
        for a, target in targets:
            shards.setdefault(a.entry.shard, []).append(((a.entry.offset, a.entry.size, a), target))
        for shard, rows in shards.items():
            rows.sort(key=lambda row: row[0][0])
            while rows:
                # Two live arrays may take one saved value: then its span is read in turns.
                now, later, end = [], [], -1
                for row in rows:
                    if row[0][0] >= end:
                        now.append(row)
                        end = row[0][0] + row[0][1]
                    else:
                        later.append(row)
                self.reader.file(shard).read_into(
                    [span[0] for span, _ in now], [span[1] for span, _ in now], [target for _, target in now]
                )
                rows = later


def _runs(spans: list[Span]) -> Iterator[list[Span]]:
    """Spans that lie close together, to be read in one go; overlapping ones may share a run."""
    run: list[Span] = []
    begin = end = 0
    for span in spans:
        if run and (span[0] - end > GAP or span[0] + span[1] - begin > RUN_BYTES):
            yield run
            run = []
        if not run:
            begin = end = span[0]
        run.append(span)
        end = max(end, span[0] + span[1])
    if run:
        yield run


def _apart(spans: list[Span]) -> Iterator[list[Span]]:
    """Groups of spans that do not overlap: a hostile index may name the same bytes many times."""
    group: list[Span] = []
    end = 0
    for span in spans:
        if group and span[0] < end:
            yield group
            group = []
        group.append(span)
        end = span[0] + span[1]
    if group:
        yield group
