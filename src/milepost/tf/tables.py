"""Rows of a table, by number or by a sparse list of numbers for each example. In: a table and ids. Out: rows, or combinations of them."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import gathering
from milepost.tf.convert import raw
from milepost.tf.tensor import Tensor, wrap


def _shortened(rows: Any, max_norm: Any, axes: tuple[int, ...]) -> Any:
    if max_norm is None:
        return rows
    norm = (rows * rows).sum(axes, keepdim=True).sqrt()
    return rows * max_norm / torch.clamp(norm, min=float(max_norm))


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Tensor:
    """The rows of a table, none longer than max_norm."""
    found = gathering.gather(params, ids)
    if max_norm is None:
        return found
    t = found._t
    return wrap(_shortened(t, max_norm, tuple(range(raw(ids).ndim, t.ndim))))


def _combined(rows: Any, weights: Any, segments: Any, count: int, combiner: str) -> Any:
    """Rows of one segment added up, and divided as the combiner says."""
    scale = (torch.ones(len(segments), device=rows.device) if weights is None else weights).to(rows.dtype)
    shape = (count, *rows.shape[1:])
    total = torch.zeros(shape, dtype=rows.dtype, device=rows.device).index_add(
        0, segments, rows * scale.reshape(-1, *[1] * (rows.ndim - 1))
    )
    if combiner == "sum":
        return total
    if combiner == "mean":
        size = torch.zeros(count, dtype=rows.dtype, device=rows.device).index_add(0, segments, scale)
    elif combiner == "sqrtn":
        size = torch.zeros(count, dtype=rows.dtype, device=rows.device).index_add(0, segments, scale * scale).sqrt()
    else:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    size = size.reshape(-1, *[1] * (rows.ndim - 1))
    return torch.where(size == 0, torch.zeros_like(total), total / torch.where(size == 0, torch.ones_like(size), size))


def embedding_lookup_sparse(
    params: Any, sp_ids: Any, sp_weights: Any, combiner: str | None = None, max_norm: Any = None, name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:  # fmt: skip
    """For each example its rows of the table, combined."""
    if not hasattr(sp_ids, "dense_shape"):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    ids, segments = raw(sp_ids.values).long(), raw(sp_ids.indices)[:, 0].long()
    rows = gathering.gather(params, wrap(ids))._t
    rows = _shortened(rows, max_norm, tuple(range(1, rows.ndim)))
    weights = None if sp_weights is None else raw(sp_weights.values)
    count = int(segments.max()) + 1 if len(segments) else 0
    return wrap(_combined(rows, weights, segments, count, combiner or "mean"))


def safe_embedding_lookup_sparse(
    embedding_weights: Any, sparse_ids: Any, sparse_weights: Any = None, combiner: str = "mean", default_id: Any = None, max_norm: Any = None,
    name: str | None = None, allow_fast_lookup: bool = False,
) -> Tensor:  # fmt: skip
    """The same where examples may have no ids: they get zeros, or the row of default_id. Negative ids do not count."""
    if not hasattr(sparse_ids, "dense_shape"):
        raise TypeError(f"sparse_ids must be SparseTensor, got {type(sparse_ids)}")
    ids, segments = raw(sparse_ids.values).long(), raw(sparse_ids.indices)[:, 0].long()
    weights = None if sparse_weights is None else raw(sparse_weights.values)
    keep = ids >= 0 if weights is None else (ids >= 0) & (weights > 0)
    ids, segments = ids[keep], segments[keep]
    count = int(raw(sparse_ids.dense_shape)[0])
    table = embedding_weights[0] if isinstance(embedding_weights, (list, tuple)) else embedding_weights
    rows = gathering.gather(table, wrap(ids))._t
    rows = _shortened(rows, max_norm, tuple(range(1, rows.ndim)))
    made = _combined(rows, None if weights is None else weights[keep], segments, count, combiner)
    if default_id is not None:
        empty = torch.bincount(segments, minlength=count) == 0
        made = torch.where(empty.reshape(-1, 1), raw(table)[int(default_id)], made)
    return wrap(made)
