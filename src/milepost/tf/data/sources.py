"""Where elements come from: tensors, numbers, generators, files' names. In: values. Out: datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from milepost.tf.data import composite, edge
from milepost.tf.data.base import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Base, number
from milepost.tf.data.chance import Draws, Seeds, seeds_of
from milepost.tf.data.cursor import (
    Cursor,
    Element,
    FilesCursor,
    GeneratorCursor,
    ListCursor,
    RangeCursor,
    SliceCursor,
    State,
    common_length,
)  # fmt: skip
from milepost.tf.data.signature import conformer, normal, signature
from milepost.tf.data.structure import flatten, map_structure, pack_like, to_numpy
from milepost.tf.failures import InvalidArgumentError, kernel
from milepost.tf.shapes import TensorSpec

if TYPE_CHECKING:
    from milepost.tf.data.dataset import Dataset

__all__ = ["Sources"]

_new = Base._new


def _component(value: Any) -> Any:
    return value if hasattr(value, "_opener") else to_numpy(value)


class Sources(Base):
    """The constructors of `tf.data.Dataset`."""

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        element = map_structure(_component, tensors)
        return _new("_TensorDataset", lambda: ListCursor([element]), lambda: edge.spec_of(element), lambda: 1)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        arrays = map_structure(to_numpy, tensors)
        length = common_length(arrays)

        def spec() -> Any:
            return map_structure(
                lambda part: (
                    edge.spec(part.shape[1:], part.dtype) if isinstance(part, np.ndarray) else edge.row_spec(part)
                ),
                arrays,
            )

        parts = list(flatten(arrays))
        if all(isinstance(part, np.ndarray) for part in parts):
            return _new("_TensorSliceDataset", lambda: SliceCursor(arrays, length), spec, lambda: length)
        columns = [[np.asarray(row) for row in p] if isinstance(p, np.ndarray) else composite.rows(p) for p in parts]
        rows = [pack_like(arrays, iter(row)) for row in zip(*columns, strict=True)]
        return _new("_TensorSliceDataset", lambda: ListCursor(rows), spec, lambda: length)

    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[Any]],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Iterable[Any] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_types is not None and output_signature is not None:
            raise TypeError(
                "The `output_types` argument can not be used together with the `output_signature` argument."
            )
        if output_shapes is not None and output_signature is not None:
            raise TypeError(
                "The `output_shapes` argument can not be used together with the `output_signature` argument."
            )
        if output_signature is None:
            if output_types is None:
                raise TypeError("To specify the output signature you need to provide either the `output_signature` argument or the `output_types` argument.")  # fmt: skip
            output_signature = signature(output_types, output_shapes)
        output_signature = normal(output_signature)
        for part in flatten(output_signature):
            if not hasattr(part, "dtype"):
                raise TypeError(f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found {part!r} which is not.")  # fmt: skip
        arguments = tuple(to_numpy(a) for a in args or ())

        def make() -> Iterable[Any]:
            # what a generator is given is numpy: a scalar as a number of numpy's, text as bytes
            return generator(*(a[()] if isinstance(a, np.ndarray) and a.ndim == 0 else a for a in arguments))

        convert = conformer(output_signature)
        parts = list(flatten(output_signature))
        one_shape = all(
            isinstance(part, TensorSpec) and part.shape.is_fully_defined() and part.dtype.name != "string"
            for part in parts
        )
        return _new(
            "_FlatMapDataset",
            lambda: GeneratorCursor(make, convert, one_shape),
            lambda: output_signature,
            lambda: UNKNOWN_CARDINALITY,
        )

    @staticmethod
    def range(*args: Any, output_type: Any = None, name: str | None = None) -> Dataset:
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        numbers = [number(a) for a in args]
        start, stop, step = (
            (0, numbers[0], 1) if len(numbers) == 1 else (numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 1)
        )
        if step == 0:
            raise kernel("RangeDataset", "step must be a non-zero integer.")
        dtype = edge.numpy_dtype(output_type) if output_type is not None else np.dtype(np.int64)
        return _new(
            "_RangeDataset",
            lambda: RangeCursor(start, stop, step, dtype),
            lambda: edge.spec((), dtype),
            lambda: len(range(start, stop, step)),
        )

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = np.int64, name: str | None = None) -> Dataset:
        begin, by, kind = number(start), number(step), edge.numpy_dtype(dtype)
        return _new(
            "_ScanDataset",  # as TensorFlow makes it
            lambda: _CounterCursor(begin, by, kind),
            lambda: edge.spec((), kind),
            lambda: INFINITE_CARDINALITY,
        )

    @staticmethod
    def random(
        seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        seeds = Seeds(seeds_of(None if seed is None else number(seed)), bool(rerandomize_each_iteration))
        return _new(
            "RandomDataset",
            lambda: _RandomCursor(seeds),
            lambda: edge.spec((), np.int64),
            lambda: INFINITE_CARDINALITY,
        )

    @staticmethod
    def from_files(
        kind: str, filenames: Any, read: Callable[[str, int], Iterator[tuple[int, bytes]]], readers: Any = None
    ) -> Dataset:
        """Records of files, one after the other or several at a time; TFRecordDataset and TextLineDataset are made of this."""
        from milepost.tf.data.joining import Joining

        names = filenames if isinstance(filenames, Base) else None
        if names is None:
            listed = [edge.path(f) for f in filenames] if isinstance(filenames, (list, tuple)) else edge.path(filenames)
            array = np.atleast_1d(to_numpy(listed))
            if array.dtype != object and array.size:
                raise TypeError(
                    f"The `filenames` argument must contain `tf.string` elements. Got {array.dtype!r} elements."
                )
            paths = [edge.text(item) for item in array.ravel().tolist()]
            if readers is not None:
                names = Sources.from_tensor_slices(np.array(paths, dtype=object))
        if names is not None:

            def one(path: Any) -> Dataset:
                return Sources.from_files(kind, path, read)

            made: Any = names
            if not isinstance(made, Joining):
                raise TypeError(f"The `filenames` argument must be a dataset of strings. Got {filenames!r}.")
            found = made.interleave(one, number(readers), 1) if readers not in (None, -1) else made.flat_map(one)
            found._kind, found._spec = kind, lambda: edge.spec((), np.dtype(object))
            return found
        return _new(
            kind,
            lambda: FilesCursor(paths, read),
            lambda: edge.spec((), np.dtype(object)),
            lambda: UNKNOWN_CARDINALITY,
        )

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: int | None = None, name: str | None = None
    ) -> Dataset:
        from milepost.tf.io.gfile import glob

        given = (
            [edge.path(p) for p in file_pattern] if isinstance(file_pattern, (list, tuple)) else edge.path(file_pattern)
        )
        patterns = [edge.text(item) for item in np.atleast_1d(to_numpy(given)).ravel().tolist()]
        found = sorted({path for pattern in patterns for path in glob(pattern)})
        if not found:
            raise InvalidArgumentError(f"No files matched pattern: {', '.join(patterns)}")
        files = Sources.from_tensor_slices(found)
        return files if shuffle is not None and not shuffle else files.shuffle(len(found), seed=seed)


class _CounterCursor(Cursor):
    """start, start + step, … for ever."""

    def __init__(self, start: int, step: int, dtype: Any):
        self.at, self.step, self.dtype = start, step, dtype

    def next(self) -> Element:
        self.at += self.step
        return np.array(self.at - self.step, self.dtype)

    def state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        self.at = int(state["at"])


class _RandomCursor(Cursor):
    """Numbers by chance for ever."""

    def __init__(self, seeds: Seeds):
        self.seeds, self.draws = seeds, Draws(*seeds.next())

    def next(self) -> Element:
        return np.array(self.draws.one(), np.int64)

    def stacked(self, count: int) -> tuple[Element, int]:
        return np.array(self.draws.take(count), np.int64), count

    def state(self) -> State:
        return {"draws": [self.draws.seed, self.draws.seed2, self.draws.taken], "seeds": self.seeds.state()}

    def restore(self, state: State) -> None:
        self.draws = Draws(*(int(v) for v in state["draws"]))
        self.seeds.restore(state["seeds"])
