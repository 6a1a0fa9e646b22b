"""Losses on logits: cross entropies, Poisson, and the sizes losses are added up with. In: labels and logits. Out: a loss for each example."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as fn

from milepost.tf import dtypes, failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw, to_torch
from milepost.tf.tensor import Tensor, wrap


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """-Σ labels · log softmax(logits)."""
    x = raw(logits)
    y = to_torch(labels, hint=dtypes.of_torch(x.dtype)).to(x.dtype)
    if x.shape != y.shape:
        try:
            x, y = torch.broadcast_tensors(x, y)
        except RuntimeError:
            raise failures.kernel(
                "SoftmaxCrossEntropyWithLogits",
                f"logits and labels must be broadcastable: logits_size={failures.brackets(x.shape)} "
                f"labels_size={failures.brackets(y.shape)}",
            ) from None
    return wrap(-(y * torch.log_softmax(x, axis)).sum(axis))


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """The same for labels given as class numbers."""
    x, y = raw(logits), raw(labels).long()
    if tuple(y.shape) != tuple(x.shape[:-1]):
        raise ValueError(
            f"`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape={tuple(y.shape)} and "
            f"logits.shape={tuple(x.shape)}"
        )
    if y.is_cuda:
        # a GPU cannot raise: as in TensorFlow, a label out of range has no loss (torch's kernel would end the process)
        there = (y >= 0) & (y < x.shape[-1])
        known = y.masked_fill(~there, 0).reshape(-1)
        made = fn.cross_entropy(x.reshape(-1, x.shape[-1]), known, reduction="none").reshape(y.shape)
        return wrap(made.masked_fill(~there, float("nan")))
    try:
        made = fn.cross_entropy(x.reshape(-1, x.shape[-1]), y.reshape(-1), reduction="none")
    except IndexError:
        bad = y[(y < 0) | (y >= x.shape[-1])][0]
        shown = " ".join(str(v) for v in y.reshape(-1).tolist())
        raise failures.kernel(
            "SparseSoftmaxCrossEntropyWithLogits",
            f"Received a label value of {int(bad)} which is outside the valid range of [0, {x.shape[-1]}).  Label values: {shown}",
        ) from None
    return wrap(made.reshape(y.shape))


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Cross entropy of independent yes/no classes."""
    x, y = match("SigmoidCrossEntropy", logits, labels)
    if x.shape != y.shape:
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({tuple(x.shape)} vs {tuple(y.shape)})."
        )
    return wrap(fn.binary_cross_entropy_with_logits(x, y, reduction="none"))


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """The same, with the positive class weighted."""
    x, y = match("WeightedCrossEntropy", logits, labels)
    weight = 1 + (to_torch(pos_weight, dtypes.of_torch(x.dtype)) - 1) * y
    return wrap((1 - y) * x + weight * (torch.log1p(torch.exp(-x.abs())) + torch.relu(-x)))


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """Poisson loss of log-predictions."""
    x, y = match("LogPoissonLoss", log_input, targets)
    made = torch.exp(x) - x * y
    if not compute_full_loss:
        return wrap(made)
    stirling = y * torch.log(y) - y + 0.5 * torch.log(2 * torch.pi * y)
    return wrap(made + torch.where((y >= 0) & (y <= 1), torch.zeros_like(y), stirling))


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Σ t² / 2."""
    return wrap((raw(t) ** 2).sum() / 2)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """Which part of the values is 0."""
    t = raw(value)
    if type(t) is np.ndarray:
        raise TypeError("zero_fraction is for numbers, got strings.")
    return wrap((t == 0).float().mean())


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    """The sum of the losses divided by the size of the whole batch."""
    loss = raw(per_example_loss)
    if sample_weight is not None:
        weight = to_torch(sample_weight, hint=dtypes.of_torch(loss.dtype)).to(loss.dtype)
        loss = loss * weight.reshape(*weight.shape, *[1] * (loss.ndim - weight.ndim))
    size = (loss.shape[0] if loss.ndim else 1) if global_batch_size is None else int(global_batch_size)
    return wrap(loss.sum() / size)


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of the losses divided by the number of replicas: here one."""
    return wrap(raw(regularization_loss).sum())
