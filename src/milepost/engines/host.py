"""Any engine's array as a host numpy array of its own. In: numbers, lists, numpy, torch, jax, Keras. Out: an ndarray nobody else writes to.

No engine is imported for it: a value is asked by what it can do, and only its own engine can have made it.
Types numpy lacks (bfloat16, float8) come back as float32. Not here: variables with names and paths (`adapter`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["deferred_scalar", "to_host", "to_scalar"]


def _unwrap(value: Any) -> Any:
    """A torch, jax or numpy array out of a Keras variable or a facade's tensor."""
    for _ in range(4):
        if (
            isinstance(value, (np.ndarray, np.generic))
            or hasattr(value, "detach")
            or hasattr(value, "addressable_shards")
        ):
            return value
        inner = getattr(value, "value", None)  # a Keras variable; nnx's are the same
        if inner is None or callable(inner) or inner is value:
            return value
        value = inner
    return value


def to_host(value: Any, *, copy: bool = True) -> np.ndarray[Any, Any]:
    """`value` as an array. With `copy` it shares memory with nothing: training may go on and overwrite the original."""
    value = _unwrap(value)
    if hasattr(value, "detach"):
        return _of_torch(value, copy=copy)
    if isinstance(value, (list, tuple)) and any(hasattr(item, "shape") for item in value):
        return np.stack([to_host(item, copy=False) for item in value])
    if not isinstance(value, np.ndarray) and hasattr(value, "numpy") and not hasattr(value, "__array__"):
        value = value.numpy()
    array = np.array(value) if copy else np.asarray(value)
    if array.dtype.kind == "V":  # ml_dtypes' own types
        array = array.astype(np.float32)
    return array


def _of_torch(tensor: Any, *, copy: bool) -> np.ndarray[Any, Any]:
    tensor = tensor.detach()
    if getattr(tensor, "is_sparse", False):
        tensor = tensor.to_dense()
    on_host = tensor.device.type == "cpu"
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    if str(tensor.dtype) in ("torch.bfloat16",) or "float8" in str(tensor.dtype):
        return np.asarray(tensor.float().numpy())
    array: np.ndarray[Any, Any] = tensor.numpy()
    return array.copy() if copy and on_host else array


def to_scalar(value: Any) -> float:
    """A rank-0 value as a Python float."""
    if isinstance(value, (int, float, np.generic)):
        return float(value)
    detach = getattr(value, "detach", None)
    if detach is None:
        value = _unwrap(value)
        detach = getattr(value, "detach", None)
    return float(value) if detach is None else float(detach().item())


def deferred_scalar(value: Any) -> Callable[[], float] | None:
    """For a rank-0 torch or jax array on an accelerator: a function that waits for its value, to be called by another thread.

    Reading it here would stop the training thread until the device has done everything before it; instead a copy joins the
    device's queue, so neither a later change of the tensor nor a donated buffer matters. None for all other values: read them at once.
    """
    if isinstance(value, (int, float, np.generic, np.ndarray)):
        return None
    if not hasattr(value, "is_cuda"):
        value = _unwrap(value)
    if getattr(value, "is_cuda", False):
        return _of_cuda(value) if value.dim() == 0 else None
    if hasattr(value, "addressable_shards") and hasattr(value, "copy_to_host_async") and value.ndim == 0:
        return _of_jax(value)
    return None


def _of_cuda(tensor: Any) -> Callable[[], float] | None:
    torch = sys.modules["torch"]
    if torch.cuda.is_current_stream_capturing():
        return None
    with torch.cuda.device(tensor.device):
        host = torch.empty((), dtype=tensor.dtype, pin_memory=True)
        host.copy_(tensor.detach(), non_blocking=True)
        copied = torch.cuda.Event()
        copied.record()

    def read() -> float:
        copied.synchronize()
        return float(host.item())

    return read


def _of_jax(array: Any) -> Callable[[], float] | None:
    try:
        if not array.is_fully_addressable or all(device.platform == "cpu" for device in array.devices()):
            return None
        copy = sys.modules["jax"].numpy.copy(array)
        copy.copy_to_host_async()
    except Exception:  # a tracer inside jit, a buffer that is gone: reading it at once gives the engine's own message
        return None
    return lambda: float(copy)
