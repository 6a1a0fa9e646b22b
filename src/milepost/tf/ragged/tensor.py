"""`tf.RaggedTensor`: rows of different lengths, kept as one run of values and the places where rows end. How they are made is in make.py.

The row splits live on the host as numpy arrays: only the values take part in gradients and lie on a device. A `tf.function` that meets a
ragged tensor runs as Python, because the splits decide what is computed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes
from milepost.tf.arithmetic import OPERATORS
from milepost.tf.ragged import partition, rows
from milepost.tf.shapes import TensorShape
from milepost.tf.state import NOW
from milepost.tf.tensor import Reference, Tensor, host, wrap

__all__ = ["RaggedTensor"]


def shown(value: Any) -> str:
    """Nested arrays with commas, elements as Python writes them."""
    if isinstance(value, np.ndarray):
        if value.ndim > 1 and not value.size:
            return f"[{', '.join(shown(row) for row in value)}]"
        return np.array2string(value, separator=", ", formatter={"all": shown})
    return str(value) if not isinstance(value, list) else repr(value)


class RaggedTensor:
    """A tensor with one or more dimensions whose slices may have different lengths."""

    __slots__ = ("__weakref__", "_splits", "_uniform", "_values")
    __array_priority__ = 110.0

    _values: Any
    _splits: partition.Splits
    _uniform: int | None

    def __init__(self, values: Any, row_partition: Any = None, internal: bool = False, **_: Any):
        raise ValueError(
            "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., RaggedTensor.from_row_lengths())"
        )

    @classmethod
    def _made(cls, values: Any, splits: Any, uniform: int | None = None) -> RaggedTensor:
        if NOW.trace is not None:
            NOW.trace.stay_eager("it works with ragged tensors")
        made = object.__new__(cls)
        made._values, made._splits, made._uniform = values, splits, uniform
        return made

    def _like(self, values: Any, splits: Any, uniform: int | None = None) -> RaggedTensor:
        return RaggedTensor._made(values, splits, uniform)

    # --- what it is made of -----------------------------------------------------------------------------------------------

    @property
    def values(self) -> Any:
        return self._values

    @property
    def flat_values(self) -> Tensor:
        found = self._values
        while isinstance(found, RaggedTensor):
            found = found._values
        made: Tensor = found
        return made

    @property
    def row_splits(self) -> Tensor:
        return wrap(torch.from_numpy(self._splits))

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        return tuple(level.row_splits for level in self._levels())

    def _levels(self) -> list[RaggedTensor]:
        found: list[RaggedTensor] = []
        level: Any = self
        while isinstance(level, RaggedTensor):
            found.append(level)
            level = level._values
        return found

    @property
    def ragged_rank(self) -> int:
        return len(self._levels())

    @property
    def uniform_row_length(self) -> Tensor | None:
        return None if self._uniform is None else self._number(self._uniform)

    def _number(self, value: Any, out_type: Any = None) -> Tensor:
        kind = self._splits.dtype if out_type is None else dtypes.as_dtype(out_type).as_numpy_dtype
        return wrap(torch.from_numpy(np.asarray(value, kind)))

    @property
    def dtype(self) -> dtypes.DType:
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        inner = [self._uniform, *self._values.shape[1:]]
        return TensorShape([len(self._splits) - 1, *inner])

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def _rank(self) -> int:
        return len(self.shape)

    def set_shape(self, shape: Any) -> None:
        self.shape.assert_is_compatible_with(shape)

    def consumers(self) -> list[Any]:
        return []

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        return self._number(len(self._splits) - 1, out_type)

    def row_starts(self, name: str | None = None) -> Tensor:
        return self._number(self._splits[:-1].copy())

    def row_limits(self, name: str | None = None) -> Tensor:
        return self._number(self._splits[1:].copy())

    def value_rowids(self, name: str | None = None) -> Tensor:
        return self._number(partition.rowids(self._splits))

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        return tuple(level.value_rowids() for level in self._levels())

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """How long the rows are; of a deeper axis, as a ragged tensor."""
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._number(partition.lengths(self._splits))
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        shape = self._values.shape
        return self.with_values(self._number(np.full(shape[0], shape[axis - 1])))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        return tuple(level.row_lengths() for level in self._levels())

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Tensor:
        """The smallest dense shape that holds it."""
        levels = self._levels()
        sizes = [len(self._splits) - 1]
        sizes += [int(partition.lengths(v._splits).max(initial=0)) for v in levels]
        sizes += list(levels[-1]._values.shape[1:])
        if axis is None:
            return self._number(sizes, out_type)
        wanted = np.asarray(axis.numpy() if hasattr(axis, "numpy") else axis)
        return self._number(np.asarray(sizes)[wanted], out_type)

    # --- the same rows, other values ------------------------------------------------------------------------------------

    def with_values(self, new_values: Any) -> RaggedTensor:
        if not isinstance(new_values, RaggedTensor):
            from milepost.tf.convert import convert_to_tensor

            new_values = convert_to_tensor(new_values)
        if rows.count(new_values) != self._splits[-1]:
            from milepost.tf.failures import InvalidArgumentError

            raise InvalidArgumentError(
                f"with_values: {rows.count(new_values)} values do not fit the row splits, which end at {self._splits[-1]}"
            )
        return self._like(new_values, self._splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        kind = dtypes.as_dtype(dtype)
        if kind.name not in ("int32", "int64"):
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {kind.name}.")
        inner = self._values.with_row_splits_dtype(kind) if isinstance(self._values, RaggedTensor) else self._values
        return self._like(inner, self._splits.astype(kind.as_numpy_dtype), self._uniform)

    # --- as a Python value ----------------------------------------------------------------------------------------------

    def to_list(self) -> list[Any]:
        inner = self._values.to_list() if isinstance(self._values, RaggedTensor) else host(self._values._t).tolist()
        bounds = self._splits.tolist()
        return [inner[a:b] for a, b in itertools.pairwise(bounds)]

    def numpy(self) -> Any:
        """An array of arrays; a plain array where all rows are equally long."""
        inner = self._values.numpy() if isinstance(self._values, RaggedTensor) else np.array(host(self._values._t))
        parts = [inner[a:b] for a, b in itertools.pairwise(self._splits.tolist())]
        if not parts:
            return np.empty((0, 0), dtype=inner.dtype)
        if len({len(p) for p in parts}) == 1:
            return np.array(parts) if inner.dtype != object else _stacked(parts)
        made = np.empty(len(parts), dtype=object)
        for place, part in enumerate(parts):
            made[place] = part
        return made

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {shown(self.numpy())}>"

    __str__ = __repr__

    def __len__(self) -> int:
        return len(self._splits) - 1

    def __iter__(self) -> Iterator[Any]:
        for row in range(len(self)):
            yield self[row]

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def ref(self) -> Reference:
        return Reference(self)

    def __getitem__(self, key: Any) -> Any:
        from milepost.tf.ragged.indexing import index

        return index(self, key)

    def __neg__(self) -> RaggedTensor:
        return self.with_flat_values(-self.flat_values)  # type: ignore[operator]

    def __abs__(self) -> RaggedTensor:
        return self.with_flat_values(abs(self.flat_values))  # type: ignore[arg-type]

    def __invert__(self) -> RaggedTensor:
        return self.with_flat_values(~self.flat_values)  # type: ignore[operator]

    def _answer(self, op: str, dense: Any, arguments: Any) -> Any:
        """The result of an operation of dense tensors that met this one among its arguments."""
        from milepost.tf.ragged import elementwise, reduce

        if op.startswith("reduce "):
            return reduce.reduced(op[7:], dense, *arguments)
        return elementwise.apply(dense, *arguments)

    def __pos__(self) -> RaggedTensor:
        return self


def _stacked(parts: list[Any]) -> Any:
    made = np.empty((len(parts), *parts[0].shape), dtype=object)
    for place, part in enumerate(parts):
        made[place] = part
    return made


for _name, _operation in OPERATORS.items():
    if _name not in RaggedTensor.__dict__ or _name in ("__eq__", "__ne__"):
        setattr(RaggedTensor, _name, _operation)
