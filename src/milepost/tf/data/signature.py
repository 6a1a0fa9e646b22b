"""What a generator promises and what it gives. In: types, shapes or specs; then its elements. Out: elements as the specs say, or a clear error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from milepost.tf.data.edge import numpy_dtype, shape_leaves
from milepost.tf.data.structure import flatten, is_nest, map_structure, pack_like, to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError
from milepost.tf.shapes import TensorShape, TensorSpec

__all__ = ["conformer", "normal", "signature"]


def signature(types: Any, given: Any) -> Any:
    """TensorSpecs from the older `output_types` and `output_shapes`."""
    if given is None:
        return map_structure(lambda dtype: TensorSpec(None, as_dtype(dtype)), types)
    flat = iter(shape_leaves(given))
    return map_structure(lambda dtype: TensorSpec(next(flat), as_dtype(dtype)), types)


def normal(given: Any) -> Any:
    """A signature as tf.data has it: lists are tuples."""
    if isinstance(given, list):
        given = tuple(given)
    if isinstance(given, tuple) and not hasattr(given, "_fields") and not isinstance(given, TensorShape):
        return tuple(normal(item) for item in given)
    return {key: normal(item) for key, item in given.items()} if isinstance(given, dict) else given


def conformer(wanted: Any) -> Callable[[Any], Any]:
    """A function that makes what a generator gave into what the signature says; a clear error when it does not fit."""
    flat = [_fitter(want) for want in flatten(wanted)]
    if not is_nest(wanted):
        return flat[0]
    if type(wanted) is tuple and not any(is_nest(want) for want in wanted):
        count = len(wanted)

        def each(element: Any) -> Any:
            if type(element) is list:
                element = tuple(element)
            if not isinstance(element, tuple) or len(element) != count:
                raise _unlike(wanted, element)
            return tuple([fit(part) for fit, part in zip(flat, element, strict=True)])

        return each
    fits = pack_like(wanted, iter(flat))

    def nested(element: Any) -> Any:
        try:
            return map_structure(lambda fit, value: fit(value), fits, _tuples(element, wanted))
        except TypeError as error:
            raise _unlike(wanted, element) from error

    return nested


def _tuples(element: Any, wanted: Any) -> Any:
    """Lists where the signature has tuples are tuples."""
    if isinstance(wanted, tuple) and isinstance(element, (list, tuple)) and len(element) == len(wanted):
        items = [_tuples(e, w) for e, w in zip(element, wanted, strict=True)]
        return type(wanted)(*items) if hasattr(wanted, "_fields") else tuple(items)
    if isinstance(wanted, Mapping) and isinstance(element, Mapping):
        return {key: _tuples(item, wanted.get(key)) for key, item in element.items()}
    return _Held(element) if is_nest(element) and not is_nest(wanted) else element


class _Held:
    """A tuple that is one component's data, not structure."""

    def __init__(self, value: Any):
        self.value = value


def _unlike(wanted: Any, element: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"TypeError: `generator` yielded an element that did not match the expected structure. "
        f"The expected structure was {wanted!r}, but the yielded element was {element!r}."
    )


def _fitter(want: Any) -> Callable[[Any], Any]:
    if not isinstance(want, TensorSpec):
        return lambda value: value.value if isinstance(value, _Held) else value
    dtype, shape = numpy_dtype(want.dtype), want.shape
    exact = tuple(shape) if shape.is_fully_defined() else None

    def fit(value: Any) -> Any:
        if isinstance(value, _Held):
            value = value.value
        try:
            array = to_numpy(value) if dtype.kind == "O" else np.array(_plain(value), dtype=dtype)
            if (
                dtype.kind in "iu"
                and array.size
                and not np.can_cast(np.asarray(_plain(value)).dtype, dtype, "same_kind")
            ):
                raise TypeError("this would lose the fraction")
            if dtype.kind == "O" and array.dtype != object:
                raise TypeError("this is no text")
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(
                f"TypeError: `generator` yielded an element that could not be converted to the expected type. "
                f"The expected type was {want.dtype.name}, but the yielded element was {value!r}."
            ) from error
        if array.shape != exact and (exact is not None or not shape.is_compatible_with(array.shape)):
            raise InvalidArgumentError(
                f"TypeError: `generator` yielded an element of shape {array.shape} where an element of shape "
                f"{shape} was expected."
            )
        return array

    return fit


def _plain(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") and not isinstance(value, np.ndarray) else value
