"""Order: sort, top k, unique, searching in what is sorted, permutations. In: values. Out: them in order, or where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import told
from milepost.tf.results import IsotonicRegression
from milepost.tf.tensor import Tensor, wrap


@told("Sort")
def _ordered(values: Any, axis: Any, direction: str) -> Any:
    t, a = raw(values), int(axis)
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: direction={direction}"
        )
    if type(t) is np.ndarray:
        raise failures.refused(
            "Neg", dtypes.string, "bfloat16 half float double int8 int16 int32 int64 complex64 complex128"
        )
    if not -t.ndim <= a < t.ndim:
        raise failures.kernel("StridedSlice", f"slice index {a} of dimension 0 out of bounds.", "strided_slice/")
    return torch.sort(t, dim=a, descending=direction == "DESCENDING", stable=True)


def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """In order along an axis."""
    return wrap(_ordered(values, axis, direction).values)


def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The indices that sort."""
    return wrap(_ordered(values, axis, direction).indices.int())


@told("TopKV2")
def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The k largest along the last axis, and where they stand; of equal ones the first."""
    from milepost.tf.results import TopKV2

    t, n = raw(input), int(k)
    if not t.ndim:
        raise failures.kernel("TopKV2", "input must be >= 1-D, got shape []")
    if n < 0:
        raise failures.kernel("TopKV2", f"Need k >= 0, got {n}", None)
    if n > t.shape[-1]:
        raise failures.kernel("TopKV2", f"input must have at least k columns. Had {t.shape[-1]}, needed {n}")
    values, places = _largest(t, n)
    return TopKV2(wrap(values), wrap(places.to(as_dtype(index_type).torch)))


def _largest(t: Any, n: int) -> tuple[Any, Any]:
    if 0 < n < t.shape[-1] and t.shape[-1] > 256:  # torch.topk is faster than a sort, but takes any of equal values
        found = t.topk(n, -1)
        limit = found.values[..., -1:]
        if bool(((t == limit).sum(-1) == (found.values == limit).sum(-1)).all()):
            places = found.indices.sort(-1).values
            order = torch.sort(t.gather(-1, places), dim=-1, descending=True, stable=True)
            return order.values, places.gather(-1, order.indices)
    whole = torch.sort(t, dim=-1, descending=True, stable=True)
    return whole.values[..., :n], whole.indices[..., :n]


@told("ApproxTopK")
def approx_max_k(operand: Any, k: Any, reduction_dimension: int = -1, recall_target: float = 0.95,
                 reduction_input_size_override: int = -1, aggregate_to_topk: bool = True, name: str | None = None) -> Any:  # fmt: skip
    """The k largest along an axis: all of them, so better than promised."""
    from milepost.tf.results import ApproxTopK

    axis = int(reduction_dimension)
    found = top_k(wrap(raw(operand).movedim(axis, -1)), k)
    return ApproxTopK(*(wrap(part._t.movedim(-1, axis)) for part in found))


def approx_min_k(operand: Any, k: Any, reduction_dimension: int = -1, recall_target: float = 0.95,
                 reduction_input_size_override: int = -1, aggregate_to_topk: bool = True, name: str | None = None) -> Any:  # fmt: skip
    """The k smallest along an axis."""
    found = approx_max_k(wrap(-raw(operand)), k, reduction_dimension)
    return found._replace(values=wrap(-found.values._t))


def _unique(op: str, x: Any) -> tuple[Tensor, Any, Any]:
    t = raw(x)
    if t.ndim != 1:
        raise failures.kernel(op, "unique expects a 1D vector.", None)
    order: dict[Any, int] = {}
    places = [order.setdefault(v, len(order)) for v in t.tolist()]
    values = np.array(list(order), dtype=object) if type(t) is np.ndarray else torch.tensor(list(order), dtype=t.dtype)
    index = torch.tensor(places, dtype=torch.int64)
    return wrap(values), index, torch.bincount(index, minlength=len(order))


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The different values in order of appearance, and for each value which of them it is."""
    from milepost.tf.results import Unique

    values, places, _ = _unique("Unique", x)
    return Unique(values, wrap(places.to(as_dtype(out_idx).torch)))


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The same, with how often each occurs."""
    from milepost.tf.results import UniqueWithCounts

    values, places, counts = _unique("UniqueWithCounts", x)
    kind = as_dtype(out_idx).torch
    return UniqueWithCounts(values, wrap(places.to(kind)), wrap(counts.to(kind)))


@told("SearchSorted")
def searchsorted(sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:  # fmt: skip
    """Where values belong in a sorted sequence."""
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    a, b = match("SearchSorted", sorted_sequence, values)
    return wrap(torch.searchsorted(a.contiguous(), b.contiguous(), side=side).to(as_dtype(out_type).torch))


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes this one."""
    t = raw(x)
    listed = t.tolist()
    seen: set[int] = set()
    for value in listed:
        if not 0 <= value < len(listed):
            raise failures.kernel("InvertPermutation", f"{value} is not between 0 and {len(listed)}", None)
        if value in seen:
            raise failures.kernel("InvertPermutation", f"{value} is duplicated in the input.", None)
        seen.add(value)
    return wrap(torch.argsort(t.long()).to(t.dtype))


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no value is smaller than the one before."""
    t = raw(x).reshape(-1)
    return wrap((t[1:] >= t[:-1]).all())


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether every value is larger than the one before."""
    t = raw(x).reshape(-1)
    return wrap((t[1:] > t[:-1]).all())


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> Any:
    """The nearest sequence that does not rise (or fall), and which of its level parts each value belongs to."""
    t = raw(inputs).movedim(axis, -1)
    kind = t.dtype if t.is_floating_point() else torch.float32
    values, parts = [], []
    for row in t.reshape(-1, t.shape[-1]).double().tolist():
        levels: list[tuple[float, int]] = []  # sum and length of each level part so far
        for value in row:
            total, size = (value if decreasing else -value), 1
            while levels and levels[-1][0] / levels[-1][1] < total / size:
                before, length = levels.pop()
                total, size = total + before, size + length
            levels.append((total, size))
        sign = 1 if decreasing else -1
        values.append([sign * total / size for total, size in levels for _ in range(size)])
        parts.append([i for i, (_, size) in enumerate(levels) for _ in range(size)])
    shaped = (
        torch.tensor(m, dtype=d).reshape(t.shape).movedim(-1, axis) for m, d in ((values, kind), (parts, torch.int32))
    )
    made, level = shaped
    return IsotonicRegression(wrap(made), wrap(level)) if decreasing else (wrap(made), wrap(level))
