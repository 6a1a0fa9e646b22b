"""A checkpoint that shares the files of the one before. In: a Snapshot and a former checkpoint. Out: files; unchanged tensors
are not written again.

A former shard most of whose bytes are still true is linked as a shard of the new checkpoint; what changed goes into one new
shard. A hard link is a file of its own: the former checkpoint may be deleted, and TensorFlow reads the new one as any other.
A tensor counts as unchanged when type, shape, checksum and then every byte are the same. Not here: committing (`write`).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from milepost._native.crc32c import crc32c, mask, unmask
from milepost.errors import MilepostError
from milepost.formats.bundle import BundleWriter, Entry, shard_name
from milepost.storage import Storage
from milepost.train.commit import Transaction
from milepost.train.reader import CheckpointReader
from milepost.train.snapshot import Snapshot, as_bytes
from milepost.train.write import data_files, write_checkpoint, write_tensors

__all__ = ["write_incremental"]

WORTH_LINKING = 0.5  # of a shard's bytes must still be in use, or the dead ones would pile up
SMALL = 4096  # bytes; not worth a look
BLOCK = 1 << 20


def write_incremental(storage: Storage, prefix: str, taken: Snapshot, former: str, *, alignment: int) -> None:
    """Write and commit `prefix`, sharing what it can with `former`."""
    try:
        reader = CheckpointReader(former, verify="index", storage=storage)
        same = _unchanged(reader, taken)
    except MilepostError:
        same = {}  # a damaged former checkpoint is no base; the new one must not depend on it
    shards = _worth_linking(same, reader) if same else []
    if not shards:
        write_checkpoint(storage, prefix, taken, alignment=alignment)
        return
    numbers = {old: new for new, old in enumerate(shards)}
    kept = {number: entry for number, entry in same.items() if entry.shard in numbers}
    fresh = [number for number in range(len(taken.keys)) if number not in kept]
    bundle = BundleWriter(alignment=alignment)
    for number in fresh:
        bundle.add(taken.keys[number], taken.dtypes[number], taken.shapes[number], taken.sizes[number])
    (placed,) = bundle.place()
    count = len(shards) + 1
    with Transaction(storage, prefix) as files:
        target = shard_name(prefix, len(shards), count)
        data = files.create(target, placed.size)
        some = Snapshot(
            data=[taken.data[n] for n in fresh],
            crcs={i: taken.crcs[n] for i, n in enumerate(fresh) if n in taken.crcs},
        )
        crcs = write_tensors(data, placed, some)
        data.sync()
        places = [(len(shards), offset) for offset in placed.offsets]
        for number, entry in kept.items():
            bundle.add(taken.keys[number], taken.dtypes[number], taken.shapes[number], taken.sizes[number])
            places.append((numbers[entry.shard], entry.offset))
            crcs.append(unmask(entry.crc))
        bundle.place_at(places, count)
        with storage.locked(files.directory):
            for name in data_files(storage, prefix):  # of a crash: no index speaks of them, the name was free
                storage.remove(os.path.join(files.directory, name))
            for old, new in numbers.items():
                files.link(reader.shard_path(old), shard_name(prefix, new, count))
            files.claim(data, target)
            files.commit(bundle.index(crcs))


def _unchanged(reader: CheckpointReader, taken: Snapshot) -> dict[int, Entry]:
    """Tensors of the snapshot that the former checkpoint has, bit for bit."""
    same: dict[int, Entry] = {}
    for number, (key, dtype, shape, size) in enumerate(
        zip(taken.keys, taken.dtypes, taken.shapes, taken.sizes, strict=True)
    ):
        entry = reader.index.entries.get(key)
        if entry is None or size < SMALL or entry.slices:
            continue
        if (entry.dtype, entry.shape, entry.size) != (dtype, shape, size):
            continue
        data = taken.data[number]
        array = as_bytes(data()) if callable(data) else data
        plain = _flat(array)
        if number in taken.crcs:
            crc = taken.crcs[number]
        else:
            crc = crc32c(plain.data)
        if mask(crc) == entry.crc and _equal(plain, _flat(reader.raw(key))):
            same[number] = entry
    return same


def _flat(data: Any) -> np.ndarray[Any, Any]:
    return data.reshape(-1).view(np.uint8) if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)


def _equal(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    return all(np.array_equal(a[at : at + BLOCK], b[at : at + BLOCK]) for at in range(0, len(a), BLOCK))


def _worth_linking(same: dict[int, Entry], reader: CheckpointReader) -> list[int]:
    used: dict[int, int] = {}
    for entry in same.values():
        used[entry.shard] = used.get(entry.shard, 0) + entry.size
    return sorted(shard for shard, size in used.items() if size >= WORTH_LINKING * reader.file(shard).size)
