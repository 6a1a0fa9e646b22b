"""`tf.test`: what this build can do, and a TestCase with tensors' assertions."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import torch

from milepost.devices import CHOICE

__all__ = ["TestCase", "compute_gradient", "gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_rocm", "is_built_with_xla", "is_gpu_available", "main"]  # fmt: skip


def is_built_with_cuda() -> bool:
    """Whether torch was built for CUDA."""
    return bool(torch.backends.cuda.is_built())


def is_built_with_rocm() -> bool:
    """Whether torch was built for ROCm."""
    return bool(getattr(torch.version, "hip", None))


def is_built_with_gpu_support() -> bool:
    """Whether torch was built for any GPU."""
    return is_built_with_cuda() or is_built_with_rocm()


def is_built_with_xla() -> bool:
    """XLA is used through Keras' jax backend only."""
    return False


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU to use."""
    return bool(CHOICE.visible("GPU"))


def gpu_device_name() -> str:
    """'/device:GPU:0', or '' without a GPU."""
    return "/device:GPU:0" if is_gpu_available() else ""


def compute_gradient(f: Any, x: Any, delta: float | None = None) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The jacobians of f by each of the list x: by a tape, and by differences."""
    from milepost.tf.convert import convert_to_tensor
    from milepost.tf.tape import GradientTape

    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a " + str(type(x))
        )
    given = [convert_to_tensor(v) for v in x]
    exact, numeric = [], []
    for i, source in enumerate(given):
        with GradientTape() as tape:
            tape.watch(source)
            target = f(*given)
        columns = source._t.numel()
        found = tape.jacobian(target, source)
        exact.append(np.zeros((target._t.numel(), columns)) if found is None else found.numpy().reshape(-1, columns))
        start = source.numpy()
        step = delta or float(np.finfo(start.dtype).eps) ** (1 / 3)
        rows = []
        for j in range(columns):
            moved = [start.copy().reshape(-1) for _ in range(2)]
            moved[0][j] += step
            moved[1][j] -= step
            ends = [f(*[*given[:i], convert_to_tensor(m.reshape(start.shape)), *given[i + 1 :]]).numpy() for m in moved]
            rows.append(((ends[0] - ends[1]) / (2 * step)).reshape(-1))
        numeric.append(np.stack(rows, axis=1))
    return tuple(exact), tuple(numeric)


class TestCase(unittest.TestCase):
    """unittest's, with `assertAllClose` and `assertAllEqual`."""

    __test__ = False

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol, atol, err_msg=msg or "")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b), err_msg=msg or "")

    def evaluate(self, value: Any) -> Any:
        return value.numpy() if hasattr(value, "numpy") else value


def main(argv: Any = None) -> None:
    """Run the tests of this file."""
    unittest.main(argv=argv)
