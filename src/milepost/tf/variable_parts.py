"""The parts of a variable: reading and writing some of its rows. In: a variable, IndexedSlices or coordinates. Out: the variable, written to."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import convert, gathering, scattering
from milepost.tf.slices import IndexedSlices
from milepost.tf.tensor import Tensor

__all__ = ["Scattering", "in_place"]


def _rows(sparse_delta: Any) -> tuple[Any, Any]:
    """Indices in one row, and the values for each."""
    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
    where = convert.raw(sparse_delta.indices).long()
    values = convert.raw(sparse_delta.values)
    return where.reshape(-1), values.reshape((where.numel(), *values.shape[where.ndim :]))


class Scattering:
    """The scatter methods of a variable."""

    def assign(self, value: Any) -> Any:
        raise NotImplementedError

    def _old(self) -> Any:
        return convert.raw(self).detach()

    def _put(self, made: Any, name: str | None = None) -> Any:
        from milepost.tf.tensor import wrap

        return self.assign(wrap(made))

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Adds the slices."""
        return self._put(self._old().index_add(0, *_rows(sparse_delta)))

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Takes the slices away."""
        where, values = _rows(sparse_delta)
        return self._put(self._old().index_add(0, where, -values))

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Puts the slices there."""
        return self._put(self._old().index_copy(0, *_rows(sparse_delta)))

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Multiplies by the slices."""
        return self._put(self._old().index_reduce(0, *_rows(sparse_delta), "prod"))

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Divides by the slices."""
        where, values = _rows(sparse_delta)
        by = torch.ones_like(self._old()).index_reduce(0, where, values, "prod")
        return self._put(torch.div(self._old(), by, rounding_mode=None if by.is_floating_point() else "trunc"))

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """The larger of old and new."""
        return self._put(self._old().index_reduce(0, *_rows(sparse_delta), "amax"))

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """The smaller of old and new."""
        return self._put(self._old().index_reduce(0, *_rows(sparse_delta), "amin"))

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Puts slices into each example: the indices' leading dimensions are those of the variable."""
        where = convert.raw(sparse_delta.indices).long()
        values, made = convert.raw(sparse_delta.values), self._old().clone()
        leading = where.ndim - 1
        grid = torch.meshgrid(*[torch.arange(n) for n in where.shape], indexing="ij")[:leading]
        made[(*grid, where)] = values
        return self._put(made)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        return self.assign(scattering.tensor_scatter_nd_add(self, indices, updates))

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        return self.assign(scattering.tensor_scatter_nd_sub(self, indices, updates))

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        return self.assign(scattering.tensor_scatter_nd_update(self, indices, updates))

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        return self.assign(scattering.tensor_scatter_nd_max(self, indices, updates))

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        return self.assign(scattering.tensor_scatter_nd_min(self, indices, updates))

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """These rows."""
        return gathering.gather(self, indices)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The values at these coordinates."""
        return gathering.gather_nd(self, indices)


def in_place(sign: str) -> Any:
    """What `variable += 1.` says: a name would be bound to a tensor, and the variable stay as it was."""
    method = {"+": "assign_add(value)", "-": "assign_sub(value)"}.get(sign, f"assign(variable {sign} value)")

    def refuse(self: Any, other: Any) -> Any:
        raise RuntimeError(
            f"`variable {sign}= value` with `tf.Variable`s is not supported. Use `variable.{method}` to modify the variable, "
            f"or `out = variable {sign} value` if you need to get a new output Tensor."
        )

    return refuse
