"""The tables themselves: a Python dict behind TensorFlow's face. In: tensors of keys (ragged and sparse ones too). Out: tensors of values of the same form."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import convert_to_tensor
from milepost.tf.dtypes import as_dtype
from milepost.tf.hashes import fingerprint64
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["DenseHashTable", "MutableHashTable", "StaticHashTable", "StaticVocabularyTable"]

_numbers = itertools.count()


def _array(values: list[Any], dtype: dtypes.DType, shape: Any) -> Tensor:
    if dtype.torch is None:
        made = np.empty(len(values), dtype=object)
        made[:] = values
        return wrap(made.reshape(shape))
    return wrap(torch.from_numpy(np.asarray(values, dtype.as_numpy_dtype).reshape(shape)))


def _through(keys: Any, dense: Callable[[Any], Tensor], wanted: dtypes.DType) -> Any:
    """A lookup of the values of whatever holds the keys."""
    kind = type(keys).__name__
    if kind == "RaggedTensor":
        return keys.with_flat_values(_through(keys.flat_values, dense, wanted))
    if kind == "SparseTensor":
        from milepost.tf.sparse import SparseTensor

        return SparseTensor(keys.indices, _through(keys.values, dense, wanted), keys.dense_shape)
    given = convert_to_tensor(keys, dtype_hint=wanted)
    if given.dtype is not wanted:
        raise TypeError(f"Dtype of argument `keys` must be {wanted}, received: {given.dtype}")
    return dense(given)


class _Table:
    """What all tables share."""

    _key_dtype: dtypes.DType
    _value_dtype: dtypes.DType
    _pairs: dict[Any, Any]

    def _named(self, kind: str) -> None:
        self._name = f"{kind}_{next(_numbers)}"

    @property
    def name(self) -> str:
        return self._name

    @property
    def key_dtype(self) -> dtypes.DType:
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        return self._value_dtype

    @property
    def resource_handle(self) -> Any:
        return self

    def size(self, name: str | None = None) -> Tensor:
        return wrap(torch.tensor(len(self._pairs)))

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)  # type: ignore[attr-defined]

    def _stay_eager(self) -> None:
        from milepost.tf.state import NOW

        if NOW.trace is not None:
            NOW.trace.stay_eager("it looks into a table")


class StaticHashTable(_Table):
    """Filled once, by its initializer; keys that are not there give default_value."""

    def __init__(
        self, initializer: Any, default_value: Any, name: str | None = None, experimental_is_anonymous: bool = False
    ):
        self._initializer = initializer
        self._key_dtype, self._value_dtype = as_dtype(initializer.key_dtype), as_dtype(initializer.value_dtype)
        self._default = convert_to_tensor(default_value, self._value_dtype)
        if self._default.ndim:
            raise ValueError(f"Shape {self._default.shape} must have rank 0")
        self._pairs = {}
        self._filled = False
        self._named(name or "hash_table")
        initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        return self._default

    def _fill(self, keys: list[Any], values: list[Any]) -> None:
        self._filled = True
        for key, value in zip(keys, values, strict=True):
            if self._pairs.setdefault(key, value) != value:
                raise failures.FailedPreconditionError(
                    f"HashTable has different value for same key. Key {_text(key)} has {_text(self._pairs[key])} "
                    f"and trying to add value {_text(value)} [Op:LookupTableImportV2] name: "
                )

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        self._stay_eager()
        if not self._filled:
            raise failures.FailedPreconditionError("Table not initialized. [Op:LookupTableFindV2] name: ")
        default, pairs = host(self._default._t)[()], self._pairs

        def dense(given: Tensor) -> Tensor:
            flat = host(given._t).reshape(-1).tolist()
            return _array(list(map(pairs.get, flat, itertools.repeat(default))), self._value_dtype, tuple(given.shape))

        return _through(keys, dense, self._key_dtype)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and the value of each."""
        return (
            _array(list(self._pairs), self._key_dtype, (-1,)),
            _array(list(self._pairs.values()), self._value_dtype, (-1,)),
        )


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


class StaticVocabularyTable(_Table):
    """Keys to numbers; keys that are not in the vocabulary are spread over buckets after it, by their fingerprint."""

    def __init__(
        self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None, name: str | None = None,
        experimental_is_anonymous: bool = False,
    ):  # fmt: skip
        if num_oov_buckets <= 0:
            raise ValueError(f"`num_oov_buckets` must be > 0; use StaticHashTable. Received: {num_oov_buckets}.")
        self._buckets = int(num_oov_buckets)
        if initializer is not None:
            if as_dtype(initializer.value_dtype).name != "int64":
                raise TypeError(f"Invalid `value_dtype`, expected {dtypes.int64}, received: {initializer.value_dtype}.")
            self._table: StaticHashTable | None = StaticHashTable(initializer, -1)
            self._pairs = self._table._pairs
            self._key_dtype = self._table.key_dtype
        else:
            self._table, self._pairs, self._key_dtype = None, {}, dtypes.string
        if lookup_key_dtype is not None:
            wished = as_dtype(lookup_key_dtype)
            if wished.is_integer != self._key_dtype.is_integer:
                raise TypeError(f"Invalid key dtype: expected {self._key_dtype} got {wished}")
            self._key_dtype = wished
        self._value_dtype = dtypes.int64
        self._named(name or "vocabulary_table")

    def size(self, name: str | None = None) -> Tensor:
        return wrap(torch.tensor(len(self._pairs) + self._buckets))

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        self._stay_eager()
        pairs, size, buckets = self._pairs, len(self._pairs), self._buckets

        def number(key: Any) -> Any:
            found = pairs.get(key)
            if found is None:
                return size + fingerprint64(key if isinstance(key, bytes) else str(key).encode()) % buckets
            return found

        def dense(given: Tensor) -> Tensor:
            flat = host(given._t).reshape(-1).tolist()
            return _array([number(k) for k in flat], self._value_dtype, tuple(given.shape))

        return _through(keys, dense, self._key_dtype)


class MutableHashTable(_Table):
    """Grows by insert; a value may be a number, a text or a vector."""

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, name: str = "MutableHashTable", checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ):  # fmt: skip
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default = convert_to_tensor(default_value, self._value_dtype)
        self._value_shape = tuple(self._default.shape)
        self._pairs = {}
        self._named(name)

    def _key_list(self, keys: Any) -> tuple[list[Any], tuple[int, ...]]:
        given = convert_to_tensor(keys, self._key_dtype)
        flat = host(given._t).reshape(-1).tolist()
        return flat, tuple(given.shape)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Put these in; a key that is there gets the new value."""
        self._stay_eager()
        flat, shape = self._key_list(keys)
        given = convert_to_tensor(values, self._value_dtype)
        if tuple(given.shape) != shape + self._value_shape:
            raise failures.kernel("LookupTableInsertV2", f"Expected shape {failures.brackets(shape + self._value_shape)} for value, got {failures.brackets(given.shape)}")  # fmt: skip
        self._check(flat)
        listed = np.array(host(given._t)).reshape(len(flat), *self._value_shape)
        self._pairs.update(zip(flat, listed if self._value_shape else listed.tolist(), strict=True))

    def _check(self, keys: list[Any]) -> None:
        """What keys may not be inserted."""

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Take these out; those that are not there are no error."""
        self._stay_eager()
        given = convert_to_tensor(keys, dtype_hint=self._key_dtype)
        if given.dtype is not self._key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {given.dtype}")
        flat, _ = self._key_list(given)
        self._check(flat)
        for key in flat:
            self._pairs.pop(key, None)

    erase = remove

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        self._stay_eager()
        pairs, shape = self._pairs, self._value_shape

        def dense(given: Tensor) -> Tensor:
            flat = host(given._t).reshape(-1).tolist()
            self._check(flat)
            if dynamic_default_values is not None:
                others = host(convert_to_tensor(dynamic_default_values, self._value_dtype)._t)
                defaults = np.broadcast_to(others, (*given.shape, *shape)).reshape(-1, *shape)
                found = [pairs.get(k, d) for k, d in zip(flat, defaults, strict=True)]
            else:
                default = host(self._default._t)[()]
                found = list(map(pairs.get, flat, itertools.repeat(default)))
            return _array(found, self._value_dtype, (*given.shape, *shape))

        return _through(keys, dense, self._key_dtype)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and the value of each."""
        count = len(self._pairs)
        return (
            _array(list(self._pairs), self._key_dtype, (count,)),
            _array(list(self._pairs.values()), self._value_dtype, (count, *self._value_shape)),
        )


class DenseHashTable(MutableHashTable):
    """A growing table that names two keys nobody uses."""

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, empty_key: Any, deleted_key: Any,
        initial_num_buckets: int | None = None, name: str = "MutableDenseHashTable", checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ):  # fmt: skip
        super().__init__(key_dtype, value_dtype, default_value, name)
        reserved = [host(convert_to_tensor(k, self._key_dtype)._t).tolist() for k in (empty_key, deleted_key)]
        if reserved[0] == reserved[1]:
            raise failures.InvalidArgumentError("Empty and deleted keys must be different.")
        self._reserved = dict(zip(reserved, ("empty", "deleted"), strict=True))

    def _check(self, keys: list[Any]) -> None:
        for key in keys:
            if key in self._reserved:
                raise failures.kernel(
                    "LookupTableInsertV2", f"Using the {self._reserved[key]}_key as a table key is not allowed"
                )

    def lookup(self, keys: Any, name: str | None = None) -> Any:  # type: ignore[override]
        return super().lookup(keys)
