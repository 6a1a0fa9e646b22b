"""`tf.compat`: strings and bytes, and `tf.compat.v1` (loaded when asked for)."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

__all__ = ["as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types", "integral_types", "path_to_str", "real_types"]  # fmt: skip

bytes_or_text_types = (bytes, str)
integral_types = (int, np.integer)
real_types = (float, int, np.integer, np.floating)
complex_types = (complex, float, int, np.number)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text as bytes."""
    return bytes_or_text.encode(encoding) if isinstance(bytes_or_text, str) else bytes(bytes_or_text)


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text."""
    return bytes_or_text if isinstance(bytes_or_text, str) else bytes(bytes_or_text).decode(encoding)


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Anything as text."""
    return as_text(value, encoding) if isinstance(value, (bytes, str)) else str(value)


def path_to_str(path: Any) -> str:
    """A path object as text."""
    return str(os.fspath(path))


def __getattr__(name: str) -> Any:
    if name == "v1":
        return importlib.import_module("milepost.tf.compat_v1")
    if name == "v2":
        return importlib.import_module("milepost.tf")
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.compat", __all__)
