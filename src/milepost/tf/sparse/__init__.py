"""`tf.sparse`: tensors with few entries. In: indices and values, or dense tensors. Out: sparse tensors, or dense ones. The class is in tensor.py."""

from __future__ import annotations

from typing import Any

from milepost.tf.counting_rows import sparse_bincount as bincount
from milepost.tf.sparse.arrange import (
    concat,
    expand_dims,
    eye,
    fill_empty_rows,
    from_dense,
    mask,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    split,
    to_dense,
    to_indicator,
    transpose,
)  # fmt: skip
from milepost.tf.sparse.compute import (
    add,
    cross,
    cross_hashed,
    map_values,
    maximum,
    minimum,
    reduce_max,
    reduce_sum,
    segment_mean,
    segment_sqrt_n,
    segment_sum,
    softmax,
    sparse_dense_matmul,
)  # fmt: skip
from milepost.tf.sparse.tensor import SparseTensor

__all__ = [
    "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed",
    "expand_dims", "eye", "fill_empty_rows", "from_dense", "map_values", "mask", "maximum", "minimum", "reduce_max", "reduce_sum",
    "reorder", "reset_shape", "reshape", "retain", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax",
    "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.sparse", __all__)
