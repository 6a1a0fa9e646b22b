"""Rows that share an id put together: sums, means, products, extremes. In: rows and the segment each belongs to. Out: a row per segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from milepost.tf import failures
from milepost.tf.convert import raw
from milepost.tf.tensor import Tensor, wrap

Function = Callable[..., Tensor]


def _joined(t: Any, ids: Any, count: int, how: str, empty: float) -> Any:
    """A row for each of `count` segments; rows with a negative id are left out."""
    tail = t.shape[ids.ndim :]
    rows, index = t.reshape(-1, *tail), ids.reshape(-1).long()
    keep = index >= 0
    rows, index = rows[keep], index[keep]
    made = torch.full((count, *tail), empty, dtype=t.dtype, device=t.device)
    wide = index.reshape(-1, *[1] * len(tail)).expand_as(rows)
    return made.scatter_reduce(0, wide, rows, how, include_self=how != "mean")


def _lowest(kind: Any) -> float:
    return float(torch.finfo(kind).min) if kind.is_floating_point else int(torch.iinfo(kind).min)


def _highest(kind: Any) -> float:
    return float(torch.finfo(kind).max) if kind.is_floating_point else int(torch.iinfo(kind).max)


def _family(name: str, how: str, empty: Callable[[Any], float], text: str) -> tuple[Function, Function]:
    sorted_op, unsorted_op = f"Segment{name}", f"UnsortedSegment{name}"

    def sorted_form(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
        t, ids = raw(data), raw(segment_ids)
        if ids.ndim != 1 or t.ndim == 0 or ids.shape[0] != t.shape[0]:
            raise failures.kernel(sorted_op, "segment_ids should be the same size as dimension 0 of input.", None)
        count = int(ids[-1]) + 1 if ids.numel() else 0
        if ids.numel() and int(ids[0]) < 0:
            raise failures.kernel(
                sorted_op,
                f"Segment id {int(ids[0])} out of range [0, {count}), possibly because 'segment_ids' input is not sorted.",
                None,
            )
        if bool((ids[1:] < ids[:-1]).any()):
            raise failures.kernel(sorted_op, "segment ids are not increasing", None)
        made = _joined(t, ids, count, how, empty(t.dtype))
        if how in ("amax", "amin"):
            present = torch.bincount(ids.long(), minlength=count) > 0
            made = torch.where(present.reshape(-1, *[1] * (made.ndim - 1)), made, torch.zeros_like(made))
        return wrap(made)

    def unsorted_form(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
        t, ids, count = raw(data), raw(segment_ids), int(num_segments)
        if t.shape[: ids.ndim] != ids.shape:
            raise failures.kernel(
                unsorted_op,
                f"data.shape = {failures.brackets(t.shape)} does not start with segment_ids.shape = {failures.brackets(ids.shape)}",
                None,
            )
        if ids.numel() and int(ids.max()) >= count:
            flat = ids.reshape(-1)
            place = int(torch.nonzero(flat >= count)[0])
            raise failures.kernel(
                unsorted_op, f"segment_ids[{place}] = {int(flat[place])} is out of range [0, {count})", None
            )
        return wrap(_joined(t, ids, count, how, empty(t.dtype)))

    sorted_form.__doc__, unsorted_form.__doc__ = text, text
    return sorted_form, unsorted_form


segment_sum, unsorted_segment_sum = _family("Sum", "sum", lambda k: 0, "Sum of the rows that share an id.")
segment_mean, unsorted_segment_mean = _family("Mean", "mean", lambda k: 0, "Mean of the rows that share an id.")
segment_prod, unsorted_segment_prod = _family("Prod", "prod", lambda k: 1, "Product of the rows that share an id.")
segment_max, unsorted_segment_max = _family("Max", "amax", _lowest, "Largest of the rows that share an id.")
segment_min, unsorted_segment_min = _family("Min", "amin", _highest, "Smallest of the rows that share an id.")


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Sum of the rows that share an id, divided by the root of their number."""
    total = unsorted_segment_sum(data, segment_ids, num_segments)._t
    ids = raw(segment_ids).reshape(-1).long()
    count = torch.bincount(ids[ids >= 0], minlength=int(num_segments)).clamp(min=1).to(total.dtype)
    return wrap(total / count.sqrt().reshape(-1, *[1] * (total.ndim - 1)))
