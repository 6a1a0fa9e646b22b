"""Element types as TensorFlow names them. In: names, numpy, torch or Python types. Out: one DType each. No tensors here."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf.failures import unsupported_dtype

__all__ = [
    "DTYPES", "DType", "as_dtype", "bfloat16", "bool_", "complex64", "complex128", "default_of_python", "double", "float16", "float32",
    "float64", "half", "int8", "int16", "int32", "int64", "of_torch", "resource", "string", "uint8", "uint16", "uint32", "uint64",
    "variant",
]  # fmt: skip


class DType:
    """One element type: prints `<dtype: 'float32'>`, compares with names, numpy and torch types."""

    __slots__ = ("_numpy", "enum", "name", "short", "torch")

    def __init__(self, name: str, enum: int, numpy_type: Any, torch_type: Any, short: str = ""):
        self.name, self.enum, self._numpy, self.torch = name, enum, numpy_type, torch_type
        self.short = short or name  # what TensorFlow's kernels call it in error messages

    @property
    def as_numpy_dtype(self) -> Any:
        if self._numpy is None:  # bfloat16: numpy has none of its own
            import ml_dtypes

            return ml_dtypes.bfloat16
        return self._numpy

    @property
    def as_datatype_enum(self) -> int:
        return self.enum

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def real_dtype(self) -> DType:
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def is_floating(self) -> bool:
        return "float" in self.name

    @property
    def is_complex(self) -> bool:
        return self.name.startswith("complex")

    @property
    def is_integer(self) -> bool:
        return "int" in self.name

    @property
    def is_unsigned(self) -> bool:
        return self.name.startswith("uint")

    @property
    def is_bool(self) -> bool:
        return self.name == "bool"

    @property
    def is_numpy_compatible(self) -> bool:
        return self.name not in ("resource", "variant")

    @property
    def size(self) -> int:
        return 1 if self.torch is None else int(self.torch.itemsize)

    @property
    def itemsize(self) -> int:
        return self.size

    @property
    def min(self) -> Any:
        least = self._limits().min
        return self.as_numpy_dtype(least) if self.is_floating else least

    @property
    def max(self) -> Any:
        most = self._limits().max
        return self.as_numpy_dtype(most) if self.is_floating else most

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range images of this dtype have: from 0."""
        return (-1, 1) if self.is_floating else (0, self.max)

    def _limits(self) -> Any:
        if self.torch is None or self.is_bool:
            raise TypeError(f"Cannot find the limits of {self}.")
        return torch.iinfo(self.torch) if self.is_integer else torch.finfo(self.torch)

    def is_compatible_with(self, other: Any) -> bool:
        return as_dtype(other) is self

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


float32 = DType("float32", 1, np.float32, torch.float32, "float")
float64 = DType("float64", 2, np.float64, torch.float64, "double")
int32 = DType("int32", 3, np.int32, torch.int32)
uint8 = DType("uint8", 4, np.uint8, torch.uint8)
int16 = DType("int16", 5, np.int16, torch.int16)
int8 = DType("int8", 6, np.int8, torch.int8)
string = DType("string", 7, np.object_, None)
complex64 = DType("complex64", 8, np.complex64, torch.complex64)
int64 = DType("int64", 9, np.int64, torch.int64)
bool_ = DType("bool", 10, np.bool_, torch.bool)
bfloat16 = DType("bfloat16", 14, None, torch.bfloat16)
uint16 = DType("uint16", 17, np.uint16, torch.uint16)
complex128 = DType("complex128", 18, np.complex128, torch.complex128)
float16 = DType("float16", 19, np.float16, torch.float16, "half")
resource = DType("resource", 20, np.object_, None)
variant = DType("variant", 21, np.object_, None)
uint32 = DType("uint32", 22, np.uint32, torch.uint32)
uint64 = DType("uint64", 23, np.uint64, torch.uint64)
half, double = float16, float64

DTYPES = {
    d.name: d
    for d in (
        float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool_, bfloat16, uint16, complex128, float16,
        resource, variant, uint32, uint64,
    )
}  # fmt: skip
_BY_TORCH = {d.torch: d for d in DTYPES.values() if d.torch is not None}
_BY_ENUM = {d.enum: d for d in DTYPES.values()}
_BY_PYTHON = {float: float32, int: int32, bool: bool_, complex: complex128, str: string, bytes: string, object: string}
_ALIASES = {"half": float16, "double": float64, "float": float32, "str": string, "object": string}


def of_torch(dtype: Any) -> DType:
    """The DType of a torch dtype."""
    return _BY_TORCH[dtype]


def as_dtype(value: Any) -> DType:
    """The DType a name, enum, numpy, torch or Python type stands for."""
    if type(value) is DType:
        return value
    try:
        if value in _BY_TORCH:
            return _BY_TORCH[value]
        if isinstance(value, type) and value in _BY_PYTHON:
            return _BY_PYTHON[value]
    except TypeError:  # unhashable: not a type of any kind
        raise unsupported_dtype(value) from None
    if isinstance(value, str):
        found = DTYPES.get(value.removeprefix("tf.")) or _ALIASES.get(value)
        if found is not None:
            return found
    if isinstance(value, int) and not isinstance(value, bool):
        if value in _BY_ENUM:
            return _BY_ENUM[value]
        raise unsupported_dtype(value)
    try:
        numpy_type = np.dtype(value)
    except TypeError:
        name = getattr(value, "name", None)
        if isinstance(name, str) and name in DTYPES:
            return DTYPES[name]
        raise unsupported_dtype(value) from None
    if numpy_type.kind in "SUO":
        return string
    if numpy_type.name in DTYPES:
        return DTYPES[numpy_type.name]
    raise unsupported_dtype(value)


def default_of_python(value: Any) -> DType | None:
    """What TensorFlow makes of a Python scalar: int32 (int64 when it must), float32, bool, string."""
    kind = type(value)
    if kind is bool:
        return bool_
    if kind is int:
        return int32 if -(2**31) <= value < 2**31 else int64
    return _BY_PYTHON.get(kind)


def __getattr__(name: str) -> Any:
    """`tf.dtypes` has casts, too."""
    if name == "bool":
        return bool_
    if name in ("cast", "complex", "saturate_cast"):
        from milepost.tf import pointwise

        return getattr(pointwise, name)
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.dtypes", [*__all__, "cast", "complex", "saturate_cast"])
