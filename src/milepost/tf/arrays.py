"""`tf.TensorArray` and small things that have no family: identity_n, timestamp, unravel_index, enums variables take."""

from __future__ import annotations

import time
from enum import Enum
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.arithmetic import common
from milepost.tf.convert import convert_to_tensor, owned, raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, host, wrap

__all__ = [
    "TensorArray",
    "VariableAggregation",
    "VariableSynchronization",
    "identity_n",
    "scalar_mul",
    "timestamp",
    "tuple",
    "unravel_index",
]

_tuple: Any = tuple


class VariableSynchronization(Enum):
    """One process, one copy: every choice means the same."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(Enum):
    """One process, one copy: every choice means the same."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class TensorArray:
    """A list of tensors written by index and put together at the end; each write gives the array to go on with."""

    def __init__(
        self, dtype: Any, size: Any = None, dynamic_size: bool | None = None, clear_after_read: bool | None = None,
        element_shape: Any = None, infer_shape: bool = True, name: str | None = None, **_: Any,
    ):  # fmt: skip
        self._dtype = as_dtype(dtype)
        self._grows = bool(dynamic_size) or size is None
        self._items: list[Tensor | None] = [None] * (0 if size is None else int(size))

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        return self._grows

    def size(self, name: str | None = None) -> Tensor:
        return convert_to_tensor(len(self._items))

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        i, t = int(index), convert_to_tensor(value, dtype_hint=self._dtype)
        if t.dtype is not self._dtype:
            raise ValueError(f"TensorArray dtype is {self._dtype.name} but value has dtype {t.dtype.name}")
        if i >= len(self._items):
            if not self._grows:
                from milepost.tf.failures import OutOfRangeError

                raise OutOfRangeError(
                    f"Tried to write to index {i} but array is not resizeable and size is: {len(self._items)}"
                )
            self._items += [None] * (i + 1 - len(self._items))
        self._items[i] = t
        return self

    def read(self, index: Any, name: str | None = None) -> Tensor:
        found = self._items[int(index)]
        if found is None:
            raise ValueError(f"TensorArray: index {int(index)} was never written to")
        return found

    def _whole(self) -> list[Any]:
        some = next((t for t in self._items if t is not None), None)
        return [
            (torch.zeros_like(some._t) if some is not None else torch.zeros(())) if t is None else t._t
            for t in self._items
        ]

    def stack(self, name: str | None = None) -> Tensor:
        parts = self._whole()
        if self._dtype.torch is None:
            return wrap(np.stack(parts) if parts else np.empty((0,), dtype=object))
        return wrap(torch.stack(parts) if parts else torch.zeros((0,), dtype=self._dtype.torch))

    def concat(self, name: str | None = None) -> Tensor:
        return wrap((np.concatenate if self._dtype.torch is None else torch.cat)(self._whole()))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        join: Any = np.stack if self._dtype.torch is None else torch.stack
        return wrap(join([self.read(i)._t for i in raw(indices).tolist()]))

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        whole = raw(value)
        parts = [np.asarray(t, object) for t in whole] if self._dtype.torch is None else whole.unbind(0)
        self._items = [wrap(t) for t in parts]
        return self

    def close(self, name: str | None = None) -> None:
        self._items = []


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """Each of them."""
    return [wrap(owned(v)) for v in input]


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Tensor]:
    """Each of them, computed."""
    return identity_n(tensors)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """A number times a tensor."""
    a, b = common("Mul", [x, scalar])
    if b.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {tuple(b.shape)}.")
    return wrap(a * b)


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since 1970."""
    if NOW.trace is not None:
        NOW.trace.stay_eager("it reads the clock")
    return wrap(torch.tensor(time.time(), dtype=torch.float64))


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Coordinates of flat indices."""
    try:
        made = np.unravel_index(host(raw(indices)), _tuple(raw(dims).tolist()))
    except ValueError:
        raise failures.kernel("UnravelIndex", "index is out of bound as with dims", None) from None
    return wrap(torch.from_numpy(np.stack(made)).to(raw(indices).dtype))
