"""`tf.nn`: activations, losses on logits, convolutions, pooling, normalisation — torch's kernels in TensorFlow's layout (channels last)."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf.convert import raw
from milepost.tf.tensor import Tensor, wrap


def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """eˣ / Σ eˣ along the last axis."""
    return wrap(torch.softmax(raw(logits), -1 if axis is None else int(axis)))
