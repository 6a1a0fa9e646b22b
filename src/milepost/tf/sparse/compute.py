"""Arithmetic on sparse tensors: sums, products with dense matrices, reductions, softmax, segments, crosses. In: sparse tensors. Out: sparse or dense ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.hashes import CROSS_KEY, cat64, fingerprint64
from milepost.tf.sparse.arrange import checked, joined, reorder, taken, to_dense
from milepost.tf.sparse.tensor import SparseTensor, places, sizes
from milepost.tf.tensor import Tensor, host, wrap

__all__ = [
    "add", "cross", "cross_hashed", "map_values", "maximum", "minimum", "reduce_max", "reduce_sum", "segment_mean", "segment_sqrt_n",
    "segment_sum", "softmax", "sparse_dense_matmul",
]  # fmt: skip


def _groups(at: Any) -> tuple[Any, Any]:
    """The distinct places in order, and the number of the one each entry has."""
    if not len(at):
        return at, np.zeros(0, np.int64)
    unique, group = np.unique(at, axis=0, return_inverse=True)
    return unique, group.reshape(-1)


def _scattered(values: Any, group: Any, count: int, how: str, empty: Any) -> Any:
    made = torch.full((count,), empty, dtype=values.dtype, device=values.device)
    index = torch.from_numpy(np.ascontiguousarray(group)).to(values.device)
    return made.scatter_reduce(0, index, values, how, include_self=how == "sum")


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum: sparse of two sparse ones, dense if one is dense. Sums below the threshold are left out."""
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be a SparseTensor; do you mean tf.add()?")
    if not (isinstance(a, SparseTensor) and isinstance(b, SparseTensor)):
        from milepost.tf.arithmetic import add as dense

        x, y = (to_dense(reorder(v)) if isinstance(v, SparseTensor) else convert_to_tensor(v) for v in (a, b))
        return dense(x, y)
    _same_shape(a, b)
    unique, group = _groups(np.concatenate([places(a), places(b)]))
    sums = _scattered(raw(joined([a.values, b.values])), group, len(unique), "sum", 0)
    limit = float(raw(threshold)) if isinstance(threshold, Tensor) else threshold
    made = SparseTensor(unique.reshape(-1, len(sizes(a))), wrap(sums), a.dense_shape)
    if limit:
        keep = np.flatnonzero(np.abs(host(sums)) >= limit)
        made = SparseTensor(unique[keep], taken(made.values, keep), a.dense_shape)
    return made


def _same_shape(a: SparseTensor, b: SparseTensor) -> None:
    if sizes(a) != sizes(b):
        raise failures.kernel("SparseAdd", f"Operands' shapes do not match: got {failures.brackets(sizes(a))} and {failures.brackets(sizes(b))}")  # fmt: skip


def _larger(name: str, choose: Callable[[Any, Any], Any]) -> Callable[..., SparseTensor]:
    def apply(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
        a, b = checked(sp_a), checked(sp_b)
        _same_shape(a, b)
        unique, group = _groups(np.concatenate([places(a), places(b)]))
        first, second = group[: len(places(a))], group[len(places(a)) :]
        x = _scattered(raw(a.values), first, len(unique), "sum", 0)
        y = _scattered(raw(b.values), second, len(unique), "sum", 0)
        return SparseTensor(unique.reshape(-1, len(sizes(a))), wrap(choose(x, y)), a.dense_shape)

    apply.__doc__ = f"The {name} of two sparse tensors, empty places counting as 0."
    return apply


maximum = _larger("larger", torch.maximum)
minimum = _larger("smaller", torch.minimum)


def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The matrix product, where one of the two is sparse."""
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):  # (b' a')'
        made = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return wrap(raw(made).t().conj().resolve_conj())
    sp, dense = checked(sp_a), raw(convert_to_tensor(b, dtype_hint=sp_a.dtype))
    if dense.ndim != 2 or len(sizes(sp)) != 2:
        raise ValueError("sparse_dense_matmul takes matrices.")
    rows, columns = places(sp).T[::-1] if adjoint_a else places(sp).T
    height, width = sizes(sp)[::-1] if adjoint_a else sizes(sp)
    if adjoint_b:
        dense = dense.t().conj()
    if dense.shape[0] != width:
        raise failures.kernel("SparseTensorDenseMatMul", f"Cannot multiply A and B because inner dimension does not match: {width} vs. {dense.shape[0]}.  Did you forget a transpose?  Dimensions of A: {failures.brackets(sizes(sp))}.  Dimensions of B: {failures.brackets(dense.shape)}")  # fmt: skip
    t = raw(sp.values)
    if t.dtype is not dense.dtype:
        raise failures.dtype_mismatch("SparseTensorDenseMatMul", sp.dtype, dtypes.of_torch(dense.dtype), 3)
    index = [torch.from_numpy(np.ascontiguousarray(i)).to(dense.device) for i in (rows, columns)]
    products = (t.conj() if adjoint_a else t).to(dense.device).unsqueeze(1) * dense[index[1]]
    return wrap(
        torch.zeros((height, dense.shape[1]), dtype=dense.dtype, device=dense.device).index_add(0, index[0], products)
    )


def _reduced(how: str) -> Callable[..., Any]:
    def apply(
        sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False, name: str | None = None
    ) -> Any:
        sp = checked(sp_input)
        shape = sizes(sp)
        rank = len(shape)
        axes = list(range(rank)) if axis is None else [int(a) % rank for a in np.atleast_1d(np.asarray(axis))]
        rest = [a for a in range(rank) if a not in axes]
        at = places(sp)[:, rest]
        unique, group = (
            (np.zeros((1 if len(at) else 0, 0), np.int64), np.zeros(len(at), np.int64)) if not rest else _groups(at)
        )
        t = raw(sp.values)
        made = wrap(_scattered(t, group, len(unique), how, 0))
        kept = [shape[a] for a in rest]
        if keepdims:
            wide = np.zeros((len(unique), rank), np.int64)
            wide[:, rest] = unique
            unique, kept = wide, [1 if a in axes else shape[a] for a in range(rank)]
        if not kept:
            return wrap(raw(made).sum(dtype=t.dtype)) if not output_is_sparse else SparseTensor(unique, made, kept)
        found = SparseTensor(unique, made, kept)
        return found if output_is_sparse else to_dense(found)

    return apply


reduce_sum = _reduced("sum")
reduce_sum.__doc__ = "The sum over axes, dense unless output_is_sparse."
reduce_max = _reduced("amax")
reduce_max.__doc__ = "The largest entry over axes, dense unless output_is_sparse."


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Softmax over the entries of each row."""
    sp = reorder(checked(sp_input))
    unique, group = _groups(places(sp)[:, :-1])
    t = raw(sp.values)
    index = torch.from_numpy(group)
    top = _scattered(t, group, len(unique), "amax", 0)
    raised = torch.exp(t - top[index])
    return sp.with_values(wrap(raised / _scattered(raised, group, len(unique), "sum", 0)[index]))


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """op of the values, at the same places."""
    given = [v for v in (*args, *kwargs.values()) if isinstance(v, SparseTensor)]
    if not given:
        raise ValueError("No SparseTensor in argument list of map_values")
    for other in given[1:]:
        if not np.array_equal(places(other), places(given[0])) or sizes(other) != sizes(given[0]):
            raise failures.InvalidArgumentError("map_values: the sparse tensors must have the same indices and shape.")

    def inner(value: Any) -> Any:
        return value.values if isinstance(value, SparseTensor) else value

    return given[0].with_values(op(*map(inner, args), **{k: inner(v) for k, v in kwargs.items()}))


def _segments(power: float) -> Callable[..., Tensor]:
    def apply(
        data: Any,
        indices: Any,
        segment_ids: Any,
        num_segments: Any = None,
        name: str | None = None,
        sparse_gradient: bool = False,
    ) -> Tensor:
        rows, ids = raw(data)[raw(indices).long()], host(raw(segment_ids)).astype(np.int64)
        count = (int(ids[-1]) + 1 if len(ids) else 0) if num_segments is None else int(num_segments)
        index = torch.from_numpy(ids).to(rows.device)
        made = torch.zeros((count, *rows.shape[1:]), dtype=rows.dtype, device=rows.device).index_add(0, index, rows)
        if power:
            size = torch.from_numpy(np.maximum(np.bincount(ids, minlength=count), 1)).to(rows) ** power
            made = made / size.reshape(-1, *[1] * (made.ndim - 1))
        return wrap(made)

    return apply


segment_sum, segment_mean, segment_sqrt_n = _segments(0), _segments(1), _segments(0.5)
segment_sum.__doc__ = "Sum of chosen rows that share an id."
segment_mean.__doc__ = "Mean of chosen rows that share an id."
segment_sqrt_n.__doc__ = "Sum of chosen rows that share an id, divided by the root of their number."


def _features(value: Any) -> list[list[Any]]:
    """The features of each row."""
    if hasattr(value, "row_splits"):
        return list(value.to_list())
    if isinstance(value, SparseTensor):
        made: list[list[Any]] = [[] for _ in range(sizes(value)[0])]
        for (row, *_), v in zip(places(value).tolist(), host(raw(value.values)).tolist(), strict=True):
            made[row].append(v)
        return made
    array = host(raw(convert_to_tensor(value)))
    if array.ndim != 2:
        raise failures.kernel("SparseCross", f"Dense inputs should be a matrix instead of {array.shape}")
    rows: list[list[Any]] = array.tolist()
    return rows


def crossed(inputs: Any, together: Callable[[tuple[Any, ...]], Any]) -> list[list[Any]]:
    """Every combination of one feature of each input, row by row."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    columns = [_features(v) for v in inputs]
    if len({len(c) for c in columns}) > 1:
        raise failures.kernel("SparseCross", f"Expected batch size {len(columns[0])} for every input, got {[len(c) for c in columns]}")  # fmt: skip
    return [[together(c) for c in itertools.product(*row)] for row in zip(*columns, strict=True)]


def hashed(num_buckets: int, hash_key: int | None) -> Callable[[tuple[Any, ...]], int]:
    """The bucket of one combination."""

    def together(features: tuple[Any, ...]) -> int:
        made = CROSS_KEY if hash_key is None else int(hash_key)
        for feature in features:
            made = cat64(made, fingerprint64(feature) if isinstance(feature, bytes) else int(feature))
        return made % (num_buckets or 2**63 - 1)

    return together


def named(separator: bytes) -> Callable[[tuple[Any, ...]], bytes]:
    """The name of one combination."""
    return lambda features: separator.join(f if isinstance(f, bytes) else str(f).encode() for f in features)


def _laid_out(rows: list[list[Any]], texts: bool) -> SparseTensor:
    at = [(r, c) for r, row in enumerate(rows) for c in range(len(row))]
    flat = [v for row in rows for v in row]
    if texts:
        values: Any = np.empty(len(flat), dtype=object)
        values[:] = flat
    else:
        values = np.array(flat, dtype=np.uint64).astype(np.int64)
    held = wrap(values if texts else torch.from_numpy(values))
    return SparseTensor(np.array(at, np.int64).reshape(-1, 2), held, [len(rows), max(map(len, rows), default=0)])


def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """Combinations of features, as names."""
    return _laid_out(crossed(inputs, named((separator or "_X_").encode())), True)


def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Combinations of features, as numbers below num_buckets: TensorFlow's own numbers."""
    return _laid_out(crossed(inputs, hashed(int(num_buckets), hash_key)), False)
