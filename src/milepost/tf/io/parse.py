"""Examples as tensors: parse_single_example and parse_example. In: serialised Examples, descriptions of features. Out: tensors by name.

A description is looked at once and kept as a plan: pipelines ask with the same one a million times.
Not here: the bytes (`scan`), SequenceExamples (`sequences`), the messages themselves (`example`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.errors import FormatError
from milepost.tf.data import edge
from milepost.tf.data.structure import to_numpy
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import InvalidArgumentError, kernel
from milepost.tf.io.descriptions import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from milepost.tf.io.scan import BYTES, FLOAT, INT64, Found, features_of, values_of
from milepost.tf.sparse import SparseTensor

__all__ = ["Want", "parse_example", "parse_single_example", "wants_of"]

NUMBERS = {"string": BYTES, "float32": FLOAT, "int64": INT64}
NAMES = {BYTES: "string", FLOAT: "float", INT64: "int64"}
EMPTY: dict[int, Any] = {BYTES: b"", FLOAT: 0.0, INT64: 0}
_DTYPES: dict[int, Any] = {BYTES: object, FLOAT: np.float32, INT64: np.int64}


class Want:
    """One feature's description, made ready."""

    def __init__(self, name: str, description: Any):
        self.name, self.key, self.description = name, name.encode(), description
        if not isinstance(
            description, (FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, SparseFeature, RaggedFeature)
        ):
            raise ValueError(f"Invalid feature {name}:{description!r}.")
        if description.dtype is None:
            raise ValueError(f"Missing type for feature {name}. Received feature={description!r}.")
        dtype = as_dtype(description.dtype)
        if dtype.name not in NUMBERS:
            raise InvalidArgumentError(
                f"Value for attr 'Tdense' of {dtype.name} is not in the list of allowed values: float, int64, string (feature {name!r}). "
                "Parse one of these and tf.cast it."
            )
        self.kind = NUMBERS[dtype.name]
        self.dtype = _DTYPES[self.kind]
        shape = getattr(description, "shape", None)
        if isinstance(description, (FixedLenFeature, FixedLenSequenceFeature)):
            if shape is None:
                raise ValueError(f"Missing shape for feature {name}. Received feature={description!r}.")
            if any(d is None for d in np.ravel(np.asarray(shape, object))):
                raise ValueError(f"First dimension of shape for feature {name} unknown, or another one: {shape!r}. Consider using FixedLenSequenceFeature.")  # fmt: skip
        self.shape = tuple(int(d) for d in np.atleast_1d(np.asarray(shape if shape is not None else [], np.int64)))
        self.size = int(np.prod(self.shape)) if self.shape else 1
        self.default = self._default()
        if isinstance(description, FixedLenSequenceFeature) and not description.allow_missing:
            self.required = True
        else:
            self.required = isinstance(description, FixedLenFeature) and self.default is None

    def _default(self) -> Any:
        value = getattr(self.description, "default_value", None)
        if value is None:
            return None
        array = np.asarray(to_numpy(value))
        if self.kind != BYTES:
            array = array.astype(self.dtype)
        if isinstance(self.description, FixedLenSequenceFeature):
            return array.reshape(-1)[0]
        if array.size not in (1, self.size):
            raise ValueError(
                f"Cannot reshape a tensor with {array.size} elements to shape {list(self.shape)} (the default of feature {self.name!r})."
            )
        return np.array(np.broadcast_to(array.reshape(-1), (self.size,))).reshape(self.shape)

    def array(self, values: Any) -> np.ndarray[Any, Any]:
        if self.kind != BYTES:
            return values  # type: ignore[no-any-return]
        made = np.empty(len(values), dtype=object)
        made[:] = values
        return made

    def blank(self) -> np.ndarray[Any, Any]:
        return np.zeros(0, self.dtype)

    def where(self, row: int | None) -> str:
        return f"Key: {self.name}." if row is None else f"Name: <unknown>, Key: {self.name}, Index: {row}."

    def values(self, data: bytes, found: Found, row: int | None) -> Any:
        """The values of this feature, None where it is not there."""
        place = found.get(self.key)
        if place is None or not place[0]:
            return None
        if place[0] != self.kind:
            raise _failed(
                f"{self.where(row)}  Data types don't match. Data type: {NAMES[place[0]]} but expected type: {NAMES[self.kind]}"
            )
        try:
            return values_of(data, *place)
        except FormatError as error:
            raise _failed(f"{self.where(row)}  Can't parse serialized Example: {error}") from error

    def fixed(self, values: Any, row: int | None) -> Any:
        """Exactly `shape` of them."""
        if values is None:
            if self.default is None:
                raise _failed(
                    f"Feature: {self.name} (data type: {NAMES[self.kind]}) is required but could not be found."
                )
            return self.default
        if len(values) != self.size:
            raise _failed(
                f"{self.where(row)}  Can't parse serialized Example: number of {NAMES[self.kind]} values != expected. "
                f"Values size: {len(values)} but output shape: {list(self.shape)}"
            )
        return self.array(values).reshape(self.shape)

    def sequence(self, values: Any, row: int | None) -> Any:
        """Any number of rows of `shape`."""
        if values is None:
            if self.required:
                raise _failed(
                    f"Feature: {self.name} (data type: {NAMES[self.kind]}) is required but could not be found."
                )
            return np.zeros((0, *self.shape), self.dtype)
        if not self.size or len(values) % self.size:
            raise _failed(
                f"{self.where(row)}  Number of {NAMES[self.kind]} values is not a multiple of stride length. "
                f"Values size: {len(values)} but output shape: [?,{','.join(map(str, self.shape))}]"
            )
        return self.array(values).reshape(-1, *self.shape)


def _failed(sentence: str) -> InvalidArgumentError:
    return kernel("ParseExampleV2", sentence)


_plans: dict[int, tuple[Any, list[Any], list[Want]]] = {}


def wants_of(features: Any) -> list[Want]:
    """The plan for these descriptions; sparse ones come first, as TensorFlow returns them."""
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    items = list(features.items())
    known = _plans.get(id(features))
    if known is not None and known[0] is features and known[1] == items:
        return known[2]
    made = [Want(name, features[name]) for name in sorted(features)]
    order = {VarLenFeature: 0, SparseFeature: 0, FixedLenFeature: 1, FixedLenSequenceFeature: 1, RaggedFeature: 2}
    made.sort(key=lambda want: order[type(want.description)])
    if len(_plans) > 64:
        _plans.clear()
    _plans[id(features)] = (features, items, made)
    return made


def scanned(payload: Any) -> Found:
    if not isinstance(payload, bytes):
        raise InvalidArgumentError(f"A serialized Example is a string, got {type(payload).__name__}.")
    try:
        return features_of(payload)
    except FormatError as error:
        raise _failed(f"Could not parse example input, value: {str(payload[:60])[1:]} ({error})") from error


def parse_single_example(
    serialized: Any, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """One serialised Example as tensors by feature name."""
    wants = wants_of(features)
    payload: Any = serialized if type(serialized) is bytes else to_numpy(serialized)
    if isinstance(payload, np.ndarray):
        if payload.ndim:
            raise InvalidArgumentError(
                f"Input serialized must be a scalar, got shape {list(payload.shape)}. Use parse_example."
            )
        payload = payload[()]
    return parsed_one(payload, scanned(payload), wants)


def parsed_one(payload: bytes, found: Found, wants: list[Want]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for want in wants:
        description = want.description
        kind = type(description)
        if kind is SparseFeature:
            made[want.name] = _sparse([payload], [found], want, False)
            continue
        if kind is RaggedFeature:
            made[want.name] = _ragged([payload], [found], want, False)
            continue
        values = want.values(payload, found, None)
        if kind is FixedLenFeature:
            made[want.name] = edge.wrap(want.fixed(values, None))
        elif kind is FixedLenSequenceFeature:
            made[want.name] = edge.wrap(want.sequence(values, None))
        else:
            array = want.blank() if values is None else want.array(values)
            made[want.name] = SparseTensor(np.arange(len(array), dtype=np.int64)[:, None], array, [len(array)])
    return made


def parse_example(
    serialized: Any, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """A vector of serialised Examples as batched tensors; a scalar as parse_single_example."""
    payloads = to_numpy(serialized)
    if payloads.ndim == 0:
        return parse_single_example(serialized, features)
    if payloads.ndim > 1:
        raise InvalidArgumentError(f"Input serialized must be a scalar or vector, got shape {list(payloads.shape)}.")
    wants, rows = wants_of(features), payloads.tolist()
    return parsed_many(rows, [scanned(payload) for payload in rows], wants)


def parsed_many(rows: list[bytes], found: list[Found], wants: list[Want]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for want in wants:
        kind = type(want.description)
        if kind is FixedLenFeature:
            made[want.name] = edge.wrap(_fixed_column(rows, found, want))
        elif kind is SparseFeature:
            made[want.name] = _sparse(rows, found, want, True)
        elif kind is RaggedFeature:
            made[want.name] = _ragged(rows, found, want, True)
        elif kind is FixedLenSequenceFeature:
            parts = [want.sequence(values, i) for i, values in enumerate(_column(rows, found, want))]
            filler = EMPTY[want.kind] if want.default is None else want.default
            made[want.name] = edge.wrap(padded(parts, filler, want))
        else:
            present = [want.blank() if v is None else want.array(v) for v in _column(rows, found, want)]
            made[want.name] = sparse_rows(present, want)
    return made


def _column(rows: list[bytes], found: list[Found], want: Want) -> list[Any]:
    return [want.values(data, features, i) for i, (data, features) in enumerate(zip(rows, found, strict=True))]


def _fixed_column(rows: list[bytes], found: list[Found], want: Want) -> np.ndarray[Any, Any]:
    column = _column(rows, found, want)
    size = want.size
    if all(values is not None and len(values) == size for values in column) and column:
        # the common case, without a call for each row
        if want.kind == BYTES:
            flat = [values[0] for values in column] if size == 1 else [v for values in column for v in values]
            made = np.empty(len(flat), dtype=object)
            made[:] = flat
        else:
            made = np.concatenate(column)
        return made.reshape(len(column), *want.shape)
    if not column:
        return np.zeros((0, *want.shape), want.dtype)
    return np.stack([want.fixed(values, i) for i, values in enumerate(column)])


def padded(parts: list[Any], filler: Any, want: Want) -> np.ndarray[Any, Any]:
    longest = max((len(part) for part in parts), default=0)
    out = np.full((len(parts), longest, *want.shape), filler, dtype=want.dtype)
    for line, part in enumerate(parts):
        out[line, : len(part)] = part
    return out


def sparse_rows(present: list[Any], want: Want) -> SparseTensor:
    lengths = [len(row) for row in present]
    width = max(lengths, default=0)
    first = np.repeat(np.arange(len(lengths)), lengths)
    second = np.concatenate([np.arange(n) for n in lengths]) if lengths else np.zeros(0, np.int64)
    values = np.concatenate(present) if present else want.blank()
    return SparseTensor(np.stack([first, second], 1).astype(np.int64), values, [len(lengths), width])


def _sparse(rows: list[bytes], found: list[Found], want: Want, many: bool) -> SparseTensor:
    """Values at the places other features say."""
    description = want.description
    names = description.index_key if isinstance(description.index_key, (list, tuple)) else [description.index_key]
    sizes = description.size if isinstance(description.size, (list, tuple)) else [description.size]
    if len(names) != len(sizes):
        raise ValueError(f"Feature {want.name!r}: {len(names)} index keys, {len(sizes)} sizes.")
    places, values = [], []
    for i, (data, features) in enumerate(zip(rows, found, strict=True)):
        own = Want(description.value_key, VarLenFeature(description.dtype))
        got = own.values(data, features, i)
        got = own.blank() if got is None else own.array(got)
        axes = [Want(n, VarLenFeature("int64")).values(data, features, i) for n in names]
        index = np.stack([np.zeros(0, np.int64) if a is None else a for a in axes], 1)
        if len(index) != len(got):
            raise _failed(f"{want.where(i)}  {len(got)} values, but {len(index)} indices.")
        if not description.already_sorted:
            order = np.lexsort(index.T[::-1])
            index, got = index[order], got[order]
        places.append(np.insert(index, 0, i, axis=1) if many else index)
        values.append(got)
    shape = [len(rows), *sizes] if many else list(sizes)
    return SparseTensor(np.concatenate(places), np.concatenate(values), shape)


def _ragged(rows: list[bytes], found: list[Found], want: Want, many: bool) -> Any:
    """Rows of any length; a vector for one Example."""
    description = want.description
    if description.partitions:
        raise NotImplementedError(
            f"Feature {want.name!r}: RaggedFeature with partitions is not there; parse values and partitions apart."
        )
    own = want if description.value_key is None else Want(description.value_key, VarLenFeature(description.dtype))
    present = [own.blank() if v is None else own.array(v) for v in _column(rows, found, own)]
    if not many:
        return edge.wrap(present[0])
    import milepost.tf as tf

    lengths = np.asarray([len(row) for row in present], edge.numpy_dtype(description.row_splits_dtype))
    return tf.RaggedTensor.from_row_lengths(edge.wrap(np.concatenate(present)), edge.wrap(lengths))
