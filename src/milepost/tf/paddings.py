"""How much padding makes sizes fit blocks. In: sizes and block sizes. Out: paddings and what to cut off again."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import failures
from milepost.tf.convert import raw
from milepost.tf.tensor import Tensor, host, wrap

__all__ = ["required_space_to_batch_paddings"]


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Paddings that make every size a multiple of its block, and the crops that undo them."""
    sizes, blocks = host(raw(input_shape)), host(raw(block_shape))
    if sizes.shape != blocks.shape or sizes.ndim != 1:
        raise ValueError(f"input_shape {sizes.shape} and block_shape {blocks.shape} must be vectors of one length.")
    if (blocks <= 0).any():
        raise failures.InvalidArgumentError(f"block_shape must be positive, got {blocks}.")
    base = np.zeros((len(sizes), 2), sizes.dtype) if base_paddings is None else host(raw(base_paddings))
    extra = (blocks - (sizes + base.sum(1)) % blocks) % blocks
    made = np.stack([base[:, 0], base[:, 1] + extra], 1)
    crops = np.stack([np.zeros_like(extra), extra], 1)
    return tuple(wrap(torch.from_numpy(np.ascontiguousarray(a.astype(np.int32)))) for a in (made, crops))  # type: ignore[return-value]
