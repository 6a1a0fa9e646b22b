"""numpy's .npz. In: a path. Out: tensors, read without pickle and never beyond what the archive holds; an uncompressed archive."""

from __future__ import annotations

import io
import math
import zipfile
from functools import partial
from typing import Any, cast

import numpy as np

from milepost.errors import FormatError, UsageError
from milepost.formats import dtypes
from milepost.storage import Storage, WriteFile
from milepost.train.convert.stream import Stream, Window, written
from milepost.train.convert.tensor import LeftOut, Tensor, dotted, undotted

__all__ = ["read", "write"]


def read(storage: Storage, path: str) -> tuple[list[Tensor], list[LeftOut]]:
    window = Window(storage.map(path))
    try:
        archive = zipfile.ZipFile(cast(Any, window))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise FormatError(f"no .npz archive: {error}", where=path) from None
    tensors, left_out = [], []
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        shape, dtype = _look(archive, info, f"{name!r} of {path}")
        if dtype.kind in "SU":
            left_out.append(LeftOut(name, "text, not a tensor of numbers"))
            continue
        tensors.append(Tensor(undotted(name), dtypes.of_numpy(dtype).name, shape, partial(_array, archive, info, path)))
    return tensors, left_out


def _look(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and dtype of an entry; what it claims to hold must be there."""
    try:
        with archive.open(info) as entry:
            version = np.lib.format.read_magic(entry)
            readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            shape, _, dtype = readers.get(version, np.lib.format.read_array_header_2_0)(entry)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise FormatError(f"no array: {error}", where=where) from None
    if dtype.hasobject:
        raise FormatError("an array of Python objects, which only pickle could read", where=where)
    if math.prod(shape) * dtype.itemsize > info.file_size:
        raise FormatError(
            "the array is larger than its entry", where=where, got=shape, want=f"≤ {info.file_size} bytes"
        )
    return shape, dtype


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str) -> np.ndarray[Any, Any]:
    try:
        with archive.open(info) as entry:
            found: np.ndarray[Any, Any] = np.lib.format.read_array(entry, allow_pickle=False)
            entry.read()  # zip checks its crc at the end
            return found
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        raise FormatError(f"the array cannot be read: {error}", where=f"{info.filename!r} of {path}") from None


def write(storage: Storage, path: str, tensors: list[Tensor]) -> None:
    for tensor in tensors:
        if dtypes.by_name(tensor.dtype).extension:
            raise UsageError(
                f".npz has no dtype {tensor.dtype}", where=dotted(tensor.path), todo="write safetensors instead"
            )

    def fill(file: WriteFile) -> None:
        stream = io.BufferedWriter(Stream(file), 1 << 20)
        with zipfile.ZipFile(cast(Any, stream), "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for tensor in tensors:
                with archive.open(f"{dotted(tensor.path)}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, np.asarray(tensor.read()), allow_pickle=False)
        stream.flush()

    written(storage, path, fill)
