"""A table and its labels. In: a `Listed`. Out: a matrix of float32, rows of text. Files are bounded before they are read.

A table is a TSV of numbers, raw little-endian float32 (a `.bytes` file with its shape in the configuration), or a tensor of a checkpoint.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from milepost.board.embeddings.find import Listed
from milepost.errors import FormatError, MilepostError, StorageError
from milepost.formats.bundle import shard_name
from milepost.formats.bundle_reader import BundleReader
from milepost.formats.checkpoint_state import STATE_FILE, CheckpointState

__all__ = ["Labels", "labels", "matrix", "stamp"]

MAX_TABLE_BYTES = 1 << 30
MAX_INDEX_BYTES = 1 << 29
MAX_LABEL_BYTES = 64 << 20
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


@dataclass(frozen=True, slots=True)
class Labels:
    """Named columns of text, a row a point."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def content(path: str, limit: int) -> bytes:
    try:
        with open(path, "rb") as stream:
            if os.fstat(stream.fileno()).st_size > limit:
                raise FormatError(f"more than {limit} bytes", where=os.path.basename(path))
            return stream.read()
    except OSError as fault:
        raise StorageError(f"cannot be read: {fault.strerror}", where=os.path.basename(path)) from fault


def stamp(listed: Listed) -> tuple[object, ...]:
    """Changes when one of the files does."""
    out: list[object] = []
    for path in (listed.path(listed.info.tensor_path), listed.path(listed.info.metadata_path), _prefix(listed)):
        for one in (path, f"{path}.index") if path else ():
            try:
                about = os.stat(one)
                out.append((one, about.st_mtime_ns, about.st_size))
            except OSError:
                continue
    return tuple(out)


def matrix(listed: Listed) -> NDArray[np.float32]:
    """The points, a row each."""
    info = listed.info
    if not info.tensor_path:
        return _ranked(_from_checkpoint(listed), info.tensor_name)
    path = listed.path(info.tensor_path)
    if path is None:
        raise FormatError("the table lies outside the log directory", where=info.tensor_path)
    data = content(path, MAX_TABLE_BYTES)
    if path.endswith((".bytes", ".bin", ".raw")):
        found = np.frombuffer(data[: len(data) // 4 * 4], "<f4")
        shape = tuple(info.tensor_shape)
        if len(shape) != 2 or shape[0] * shape[1] != len(found):
            raise FormatError(
                "the table has not the shape its configuration says", where=info.tensor_path, got=len(found), want=shape
            )
        return found.reshape(shape).astype(np.float32)
    return _ranked(_from_text(data, info.tensor_path), info.tensor_path)


def _from_text(data: bytes, where: str) -> NDArray[np.float32]:
    rows = [line for line in data.split(b"\n") if line.strip()]
    if not rows:
        raise FormatError("the table is empty", where=where)
    tabs = rows[0].count(b"\t")
    try:
        if any(row.count(b"\t") != tabs for row in rows):
            raise ValueError
        with warnings.catch_warnings():
            # text that is no number ends the reading with a mere warning
            warnings.simplefilter("error", DeprecationWarning)
            numbers = np.fromstring(data, np.float32, sep=" ")
        return numbers.reshape(len(rows), tabs + 1)
    except (ValueError, DeprecationWarning):
        raise FormatError(
            "the table is not rows of numbers, as many in each, with tabs between them", where=where
        ) from None


def _ranked(found: NDArray[np.float32], where: str) -> NDArray[np.float32]:
    if found.ndim != 2 or 0 in found.shape:
        raise FormatError("an embedding is a matrix", where=where, got=f"shape {found.shape}")
    return found


def _prefix(listed: Listed) -> str | None:
    """The checkpoint that the configuration names, or the latest beside it."""
    if listed.config.model_checkpoint_path:
        return listed.path(listed.config.model_checkpoint_path)
    folder = listed.config.model_checkpoint_dir or "."
    state = listed.path(os.path.join(folder, STATE_FILE))
    if state is None or not os.path.isfile(state):
        return None
    try:
        told = CheckpointState.decode(content(state, MAX_INDEX_BYTES).decode("utf-8", "replace"))
    except MilepostError:
        return None
    return listed.path(os.path.join(folder, told.model_checkpoint_path))


def _from_checkpoint(listed: Listed) -> NDArray[np.float32]:
    prefix, name = _prefix(listed), listed.info.tensor_name
    if prefix is None:
        raise FormatError("no table is named, and there is no checkpoint to find it in", where=f"{listed.run}: {name}")

    def inside(path: str, limit: int) -> bytes:
        found = listed.path(path)  # the file itself may be a link that leads out
        if found is None:
            raise FormatError("the checkpoint lies outside the log directory", where=os.path.basename(path))
        return content(found, limit)

    def shard(number: int) -> bytes:
        return inside(shard_name(prefix, number, reader.index.num_shards), MAX_TABLE_BYTES)

    reader = BundleReader(inside(prefix + ".index", MAX_INDEX_BYTES), shard, where=os.path.basename(prefix))
    key = next(
        (k for k in (name, name.removesuffix(":0"), name + VALUE, name.removesuffix(":0") + VALUE) if k in reader), None
    )
    if key is None:
        raise FormatError(f"the checkpoint has no tensor {name!r}", where=os.path.basename(prefix))
    return np.asarray(reader.get(key), np.float32)


def labels(listed: Listed, rows: int) -> Labels | None:
    """The labels, where there are some and they fit: a file of one column has no header, one of several begins with theirs."""
    path = listed.path(listed.info.metadata_path)
    if path is None:
        return None
    lines = content(path, MAX_LABEL_BYTES).decode("utf-8", "replace").split("\n")
    while lines and not lines[-1].strip("\r"):
        lines.pop()
    table = [tuple(line.rstrip("\r").split("\t")) for line in lines]
    if not table:
        return None
    names = table[0] if len(table[0]) > 1 or len(table) == rows + 1 else ("label",)
    if names is table[0]:
        table = table[1:]
    wide = len(names)
    filled = [(row + ("",) * wide)[:wide] for row in table[:rows]]
    filled += [("",) * wide] * (rows - len(filled))
    return Labels(tuple(names), tuple(filled))
