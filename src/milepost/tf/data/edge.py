"""Where numpy elements become tensors and back, and what is known of elements before they exist. In: arrays, specs, user functions.
Out: tensors, arrays, specs.

Inside a pipeline everything is numpy: wrapping happens once, here, when an element meets a user's function or leaves the dataset.
Not here: cursors, the public class.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from torch import from_numpy

from milepost.tf import tensor
from milepost.tf.convert import to_torch
from milepost.tf.data import composite
from milepost.tf.data.specs import DatasetSpec
from milepost.tf.data.structure import flatten, is_nest, map_one, map_structure, pack_like, to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError
from milepost.tf.shapes import TensorShape, TensorSpec
from milepost.tf.state import NOW

__all__ = [
    "arguments", "batched", "bucketed", "call", "common", "dims", "filled", "leaves", "made_up",  "numpy_dtype",
    "paddings", "path", "ragged_batched", "row_spec", "shape_leaves", "shapes", "sparse_batched", "spec", "spec_of",
    "spec_through", "tensors", "text", "tf_dtype", "unbatched", "unwrap", "with_shapes", "wrap", "wrap_all",
]  # fmt: skip


ALIGNMENT = 64


def wrap(array: Any) -> Any:
    """A tensor of the array, in memory aligned as torch aligns its own.

    Alignment decides in which order a product is summed: a batch that lay elsewhere would round differently in each run.
    """
    if type(array) is np.ndarray:
        kind = array.dtype.kind
        if kind == "O":
            return tensor.wrap(array)  # texts in a pipeline are bytes already
        if kind in "fiub" and NOW.device is None and array.flags.writeable and array.flags.c_contiguous:
            try:
                made = from_numpy(array)
            except TypeError:  # bytes in the other order, or a dtype torch does not have
                made = to_torch(array)
        else:
            made = to_torch(array)
    else:
        made = to_torch(array)
    if not isinstance(made, np.ndarray) and made.ndim and made.data_ptr() % ALIGNMENT:
        made = made.clone()
    return tensor.wrap(made)


def wrap_all(element: Any) -> Any:
    return map_one(lambda part: wrap(part) if isinstance(part, (np.ndarray, np.generic)) else part, element)


def unwrap(value: Any) -> Any:
    """What a user's function returned, as numpy; a list is a tuple of components there, as in tf.data."""
    if type(value) is tensor.Tensor:
        return host(value)
    if isinstance(value, list):
        value = tuple(value)
    return _unwrapped(value)


def _unwrapped(value: Any) -> Any:
    if type(value) is tensor.Tensor:
        return host(value)
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        items = [_unwrapped(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, Mapping):
        return {key: _unwrapped(item) for key, item in value.items()}
    if hasattr(value, "_opener") or hasattr(value, "get_value"):  # a dataset or an Optional inside an element
        return value
    return to_numpy(value)


def host(value: Any) -> Any:
    """A tensor's own array: nobody else writes to it, so it is not copied."""
    return tensor.host(value._t)


def arguments(element: Any) -> tuple[Any, ...]:
    """A tuple is spread over a function's arguments, anything else is one argument."""
    wrapped = map_one(_wrap_here, element)
    return wrapped if type(wrapped) is tuple else (wrapped,)


def _wrap_here(part: Any) -> Any:
    """A tensor on the host, whatever device is the default one: pipelines run there."""
    if type(part) is np.ndarray and part.dtype.kind != "O" and part.flags.writeable and part.dtype.kind != "V":
        return tensor.wrap(from_numpy(part))
    return wrap(part) if isinstance(part, (np.ndarray, np.generic)) else part


def call(function: Callable[..., Any], element: Any) -> Any:
    return function(*arguments(element))


# --- types of elements ----------------------------------------------------------------------------------------------------


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    made: np.dtype[Any] = np.dtype(as_dtype(dtype).as_numpy_dtype)
    return made


def tf_dtype(dtype: Any) -> Any:
    return as_dtype(dtype)


def spec(shape: Any, dtype: Any) -> TensorSpec:
    return TensorSpec(shape, as_dtype(np.dtype(dtype)))


def spec_of(element: Any) -> Any:
    """The spec of components as they are."""
    return map_structure(_spec_of, element)


def _spec_of(part: Any) -> Any:
    if isinstance(part, (np.ndarray, np.generic)):
        return spec(np.shape(part), part.dtype)
    if part is None:
        return composite.NoneTensorSpec()
    if hasattr(part, "get_value"):
        from milepost.tf.data.optional import OptionalSpec

        return OptionalSpec(part.element_spec)
    if hasattr(part, "element_spec"):
        return DatasetSpec(part.element_spec)
    return composite.spec(part)


def row_spec(part: Any) -> Any:
    return composite.unbatched(composite.spec(part)) if part is not None else composite.NoneTensorSpec()


def leaves(element_spec: Any) -> list[Any]:
    return list(flatten(element_spec))


def tensors(element_spec: Any) -> list[Any]:
    """The specs of dense components."""
    return [s for s in flatten(element_spec) if isinstance(s, TensorSpec)]


def batched(element_spec: Any, size: int | None) -> Any:
    def one(s: Any) -> Any:
        if isinstance(s, TensorSpec):
            return TensorSpec(TensorShape([size]).concatenate(s.shape), s.dtype)
        return composite.batched(s, size)

    return map_structure(one, element_spec)


def sparse_batched(element_spec: Any, shape: list[int]) -> Any:
    dims = [None, *(None if d < 0 else d for d in shape)]
    return map_structure(lambda s: composite.SparseTensorSpec(dims, s.dtype), element_spec)


def ragged_batched(element_spec: Any, size: int | None, row_splits_dtype: Any) -> Any:
    def one(s: Any) -> Any:
        if isinstance(s, TensorSpec) and s.shape.is_fully_defined():
            return TensorSpec([size, *s.shape], s.dtype)
        return composite.ragged_spec(s, size, row_splits_dtype)

    return map_structure(one, element_spec)


def unbatched(element_spec: Any) -> Any:
    def one(s: Any) -> Any:
        if not isinstance(s, TensorSpec):
            return composite.unbatched(s)
        if s.shape.rank == 0:
            raise ValueError("Cannot unbatch an input with scalar components.")
        return TensorSpec(s.shape[1:], s.dtype)

    return map_structure(one, element_spec)


def common(first: Any, second: Any) -> Any:
    """What holds for elements of both."""

    def merge(a: Any, b: Any) -> Any:
        if type(a) is not type(b) or getattr(a, "dtype", None) != getattr(b, "dtype", None):
            raise TypeError(f"Incompatible dataset elements:\n  {first!r} vs.   {second!r}")
        if not isinstance(a, TensorSpec):
            return a
        if a.shape.rank is None or a.shape.rank != b.shape.rank:
            return TensorSpec(None, a.dtype)
        return TensorSpec([x if x == y else None for x, y in zip(a.shape, b.shape, strict=True)], a.dtype)

    try:
        return map_structure(merge, first, second)
    except TypeError as error:
        raise TypeError(f"Incompatible dataset elements:\n  {first!r} vs.   {second!r}") from error


def shape_leaves(given: Any) -> list[Any]:
    """The shapes in a structure of shapes: a list, a TensorShape, or a tuple of dimensions is one shape."""
    if isinstance(given, TensorShape) or given is None:
        return [given]
    if isinstance(given, Mapping):
        return [shape for key in sorted(given) for shape in shape_leaves(given[key])]
    if isinstance(given, tuple) and any(not isinstance(d, (int, type(None))) for d in given):
        return [shape for item in given for shape in shape_leaves(item)]
    return [TensorShape(given)]


def shapes(given: Any, element_spec: Any) -> Any:
    """`padded_shapes` as one list of dimensions per component."""
    found, specs = shape_leaves(given), list(flatten(element_spec))
    if len(found) != len(specs):
        raise ValueError(
            f"`padded_shapes` {given!r} has {len(found)} shapes, the dataset's elements have {len(specs)} components."
        )
    for shape, s in zip(found, specs, strict=True):
        rank = getattr(getattr(s, "shape", None), "rank", None)
        if rank is not None and shape is not None and len(shape) != rank:
            raise ValueError(
                f"The padded shape {TensorShape(shape)} is not compatible with the shape {s.shape} of the corresponding input component."
            )
    leaves = iter(found)
    return map_structure(lambda _: _Dims(next(leaves)), element_spec)


class _Dims(list[Any]):
    """A list, so that it is a component and not structure."""


def with_shapes(element_spec: Any, padded: Any) -> Any:
    if padded is None:
        return element_spec
    leaves = iter(flatten(padded))
    return map_structure(lambda s: TensorSpec(list(next(leaves)), s.dtype), element_spec)


def filled(given: Any, size: int) -> Any:
    """Padded shapes whose unknown dimensions are `size`."""

    def one(shape: Any) -> Any:
        return TensorShape([size if d is None else d for d in TensorShape(shape)])

    return map_structure(one, given) if not isinstance(given, (list, TensorShape)) else one(given)


def bucketed(element_spec: Any, padded_shapes: Any, no_padding: bool) -> Any:
    if no_padding or padded_shapes is None:
        return batched(element_spec, None)
    return batched(with_shapes(element_spec, shapes(padded_shapes, element_spec)), None)


def dims(shape: Any) -> Any:
    return [-1 if d is None else d for d in shape] if isinstance(shape, (list, tuple)) else shape


def paddings(values: Any, element_spec: Any) -> Any:
    """`padding_values` as one number or text per component, of the component's own dtype."""
    specs = list(flatten(element_spec))
    given = list(flatten(values)) if is_nest(values) else [values] * len(specs)
    if len(given) != len(specs):
        raise TypeError(f"`padding_values` has {len(given)} components, the dataset's elements have {len(specs)}.")

    def one(value: Any, s: Any) -> Any:
        if value is None:
            return None
        array = to_numpy(value)
        if array.ndim:
            raise ValueError(f"Invalid `padding_values`. Values must be scalars, got shape {array.shape}.")
        have = as_dtype(array.dtype)
        if have != s.dtype:
            raise TypeError(
                f"Invalid `padding_values`. `padding_values` values type {have!r} does not match type {s.dtype!r} of the corresponding "
                "input component."
            )
        return array[()]

    return pack_like(element_spec, iter([one(v, s) for v, s in zip(given, specs, strict=True)]))


def made_up(element_spec: Any, size: int) -> Any:
    """An element of this spec, for trying functions: unknown dimensions are `size`."""

    def one(s: Any) -> Any:
        if isinstance(s, DatasetSpec):
            from milepost.tf.data.grouping import window_of

            return window_of([made_up(s.element_spec, size)])
        if not isinstance(s, TensorSpec) or s.shape.rank is None:
            raise InvalidArgumentError("nothing can be made up for this component")
        dims = [size if d is None else d for d in s.shape]
        return np.full(dims, b"1" * (size - 1) if s.dtype.name == "string" else size - 1, numpy_dtype(s.dtype))

    return map_structure(one, element_spec)


def spec_through(apply: Callable[[Any], Any], before: Any, first: Callable[[], Any]) -> Any:
    """The spec of what `apply` makes of elements of spec `before`.

    The function is tried on two made-up elements whose values and unknown dimensions differ: where the shapes of its results differ, the
    dimension stays unknown. A function that will not take made-up values (it decodes files, say) is shown the first real element.
    """

    try:
        results = [spec_of(apply(made_up(before, size))) for size in (2, 3)]
        return common(*results)
    except Exception:  # any error of a user's function on made-up values only means that real ones are needed
        pass
    try:
        return spec_of(apply(first()))
    except StopIteration:
        return map_structure(lambda s: TensorSpec(None, s.dtype), before)


# --- seeds, names ----------------------------------------------------------------------------------------------------------


def path(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def text(value: Any) -> str:
    value = path(value)
    if isinstance(value, np.ndarray):
        value = value[()]
    elif hasattr(value, "numpy"):
        value = value.numpy()
    return value.decode() if isinstance(value, bytes) else str(value)
