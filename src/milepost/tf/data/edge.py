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

from milepost.tf import tensor
from milepost.tf.convert import to_torch
from milepost.tf.data.structure import flatten, map_structure, pack_like, to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError
from milepost.tf.random import operation_seed
from milepost.tf.shapes import TensorShape, TensorSpec

__all__ = [
    "batched", "call", "common", "conform", "draw_seed", "numpy_dtype", "paddings", "path", "shapes", "signature", "spec",
    "spec_of", "spec_through", "text", "unbatched", "unwrap", "with_shapes", "wrap", "wrap_all",
]  # fmt: skip


ALIGNMENT = 64


def wrap(array: Any) -> Any:
    """A tensor of the array, in memory aligned as torch aligns its own.

    Alignment decides in which order a product is summed: a batch that lay elsewhere would round differently in each run.
    """
    made = to_torch(array)
    if not isinstance(made, np.ndarray) and made.data_ptr() % ALIGNMENT:
        made = made.clone()
    return tensor.wrap(made)


def wrap_all(element: Any) -> Any:
    return map_structure(lambda part: wrap(part) if isinstance(part, (np.ndarray, np.generic)) else part, element)


def unwrap(value: Any) -> Any:
    """What a user's function returned, as numpy; a list is a tuple of components there, as in tf.data."""
    if isinstance(value, list):
        value = tuple(value)
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        items = [unwrap(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, Mapping):
        return {key: unwrap(item) for key, item in value.items()}
    if hasattr(value, "_opener"):  # a dataset inside an element, as `window` makes them
        return value
    return to_numpy(value)


def call(function: Callable[..., Any], element: Any) -> Any:
    """A tuple is spread over the function's arguments, anything else is one argument."""
    wrapped = wrap_all(element)
    return function(*wrapped) if isinstance(wrapped, tuple) else function(wrapped)


# --- types of elements ----------------------------------------------------------------------------------------------------


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    made: np.dtype[Any] = np.dtype(as_dtype(dtype).as_numpy_dtype)
    return made


def spec(shape: Any, dtype: Any) -> TensorSpec:
    return TensorSpec(shape, as_dtype(np.dtype(dtype)))


def spec_of(element: Any) -> Any:
    """The spec of arrays as they are."""
    return map_structure(
        lambda a: spec(np.shape(a), np.asarray(a).dtype) if not hasattr(a, "element_spec") else a, element
    )


def batched(element_spec: Any, size: int | None) -> Any:
    return map_structure(lambda s: TensorSpec(TensorShape([size]).concatenate(s.shape), s.dtype), element_spec)


def unbatched(element_spec: Any) -> Any:
    return map_structure(lambda s: TensorSpec(s.shape[1:], s.dtype), element_spec)


def common(first: Any, second: Any) -> Any:
    """What holds for elements of both."""

    def merge(a: Any, b: Any) -> Any:
        if as_dtype(a.dtype).name != as_dtype(b.dtype).name:
            raise TypeError(f"Incompatible dataset elements: {first!r} and {second!r}.")
        if a.shape.rank is None or a.shape.rank != b.shape.rank:
            return TensorSpec(None, a.dtype)
        return TensorSpec([x if x == y else None for x, y in zip(a.shape, b.shape, strict=True)], a.dtype)

    return map_structure(merge, first, second)


def signature(types: Any, given: Any) -> Any:
    """TensorSpecs from the older `output_types` and `output_shapes`."""
    if given is None:
        return map_structure(lambda dtype: TensorSpec(None, as_dtype(dtype)), types)
    flat = iter(_shape_leaves(given))
    return map_structure(lambda dtype: TensorSpec(next(flat), as_dtype(dtype)), types)


def _shape_leaves(given: Any) -> list[Any]:
    """The shapes in a structure of shapes: a list, a TensorShape, or a tuple of dimensions is one shape."""
    if isinstance(given, TensorShape) or given is None:
        return [given]
    if isinstance(given, Mapping):
        return [shape for key in sorted(given) for shape in _shape_leaves(given[key])]
    if isinstance(given, tuple) and any(not isinstance(d, (int, type(None))) for d in given):
        return [shape for item in given for shape in _shape_leaves(item)]
    return [TensorShape(given)]


def shapes(given: Any, element_spec: Any) -> Any:
    """`padded_shapes` as one list of dimensions per component."""
    leaves = iter(_shape_leaves(given))
    return map_structure(lambda _: _Dims(next(leaves)), element_spec)


class _Dims(list[Any]):
    """A list, so that it is a component and not structure."""


def with_shapes(element_spec: Any, padded: Any) -> Any:
    if padded is None:
        return map_structure(lambda s: TensorSpec([None] * (s.shape.rank or 0), s.dtype), element_spec)
    leaves = iter(flatten(padded))
    return map_structure(lambda s: TensorSpec(list(next(leaves)), s.dtype), element_spec)


def paddings(values: Any, element_spec: Any) -> Any:
    count = len(list(flatten(element_spec)))
    leaves = list(flatten(values))
    if len(leaves) == 1:
        leaves = leaves * count
    plain = [to_numpy(v)[()] if v is not None else None for v in leaves]
    return pack_like(element_spec, iter(plain))


def conform(element: Any, wanted: Any) -> Any:
    """What a generator gave, as the signature says; a clear error when it does not fit."""
    if isinstance(wanted, tuple) and isinstance(element, list):
        element = tuple(element)

    def fit(want: Any, value: Any) -> Any:
        dtype = numpy_dtype(want.dtype)
        try:
            array = to_numpy(value) if dtype.kind == "O" else np.asarray(_plain(value), dtype=dtype)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(
                f"TypeError: `generator` yielded an element that could not be converted to the expected type. "
                f"The expected type was {as_dtype(want.dtype).name}, but the yielded element was {value!r}."
            ) from error
        if not TensorShape(want.shape).is_compatible_with(array.shape):
            raise InvalidArgumentError(
                f"TypeError: `generator` yielded an element of shape {array.shape} where an element of shape "
                f"{TensorShape(want.shape)} was expected."
            )
        return array

    try:
        return map_structure(fit, wanted, element)
    except TypeError as error:
        raise InvalidArgumentError(
            f"TypeError: `generator` yielded an element that did not match the expected structure. "
            f"The expected structure was {wanted!r}, but the yielded element was {element!r}."
        ) from error


def _plain(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") and not isinstance(value, np.ndarray) else value


def spec_through(apply: Callable[[Any], Any], before: Any, first: Callable[[], Any]) -> Any:
    """The spec of what `apply` makes of elements of spec `before`.

    The function is tried on two made-up elements whose unknown dimensions differ: where its results differ, the dimension stays
    unknown. A function that will not take made-up values (it decodes files, say) is shown the first real element.
    """

    def made_up(size: int) -> Any:
        def one(s: Any) -> Any:
            if s.shape.rank is None or as_dtype(s.dtype).name == "string":
                raise InvalidArgumentError("nothing can be made up for this component")
            dims = [size if d is None else d for d in s.shape]
            return np.ones(dims, numpy_dtype(s.dtype))

        return map_structure(one, before)

    try:
        results = [spec_of(apply(made_up(size))) for size in (2, 3)]
        return common(*results)
    except Exception:  # any error of a user's function on made-up values only means that real ones are needed
        pass
    try:
        return spec_of(apply(first()))
    except StopIteration:
        return map_structure(lambda s: TensorSpec(None, s.dtype), before)


# --- seeds, names ----------------------------------------------------------------------------------------------------------


def draw_seed(seed: Any) -> int:
    return operation_seed(None if seed is None else int(to_numpy(seed)))


def path(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def text(value: Any) -> str:
    value = path(value)
    if isinstance(value, np.ndarray):
        value = value[()]
    elif hasattr(value, "numpy"):
        value = value.numpy()
    return value.decode() if isinstance(value, bytes) else str(value)
