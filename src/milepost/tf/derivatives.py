"""Derivatives without a tape: `tf.gradients` and `tf.hessians` inside a tf.function. In: what the function computed. Out: its gradients."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import convert
from milepost.tf.state import NOW
from milepost.tf.structure import flatten
from milepost.tf.tape import UnconnectedGradients
from milepost.tf.tensor import Tensor, wrap

__all__ = ["GraphWanted", "gradients", "hessians"]


class GraphWanted(Exception):
    """A function that is being traced asks for derivatives of what it computed: it is traced again, with a graph."""


def _leaf(value: Any) -> Any:
    return value._t if isinstance(value, Tensor) else value._value


def _ready() -> None:
    if NOW.trace is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    if not NOW.recording:
        raise GraphWanted


def gradients(
    ys: Any, xs: Any, grad_ys: Any = None, name: str = "gradients", gate_gradients: bool = False, aggregation_method: Any = None,
    stop_gradients: Any = None, unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:  # fmt: skip
    """The sum of the derivatives of ys by each of xs; only inside a tf.function."""
    _ready()
    if stop_gradients is not None:
        raise NotImplementedError("tf.gradients(stop_gradients=…) is not there: use tf.stop_gradient on the values.")
    targets = [_leaf(y) for y in flatten(ys)]
    seeds = [None] * len(targets) if grad_ys is None else flatten(grad_ys)
    pairs = [
        (t, torch.ones_like(t) if s is None else convert.raw(convert.convert_to_tensor(s)))
        for t, s in zip(targets, seeds, strict=True)
        if t.requires_grad
    ]
    sources = flatten(xs)
    leaves = [_leaf(x) for x in sources]
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    found: Any = [None] * len(wanted)
    if pairs and wanted:
        found = torch.autograd.grad(
            [t for t, _ in pairs], wanted, [s for _, s in pairs], create_graph=True, allow_unused=True
        )
    given = iter(found)
    made = [next(given) if leaf.requires_grad else None for leaf in leaves]
    zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    return [
        wrap(g) if g is not None else (wrap(torch.zeros_like(leaf)) if zero else None)
        for g, leaf in zip(made, leaves, strict=True)
    ]


def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> list[Any]:
    """The second derivatives of ys by each of xs; only inside a tf.function."""
    _ready()
    made = []
    for x in flatten(xs):
        (first,) = gradients(ys, [x], unconnected_gradients=UnconnectedGradients.ZERO)
        rows = [gradients(wrap(g), [x], unconnected_gradients="zero")[0] for g in first._t.reshape(-1).unbind(0)]
        shape = tuple(_leaf(x).shape)
        made.append(wrap(torch.stack([r._t for r in rows]).reshape(shape + shape)))
    return made
