"""`tf.autodiff`: forward-mode derivatives. In: primals and tangents. Out: jvp(target), for what was computed inside `with`."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import torch

from milepost.tf import convert
from milepost.tf.state import NOW
from milepost.tf.structure import assert_same_structure, flatten, pack_as
from milepost.tf.tape import GradientTape, UnconnectedGradients
from milepost.tf.tensor import Tensor, wrap

__all__ = ["ForwardAccumulator", "GradientTape"]


class ForwardAccumulator:
    """Jacobian-vector products. They are computed from the recorded graph, as the derivative of a vector-Jacobian product by its vector."""

    def __init__(self, primals: Any, tangents: Any):
        assert_same_structure(primals, tangents)
        self._primals = flatten(primals)
        self._tangents = [convert.raw(convert.convert_to_tensor(t)) for t in flatten(tangents)]
        self._tape = GradientTape(persistent=True)
        for p, t in zip(self._primals, self._tangents, strict=True):
            have = convert.raw(p)
            if have.shape != t.shape:
                raise ValueError(f"Primal and tangent differ in shape: {tuple(have.shape)} and {tuple(t.shape)}.")
        if len({id(p) for p in self._primals}) != len(self._primals):
            raise ValueError("Tensor is already being watched: each primal may be given once.")

    def __enter__(self) -> ForwardAccumulator:
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tape.__exit__(kind, error, trace)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The derivative of each target along the tangents."""
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        made = []
        for target in flatten(primals):
            found = self._along(target)
            if found is None and zero:
                found = torch.zeros_like(convert.raw(target).detach())
            made.append(None if found is None else wrap(found))
        return pack_as(primals, made)

    def _along(self, target: Any) -> Any:
        for primal, tangent in zip(self._primals, self._tangents, strict=True):
            if target is primal:
                return tangent
        t = target._t if isinstance(target, Tensor) else target._value
        if not isinstance(t, torch.Tensor) or not t.requires_grad:
            return None
        leaves = [self._tape._leaf(p) for p in self._primals]
        wanted = [(leaf, tangent) for leaf, tangent in zip(leaves, self._tangents, strict=True) if leaf is not None]
        with torch.enable_grad():
            seed = torch.zeros_like(t, requires_grad=True)
            rows = torch.autograd.grad(t, [leaf for leaf, _ in wanted], seed, create_graph=True, allow_unused=True)
            used = [(row, tangent) for row, (_, tangent) in zip(rows, wanted, strict=True) if row is not None]
            if not used:
                return None
            pairs = [(row, tangent) for row, tangent in used if row.requires_grad]
            if not pairs:
                return torch.zeros_like(t)
            (found,) = torch.autograd.grad(
                [row for row, _ in pairs], seed, [tangent for _, tangent in pairs],
                create_graph=NOW.recording > 0, retain_graph=True, allow_unused=True,
            )  # fmt: skip
        return torch.zeros_like(t) if found is None else found
