"""A snapshot becomes a checkpoint. In: a Snapshot, a prefix, a storage. Out: files; all of them or none.

    data → temporary file, synced          nobody sees it
    data → its shard name                  still nobody: no index speaks of it
    index → temporary file, synced
    index → prefix.index                   the commit: one rename
    directory synced

An existing checkpoint of the same name stays whole until the rename: the new data goes under another spelling of the
shard (`.data-00001-of-00002`), which the new index names. Not here: which checkpoints to keep (`manager`).
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from milepost._native.crc32c import combine
from milepost.errors import CheckpointError
from milepost.formats.bundle import ALIGNMENT, MAX_SHARDS, BundleWriter, Placement, shard_name
from milepost.storage import Bytes, Storage, WriteFile
from milepost.train.commit import Transaction
from milepost.train.snapshot import Snapshot, as_bytes

__all__ = ["data_files", "write_checkpoint", "write_tensors"]

FETCH_BYTES = 16 << 20  # how much of what lives elsewhere may be in host memory at once
_SHARD = re.compile(r"\.data-(\d{5})-of-(\d{5})")


def write_checkpoint(storage: Storage, prefix: str, taken: Snapshot, *, alignment: int = ALIGNMENT) -> None:
    """Write and commit. Raises StorageError and leaves nothing behind when the place is full or closed."""
    bundle = BundleWriter(alignment=alignment)
    for key, dtype, shape, size in zip(taken.keys, taken.dtypes, taken.shapes, taken.sizes, strict=True):
        bundle.add(key, dtype, shape, size)
    (placed,) = bundle.place()
    with Transaction(storage, prefix) as files:
        data = files.create(shard_name(prefix, 0, 1), placed.size)
        crcs = write_tensors(data, placed, taken)
        data.sync()
        with storage.locked(files.directory):
            shard = _claim_shard(files, data)
            files.commit(bundle.index(crcs, shard_spelling=shard))
            _remove_shards_but(storage, prefix, shard_name(os.path.basename(prefix), *shard))


def _claim_shard(files: Transaction, data: WriteFile) -> tuple[int, int]:
    """Give the data its name: the first spelling no file has."""
    for number in range(MAX_SHARDS - 1):
        if files.claim(data, shard_name(files.prefix, number, number + 1)):
            return number, number + 1
    raise CheckpointError("every spelling of the shard's name is taken", where=files.prefix)


def write_tensors(file: WriteFile, placed: Placement, taken: Snapshot) -> list[int]:
    """All tensors to their offsets; what has to be fetched first is fetched a little at a time."""
    crcs: list[int] = []
    offsets: list[int] = []
    sizes: list[int] = []
    buffers: list[Bytes] = []
    fetched = 0

    def flush() -> None:
        nonlocal fetched
        crcs.extend(file.write(offsets, sizes, buffers))
        for column in (offsets, sizes, buffers):
            column.clear()
        fetched = 0

    for number, (offset, size) in enumerate(zip(placed.offsets, placed.sizes, strict=True)):
        data = taken.data[number]
        if callable(data):
            array = data()
            if size > FETCH_BYTES and not array.flags.c_contiguous and array.ndim:
                flush()
                crcs.append(_write_slabs(file, array, offset))
                continue
            data = as_bytes(array)
            fetched += size
        offsets.append(offset)
        sizes.append(size)
        buffers.append(data)
        if fetched > FETCH_BYTES:
            flush()
    flush()
    for number, crc in taken.crcs.items():
        crcs[number] = crc
    return crcs


def _write_slabs(file: WriteFile, array: np.ndarray[Any, Any], offset: int) -> int:
    """A large array that is not in C order: copied and written a few rows at a time. Its crc."""
    crc = 0
    rows = max(1, FETCH_BYTES * len(array) // array.nbytes)
    for first in range(0, len(array), rows):
        slab = as_bytes(array[first : first + rows])
        (part,) = file.write([offset], [slab.nbytes], [slab])
        crc = combine(crc, part, slab.nbytes)
        offset += slab.nbytes
    return crc


def data_files(storage: Storage, prefix: str) -> list[str]:
    """The names (without directory) of all files that are shards of `prefix`, referred to or not."""
    directory, base = os.path.split(prefix)
    return [name for name in storage.names(directory) if name.startswith(base) and _SHARD.fullmatch(name[len(base) :])]


def _remove_shards_but(storage: Storage, prefix: str, keep: str) -> None:
    """After a commit: what an earlier checkpoint of this name, or a crash, left."""
    for name in data_files(storage, prefix):
        if name != keep:
            storage.remove(os.path.join(os.path.dirname(prefix), name))
