"""`tf.GradientTape` on torch's autograd: what was computed inside `with`, differentiated. Custom and stopped gradients are in gradients.py.

Outside tapes nothing keeps a graph. A tape switches recording on; variables then give out their parameters instead of their bare values.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import torch

from milepost.tf import autograd_graph as graph
from milepost.tf import convert, recorded
from milepost.tf.dtypes import of_torch
from milepost.tf.jacobians import Jacobians, UnconnectedGradients
from milepost.tf.state import NOW
from milepost.tf.structure import flatten, pack_as
from milepost.tf.tensor import Tensor, wrap

__all__ = ["GradientTape", "UnconnectedGradients"]

_grad_mode = torch._C._set_grad_enabled
_backward = torch.autograd.grad


class _Family:
    """Tapes that recorded at the same time share one graph: it is let go when the last of them was used."""

    __slots__ = ("targets", "waiting")

    def __init__(self) -> None:
        self.waiting = 1
        self.targets: list[Any] = []


_active: list[GradientTape] = []
_open = [0]  # tapes that recorded and may still be asked for gradients


class GradientTape(Jacobians):
    """Records what happens inside `with`; `gradient` then differentiates it, once, or often if `persistent`."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._watched: dict[int, tuple[Any, Any, Any]] = {}  # id -> (value, its leaf, what it held before)
        self._recording = False
        self._mode_before = True
        self._used = False
        self._touched = False
        self._family: _Family | None = None
        self._boxes = self._counted = False
        self._since: int | None = None  # number of the first operation that counts, after reset()
        self._answered: list[Any] = []

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
        if _active or self._persistent:
            self._join()
        if not self._counted:
            self._counted = True
            _open[0] += 1
        _active.append(self)
        NOW.recording += 1
        self._recording = self._touched = True

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        if self._counted:
            self._counted = False
            _open[0] -= 1

    def _join(self) -> None:
        """Several differentiations of one graph are to come."""
        recorded.push_boxes()
        self._boxes = True
        if _active and self._family is None:
            outer = _active[-1]
            if outer._family is None:
                outer._family = _Family()
            self._family = outer._family
            self._family.waiting += 1

    def _pop(self) -> None:
        self._recording = False
        NOW.recording -= 1
        _active.remove(self)
        if self._boxes:
            recorded.pop_boxes()
            self._boxes = False
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
            elif isinstance(value, Tensor):
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
        """The variables this tape follows: those told to it, and the trainable ones its living graph was computed from."""
        from milepost.tf.variables import alive

        found = [v for v, _, _ in self._watched.values() if isinstance(v, convert.variable_types)] + self._answered
        if self._watch_accessed:
            gc.collect()  # a graph in a dead cycle is not alive
            found += [v for v in alive() if v.trainable and v._value is not None and v._value._use_count() > 1]
        return tuple({id(v): v for v in found}.values())

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """What happens in here is not differentiated."""
        if not self._recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
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
        self._answered.clear()
        self._used = False
        self._since = graph.number_of_next()

    def _leaf(self, source: Any) -> Any:
        """The torch tensor to differentiate by, or None for one this tape does not follow."""
        watched = self._watched.get(id(source))
        if watched is not None:
            return watched[1]
        if isinstance(source, Tensor):
            t = source._t
            return t if isinstance(t, torch.Tensor) and t.requires_grad and t.grad_fn is not None else None
        if isinstance(source, convert.variable_types):
            t = source._value  # type: ignore[attr-defined]
            followed = self._watch_accessed and source._trainable  # type: ignore[attr-defined]
            return t if followed and t is not None and t.requires_grad else None
        if isinstance(source, torch.Tensor):
            return source if source.requires_grad else None
        raise TypeError(f"Source must be a tf.Tensor or tf.Variable, got {source!r} ({type(source).__name__}).")

    def _take(self) -> None:
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        if not self._touched:
            raise RuntimeError("The tape has not recorded anything: use it in a `with` statement first.")
        if self._recording and not self._persistent:
            self._pop()
        if not self._used and self._family is not None:
            self._family.waiting -= 1
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
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be differentiated, "
                "but received None."
            )
        flat = sources if type(sources) is list else flatten(sources)
        leaves = [self._leaf(s) for s in flat]
        targets, seeds = self._targets(target, output_gradients)
        found = self._differentiate(targets, seeds, leaves)
        if recorded.ASIDE[0]:
            found = self._with_past(flat, found, targets, seeds)
        if not self._persistent:
            self._spent(target)
            if not _open[0] and not NOW.recording:
                del targets, seeds
                recorded.sever(leaves)
        self._answered = [s for s, g in zip(flat, found, strict=True) if g is not None and type(s) is not Tensor]
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

    def _spent(self, target: Any) -> None:
        """The graph is of no more use: a loss that is kept must not keep it alive."""
        self._close()
        kept = [v for v in ([target] if type(target) is Tensor else flatten(target)) if type(v) is Tensor]
        kept = [v for v in kept if id(v) not in self._watched]
        if self._family is not None:
            self._family.targets += kept
            kept = [] if self._family.waiting else self._family.targets
        if NOW.recording:
            return
        for value in kept:
            if value._t.requires_grad:
                value._t = value._t.detach()

    def _with_past(self, flat: list[Any], found: list[Any], targets: list[Any], seeds: list[Any]) -> list[Any]:
        """Plus the gradients by the parameters that variables left behind when they were assigned to."""
        made = list(found)
        for i, source in enumerate(flat):
            taken = self._leaf(source)
            past = [p for p in getattr(source, "_past", ()) if p.requires_grad and p is not taken]
            if isinstance(source, convert.variable_types) and id(source) in self._watched:
                past += [p for p in (source._value,) if p is not taken]  # type: ignore[attr-defined]
            elif not self._watch_accessed:
                continue
            for p in past:
                (g,) = self._differentiate(targets, seeds, [p])
                if g is not None:
                    made[i] = g if made[i] is None else made[i] + g
        return made

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
            elif isinstance(value, Tensor):
                t = value._t
            else:
                t = convert.raw(value)
            if isinstance(t, torch.Tensor) and t.requires_grad:
                targets.append(t)
                if seed is not None:
                    seeds.append(convert.to_torch(seed, hint=of_torch(t.dtype)).expand(t.shape))
                else:
                    seeds.append(None if t.ndim == 0 and not t.is_complex() else torch.ones_like(t))
        return targets, seeds

    def _differentiate(self, targets: list[Any], seeds: list[Any], leaves: Sequence[Any]) -> list[Any]:
        wanted = [leaf for leaf in leaves if leaf is not None]
        if not wanted or not targets:
            return [None] * len(leaves)
        return self._run(targets, leaves, wanted, seeds)

    def _run(self, targets: list[Any], leaves: Sequence[Any], wanted: list[Any], seeds: Any, batched: bool = False) -> list[Any]:  # fmt: skip
        higher = NOW.recording > 0  # another tape (or this one, persistent) may differentiate the gradient itself
        again = (
            self._persistent or higher or recorded.ASIDE[0] or (self._family is not None and self._family.waiting > 0)
        )
        before = torch.is_grad_enabled()
        since = None if self._since is None else graph.Cut(targets, self._since)
        try:
            grads: Any = _backward(
                targets, wanted, seeds, retain_graph=again or batched, create_graph=higher, allow_unused=True, is_grads_batched=batched
            )  # fmt: skip
        except RuntimeError as error:
            raise graph.explained(error) from None
        finally:
            _grad_mode(before)
            if since is not None:
                since.undo()
        if since is not None:
            grads = [g if id(leaf) in since.reached else None for g, leaf in zip(grads, wanted, strict=True)]
        given = iter(grads)
        return [None if leaf is None else next(given) for leaf in leaves]
