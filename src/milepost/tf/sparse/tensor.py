"""`tf.SparseTensor`: values with their places. In: places, values, a shape. Out: the same, as one value. Operations are in the other files.

Places and shape are read on the host; only the values take part in gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import arithmetic, dtypes, failures
from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.shapes import TensorShape
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["SparseTensor", "places", "sizes"]


_seen: list[bool] = []


def _first() -> None:
    """From the first sparse tensor on, `tf.cast`, `tf.shape` and the like look for them."""
    from milepost.tf.ragged import dispatch

    _seen.append(True)
    dispatch.install()


def _int64(value: Any) -> Tensor:
    if isinstance(value, Tensor) and value.dtype is dtypes.int64:
        return value
    array = host(raw(value)) if isinstance(value, Tensor) else np.asarray(value)
    return wrap(torch.from_numpy(np.array(array, dtype=np.int64)))


def places(sp: SparseTensor) -> Any:
    """The indices as a numpy array."""
    return host(sp.indices._t)


def sizes(sp: SparseTensor) -> list[int]:
    """The dense shape as numbers."""
    listed: list[int] = host(sp.dense_shape._t).tolist()
    return listed


class SparseTensor:
    """Values at indices of a shape; everything else is empty."""

    __slots__ = ("__weakref__", "dense_shape", "indices", "values")
    __array_priority__ = 110.0

    def __init__(self, indices: Any, values: Any, dense_shape: Any):
        if not _seen:
            _first()
        if NOW.trace is not None:
            NOW.trace.stay_eager("it works with sparse tensors")
        self.values: Tensor = convert_to_tensor(values)
        self.dense_shape: Tensor = _int64(dense_shape)
        given = _int64(indices)
        if given.ndim == 1 and not given.shape[0]:
            given = wrap(given._t.reshape(0, self.dense_shape.shape[0]))
        self.indices: Tensor = given
        for what, have, want in (("indices", given.ndim, 2), ("values", self.values.ndim, 1), ("dense_shape", self.dense_shape.ndim, 1)):  # fmt: skip
            if have != want:
                raise ValueError(f"Shape of `{what}` {getattr(self, what).shape} must have rank {want}")
        if given.shape[0] != self.values.shape[0]:
            raise ValueError(f"Dimensions {given.shape[0]} and {self.values.shape[0]} are not compatible")
        if given.shape[1] != self.dense_shape.shape[0]:
            raise ValueError(f"Dimensions {given.shape[1]} and {self.dense_shape.shape[0]} are not compatible")

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)

    @property
    def dtype(self) -> dtypes.DType:
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape(sizes(self))

    def get_shape(self) -> TensorShape:
        return self.shape

    def set_shape(self, shape: Any) -> None:
        self.shape.assert_is_compatible_with(shape)

    def with_values(self, new_values: Any) -> SparseTensor:
        return SparseTensor(self.indices, convert_to_tensor(new_values), self.dense_shape)

    def consumers(self) -> list[Any]:
        return []

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self.indices!s}, values={self.values!s}, dense_shape={self.dense_shape!s})"

    def _scaled(self, operation: Any, other: Any, name: str) -> SparseTensor:
        """An operation with a dense tensor that is broadcast to this one's shape."""
        if isinstance(other, SparseTensor):
            raise TypeError(f"unsupported operand type(s) for {name}: 'SparseTensor' and 'SparseTensor'")
        dense = convert_to_tensor(other, dtype_hint=self.dtype)
        t = raw(dense)
        if t.ndim:
            try:
                t = t.broadcast_to(sizes(self))
            except RuntimeError:
                raise failures.kernel("SparseDenseCwiseMul", f"SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {failures.brackets(sizes(self))} vs. {failures.brackets(t.shape)}") from None  # fmt: skip
            t = t[tuple(torch.from_numpy(np.ascontiguousarray(column)) for column in places(self).T)]
        return self.with_values(operation(self.values, wrap(t)))

    def __mul__(self, other: Any) -> SparseTensor:
        return self._scaled(arithmetic.multiply, other, "*")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> SparseTensor:
        return self._scaled(arithmetic.truediv, other, "/")

    def _answer(self, op: str, dense: Any, arguments: Any) -> Any:
        """A function of one tensor, of the values; everything else wants tf.sparse."""
        from milepost.tf.convert import Composite

        if len(arguments) == 1:
            return self.with_values(dense(self.values))
        raise Composite(self)
