"""safetensors files. In: a path. Out: tensors that are views of the mapped file; a file the safetensors package reads."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from milepost.errors import UsageError
from milepost.formats import dtypes
from milepost.formats import safetensors as header_format
from milepost.storage import Storage, WriteFile
from milepost.train.convert.stream import written
from milepost.train.convert.tensor import LeftOut, Tensor, dotted, undotted
from milepost.train.snapshot import as_bytes

__all__ = ["read", "write"]


def read(storage: Storage, path: str) -> tuple[list[Tensor], list[LeftOut]]:
    data = storage.map(path)
    header = header_format.decode_header(data, len(data), where=path)

    def view(span: header_format.Span) -> np.ndarray[Any, Any]:
        dtype = dtypes.by_name(span.dtype).numpy
        return np.frombuffer(data[span.begin : span.end], dtype=dtype).reshape(span.shape)

    return [
        Tensor(undotted(name), span.dtype, span.shape, partial(view, span)) for name, span in header.spans.items()
    ], []


def write(storage: Storage, path: str, tensors: list[Tensor]) -> None:
    names = [dotted(tensor.path) for tensor in tensors]
    if len(set(names)) != len(names):
        raise UsageError("two tensors would have one name", where=path, todo="rename one of them")
    head, places = header_format.encode_header(
        [(name, t.dtype, t.shape) for name, t in zip(names, tensors, strict=True)], {"format": "pt"}
    )

    def fill(file: WriteFile) -> None:
        file.write([0], [len(head)], [head])
        for place, tensor in zip(places, tensors, strict=True):
            data = as_bytes(tensor.read())
            if data.nbytes:
                file.write([place], [data.nbytes], [data])

    written(storage, path, fill, len(head))
