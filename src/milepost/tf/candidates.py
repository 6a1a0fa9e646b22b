"""Classes drawn to stand for all the others, and the losses that use them (NCE, sampled softmax)."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as fn

from milepost.tf import gathering
from milepost.tf.convert import raw
from milepost.tf.tensor import Tensor, wrap


class Candidates(NamedTuple):
    """Drawn classes, and how often true and drawn ones were to be expected."""

    sampled_candidates: Any
    true_expected_count: Any
    sampled_expected_count: Any


def _drawn(weights: Any, true_classes: Any, count: int, unique: bool, seed: Any) -> Candidates:
    from milepost.tf.random import stream

    p = weights / weights.sum()
    true = raw(true_classes).long()
    chosen = torch.multinomial(p, count, not unique, generator=stream(seed))
    if unique:  # as many tries as draws, at least
        expected = -torch.expm1(count * torch.log1p(-p))
    else:
        expected = p * count
    return Candidates(wrap(chosen), wrap(expected[true].float()), wrap(expected[chosen].float()))


def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None, name: str | None = None
) -> Candidates:  # fmt: skip
    """Classes in order of frequency: the n-th is drawn with probability log((n + 2) / (n + 1)) / log(range_max + 1)."""
    n = torch.arange(int(range_max), dtype=torch.float64)
    return _drawn(torch.log((n + 2) / (n + 1)), true_classes, int(num_sampled), unique, seed)


def uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None, name: str | None = None
) -> Candidates:  # fmt: skip
    """Every class alike."""
    return _drawn(torch.ones(int(range_max), dtype=torch.float64), true_classes, int(num_sampled), unique, seed)


def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: Any = None, name: str | None = None
) -> Candidates:
    """Every class, once."""
    true = raw(true_classes)
    return Candidates(
        wrap(torch.arange(int(num_sampled))), wrap(torch.ones(true.shape)), wrap(torch.ones(int(num_sampled)))
    )


def _sampled_logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int, sampled_values: Any, without_hits: bool
) -> tuple[Any, Any]:  # fmt: skip
    """Logits of the true and the drawn classes, corrected for how likely they were to be drawn; and their labels."""
    true, x = raw(labels).long().reshape(-1, num_true), raw(inputs)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(wrap(true), num_true, num_sampled, True, num_classes)
    drawn, true_expected, drawn_expected = (raw(v) for v in sampled_values)
    table = raw(weights)
    rows = gathering.gather(wrap(table), wrap(true.reshape(-1)))._t.reshape(*true.shape, -1)
    b = raw(biases)
    true_logits = (x.unsqueeze(1) * rows).sum(-1) + b[true] - torch.log(true_expected)
    other_logits = x @ table[drawn].T + b[drawn] - torch.log(drawn_expected)
    if without_hits:
        hit = (true.unsqueeze(-1) == drawn).any(1)
        other_logits = other_logits + torch.where(hit, torch.finfo(x.dtype).min, 0.0).to(x.dtype)
    logits = torch.cat([true_logits, other_logits], 1)
    wanted = torch.cat([torch.full_like(true_logits, 1 / num_true), torch.zeros_like(other_logits)], 1)
    return logits, wanted.detach()


def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: Any = None,
    remove_accidental_hits: bool = True, seed: Any = None, name: str = "sampled_softmax_loss",
) -> Tensor:  # fmt: skip
    """Softmax cross entropy against drawn classes instead of all."""
    logits, wanted = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits
    )
    return wrap(-(wanted * torch.log_softmax(logits, -1)).sum(-1))


def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: Any = None,
    remove_accidental_hits: bool = False, name: str = "nce_loss",
) -> Tensor:  # fmt: skip
    """Noise-contrastive estimation: the true class told from drawn ones."""
    logits, wanted = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits
    )
    return wrap(fn.binary_cross_entropy_with_logits(logits, wanted, reduction="none").sum(1))
