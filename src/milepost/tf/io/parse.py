"""Examples as tensors: parse_single_example and friends, and the feature descriptions. In: serialised Examples. Out: tensors by name.

Not here: the messages themselves (`example`), reading files (`data.files`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from milepost.tf.data import edge
from milepost.tf.data.structure import to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError
from milepost.tf.io.example import Example, Feature, SequenceExample
from milepost.tf.sparse import SparseTensor

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "VarLenFeature", "parse_example",
    "parse_single_example", "parse_single_sequence_example",
]  # fmt: skip


@dataclass(frozen=True)
class FixedLenFeature:
    """A feature of one shape; required unless it has a default."""

    shape: Any
    dtype: Any
    default_value: Any = None


@dataclass(frozen=True)
class FixedLenSequenceFeature:
    """A feature whose first dimension varies."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


@dataclass(frozen=True)
class VarLenFeature:
    """A feature of any length; comes as a SparseTensor."""

    dtype: Any


KINDS = {"string": "bytes_list", "float32": "float_list", "int64": "int64_list"}


def _values(feature: Feature | None, name: str, dtype: Any, where: str) -> Any:
    """The numbers or strings of one feature; None when it is not there."""
    wanted = as_dtype(dtype)
    if wanted.name not in KINDS:
        raise ValueError(f"Feature {name!r}: dtype must be tf.string, tf.float32 or tf.int64, got {wanted!r}.")
    kind = feature.WhichOneof() if feature is not None else None
    if feature is None or kind is None:
        return None
    if kind != KINDS[wanted.name]:
        raise InvalidArgumentError(
            f"{where}Key: {name}.  Data types don't match. Expected type: {wanted.name}, got: {kind}"
        )
    values = getattr(feature, kind).value
    if wanted.name == "string":
        made = np.empty(len(values), dtype=object)
        made[:] = values
        return made
    return np.asarray(values, np.float32 if wanted.name == "float32" else np.int64)


def _fixed(description: FixedLenFeature, found: Any, name: str, where: str) -> Any:
    shape = tuple(int(d) for d in description.shape)
    if found is None:
        if description.default_value is None:
            raise InvalidArgumentError(
                f"{where}Feature: {name} (data type: {as_dtype(description.dtype).name}) is required but could not be found."
            )
        found = np.asarray(to_numpy(description.default_value))
        if found.dtype != object:
            found = found.astype(edge.numpy_dtype(description.dtype))
        return np.broadcast_to(found, shape).copy() if found.shape != shape else found
    if found.size != int(np.prod(shape)):
        raise InvalidArgumentError(
            f"{where}Key: {name}.  Can't parse serialized Example: got {found.size} values, expected shape {list(shape)}."
        )
    return found.reshape(shape)


def _sequence(description: FixedLenSequenceFeature, found: Any, name: str, where: str) -> Any:
    shape = tuple(int(d) for d in description.shape)
    if found is None:
        if not description.allow_missing:
            raise InvalidArgumentError(f"{where}Feature: {name} is required but could not be found.")
        return np.zeros((0, *shape), edge.numpy_dtype(description.dtype))
    width = int(np.prod(shape))
    if width == 0 or found.size % width:
        raise InvalidArgumentError(
            f"{where}Key: {name}.  Number of values ({found.size}) is not a multiple of {list(shape)}."
        )
    return found.reshape(-1, *shape)


def _payload(serialized: Any) -> bytes:
    value = to_numpy(serialized)[()]
    if not isinstance(value, bytes):
        raise InvalidArgumentError(f"Expected a scalar string, got {type(value).__name__} of shape {np.shape(value)}.")
    return value


def _example(payload: bytes, where: str) -> dict[str, Feature]:
    try:
        return Example.FromString(payload).features.feature
    except ValueError as error:
        raise InvalidArgumentError(f"{where}Could not parse example input, value: {payload[:60]!r}") from error
    except Exception as error:
        raise InvalidArgumentError(f"{where}Could not parse example input: {error}") from error


def parse_single_example(
    serialized: Any, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """One serialised Example as tensors by feature name."""
    return _parse(_example(_payload(serialized), ""), features, "")


def _parse(found: dict[str, Feature], features: dict[str, Any], where: str) -> dict[str, Any]:
    if not features:
        raise ValueError("Missing: features was empty.")
    made: dict[str, Any] = {}
    for key, description in features.items():
        values = _values(found.get(key), key, description.dtype, where)
        if isinstance(description, FixedLenFeature):
            made[key] = edge.wrap(_fixed(description, values, key, where))
        elif isinstance(description, FixedLenSequenceFeature):
            made[key] = edge.wrap(_sequence(description, values, key, where))
        elif isinstance(description, VarLenFeature):
            values = values if values is not None else np.zeros(0, edge.numpy_dtype(description.dtype))
            made[key] = SparseTensor(np.arange(len(values), dtype=np.int64)[:, None], values, [len(values)])
        else:
            raise TypeError(f"Feature {key!r}: {type(description).__name__} is not a feature description.")
    return made


def parse_example(
    serialized: Any, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """A vector of serialised Examples as batched tensors."""
    payloads = to_numpy(serialized)
    if payloads.ndim == 0:
        return parse_single_example(serialized, features)
    found = [_example(payload, f"Name: <unknown>, Index: {i}. ") for i, payload in enumerate(payloads.ravel().tolist())]
    made: dict[str, Any] = {}
    for key, description in features.items():
        rows = [_values(item.get(key), key, description.dtype, f"Index: {i}. ") for i, item in enumerate(found)]
        if isinstance(description, FixedLenFeature):
            made[key] = edge.wrap(
                np.stack([_fixed(description, row, key, f"Index: {i}. ") for i, row in enumerate(rows)])
            )
        elif isinstance(description, FixedLenSequenceFeature):
            parts = [_sequence(description, row, key, f"Index: {i}. ") for i, row in enumerate(rows)]
            longest = max((len(part) for part in parts), default=0)
            empty: Any = b"" if parts[0].dtype == object else 0
            filler = empty if description.default_value is None else description.default_value
            out = np.full((len(parts), longest, *parts[0].shape[1:]), filler, dtype=parts[0].dtype)
            for line, part in zip(out, parts, strict=True):
                line[: len(part)] = part
            made[key] = edge.wrap(out)
        else:
            present = [row if row is not None else np.zeros(0, edge.numpy_dtype(description.dtype)) for row in rows]
            indices = [(i, j) for i, row in enumerate(present) for j in range(len(row))]
            shape = [len(present), max((len(row) for row in present), default=0)]
            made[key] = SparseTensor(np.asarray(indices, np.int64).reshape(-1, 2), np.concatenate(present), shape)
    return made


def parse_single_sequence_example(
    serialized: Any, context_features: dict[str, Any] | None = None, sequence_features: dict[str, Any] | None = None,
    example_name: Any = None, name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """(context, sequences) of one serialised SequenceExample."""
    try:
        message = SequenceExample.FromString(_payload(serialized))
    except InvalidArgumentError:
        raise
    except Exception as error:
        raise InvalidArgumentError(f"Could not parse example input: {error}") from error
    context = _parse(message.context.feature, context_features, "") if context_features else {}
    sequences: dict[str, Any] = {}
    for key, description in (sequence_features or {}).items():
        steps = message.feature_lists.feature_list[key].feature if key in message.feature_lists.feature_list else []
        rows = [_values(step, key, description.dtype, "") for step in steps]
        empty = np.zeros(0, edge.numpy_dtype(description.dtype))
        rows = [row if row is not None else empty for row in rows]
        if isinstance(description, VarLenFeature):
            indices = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
            shape = [len(rows), max((len(row) for row in rows), default=0)]
            values = np.concatenate(rows) if rows else empty
            sequences[key] = SparseTensor(np.asarray(indices, np.int64).reshape(-1, 2), values, shape)
        else:
            if not rows and not description.allow_missing:
                raise InvalidArgumentError(f"Feature list: {key} is required but could not be found.")
            dims = tuple(int(d) for d in description.shape)
            sequences[key] = edge.wrap(
                np.stack([row.reshape(dims) for row in rows]) if rows else np.zeros((0, *dims), empty.dtype)
            )
    return context, sequences
