"""torch's own file format, tensors only. In: a path or a stream. Out: named arrays. Nothing but tensors and plain values is ever unpickled.

torch reads with weights_only=True, so a file cannot run code. Not here: state of live objects (torch.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from milepost.engines.adapter import VARIABLE_VALUE, Spec, detect
from milepost.errors import EngineMissingError, FormatError

__all__ = ["load", "save"]

Found = tuple[str, tuple[int, ...], Callable[[], np.ndarray[Any, Any]]]
MAX_DEPTH = 50


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise EngineMissingError(
            "reading and writing .pt needs torch, which is not installed", todo="pip install torch"
        ) from error
    return torch


def load(path: str) -> tuple[dict[str, Found], dict[str, str]]:
    """Every tensor and number by its dotted name, and what was left out with the reason."""
    torch = _torch()
    try:
        try:
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError:  # the format before torch 1.6 cannot be mapped
            content = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:  # torch raises what its unpickler happens to raise
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise FormatError(f"torch cannot read this as tensors alone: {reason}", where=path) from None
    found: dict[str, Found] = {}
    left_out: dict[str, str] = {}
    _flatten(torch, content, "", found, left_out, 0)
    return found, left_out


def _flatten(torch: Any, value: Any, name: str, found: dict[str, Found], left_out: dict[str, str], depth: int) -> None:
    if depth > MAX_DEPTH:
        left_out[name] = "nested too deeply"
    elif isinstance(value, torch.Tensor):
        adapter = detect(value)
        try:
            leaf = adapter.leaves(value)[VARIABLE_VALUE]  # type: ignore[union-attr]
        except TypeError as error:
            left_out[name] = str(error)
        else:
            found[name] = (leaf.dtype, leaf.shape, leaf.read)
    elif isinstance(value, dict):
        for key, item in value.items():
            _flatten(torch, item, f"{name}.{key}" if name else str(key), found, left_out, depth + 1)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            _flatten(torch, item, f"{name}.{i}" if name else str(i), found, left_out, depth + 1)
    elif isinstance(value, (bool, int, float, complex)):
        array = np.asarray(value)
        if array.dtype == object:
            left_out[name] = "an integer of more than 64 bits"
        else:
            found[name] = (array.dtype.name, (), lambda: array)
    else:
        left_out[name] = f"a {type(value).__name__}, not a tensor"


def save(stream: Any, tensors: Iterable[tuple[str, str, tuple[int, ...], Callable[[], np.ndarray[Any, Any]]]]) -> None:
    """Write a state dict of tensors."""
    torch = _torch()
    from milepost.engines.torch import from_host

    torch.save({name: from_host(read(), Spec(dtype, shape)) for name, dtype, shape, read in tensors}, stream)
