"""torch's .pt files, tensors only. In: a path. Out: tensors; a file torch.load(weights_only=True) reads. torch itself does both."""

from __future__ import annotations

from milepost.storage import Storage, WriteFile
from milepost.train.convert.stream import Stream, written
from milepost.train.convert.tensor import LeftOut, Tensor, dotted, undotted

__all__ = ["read", "write"]


def read(storage: Storage, path: str) -> tuple[list[Tensor], list[LeftOut]]:
    from milepost.engines.torch_files import load

    found, others = load(path)
    return [Tensor(undotted(name), dtype, shape, array) for name, (dtype, shape, array) in found.items()], [
        LeftOut(name, why) for name, why in others.items()
    ]


def write(storage: Storage, path: str, tensors: list[Tensor]) -> None:
    from milepost.engines.torch_files import save

    def fill(file: WriteFile) -> None:
        save(Stream(file), [(dotted(t.path), t.dtype, t.shape, t.read) for t in tensors])

    written(storage, path, fill)
