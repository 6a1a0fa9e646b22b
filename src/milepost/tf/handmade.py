"""Gradients made by hand: stopped, replaced (`custom_gradient`), passed through, or computed again. Tapes are in tape.py."""

from __future__ import annotations

import functools
import inspect
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

    def stopped(value: Any) -> Tensor:
        t = owned(value)
        return wrap(t.detach() if isinstance(t, torch.Tensor) else t)

    return map_structure(stopped, input) if isinstance(input, (list, tuple, dict)) else stopped(input)


class _Custom(torch.autograd.Function):  # type: ignore[misc]
    """The outputs as they are; backwards, what the user's function says."""

    @staticmethod
    def forward(context: Any, box: dict[str, Any], *leaves: Any) -> Any:
        context.box = box
        outputs = tuple(t.detach().clone() for t in box["outputs"])
        return outputs if len(outputs) > 1 else outputs[0]

    @staticmethod
    def backward(context: Any, *upstream: Any) -> Any:
        box = context.box
        variables = box["variables"]
        NOW.recording += 1
        try:
            given = box["grad"](*[wrap(g) for g in upstream], **({"variables": variables} if variables else {}))
        finally:
            NOW.recording -= 1
        of_variables: list[Any] = []
        if variables:
            given, of_variables = given[0], _listed(given[1])
            if len(of_variables) != len(variables):
                raise ValueError(
                    f"Must return gradient for each variable from @custom_gradient grad_fn: {len(variables)}."
                )
        listed = _listed(given)
        if len(listed) != box["inputs"]:
            raise ValueError(
                f"custom_gradient function expected to return {box['inputs']} gradients, but returned {len(listed)} instead."
            )
        needed = context.needs_input_grad[1:]
        by_leaf = [
            None if g is None or not needs else raw(g)
            for g, needs in zip([*listed, *of_variables], needed, strict=True)
        ]
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
        flat_args = [wrap(raw(a)) if not isinstance(a, (str, bool, type(None))) else a for a in flatten(list(args))]
        given = pack_as(list(args), flat_args)
        result, grad = inner(*given, **kwargs)
        flat = [raw(r) for r in flatten(result)]
        if not NOW.recording:
            return pack_as(result, [wrap(t) for t in flat])
        leaves = [a._t for a in flat_args if isinstance(a, Tensor)]
        variables = _variables_of(flat, leaves)
        if variables:
            _check_takes_variables(grad, variables)
        box = {"outputs": flat, "grad": grad, "variables": variables, "inputs": len(leaves)}
        made = _Custom.apply(box, *leaves, *[v._value for v in variables])
        return pack_as(result, [wrap(t) for t in (made if isinstance(made, tuple) else (made,))])

    return call


def _variables_of(outputs: list[Any], inputs: list[Any]) -> list[Any]:
    """The trainable variables between inputs and outputs."""
    seen = {t.grad_fn for t in inputs if t.grad_fn is not None}
    own = {id(t) for t in inputs}
    waiting = [t.grad_fn for t in outputs if t.grad_fn is not None]
    found: set[int] = {id(t) for t in outputs if t.is_leaf and t.requires_grad}
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.add(id(node.variable))
        waiting += [following for following, _ in node.next_functions if following is not None]
    if not found - own:
        return []
    from milepost.tf.variables import alive

    return [v for v in alive() if id(v._value) in found - own]


def _check_takes_variables(grad: Any, variables: list[Any]) -> None:
    try:
        parameters = inspect.signature(grad).parameters
    except (TypeError, ValueError):
        return
    if "variables" not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', "
            f"since function uses variables: {variables}"
        )


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
            NOW.recording += 1  # it runs again in the backward pass, when the tape has ended
            try:
                out = f(*[wrap(t) if isinstance(t, torch.Tensor) else t for t in tensors], **kwargs)
            finally:
                NOW.recording -= 1
            like[:] = [out]
            return tuple(raw(v) for v in flatten(out))

        flat = checkpoint(run, *[raw(a) if convert.is_tensor(a) else a for a in args], use_reentrant=False)
        return pack_as(like[0], [wrap(t) for t in flat])

    return call
