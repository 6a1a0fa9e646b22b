"""Gradients made by hand: stopped, replaced (`custom_gradient`), recomputed, or taken without a tape (`tf.gradients` forms are not there)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from milepost.tf import convert
from milepost.tf.convert import owned, raw
from milepost.tf.state import NOW
from milepost.tf.structure import flatten, map_structure, pack_as
from milepost.tf.tensor import Tensor, wrap

__all__ = ["custom_gradient", "grad_pass_through", "recompute_grad", "stop_gradient"]


def stop_gradient(input: Any, name: str | None = None) -> Any:
    """The same values, which no gradient flows through."""
    return (
        map_structure(lambda v: wrap(owned(v).detach()), input)
        if isinstance(input, (list, tuple, dict))
        else wrap(owned(input).detach())
    )


class _Custom(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(context: Any, box: dict[str, Any], *leaves: Any) -> Any:
        context.box = box
        outputs = tuple(t.detach().clone() for t in box["outputs"])
        return outputs if len(outputs) > 1 else outputs[0]

    @staticmethod
    def backward(context: Any, *upstream: Any) -> Any:
        box = context.box
        NOW.recording += 1
        try:
            given = box["grad"](
                *[wrap(g) for g in upstream], **({"variables": box["variables"]} if box["variables"] else {})
            )
        finally:
            NOW.recording -= 1
        if box["variables"]:
            given, of_variables = given
            listed = [*_listed(given), *_listed(of_variables)]
        else:
            listed = _listed(given)
        by_leaf = [None if g is None else raw(g) for g in listed]
        return (None, *by_leaf)


def _listed(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return list(value)
    return [value]


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """f returns (result, grad): grad(upstream) then gives the gradient of each argument."""
    if f is None:
        return custom_gradient
    inner = f

    @functools.wraps(inner)
    def call(*args: Any, **kwargs: Any) -> Any:
        inputs = [wrap(raw(a)) if not isinstance(a, (str, bool, type(None))) else a for a in args]
        before = torch.is_grad_enabled()
        recording, NOW.recording = NOW.recording, 0
        torch._C._set_grad_enabled(False)
        try:
            result, grad = inner(*[wrap(a._t.detach()) if isinstance(a, Tensor) else a for a in inputs], **kwargs)
        finally:
            NOW.recording = recording
            torch._C._set_grad_enabled(before)
        flat = [raw(r).detach() for r in flatten(result)]
        if not recording:
            return pack_as(result, [wrap(t) for t in flat])
        leaves = [a._t for a in inputs if isinstance(a, Tensor)]
        made = _Custom.apply({"outputs": flat, "grad": grad, "variables": None}, *leaves)
        return pack_as(result, [wrap(t) for t in (made if isinstance(made, tuple) else (made,))])

    return call


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """f forwards, the identity backwards."""

    @functools.wraps(f)
    def call(x: Any, *args: Any, **kwargs: Any) -> Tensor:
        t = raw(x)
        made = raw(f(wrap(t.detach()), *args, **kwargs)).detach()
        return wrap(t + (made - t).detach())

    return call


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """f, whose intermediates are computed again in the backward pass instead of being kept."""
    from torch.utils.checkpoint import checkpoint

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not NOW.recording:
            return f(*args, **kwargs)
        like: list[Any] = []

        def run(*tensors: Any) -> Any:
            out = f(*[wrap(t) if isinstance(t, torch.Tensor) else t for t in tensors], **kwargs)
            like[:] = [out]
            return tuple(raw(v) for v in flatten(out))

        flat = checkpoint(run, *[raw(a) if convert.is_tensor(a) else a for a in args], use_reentrant=False)
        return pack_as(like[0], [wrap(t) for t in flat])

    return call
