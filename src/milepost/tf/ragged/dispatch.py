"""Ordinary functions that also take ragged and sparse tensors: `tf.concat`, `tf.gather`, `tf.cast` and the like. In: public namespaces. Out: the same names, which look first.

Programs without such tensors pay nothing: the functions are exchanged when the ragged room is loaded. Functions of one or two tensors and
reductions need no exchange; they meet a ragged tensor where they convert their arguments (`convert.Composite`).
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes
from milepost.tf.convert import Composite, raw
from milepost.tf.ragged import elementwise, make, shaping
from milepost.tf.ragged.tensor import RaggedTensor
from milepost.tf.tensor import host, wrap

__all__ = ["install"]

Function = Callable[..., Any]


def _is(value: Any) -> bool:
    return hasattr(type(value), "_answer")


def _holds(value: Any) -> bool:
    return _is(value) or (type(value) in (list, tuple) and any(_is(v) for v in value))


def _looking(dense: Function, ours: Function) -> Function:
    """`dense`, but `ours` when one of the arguments is ragged."""

    @functools.wraps(dense)
    def choose(*args: Any, **kwargs: Any) -> Any:
        for value in args:
            if _holds(value):
                return ours(*args, **kwargs)
        for value in kwargs.values():
            if _holds(value):
                return ours(*args, **kwargs)
        return dense(*args, **kwargs)

    return choose


def _mapped(dense: Function) -> Function:
    """A function whose first argument may be ragged or sparse, of its values."""

    def ours(value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, RaggedTensor):
            return value.with_flat_values(dense(value.flat_values, *args, **kwargs))
        if _is(value):
            return value.with_values(dense(value.values, *args, **kwargs))
        return elementwise.apply(dense, value, *args, **kwargs)  # another argument is ragged

    return ours


def _ragged_only(ours: Function) -> Function:
    """Sparse tensors have functions of their own."""

    def choose(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            for part in value if type(value) in (list, tuple) else (value,):
                if _is(part) and not isinstance(part, RaggedTensor):
                    raise Composite(part)
        return ours(*args, **kwargs)

    return choose


def _rank(input: Any, name: str | None = None) -> Any:
    return wrap(torch.tensor(len(input.shape), dtype=torch.int32))


def _size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    if isinstance(input, RaggedTensor):
        count = int(np.prod(input.flat_values.shape))
    else:
        count = int(np.prod(input.shape))
    return wrap(torch.tensor(count, dtype=dtypes.as_dtype(out_type).torch))


def _shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    from milepost.tf.ragged.spec import DynamicRaggedShape

    if isinstance(input, RaggedTensor):
        return DynamicRaggedShape(input, out_type)
    return wrap(raw(input.dense_shape).to(dtypes.as_dtype(out_type).torch))


def _where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    from milepost.tf.gathering import where as dense

    if x is None and y is None:
        mask = host(raw(condition.flat_values)) != 0
        places = np.stack(make.coordinates(condition), 1)
        return wrap(torch.from_numpy(places[mask].astype(np.int64)))
    return elementwise.apply(dense, condition, x, y)


def _add_n(inputs: Any, name: str | None = None) -> Any:
    from milepost.tf.arithmetic import add

    return functools.reduce(add, inputs)


def _boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str | None = None) -> Any:
    from milepost.tf.ragged import boolean_mask

    return boolean_mask(tensor, mask)


def _one_hot(indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None, name: str | None = None) -> Any:  # fmt: skip
    from milepost.tf.creation import one_hot as dense

    return indices.with_flat_values(dense(indices.flat_values, depth, on_value, off_value, -1, dtype))


def _transpose(a: Any, perm: Any = None, **_: Any) -> Any:
    raise NotImplementedError("tf.transpose of a ragged tensor is not there; use .to_tensor() first.")


def _reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    from milepost.tf.shapes import as_dims
    from milepost.tf.shaping import reshape as dense

    if as_dims(shape) != (-1,):
        raise NotImplementedError("tf.reshape of a ragged tensor gives its values, with shape [-1], and nothing else.")
    return dense(tensor.flat_values, [-1])


def _matmul(a: Any, b: Any, *_: Any, **__: Any) -> Any:
    from milepost.tf.linalg import matmul as dense

    if len(a.shape) != len(b.shape):
        raise ValueError("`a` and `b` must have the same rank.")
    if len(a.shape) != 3:
        raise NotImplementedError("tf.matmul of ragged tensors takes batches of matrices (rank 3).")
    return shaping.stack([dense(_dense(x), _dense(y)) for x, y in zip(a, b, strict=True)])


def _dense(value: Any) -> Any:
    return make.to_tensor(value) if isinstance(value, RaggedTensor) else value


def _embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    return shaping.gather(params, ids)


def _embedding_lookup_sparse(params: Any, sp_ids: Any, sp_weights: Any = None, **options: Any) -> Any:
    from milepost.tf.tables import embedding_lookup_sparse as dense

    given = [make.to_sparse(v) if isinstance(v, RaggedTensor) else v for v in (sp_ids, sp_weights)]
    return dense(params, *given, **options)


def _assert_equal(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: str | None = None) -> None:
    from milepost.tf.debugging import assert_equal as dense

    a, b = (v if isinstance(v, RaggedTensor) else make.from_tensor(v) for v in (x, y))
    for one, other in zip(a._levels(), b._levels(), strict=True):
        dense(one.row_splits, other.row_splits, message)
    dense(a.flat_values, b.flat_values, message)


def _softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    from milepost.tf.arithmetic import subtract, truediv
    from milepost.tf.pointwise import exp
    from milepost.tf.reductions import reduce_max, reduce_sum

    if axis not in (None, -1, len(logits.shape) - 1):
        raise NotImplementedError("tf.nn.softmax of a ragged tensor works along its last axis.")
    raised = exp(subtract(logits, reduce_max(logits, -1, keepdims=True)))
    return truediv(raised, reduce_sum(raised, -1, keepdims=True))


_OWN: dict[str, Function] = {
    "concat": shaping.concat, "stack": shaping.stack, "expand_dims": shaping.expand_dims, "squeeze": shaping.squeeze,
    "gather": shaping.gather, "gather_nd": shaping.gather_nd, "tile": shaping.tile, "repeat": shaping.repeat, "reverse": shaping.reverse,
    "split": shaping.split, "unstack": shaping.unstack, "rank": _rank, "size": _size, "shape": _shape, "where": _where, "add_n": _add_n,
    "boolean_mask": _boolean_mask, "one_hot": _one_hot, "transpose": _transpose, "reshape": _reshape, "matmul": _matmul,
}  # fmt: skip
_MAPPED = "cast zeros_like ones_like identity clip_by_value stop_gradient saturate_cast bitcast"
_MAPPED_INSIDE = {
    "nn": "relu relu6 elu selu gelu leaky_relu silu swish dropout",
}
_OWN_INSIDE: dict[str, dict[str, Function]] = {
    "nn": {
        "embedding_lookup": _embedding_lookup,
        "embedding_lookup_sparse": _embedding_lookup_sparse,
        "softmax": _softmax,
    },
    "debugging": {"assert_equal": _assert_equal},
    "math": {"add_n": _add_n},
}
_done = False


def install() -> None:
    """Once a process."""
    global _done
    if _done:
        return
    _done = True
    from milepost import tf

    for name, ours in _OWN.items():
        both = ours if name in ("rank", "size", "shape") else _ragged_only(ours)
        setattr(tf, name, _looking(getattr(tf, name), both))
    for name in _MAPPED.split():
        dense = getattr(tf, name)
        setattr(tf, name, _looking(dense, _mapped(dense)))
    for space in {*_MAPPED_INSIDE, *_OWN_INSIDE}:
        module = importlib.import_module(f"milepost.tf.{space}")
        for name in _MAPPED_INSIDE.get(space, "").split():
            dense = getattr(module, name)
            setattr(module, name, _looking(dense, _mapped(dense)))
        for name, ours in _OWN_INSIDE.get(space, {}).items():
            both = ours if name == "embedding_lookup_sparse" else _ragged_only(ours)
            setattr(module, name, _looking(getattr(module, name), both))
