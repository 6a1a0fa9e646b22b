"""Text to numbers and numbers to text."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf import dtypes, failures
from milepost.tf.convert import Composite, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.strings.elements import column, number
from milepost.tf.tensor import host, wrap

__all__ = ["as_string", "to_number"]


def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Any:
    """Text read as numbers."""
    kind = as_dtype(out_type)
    if kind.name not in ("float32", "float64", "int32", "int64"):
        raise failures.InvalidArgumentError(f"Value for attr 'out_type' of {kind.short} is not in the list of allowed values: float, double, int32, int64")  # fmt: skip

    def read(b: bytes) -> Any:
        try:
            if b"_" in b:  # Python reads 1_000, TensorFlow does not
                raise ValueError
            if not kind.is_integer:
                return float(b)
            made = int(b)
            if not kind.min <= made <= kind.max:
                raise ValueError
            return made
        except ValueError:
            raise failures.kernel(
                "StringToNumber",
                f"StringToNumberOp could not correctly convert string: {b.decode('utf-8', 'replace')}",
            ) from None

    return number(input, read, kind.torch)


def as_string(
    input: Any, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = "",
    name: str | None = None,
) -> Any:  # fmt: skip
    """Numbers written as text."""
    try:
        values = host(to_torch(input))
    except Composite as found:
        inner = as_string(found.value.flat_values, precision, scientific, shortest, width, fill)
        return found.value.with_flat_values(inner)
    if scientific and shortest:
        raise failures.InvalidArgumentError("Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise failures.InvalidArgumentError(f"Fill string must be one or fewer characters, got {fill!r}")
    floating = values.dtype.kind in "fcV" or values.dtype.name == "bfloat16"
    if precision >= 0 and not floating:
        raise failures.InvalidArgumentError(f"precision not supported for datatype {values.dtype}")
    if values.dtype.kind == "O":
        return wrap(values)
    size = str(width) if width > 0 else ""
    digits = f".{precision}" if precision >= 0 else ""
    letter = "g" if shortest else ("e" if scientific else "f")
    form = f"%{fill if size or fill in '+ ' else ''}{size}{digits}{letter}" if floating else f"%{fill}{size}d"

    def written(v: Any) -> bytes:
        if isinstance(v, bool):
            return (b"true" if v else b"false").rjust(width if width > 0 else 0)
        if isinstance(v, complex):
            return f"({form % v.real},{form % v.imag})".encode()
        return str(form % v).encode()

    listed = values.astype(np.float32) if values.dtype.name == "bfloat16" else values
    return wrap(column([written(v) for v in listed.reshape(-1).tolist()]).reshape(values.shape))
