"""`tf.GradientTape` on torch's autograd: what was computed inside `with`, differentiated. Custom and stopped gradients are in gradients.py.

Outside tapes nothing keeps a graph. A tape switches recording on; variables then give out their parameters instead of their bare values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from types import TracebackType
from typing import Any

import torch

from milepost.tf import convert
from milepost.tf.dtypes import of_torch
from milepost.tf.state import NOW
from milepost.tf.structure import flatten, pack_as
from milepost.tf.tensor import Tensor, wrap

__all__ = ["GradientTape", "UnconnectedGradients"]

_grad_mode = torch._C._set_grad_enabled
_backward = torch.autograd.grad


class UnconnectedGradients(Enum):
    """What a source that the target does not depend on gets: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records what happens inside `with`; `gradient` then differentiates it, once, or often if `persistent`."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._watched: dict[int, tuple[Any, Any, Any]] = {}  # id -> (value, its leaf, what it held before)
        self._recording = False
        self._mode_before = True
        self._used = False
        self._touched = False

    def __enter__(self) -> GradientTape:
        self._push()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._recording:
            self._pop()

    def _push(self) -> None:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._mode_before = torch.is_grad_enabled()
        _grad_mode(True)
        NOW.recording += 1
        self._recording = self._touched = True

    def _pop(self) -> None:
        self._recording = False
        NOW.recording -= 1
        _grad_mode(self._mode_before)
        if not NOW.recording:
            for value, _, before in self._watched.values():
                if type(value) is Tensor:
                    value._t = before

    def watch(self, tensor: Any) -> None:
        """Follow these tensors, although they are not trainable variables."""
        for value in flatten(tensor):
            if id(value) in self._watched:
                continue
            if isinstance(value, convert.variable_types):
                parameter = value._value  # type: ignore[attr-defined]
                if parameter.is_floating_point():
                    parameter.requires_grad_(True)
                self._watched[id(value)] = (value, parameter, parameter)
            elif type(value) is Tensor:
                before = value._t
                if isinstance(before, torch.Tensor) and (before.is_floating_point() or before.is_complex()):
                    if not before.requires_grad:
                        value._t = before.detach().requires_grad_(True)
                    self._watched[id(value)] = (value, value._t, before)
            else:
                raise ValueError(
                    f"Passed in object {value!r} of type {type(value).__name__!r}, not tf.Tensor or tf.Variable."
                )

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables this tape was told to watch."""
        return tuple(v for v, _, _ in self._watched.values() if isinstance(v, convert.variable_types))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """What happens in here is not differentiated."""
        if not self._recording:
            raise ValueError("Tape is not recording.")
        before, mode = NOW.recording, torch.is_grad_enabled()
        NOW.recording = before - 1
        _grad_mode(NOW.recording > 0)
        try:
            yield
        finally:
            NOW.recording = before
            _grad_mode(mode)

    def reset(self) -> None:
        """Forget what was recorded."""
        self._watched.clear()
        self._used = False

    def _leaf(self, source: Any) -> Any:
        """The torch tensor to differentiate by, or None for one this tape does not follow."""
        watched = self._watched.get(id(source))
        if watched is not None:
            return watched[1]
        if type(source) is Tensor:
            t = source._t
            return t if isinstance(t, torch.Tensor) and t.requires_grad and t.grad_fn is not None else None
        if isinstance(source, convert.variable_types):
            t = source._value  # type: ignore[attr-defined]
            return t if self._watch_accessed and t is not None and t.requires_grad else None
        if isinstance(source, torch.Tensor):
            return source if source.requires_grad else None
        raise TypeError(f"Source must be a tf.Tensor or tf.Variable, got {type(source).__name__}.")

    def _take(self) -> None:
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        if not self._touched:
            raise RuntimeError("The tape has not recorded anything: use it in a `with` statement first.")
        if self._recording and not self._persistent:
            self._pop()
        self._used = True

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """d(sum of target) / d(each source), in the structure of `sources`."""
        self._take()
        flat = sources if type(sources) is list else flatten(sources)
        leaves = [self._leaf(s) for s in flat]
        targets, seeds = self._targets(target, output_gradients)
        found = self._differentiate(targets, seeds, leaves)
        if not self._persistent and not NOW.recording:
            # the graph is spent: a loss that is kept must not keep it alive
            for value in (target,) if type(target) is Tensor else ():
                if value._t.requires_grad and id(value) not in self._watched:
                    value._t = value._t.detach()
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        result: list[Any] = []
        for source, g in zip(flat, found, strict=True):
            if g is not None:
                result.append(wrap(g))
            else:
                result.append(wrap(torch.zeros_like(convert.raw(source).detach())) if zero else None)
        if type(sources) is list and all(not isinstance(s, (list, tuple, dict)) for s in sources):
            return result
        return pack_as(sources, result)

    def _targets(self, target: Any, output_gradients: Any) -> tuple[list[Any], list[Any]]:
        flat = [target] if type(target) is Tensor else flatten(target)
        seeds_in = (
            [None] * len(flat)
            if output_gradients is None
            else ([output_gradients] if len(flat) == 1 else list(output_gradients))
        )
        targets, seeds = [], []
        for value, seed in zip(flat, seeds_in, strict=True):
            watched = self._watched.get(id(value))
            if watched is not None:
                t = watched[1]
            elif isinstance(value, convert.variable_types):
                t = value._value  # type: ignore[attr-defined]
            else:
                t = value._t if type(value) is Tensor else convert.raw(value)
            if isinstance(t, torch.Tensor) and t.requires_grad:
                targets.append(t)
                if seed is not None:
                    seeds.append(convert.to_torch(seed, hint=of_torch(t.dtype)).expand(t.shape))
                else:
                    seeds.append(None if t.ndim == 0 else torch.ones_like(t))
        return targets, seeds

    def _differentiate(self, targets: list[Any], seeds: list[Any], leaves: Sequence[Any]) -> list[Any]:
        wanted = [leaf for leaf in leaves if leaf is not None]
        if not wanted or not targets:
            return [None] * len(leaves)
        higher = NOW.recording > 0  # another tape (or this one, persistent) may differentiate the gradient itself
        before = torch.is_grad_enabled()
        try:
            grads = iter(
                _backward(
                    targets,
                    wanted,
                    seeds,
                    retain_graph=self._persistent or higher,
                    create_graph=higher,
                    allow_unused=True,
                )
            )
        finally:
            _grad_mode(before)
        return [None if leaf is None else next(grads) for leaf in leaves]

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
        flat = flatten(sources)
        leaves = [self._leaf(s) for s in flat]
        targets, _ = self._targets(target, None)
        rows: list[list[Any]] = [[] for _ in leaves]
        shape = tuple(convert.raw(target).shape)
        higher = NOW.recording > 0
        wanted = [leaf for leaf in leaves if leaf is not None]
        if targets and wanted:
            cells = targets[0].reshape(-1)
            for cell in cells.unbind(0):
                grads = iter(_backward(cell, wanted, retain_graph=True, create_graph=higher, allow_unused=True))
                for row, leaf in zip(rows, leaves, strict=True):
                    row.append(None if leaf is None else next(grads))
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        result: list[Any] = []
        for source, row in zip(flat, rows, strict=True):
            like = convert.raw(source).detach()
            if row and any(g is not None for g in row):
                stacked = torch.stack([torch.zeros_like(like) if g is None else g for g in row])
                result.append(wrap(stacked.reshape(shape + tuple(like.shape))))
            else:
                result.append(wrap(like.new_zeros(shape + tuple(like.shape))) if zero else None)
        return pack_as(sources, result)

    def batch_jacobian(
        self, target: Any, source: Any, unconnected_gradients: Any = UnconnectedGradients.NONE, **_: Any
    ) -> Any:
        """The jacobian of each example by itself: both share their first dimension."""
        whole = self.jacobian(target, source, unconnected_gradients)
        if whole is None:
            return None
        t = convert.raw(whole)
        batch, rank = t.shape[0], convert.raw(target).ndim
        each = [t[i].select(rank - 1, i) for i in range(batch)]
        return wrap(torch.stack(each))
