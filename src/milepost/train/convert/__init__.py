"""Convert a checkpoint. In: two paths. Out: the tensors of the first in the format the second one's name asks for.

>>> import numpy as np, os, tempfile
>>> from milepost import train
>>> from milepost.train.convert import convert
>>> folder = tempfile.mkdtemp()
>>> path = train.Checkpoint(net={"w": np.ones(2)}).save(os.path.join(folder, "ckpt"))
>>> done = convert(path, os.path.join(folder, "weights.safetensors"), only=["net/*"])
>>> done.names
['net/w']
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from milepost.errors import UsageError
from milepost.storage import LocalStorage, Storage
from milepost.train.convert import bundle, keras_h5, npz, safetensors, torch_pt
from milepost.train.convert.tensor import LeftOut, Tensor, renamed, slashed
from milepost.types import PathLike

__all__ = ["Converted", "convert", "format_of"]

_FORMATS = {"bundle": bundle, "safetensors": safetensors, "pt": torch_pt, "h5": keras_h5, "npz": npz}
_ENDINGS = {
    ".safetensors": "safetensors",
    ".pt": "pt",
    ".pth": "pt",
    ".bin": "pt",
    ".h5": "h5",
    ".hdf5": "h5",
    ".npz": "npz",
}


@dataclass(frozen=True, slots=True)
class Converted:
    """What was done: the tensors' names in the new file (as paths), and what the format had no place for."""

    source_format: str
    target_format: str
    names: list[str]
    bytes: int
    left_out: list[LeftOut]


def format_of(path: PathLike) -> str:
    """The format a name asks for: by its ending; a name without a known one is a TensorBundle prefix."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    return _ENDINGS.get(ending, "bundle")


def convert(
    source: PathLike,
    target: PathLike,
    *,
    only: Sequence[str] = (),
    rename: Sequence[tuple[str, str]] = (),
    on_tensor: Callable[[str, int], None] | None = None,
    storage: Storage | None = None,
) -> Converted:
    """Read `source`, write `target` (whole or not at all). Every checksum of a TensorBundle is verified on the way.

    `only`: glob patterns of paths to keep, as in `net/*`. `rename`: (old prefix, new prefix) pairs; an empty new prefix drops it.
    `on_tensor(name, bytes)` is told of each tensor when its bytes are read.
    """
    storage = storage or LocalStorage()
    source, target = os.fspath(source), os.fspath(target)
    kinds = format_of(source), format_of(target)
    if os.path.abspath(source) == os.path.abspath(target):
        raise UsageError("source and target are the same file", where=target)
    if kinds == ("bundle", "h5"):
        tensors, left_out = bundle.read_for_keras(storage, source)
    else:
        tensors, left_out = _FORMATS[kinds[0]].read(storage, source)
    if only:
        tensors = [t for t in tensors if any(fnmatch.fnmatchcase(slashed(t.path), pattern) for pattern in only)]
    tensors = [renamed(t, list(rename)) for t in tensors]
    if not tensors:
        raise UsageError("nothing to convert: no tensor is left", where=source)
    names = [slashed(t.path) for t in tensors]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two tensors would be called {twice!r}", todo="change the rename rules")
    told = [_told(t, on_tensor) for t in tensors] if on_tensor else tensors
    _FORMATS[kinds[1]].write(storage, target, told)
    return Converted(*kinds, names, sum(_bytes(t) for t in tensors), left_out)


def _bytes(tensor: Tensor) -> int:
    from math import prod

    from milepost.formats.dtypes import by_name

    return prod(tensor.shape) * by_name(tensor.dtype).itemsize


def _told(tensor: Tensor, on_tensor: Callable[[str, int], None]) -> Tensor:
    def read() -> object:
        array = tensor.read()
        on_tensor(slashed(tensor.path), _bytes(tensor))
        return array

    return Tensor(tensor.path, tensor.dtype, tensor.shape, read)  # type: ignore[arg-type]
