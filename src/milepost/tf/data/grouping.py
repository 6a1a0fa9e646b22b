"""Many elements as one, and one as many: batches, windows, groups. In: sizes. Out: datasets of batches, of windows, of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from milepost.tf.data import batching, composite, edge
from milepost.tf.data.base import UNKNOWN_CARDINALITY, Base, number, positive
from milepost.tf.data.chance import InnerSeeds
from milepost.tf.data.cursor import Cursor, Element, ListCursor
from milepost.tf.data.groups import GroupByWindowCursor
from milepost.tf.data.specs import DatasetSpec
from milepost.tf.data.structure import flatten, map_structure, to_numpy
from milepost.tf.data.windows import WindowCursor
from milepost.tf.failures import InvalidArgumentError, kernel

if TYPE_CHECKING:
    from milepost.tf.data.dataset import Dataset

__all__ = ["Grouping", "window_of"]


def _batches(size: int, drop_remainder: bool) -> Callable[[int], int]:
    return lambda n: n if n < 0 else (n // size if drop_remainder else -(-n // size))


class Grouping(Base):
    """See the module's first line."""

    def batch(
        self, batch_size: Any, drop_remainder: Any = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        size, drop = (
            positive(batch_size, "BatchDatasetV2", "Batch size must be greater than zero."),
            bool(drop_remainder),
        )
        return self._then(
            "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset",
            lambda c: batching.BatchCursor(c, size, drop),
            spec=lambda: edge.batched(self.element_spec, size if drop else None),
            cardinality=_batches(size, drop),
        )

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        size, drop = (
            positive(batch_size, "PaddedBatchDatasetV2", "Batch size must be greater than zero."),
            bool(drop_remainder),
        )
        shapes = None if padded_shapes is None else edge.shapes(padded_shapes, self.element_spec)
        values = None if padding_values is None else edge.paddings(padding_values, self.element_spec)
        if shapes is None and any(s.shape.rank is None for s in edge.tensors(self.element_spec)):
            raise ValueError(
                f"You must provide `padded_shapes` argument because component 0 has unknown rank: {self.element_spec!r}."
            )
        return self._then(
            "_PaddedBatchDataset",
            lambda c: batching.PaddedBatchCursor(c, size, drop, shapes, values),
            spec=lambda: edge.batched(edge.with_shapes(self.element_spec, shapes), size if drop else None),
            cardinality=_batches(size, drop),
        )

    def ragged_batch(
        self, batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = "int64", name: str | None = None
    ) -> Dataset:
        size, drop = (
            positive(batch_size, "BatchDatasetV2", "Batch size must be greater than zero."),
            bool(drop_remainder),
        )
        ranks = [composite.ragged_rank(s) for s in flatten(self.element_spec)]
        return self._then(
            "_BatchDataset",
            lambda c: batching.RaggedBatchCursor(c, size, drop, ranks),
            spec=lambda: edge.ragged_batched(self.element_spec, size if drop else None, row_splits_dtype),
            cardinality=_batches(size, drop),
        )

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        size = positive(batch_size, "DenseToSparseBatchDataset", "Batch size must be greater than zero.")
        shape = [-1 if d is None else int(d) for d in np.atleast_1d(to_numpy(edge.dims(row_shape))).tolist()]
        if len(list(flatten(self.element_spec))) != 1:
            raise TypeError("`dense_to_sparse_batch` requires an input dataset whose elements have a single component.")
        return self._then(
            "_DenseToSparseBatchDataset",
            lambda c: batching.SparseBatchCursor(c, size, shape),
            spec=lambda: edge.sparse_batched(self.element_spec, shape),
            cardinality=_batches(size, False),
        )

    def unbatch(self, name: str | None = None) -> Dataset:
        def size(before: int) -> int:
            first = [s.shape[0] for s in edge.tensors(self.element_spec) if s.shape.rank]
            known = next((n for n in first if n is not None), None)
            return before if before < 0 or known is None else before * known

        def spec() -> Any:
            return edge.unbatched(self.element_spec)

        def total() -> int:
            first = [s.shape[0] for s in edge.tensors(self.element_spec) if s.shape.rank]
            known = any(n is not None for n in first)
            return size(self._cardinality()) if known else UNKNOWN_CARDINALITY

        return self._new("_UnbatchDataset", lambda: batching.UnbatchCursor(self._opener()), spec, total, (self,))

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Dataset:
        given = np.asarray(to_numpy(batch_size))
        sizes = [int(n) for n in given.reshape(-1).tolist()]
        if not sizes or any(n < 0 for n in sizes) or not sum(sizes):
            raise kernel("RebatchDatasetV2", f"Batch sizes must be positive, got {sizes}.")
        drop = bool(drop_remainder)

        def rows() -> int:
            """How many rows there are in all, where that is known."""
            return Grouping.unbatch(self)._cardinality()

        def total() -> int:
            count = rows()
            return count if count < 0 else batching.rebatched(count, sizes, drop)

        same = sizes[0] if len(set(sizes)) == 1 and (drop or self._divides(sizes[0])) else None
        return self._new(
            "_RebatchDataset",
            lambda: batching.RebatchCursor(self._opener(), sizes, drop),
            lambda: edge.batched(edge.unbatched(self.element_spec), same),
            total,
            (self,),
        )

    def _divides(self, size: int) -> bool:
        first = [s.shape[0] for s in edge.tensors(self.element_spec) if s.shape.rank]
        return bool(first) and all(n is not None and n % size == 0 for n in first)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> Dataset:
        width = positive(size, "WindowDataset", f"Window size must be greater than zero, but got {size}.")
        step = positive(stride, "WindowDataset", f"Window stride must be greater than zero, but got {stride}.")
        move = width if shift is None else positive(shift, "WindowDataset", f"Window shift must be greater than zero, but got {shift}.")  # fmt: skip
        drop = bool(drop_remainder)

        def make(elements: list[Element]) -> Any:
            return map_structure(lambda *parts: window_of(list(parts)), *elements)

        def count(n: int) -> int:
            if n < 0:
                return n
            return max(0, (n - ((width - 1) * step + 1)) // move + 1) if drop else -(-n // move)

        return self._then(
            "_WindowDataset",
            lambda c: WindowCursor(c, width, move, step, drop, make),
            spec=lambda: map_structure(DatasetSpec, self.element_spec),
            cardinality=count,
        )

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[[Any, Any], Any], window_size: Any = None,
        window_size_func: Callable[[Any], Any] | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be specified."
                if window_size is None
                else "The `window_size` argument and the `window_size_func` arguments are mutually exclusive."
            )

        def key(element: Element) -> int:
            made = np.asarray(edge.unwrap(edge.call(key_func, element)))
            if made.dtype != np.int64 or made.ndim:
                raise ValueError(
                    f"Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its return type is {edge.spec_of(made)!r}."
                )
            return int(made)

        def width(key: int) -> int:
            size = (
                number(window_size) if window_size_func is None else number(window_size_func(edge.wrap(np.int64(key))))
            )
            if size < 1:
                raise InvalidArgumentError(f"Window size must be greater than zero, but got {size}.")
            return size

        def reduced(key: int, elements: list[Element]) -> Dataset:
            with seeds:
                made = reduce_func(edge.wrap(np.int64(key)), window_of(elements, lambda: self.element_spec))
            if not isinstance(made, Base):
                raise TypeError(
                    f"Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return type is {type(made).__name__}."
                )
            return made  # type: ignore[return-value]

        seeds = InnerSeeds()
        return self._then(
            "_GroupByWindowDataset",
            lambda c: GroupByWindowCursor(c, key, width, reduced, seeds),
            spec=lambda: reduced(0, [self._sample()]).element_spec,
            unknown=True,
        )

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: Any, bucket_batch_sizes: Any,
        padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False,
        no_padding: bool = False, drop_remainder: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Batches of elements of similar length, padded."""
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)={len(bucket_batch_sizes)}` "
                f"and `len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        edges, sizes = [number(b) for b in bucket_boundaries], [number(b) for b in bucket_batch_sizes]

        def bucket(*element: Any) -> Any:
            length = number(element_length_func(*element))
            return np.int64(np.searchsorted(edges, length, side="right"))

        def batch(key: Any, group: Any) -> Any:
            place = number(key)
            if no_padding:
                return group.batch(sizes[place], drop_remainder=drop_remainder)
            shapes = padded_shapes if padded_shapes is not None else map_structure(lambda s: s.shape, self.element_spec)
            if pad_to_bucket_boundary:
                if place == len(edges):
                    raise InvalidArgumentError(
                        "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
                    )
                shapes = edge.filled(shapes, edges[place] - 1)
            return group.padded_batch(sizes[place], shapes, padding_values, drop_remainder=drop_remainder)

        made = self.group_by_window(bucket, batch, window_size_func=lambda key: sizes[number(key)])
        made._spec = lambda: edge.bucketed(self.element_spec, padded_shapes, no_padding)
        return made


def window_of(elements: list[Element], spec: Callable[[], Any] | None = None) -> Dataset:
    """A dataset of elements in memory: one window, or one group."""

    def open_it() -> Cursor:
        return ListCursor(elements)

    made = Base._new("_VariantDataset", open_it, spec or (lambda: edge.spec_of(elements[0])), lambda: len(elements))
    made.window_elements = elements  # type: ignore[attr-defined]  # what a checkpoint keeps of it
    return made
