"""One checkpoint, open for reading. In: a prefix or a directory. Out: names, shapes, arrays; every read verified.

`load_checkpoint` and its sisters have TensorFlow's names and answers. Listing reads the index alone; tensors are mapped,
not loaded. Not here: putting values into live objects (`match`, `assign`).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from milepost.errors import CheckpointNotFoundError, TruncatedError
from milepost.formats.bundle import Entry, shard_name
from milepost.formats.bundle_reader import BundleReader, Verify
from milepost.formats.dtypes import DType
from milepost.storage import LocalStorage, ReadFile, Storage
from milepost.train.commit import INDEX
from milepost.train.state import latest_checkpoint
from milepost.types import PathLike

__all__ = ["CheckpointReader", "list_variables", "load_checkpoint", "load_variable", "resolve"]

MAX_INDEX_BYTES = 4 << 30


class CheckpointReader(BundleReader):
    """Tensors of one checkpoint by name, with the methods TensorFlow's reader has.

    >>> import numpy as np, tempfile
    >>> from milepost import train
    >>> path = train.Checkpoint(w=np.arange(3)).save(tempfile.mkdtemp() + "/ckpt")
    >>> reader = train.load_checkpoint(path)
    >>> reader.get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")
    array([0, 1, 2])
    """

    def __init__(self, prefix: PathLike, *, verify: Verify = "full", storage: Storage | None = None):
        self.prefix = os.fspath(prefix)
        self.storage: Storage = storage or LocalStorage()
        if not self.storage.exists(self.prefix + INDEX):
            raise CheckpointNotFoundError("no checkpoint", where=self.prefix, todo=_hint(self.storage, self.prefix))
        index = self.storage.read(self.prefix + INDEX, MAX_INDEX_BYTES)
        super().__init__(index, self._map, where=self.prefix, verify=verify)
        self._files: dict[int, ReadFile] = {}

    def shard_path(self, shard: int) -> str:
        return shard_name(self.prefix, shard, self.index.num_shards)

    def _map(self, shard: int) -> memoryview:
        return self.storage.map(self._there(shard))

    def _there(self, shard: int) -> str:
        path = self.shard_path(shard)
        if not self.storage.exists(path):
            raise TruncatedError("a data file of the checkpoint is missing", where=path)
        return path

    def file(self, shard: int) -> ReadFile:
        """The shard for reading in bulk, without mapping it."""
        found = self._files.get(shard)
        if found is None:
            found = self._files[shard] = self.storage.open(self._there(shard))
        return found

    def span(self, key: str, entry: Entry) -> tuple[int, int]:
        """(offset, size) of a whole tensor, once it is sure that its file is long enough."""
        size = self.file(entry.shard).size
        if entry.offset + entry.size > size:
            raise TruncatedError(
                "a data file ends before the tensor does",
                where=f"tensor {key!r} in {self.shard_path(entry.shard)}",
                got=f"{size} bytes", want=f"≥ {entry.offset + entry.size}",
            )  # fmt: skip
        return entry.offset, entry.size

    def close(self) -> None:
        """Give the files back. Arrays that are views of a mapping keep it open."""
        for file in self._files.values():
            file.close()
        self._files.clear()
        self._shards.clear()

    def get_tensor(self, name: str) -> np.ndarray[Any, Any]:
        return self.get(_plain(name))

    def has_tensor(self, name: str) -> bool:
        return _plain(name) in self

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        return {key: list(entry.shape) for key, entry in self.index.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        return {key: entry.dtype for key, entry in self.index.entries.items()}

    def debug_string(self) -> str:
        """One line per tensor: name, type, shape."""
        return "".join(f"{key} ({self.entry(key).dtype.name}) {list(self.entry(key).shape)}\n" for key in self.keys())


def _plain(name: str) -> str:
    return name.removesuffix(":0")


def _hint(storage: Storage, prefix: str) -> str:
    directory, base = os.path.split(prefix)
    near = [n.removesuffix(INDEX) for n in storage.names(directory) if n.endswith(INDEX) and n.startswith(base)]
    if near:
        return f"did you mean {os.path.join(directory, near[-1])!r}? save() adds a number to the prefix"
    return "save() adds a number to the prefix: is it prefix-1?"


def resolve(path_or_directory: PathLike, storage: Storage | None = None) -> str:
    """A prefix as it is; of a directory its newest checkpoint; of a SavedModel's directory its variables."""
    path = os.fspath(path_or_directory)
    if not os.path.isdir(path):
        return path.removesuffix(INDEX)
    newest = latest_checkpoint(path, storage=storage)
    if newest is not None:
        return newest
    inside = os.path.join(path, "variables", "variables")
    if os.path.exists(inside + INDEX):
        return inside
    raise CheckpointNotFoundError("no checkpoint in this directory", where=path)


def load_checkpoint(ckpt_dir_or_file: PathLike, *, verify: Verify = "full") -> CheckpointReader:
    """A reader of the checkpoint, or of a directory's newest one."""
    return CheckpointReader(resolve(ckpt_dir_or_file), verify=verify)


def list_variables(ckpt_dir_or_file: PathLike) -> list[tuple[str, list[int]]]:
    """(name, shape) of every tensor, sorted by name; reads the index alone."""
    reader = load_checkpoint(ckpt_dir_or_file)
    return [(key, list(reader.entry(key).shape)) for key in sorted(reader.index.entries)]


def load_variable(ckpt_dir_or_file: PathLike, name: str) -> np.ndarray[Any, Any]:
    """One tensor by name; a trailing ":0" is ignored."""
    return np.array(load_checkpoint(ckpt_dir_or_file).get_tensor(name))
