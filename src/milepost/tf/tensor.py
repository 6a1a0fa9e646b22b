"""`tf.Tensor`: a torch tensor (or an array of byte strings) behind TensorFlow's face. Conversion is in convert.py, operators in arithmetic.py.

The torch tensor inside never learns of the wrapper, so torch and Keras run at their own speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes
from milepost.tf.shapes import TensorShape
from milepost.tf.state import NOW

__all__ = ["Reference", "Tensor", "device_name", "host", "printed", "wrap"]

_new = object.__new__


def device_name(t: Any) -> str:
    """'/job:localhost/replica:0/task:0/device:CPU:0'."""
    kind, index = "CPU", 0
    if isinstance(t, torch.Tensor) and t.device.type != "cpu":
        kind, index = "GPU", t.device.index or 0
    return f"/job:localhost/replica:0/task:0/device:{kind}:{index}"


def host(t: Any) -> Any:
    """The values of a torch tensor as a numpy array that may share its memory."""
    if type(t) is np.ndarray:
        return t
    if NOW.trace is not None:
        NOW.trace.values_read(t)
    if t.requires_grad:
        t = t.detach()
    if t.dtype is torch.bfloat16:
        return t.float().cpu().numpy().astype(dtypes.bfloat16.as_numpy_dtype)
    if t.device.type != "cpu":
        t = t.cpu()
    if t.is_conj() or t.is_neg():
        t = t.resolve_conj().resolve_neg()
    return t.numpy()


def printed(value: Any, as_repr: bool) -> str:
    """Numpy's text of a value; several lines start on a line of their own."""
    if isinstance(value, np.ndarray) and value.ndim:
        text = repr(value) if as_repr else str(value)
    elif isinstance(value, np.ndarray) and value.dtype == object:
        text = repr(value[()])
    elif as_repr and isinstance(value, np.generic) and value.dtype.kind != "S":
        text = repr(float(value) if value.dtype.name == "bfloat16" else value.item())  # all digits, as TensorFlow shows
    else:
        text = str(value)
    return "\n" + text if "\n" in text else text


class Reference:
    """A hashable handle on a tensor, whose `==` means identity."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped: Any):
        self._wrapped = wrapped

    def deref(self) -> Any:
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


class Tensor:
    """An n-dimensional array of one dtype; it never changes."""

    __slots__ = ("__weakref__", "_t")
    __array_priority__ = 100.0  # `array + tensor` is ours to answer

    _t: Any

    def __init__(self, *_: Any, **__: Any):
        raise TypeError("tf.Tensor is not made directly. Use tf.constant or tf.convert_to_tensor.")

    @property
    def shape(self) -> TensorShape:
        made = tuple.__new__(TensorShape, self._t.shape)
        made._unknown = False
        return made

    def get_shape(self) -> TensorShape:
        return self.shape

    def set_shape(self, shape: Any) -> None:
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}.")

    @property
    def dtype(self) -> dtypes.DType:
        t = self._t
        return dtypes.string if type(t) is np.ndarray else dtypes.of_torch(t.dtype)

    @property
    def ndim(self) -> int:
        return int(self._t.ndim)

    @property
    def device(self) -> str:
        return device_name(self._t)

    backing_device = device

    @property
    def name(self) -> str:
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    def numpy(self) -> Any:
        """A copy of the values: an ndarray, or a numpy scalar (bytes for a string)."""
        values = host(self._t)
        return values.copy() if values.ndim else values[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(host(self._t), dtype=dtype)

    def __dlpack__(self, **options: Any) -> Any:
        return self._t.detach().__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._t.__dlpack_device__()

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """torch code that is handed one of ours works on what is inside it, and returns torch's own."""
        return func(*_bare(args), **_bare(kwargs or {}))

    def _numpy_value(self) -> Any:
        values = host(self._t)
        return values if values.ndim else values[()]

    def __repr__(self) -> str:
        symbol = None if NOW.trace is None else NOW.trace.symbol(self._t)
        if symbol is not None:
            return f"<tf.Tensor {symbol!r} shape={self.shape} dtype={self.dtype.name}>"
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={printed(self._numpy_value(), True)}>"

    def __str__(self) -> str:
        symbol = None if NOW.trace is None else NOW.trace.symbol(self._t)
        if symbol is not None:
            return f'Tensor("{symbol}", shape={self.shape}, dtype={self.dtype.name})'
        return f"tf.Tensor({printed(self._numpy_value(), False)}, shape={self.shape}, dtype={self.dtype.name})"

    def __format__(self, spec: str) -> str:
        if NOW.trace is not None and not spec:
            return str(self)
        return format(self._numpy_value(), spec)

    def __len__(self) -> int:
        if not self._t.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return int(self._t.shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        t = self._t
        if not t.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        if type(t) is np.ndarray:
            return iter([wrap(np.asarray(part, object)) for part in t])
        return iter([wrap(part) for part in _quiet(t).unbind(0)])

    def __bool__(self) -> bool:
        values = host(self._t)
        if values.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(values.item())

    def _scalar(self, kind: str) -> Any:
        values = host(self._t)
        if values.size != 1:
            raise TypeError(f"Only scalar tensors can be converted to Python {kind}; this one has shape {self.shape}.")
        return values.item()

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if not self.dtype.is_integer:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self._scalar("index"))

    def __round__(self, digits: int = 0) -> Tensor:
        return wrap(torch.round(self._t, decimals=digits or 0))

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            "'tf.Tensor' object does not support item assignment. Use tf.tensor_scatter_nd_update, or a tf.Variable and .assign."
        )

    def ref(self) -> Reference:
        return Reference(self)

    def cpu(self) -> Tensor:
        return wrap(self._t.cpu())

    def gpu(self, gpu_index: int = 0) -> Tensor:
        return wrap(self._t.to(f"cuda:{gpu_index}"))

    def __copy__(self) -> Tensor:
        return wrap(self._t)

    def __deepcopy__(self, memo: Any) -> Tensor:
        return wrap(self._t.copy() if type(self._t) is np.ndarray else self._t.detach().clone())

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (np.array(host(self._t)), self.dtype.name)


def wrap(t: Any) -> Tensor:
    """A torch tensor (or object array of bytes) behind TensorFlow's face."""
    made = _new(Tensor)
    made._t = t
    return made


def _revive(values: Any, dtype: str) -> Tensor:
    return wrap(values if dtype == "string" else torch.as_tensor(values))


def _quiet(t: Any) -> Any:
    return t if NOW.recording or not t.requires_grad else t.detach()


def _bare(value: Any) -> Any:
    if type(value) is Tensor:
        return value._t
    if isinstance(value, (tuple, list)):
        return type(value)(_bare(v) for v in value)
    if isinstance(value, dict):
        return {k: _bare(v) for k, v in value.items()}
    return value
