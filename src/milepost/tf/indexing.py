"""`tensor[...]`: Python's and numpy's indices on torch, with TensorFlow's limits and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import failures
from milepost.tf.convert import owned as raw  # a view of a variable must not change with it
from milepost.tf.dtypes import as_dtype, bool_
from milepost.tf.tensor import Tensor, wrap

__all__ = ["index"]


def _outside(sentence: str) -> Exception:
    return failures.kernel("StridedSlice", sentence, "strided_slice/")


def _bound(value: Any) -> int | None:
    return None if value is None else int(value)


def _refuse(item: Any) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid "
        f"indices, got {item!r}"
    )


def index(x: Any, key: Any) -> Tensor:
    """x[key], as a new tensor."""
    t = raw(x)
    if isinstance(key, (Tensor, np.ndarray)) and as_dtype(key.dtype) is bool_:
        from milepost.tf.gathering import boolean_mask

        return boolean_mask(x, key)
    items = key if isinstance(key, tuple) else (key,)
    if isinstance(t, np.ndarray):
        try:
            return wrap(np.asarray(t[tuple(_plain(i) for i in items)], dtype=object))
        except IndexError:
            raise _out_of_bounds(t, items) from None
    for item in items:  # the common case needs no rewriting
        kind = type(item)
        if not (kind is int or item is None or item is Ellipsis or (kind is slice and _simple(item))):
            break
    else:
        try:
            return wrap(t[key])
        except IndexError:
            raise _out_of_bounds(t, items) from None
    return _general(t, items)


def _simple(s: slice) -> bool:
    return (
        (s.start is None or type(s.start) is int)
        and (s.stop is None or type(s.stop) is int)
        and (s.step is None or (type(s.step) is int and s.step > 0))
    )


def _plain(item: Any) -> Any:
    if isinstance(item, slice):
        return slice(_bound(item.start), _bound(item.stop), _bound(item.step))
    return int(item) if isinstance(item, (Tensor, np.generic)) else item


def _general(t: Any, items: tuple[Any, ...]) -> Tensor:
    plain: list[Any] = []
    flips: list[tuple[int, slice]] = []
    axis = 0  # in the result
    taken = sum(1 for i in items if i is not None and i is not Ellipsis)
    source = 0
    for item in items:
        if item is None:
            plain.append(None)
            axis += 1
        elif item is Ellipsis:
            skipped = t.ndim - taken
            plain.append(Ellipsis)
            axis, source = axis + skipped, source + skipped
        elif isinstance(item, slice):
            bounds = _plain(item)
            if bounds.step == 0:
                raise _outside(f"strides[{len(plain)}] must be non-zero")
            if bounds.step is not None and bounds.step < 0:
                flips.append((axis, bounds))
                bounds = slice(None)
            plain.append(bounds)
            axis, source = axis + 1, source + 1
        else:
            if isinstance(item, (Tensor, np.ndarray)) and np.ndim(item):
                raise _refuse(item)
            if isinstance(item, list):
                raise _outside(f"Index out of range using input dim {t.ndim}; input has only {t.ndim} dims")
            try:
                plain.append(item.__index__())
            except (AttributeError, TypeError):
                raise _refuse(item) from None
            source += 1
    try:
        t = t[tuple(plain)]
    except IndexError:
        raise _out_of_bounds(t, tuple(plain)) from None
    for axis, bounds in flips:  # torch knows no negative steps
        chosen = range(*bounds.indices(t.shape[axis]))
        t = t.index_select(axis, torch.tensor(list(chosen), dtype=torch.int64, device=t.device))
    return wrap(t)


def _out_of_bounds(t: Any, items: tuple[Any, ...]) -> Exception:
    wanted = [i for i in items if i is not None and i is not Ellipsis]
    if wanted and not t.ndim:
        return _outside("Attempting to slice scalar input.")
    if len(wanted) > t.ndim:
        return _outside(f"Index out of range using input dim {t.ndim}; input has only {t.ndim} dims")
    for axis, item in enumerate(wanted):
        if isinstance(item, int) and not -t.shape[axis] <= item < t.shape[axis]:
            shown = item if item >= 0 else item + t.shape[axis]
            return _outside(f"slice index {shown} of dimension {axis} out of bounds.")
    return _outside(f"indices {items} do not fit shape {failures.brackets(t.shape)}")


setattr(Tensor, "__getitem__", index)  # noqa: B010  (a static assignment would make the class look generic)
