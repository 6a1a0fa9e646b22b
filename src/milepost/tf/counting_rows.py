"""How often numbers occur in ragged and sparse tensors, and counts as sparse tensors. In: numbers from 0 on. Out: counts. Dense ones are in counting.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import Composite, raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["bincount", "sparse_bincount"]


def _rows(arr: Any, axis: Any) -> tuple[Any, Any, int, bool]:
    """The numbers, the row of each, how many rows, and whether rows are counted apart."""
    try:
        values = host(raw(arr))
    except Composite as found:
        rt = found.value
        if type(rt).__name__ == "SparseTensor":
            apart = axis is not None and int(axis) == -1 and len(rt.shape) > 1
            places = host(rt.indices._t)
            ids = places[:, 0] if apart else np.zeros(len(places), np.int64)
            return host(rt.values._t), ids, int(rt.shape[0]) if apart else 1, apart
        from milepost.tf.ragged.partition import rowids

        apart = axis is not None and int(axis) == -1
        flat = host(raw(rt.flat_values))
        if not apart:
            return flat, np.zeros(len(flat), np.int64), 1, False
        return flat, rowids(rt._splits), len(rt), True
    if values.dtype.kind not in "iu" and values.size:
        raise failures.InvalidArgumentError(f"bincount takes integers, got {values.dtype}.")
    apart = axis is not None and int(axis) == -1 and values.ndim == 2
    if axis is not None and int(axis) not in (0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if not apart:
        return values.reshape(-1), np.zeros(values.size, np.int64), 1, False
    return values.reshape(-1), np.repeat(np.arange(values.shape[0]), values.shape[1]), values.shape[0], True


def _table(arr: Any, weights: Any, minlength: Any, maxlength: Any, axis: Any, binary: bool) -> tuple[Any, bool]:
    values, ids, count, apart = _rows(arr, axis)
    if values.size and values.min() < 0:
        raise failures.InvalidArgumentError("Input arr must be non-negative!")
    low = 0 if minlength is None else int(minlength)
    limit = None if maxlength is None else int(maxlength)
    if low < 0 or (limit is not None and limit < 0):
        raise failures.InvalidArgumentError("minlength and maxlength must not be negative.")
    width = max(low, int(values.max()) + 1 if values.size else 0)
    if limit is not None:
        width = min(width, limit)
    keep = values < width
    places = ids[keep].astype(np.int64) * width + values[keep].astype(np.int64)
    if binary:
        made: Any = np.zeros(count * width, np.int64)
        made[places] = 1
    elif weights is None:
        made = np.bincount(places, minlength=count * width)
    else:
        heavy = host(raw(getattr(weights, "flat_values", getattr(weights, "values", weights)))).reshape(-1)
        made = np.zeros(count * width, heavy.dtype)
        np.add.at(made, places, heavy[keep])
    return made.reshape(count, width), apart


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = dtypes.int32,
    name: str | None = None, axis: Any = None, binary_output: bool = False,
) -> Tensor:  # fmt: skip
    """How often each number from 0 on occurs: in all, or (axis=-1) in each row."""
    made, apart = _table(arr, weights, minlength, maxlength, axis, binary_output)
    kind = made.dtype if weights is not None and not binary_output else as_dtype(dtype).as_numpy_dtype
    return wrap(torch.from_numpy((made if apart else made[0]).astype(kind)))


def sparse_bincount(
    values: Any, weights: Any = None, axis: Any = 0, minlength: Any = None, maxlength: Any = None,
    binary_output: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The same as a sparse tensor of the numbers that occur."""
    from milepost.tf.sparse import SparseTensor

    made, apart = _table(values, weights, minlength, maxlength, axis, binary_output)
    if not apart:
        made = made[0]
    places = np.argwhere(made != 0)
    counts = made[tuple(places.T)]
    return SparseTensor(places, counts if weights is not None else counts.astype(np.int32), made.shape)
