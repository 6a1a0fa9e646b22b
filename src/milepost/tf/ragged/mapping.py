"""`tf.map_fn` over ragged rows, or to rows of different lengths. In: a function of a row. Out: its results, put together row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from milepost.tf.convert import convert_to_tensor
from milepost.tf.ragged import rows, shaping
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.specs import RaggedTensorSpec
from milepost.tf.structure import flatten, pack_as

__all__ = ["map_rows"]


def map_rows(fn: Callable[..., Any], elems: Any, wanted: Any) -> Any:
    """fn of each row; results whose spec is ragged, or that come from ragged rows, may differ in length."""
    held: list[Any] = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in flatten(elems)]
    counts = {rows.count(v) for v in held}
    if len(counts) > 1:
        raise ValueError(f"map_fn: elements have different numbers of rows: {sorted(counts)}.")
    results = [fn(pack_as(elems, [leaf[i] for leaf in held])) for i in range(counts.pop())]
    if not results:
        return elems
    columns = list(zip(*[flatten(r) for r in results], strict=True))
    specs = [None] * len(columns) if wanted is None else flatten(wanted)
    return pack_as(results[0], [_together(list(c), s) for c, s in zip(columns, specs, strict=True)])


def _together(results: list[Any], spec: Any) -> Any:
    if spec is None or isinstance(spec, RaggedTensorSpec) or any(isinstance(r, RaggedTensor) for r in results):
        made = shaping.stack(results)
        return made.with_row_splits_dtype(spec.row_splits_dtype) if isinstance(spec, RaggedTensorSpec) else made
    from milepost.tf.joining import stack as dense

    return dense([convert_to_tensor(r) for r in results])
