"""From anything to a tensor: Python values, lists, numpy, torch, jax, Keras variables -> what torch computes with. Mixing rules are in arithmetic.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.dtypes import DType, as_dtype
from milepost.tf.shapes import as_dims
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, host, printed, wrap

__all__ = [
    "Composite",
    "constant",
    "convert_to_tensor",
    "identity",
    "is_tensor",
    "owned",
    "raw",
    "to_torch",
    "variable_types",
]


class Composite(TypeError, ValueError):
    """A ragged or sparse tensor came where one tensor was expected. An operation that knows such values catches this and lets the value answer."""

    def __init__(self, value: Any):
        self.value = value
        kind = type(value).__name__
        way = "to_tensor()" if kind == "RaggedTensor" else "tf.sparse.to_dense"
        super().__init__(
            f"A {kind} cannot be used here as a tensor: make it dense first ({way}), or use its values alone."
        )

    def answer(self, op: str, dense: Any, *arguments: Any) -> Any:
        """The result of `dense` for arguments of which one is this value."""
        return self.value._answer(op, dense, arguments)


# The classes whose `.value` is a torch parameter: Keras' variables, registered when Keras is loaded.
variable_types: tuple[type, ...] = ()


def register_variables(*types: type) -> None:
    global variable_types
    variable_types = tuple({*variable_types, *types})


def raw(x: Any) -> Any:
    """The torch tensor of any value; without a graph when nothing records."""
    if type(x) is Tensor:
        t = x._t
        return t if NOW.recording or type(t) is np.ndarray or not t.requires_grad else t.detach()
    return to_torch(x)


def owned(x: Any) -> Any:
    """The same, in memory of its own where x is a variable: what is read from it stays when the variable changes."""
    t = raw(x)
    if isinstance(x, variable_types):
        return t.copy() if type(t) is np.ndarray else t.clone()
    return t


def is_tensor(x: Any) -> bool:
    """Whether x is a tensor or a variable (not an array)."""
    return (
        isinstance(x, (Tensor, *variable_types, torch.Tensor))
        or hasattr(x, "__tf_tensor__")
        or hasattr(type(x), "_answer")
    )


def to_torch(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Any:
    """Any value as a torch tensor (strings: an object array of bytes).

    dtype is an order, and a value that cannot follow it is an error; hint is a wish.
    """
    if isinstance(value, Tensor):  # of a subclass too: part of a variable
        t = value._t
        if type(t) is not np.ndarray and t.requires_grad and not NOW.recording:
            t = t.detach()
    elif isinstance(value, variable_types):
        t = value.value  # type: ignore[attr-defined]
        try:
            if not NOW.recording and t.requires_grad:
                t = t.detach()
        except AttributeError:  # a variable of strings, or Keras' on another backend
            t = value._texts if hasattr(value, "_texts") else _from_array(t)
    elif isinstance(value, torch.Tensor):
        t = value
    else:
        return _from_python(value, dtype, hint)
    if dtype is not None:
        have = dtypes.string if type(t) is np.ndarray else dtypes.of_torch(t.dtype)
        if have is not dtype:
            shown = value if isinstance(value, Tensor) else wrap(t)
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {have.name}: {shown!r}"
            )
    return t


def _from_python(value: Any, dtype: DType | None, hint: DType | None) -> Any:
    kind = type(value)
    if kind is float or kind is int or kind is bool or kind is complex:
        wanted = dtype
        if wanted is None:
            own = dtypes.default_of_python(value)
            wanted = hint if hint is not None and _follows(value, hint) else own
        elif not _follows(value, wanted):
            raise failures.not_converted(value, wanted)
        try:
            return torch.tensor(value, dtype=wanted.torch, device=NOW.device)  # type: ignore[union-attr]
        except (RuntimeError, OverflowError):
            return _wrapped_round(value, wanted)
    if kind is str or kind is bytes:
        if dtype not in (None, dtypes.string):
            raise failures.not_converted(value, dtype)
        return np.array(_encode(value), dtype=object)
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(np.asarray(value), dtype or hint)
    if isinstance(value, (list, tuple)) and not hasattr(value, "__array__"):
        return _from_sequence(value, dtype, hint)
    if isinstance(value, range):
        return _from_numpy(np.asarray(value, np.int32), dtype or hint)
    if hasattr(value, "__tf_tensor__"):
        return to_torch(value.__tf_tensor__(dtype), dtype, hint)
    if hasattr(value, "__array__"):
        return _from_array(value, dtype or hint)
    if isinstance(value, DType):
        raise TypeError(f"Cannot convert {value!r} to a Tensor.")
    if hasattr(kind, "_answer"):
        raise Composite(value)
    raise ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({kind}) to a Tensor.")


def _from_array(value: Any, dtype: DType | None = None) -> Any:
    """An array of another library; one that is only being traced has no values to take."""
    try:
        array = np.asarray(value)
    except TypeError as error:
        if "Tracer" not in type(value).__name__:
            raise
        raise TypeError(
            "A tf operation was given a value that jax is tracing, but tf computes with torch. In layers, losses and metrics that Keras "
            "runs on jax write keras.ops instead, or set KERAS_BACKEND=torch."
        ) from error
    return _from_numpy(array, dtype)


def _follows(value: Any, dtype: DType) -> bool:
    """Whether a Python number may become this dtype without TensorFlow's protest."""
    if dtype.torch is None:
        return False
    if isinstance(value, int) and not isinstance(value, bool):
        return not dtype.is_bool
    if isinstance(value, float):
        return dtype.is_floating or dtype.is_complex
    return dtype.is_complex or isinstance(value, bool)


def _wrapped_round(value: Any, dtype: Any) -> Any:
    """An integer too large for the dtype that was ordered: its lowest bits, as in TensorFlow."""
    if not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.") from None
    return torch.from_numpy(np.array(value).astype(dtype.as_numpy_dtype))


def _encode(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _from_numpy(array: Any, dtype: DType | None) -> Any:
    if array.dtype.kind in "OSU":
        if dtype not in (None, dtypes.string):
            raise ValueError(f"Cannot convert an array of {array.dtype} to a tensor of {dtype!r}.")
        flat = [_encode(v) if isinstance(v, (str, bytes)) else _not_text(v) for v in array.reshape(-1).tolist()]
        made = np.empty(len(flat), dtype=object)
        made[:] = flat
        return made.reshape(array.shape)
    if array.dtype.kind == "V" and array.dtype.name == "bfloat16":
        t = torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16)
    else:
        if not array.flags.writeable or not array.dtype.isnative or any(s < 0 for s in array.strides):
            array = np.array(array, dtype=array.dtype.newbyteorder("="))
        try:
            t = torch.from_numpy(array)
        except TypeError:
            raise ValueError(f"Cannot convert an array of {array.dtype} to a tensor.") from None
    if dtype is not None and t.dtype is not dtype.torch:
        if dtype.torch is None:
            raise TypeError(f"Cannot convert {array!r} to EagerTensor of dtype {dtype.short}")
        t = t.to(dtype.torch)
    return t if NOW.device is None else t.to(NOW.device)


def _not_text(value: Any) -> bytes:
    raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {type(value).__name__}).")


def _leaves(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _from_sequence(value: Sequence[Any], dtype: DType | None, hint: DType | None) -> Any:
    first: Any = None
    kind: Any = None
    for leaf in _leaves(value):
        if type(leaf) is kind:
            continue
        if isinstance(leaf, (Tensor, torch.Tensor, *variable_types)):
            return _stacked(value, dtype, hint)
        if leaf is None:
            if first is not None:
                raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
            raise ValueError(
                f"Attempt to convert a value ({leaf}) with an unsupported type ({type(leaf)}) to a Tensor."
            )
        if first is None:
            first, kind = leaf, type(leaf)
        elif kind is bool or isinstance(first, (str, bytes)) is not isinstance(leaf, (str, bytes)):
            raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    if isinstance(first, (str, bytes)):
        if dtype not in (None, dtypes.string):
            raise failures.not_converted(value, dtype)
        return _from_numpy(np.array(value, dtype=object), dtype)
    try:
        array = np.array(value)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    if dtype is None:
        own = _own_dtype(array, first)
        wished = hint if hint is not None and _follows(array.flat[0].item() if array.size else 0.0, hint) else own
        return _from_numpy(array, wished)
    if array.size and not isinstance(first, np.ndarray) and not _follows(array.flat[0].item(), dtype):
        raise failures.not_converted(value, dtype)
    return _from_numpy(array, dtype)


def _own_dtype(array: Any, first: Any) -> DType | None:
    """Python's floats are float32, ints int32 where they fit; the first of numpy's floats says how wide they are."""
    if array.dtype.kind == "f":
        return as_dtype(first.dtype) if hasattr(first, "dtype") and first.dtype.kind == "f" else dtypes.float32
    if array.dtype.kind in "iu":
        if array.dtype == np.uint64 and array.size and array.max() >= 2**63:
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        fits = not array.size or (array.min() >= -(2**31) and array.max() < 2**31)
        return dtypes.int32 if fits else dtypes.int64
    return None


def _stacked(value: Any, dtype: DType | None, hint: DType | None) -> Any:
    """A list with tensors in it: they say the dtype of the rest."""
    if not isinstance(value, (list, tuple)):
        return to_torch(value, dtype, hint)
    if dtype is None:
        for leaf in _leaves(value):
            if isinstance(leaf, (Tensor, torch.Tensor, *variable_types)):
                hint = as_dtype(leaf.dtype)  # type: ignore[attr-defined]
                break
    parts = [_stacked(item, dtype, hint) for item in value]
    if parts and type(parts[0]) is np.ndarray:
        return np.stack(parts)
    try:
        return torch.stack(parts)
    except RuntimeError:
        shapes = [failures.brackets(p.shape) for p in parts]
        other = next((i for i, s in enumerate(shapes) if s != shapes[0]), 0)
        raise failures.kernel(
            "Pack",
            f"Shapes of all inputs must match: values[0].shape = {shapes[0]} != values[{other}].shape = {shapes[other]}",
            "packed",
            f"_N_{len(parts)}",
        ) from None


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor of these values; a scalar fills `shape`."""
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        t = value._t
        if wanted is not None and value.dtype is not wanted:
            raise TypeError(
                f"Expected tensor {printed(host(t), False)} with dtype {wanted!r}, but got dtype {value.dtype!r}."
            )
    else:
        t = _own(value, to_torch(value, wanted))
    if shape is not None:
        dims = as_dims(shape)
        count = 1
        for d in dims:
            count *= d
        size = t.size if type(t) is np.ndarray else t.numel()
        if size == 1 and count != 1:
            t = np.broadcast_to(t, dims).copy() if type(t) is np.ndarray else t.reshape(()).expand(dims).clone()
        elif size != count:
            raise TypeError(
                f"Eager execution of tf.constant with unsupported shape. Tensor {t.tolist()} (converted from {value!r}) "
                f"has {size} elements, but got `shape` {dims} with {count} elements)."
            )
        else:
            t = t.reshape(dims)
    return wrap(t)


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """Anything as a tensor; a tensor of another dtype than the one ordered is an error, not a cast."""
    if type(value) is Tensor and dtype is None:
        return value
    hint = None if dtype_hint is None else as_dtype(dtype_hint)
    return wrap(_own(value, to_torch(value, None if dtype is None else as_dtype(dtype), hint)))


def _own(value: Any, t: Any) -> Any:
    """A tensor does not change when the array it was made from does."""
    if (
        isinstance(value, np.ndarray)
        and type(t) is not np.ndarray
        and t.is_cpu
        and np.may_share_memory(value, t.numpy())
    ):
        return t.clone()
    return t.clone() if isinstance(value, variable_types) else t


def identity(input: Any, name: str | None = None) -> Tensor:
    """The same values."""
    return wrap(owned(input))
