"""Any engine's value comes to the host as an array of its own, without importing an engine for it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import jax.numpy as jnp
import keras
import ml_dtypes
import numpy as np
import pytest
import torch

from milepost.engines.host import to_host, to_scalar

VALUES: list[Any] = [
    [1.0, 2.0], (1, 2), np.array([1, 2]), np.array([1, 2], ml_dtypes.bfloat16), torch.tensor([1.0, 2.0], requires_grad=True),
    torch.tensor([1.0, 2.0]).bfloat16(), torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn), torch.tensor([1.0, 2.0]).to_sparse(),
    torch.tensor([1.0, -1.0]).mul(torch.tensor([1.0, -2.0])), jnp.array([1.0, 2.0]), jnp.array([1, 2], jnp.bfloat16),
    keras.Variable([1.0, 2.0]), keras.ops.convert_to_tensor([1.0, 2.0]), [torch.tensor(1.0), torch.tensor(2.0)],
    torch.complex(torch.zeros(2), torch.tensor([-1.0, -2.0])).conj().imag,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_arrays(value: Any) -> None:
    """The numbers are the same, and nothing is shared with the original."""
    array = to_host(value)
    assert array.tolist() == [1.0, 2.0]
    array[:] = 0
    assert to_host(value).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "value",
    [2, 2.0, True + 1, np.float16(2), np.array(2), torch.tensor(2.0, requires_grad=True), torch.tensor(2).bfloat16(), jnp.float32(2),
     jnp.bfloat16(2), keras.Variable(2.0), keras.ops.convert_to_tensor(2.0)],
)  # fmt: skip
def test_scalars(value: Any) -> None:
    """A rank-0 value of any kind is a Python float."""
    assert to_scalar(value) == 2.0
    assert type(to_scalar(value)) is float


def test_no_engine_is_imported() -> None:
    """A numpy user pays for numpy."""
    source = (
        "import sys, numpy as np\nfrom milepost.engines.host import to_host, to_scalar\nto_host([1.0]); to_scalar(np.float32(1))\n"
        "assert not {'torch', 'jax', 'keras', 'tensorflow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", source], env={"PYTHONPATH": ":".join(p for p in sys.path if p)}, check=True)
