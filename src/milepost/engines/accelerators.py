"""What torch and jax, where this process has imported them, know and obey about GPUs. In: plain numbers. Out: plain numbers. Imports neither."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["gpu_count", "in_use", "limit_memory", "memory", "names"]


def _cuda() -> Any:
    torch = sys.modules.get("torch")
    return None if torch is None or not torch.backends.cuda.is_built() else torch.cuda


def gpu_count() -> int | None:
    """How many GPUs torch may use; None when torch cannot say."""
    cuda = _cuda()
    if cuda is None:
        return 0 if "torch" in sys.modules else None
    return int(cuda.device_count())


def names() -> list[str]:
    """The GPUs' names, as torch reports them."""
    cuda = _cuda()
    return [] if cuda is None else [str(cuda.get_device_name(i)) for i in range(cuda.device_count())]


def in_use() -> str | None:
    """Which engine has already taken the GPUs, if one has: its devices can no longer be chosen."""
    cuda = _cuda()
    if cuda is not None and cuda.is_initialized():
        return "torch"
    bridge = sys.modules.get("jax._src.xla_bridge")
    if bridge is not None and getattr(bridge, "_backends", None):
        return "jax"
    return None


def limit_memory(device: int, fraction: float | None = None, limit: int | None = None) -> bool:
    """Let torch use at most this part, or this many bytes, of a GPU's memory; whether it could be told. Does not take the device yet."""
    cuda = _cuda()
    if cuda is None or device >= cuda.device_count():
        return False

    def tell() -> None:
        part = fraction if limit is None else limit / cuda.get_device_properties(device).total_memory
        cuda.set_per_process_memory_fraction(min(max(part or 0.0, 0.0), 1.0), device)

    cuda._lazy_call(tell)  # now, or when a program first uses the GPU: until then other choices may follow
    return True


def memory(device: int) -> tuple[int, int] | None:
    """(bytes in use now, the most so far) by torch on a GPU."""
    cuda = _cuda()
    if cuda is None or not cuda.is_initialized():
        return None
    return int(cuda.memory_allocated(device)), int(cuda.max_memory_allocated(device))
