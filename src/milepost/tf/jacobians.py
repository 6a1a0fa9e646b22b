"""Derivatives of every element by every element: `jacobian` and `batch_jacobian` of a tape. In: targets and sources. Out: tensors of both shapes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from enum import Enum
from typing import Any

import torch

from milepost.tf import convert
from milepost.tf.state import NOW
from milepost.tf.structure import flatten, pack_as
from milepost.tf.tensor import wrap

__all__ = ["Jacobians", "UnconnectedGradients"]

_backward = torch.autograd.grad


class UnconnectedGradients(Enum):
    """What a source that the target does not depend on gets: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


class Jacobians:
    """What a tape can do beyond sums of gradients."""

    _persistent: bool

    def _take(self) -> None:
        raise NotImplementedError

    def _leaf(self, source: Any) -> Any:
        raise NotImplementedError

    def _targets(self, target: Any, output_gradients: Any) -> tuple[list[Any], list[Any]]:
        raise NotImplementedError

    def _spent(self, target: Any) -> None:
        raise NotImplementedError

    def _run(self, targets: list[Any], leaves: Sequence[Any], wanted: list[Any], seeds: Any, batched: bool = False) -> list[Any]:  # fmt: skip
        raise NotImplementedError

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Every element of target by every element of each source: shape target + source."""
        self._take()
        whole = convert.raw(target)
        size, shape = whole.numel(), tuple(whole.shape)
        seeds = torch.eye(size, dtype=whole.dtype, device=whole.device).reshape((size, *shape))
        return self._rows(target, sources, seeds, shape, unconnected_gradients, experimental_use_pfor)

    def _rows(
        self, target: Any, sources: Any, seeds: Any, shape: tuple[int, ...], unconnected: Any, at_once: bool
    ) -> Any:
        """The gradients for each of the seeds, as one tensor of shape `shape` + source."""
        flat = flatten(sources)
        leaves = [self._leaf(s) for s in flat]
        targets, _ = self._targets(target, None)
        wanted = [leaf for leaf in leaves if leaf is not None]
        found: list[Any] = [None] * len(leaves)
        if targets and wanted:
            rows = self._at_once(targets, leaves, wanted, seeds) if at_once else None
            found = rows if rows is not None else self._one_by_one(targets, leaves, wanted, seeds)
        zero = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
        result: list[Any] = []
        for source, g in zip(flat, found, strict=True):
            like = convert.raw(source).detach()
            if g is not None:
                result.append(wrap(g.reshape(shape + tuple(like.shape))))
            else:
                result.append(wrap(like.new_zeros(shape + tuple(like.shape))) if zero else None)
        if not self._persistent:
            self._spent(target)
        return pack_as(sources, result)

    def _at_once(self, targets: list[Any], leaves: Sequence[Any], wanted: list[Any], seeds: Any) -> list[Any] | None:
        """All rows in one vectorised pass; None where an operation has no such form."""
        if NOW.trace is not None:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._run(targets, leaves, wanted, [seeds], batched=True)
        except RuntimeError:
            return None

    def _one_by_one(self, targets: list[Any], leaves: Sequence[Any], wanted: list[Any], seeds: Any) -> list[Any]:
        higher = NOW.recording > 0
        rows = [
            _backward(targets, wanted, [seed], retain_graph=True, create_graph=higher, allow_unused=True)
            for seed in seeds.unbind(0)
        ]
        stacked = iter(
            None if all(g is None for g in column) else torch.stack([torch.zeros_like(w) if g is None else g for g in column])
            for w, column in zip(wanted, zip(*rows, strict=True), strict=True)
        )  # fmt: skip
        return [None if leaf is None else next(stacked) for leaf in leaves]

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The jacobian of each example by itself: both share their first dimension, and examples do not mix."""
        whole, by = convert.raw(target), convert.raw(source)
        for t in (by, whole):
            if t.ndim < 2:
                raise ValueError(f"Shape {tuple(t.shape)} must have rank at least 2")
        if whole.shape[0] != by.shape[0]:
            raise ValueError(
                f"Need first dimension of target shape {tuple(whole.shape)} and source shape {tuple(by.shape)} to match."
            )
        self._take()
        inner = tuple(whole.shape[1:])
        size = whole[0].numel()
        eye = torch.eye(size, dtype=whole.dtype, device=whole.device).reshape((size, 1, *inner))
        seeds = eye.expand((size, *whole.shape))
        rows = self._rows(target, [source], seeds, (size,), unconnected_gradients, experimental_use_pfor)[0]
        if rows is None:
            return None
        t = rows._t.transpose(0, 1)  # (batch, size of target, source)
        return wrap(t.reshape((whole.shape[0], *inner, *by.shape[1:])))
