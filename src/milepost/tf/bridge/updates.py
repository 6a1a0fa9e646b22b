"""Adam and SGD in one step over all variables, for the plain case: no clipping, decay, averaging or accumulation. Other optimizers are Keras' own.

The arithmetic is Keras'; torch's fused kernel has ε inside the bias correction, so it is handed an ε that makes both the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from keras.src.backend import name_scope
from keras.src.backend.common.global_state import GLOBAL_STATE_TRACKER
from keras.src.backend.torch.optimizers import torch_adam, torch_sgd
from keras.src.optimizers.base_optimizer import BaseOptimizer

from milepost.tf import recorded
from milepost.tf.bridge.boundary import INSIDE
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

__all__ = ["install"]

_grad_mode = torch._C._set_grad_enabled


def _plain(optimizer: Any) -> bool:
    return (
        optimizer.built
        and optimizer.clipnorm is None
        and optimizer.clipvalue is None
        and optimizer.global_clipnorm is None
        and not optimizer.weight_decay
        and not optimizer.use_ema
        and optimizer.loss_scale_factor is None
        and optimizer.gradient_accumulation_steps is None
        and hasattr(optimizer._learning_rate, "_value")
    )


class _Plan:
    """The torch tensors of one list of variables, looked up once."""

    def __init__(self, optimizer: Any, variables: tuple[Any, ...]):
        self.ids = tuple(map(id, variables))
        self.parameters = [v._value for v in variables]
        self.iterations = optimizer._iterations._value
        self.rate = optimizer._learning_rate._value
        places = [optimizer._trainable_variables_indices[id(v)] for v in variables]
        self.ok = (
            all(v.constraint is None and not getattr(v, "overwrite_with_gradient", False) for v in variables)
            and all(p.dtype is torch.float32 and p.is_contiguous() for p in self.parameters)
        )  # fmt: skip
        if type(optimizer) is torch_adam.Adam:
            self.first = [optimizer._momentums[i]._value for i in places]
            self.second = [optimizer._velocities[i]._value for i in places]
            self.step = torch.zeros((), dtype=torch.float32)


def _adam(optimizer: Any, plan: _Plan, grads: list[Any]) -> None:
    if not plan.iterations.is_cpu:
        _adam_on_device(optimizer, plan, grads)
        return
    t = int(plan.iterations) + 1
    b1, b2 = optimizer.beta_1, optimizer.beta_2
    plan.step.fill_(t)
    # the fused kernel reads memory in order: a gradient that is a permuted view (a convolution's) must be laid out like its variable
    grads = [g.contiguous() for g in grads]
    torch._fused_adam_(
        plan.parameters, grads, plan.first, plan.second, [], [plan.step] * len(grads),
        lr=float(plan.rate), beta1=b1, beta2=b2, weight_decay=0.0, eps=optimizer.epsilon / (1.0 - b2**t) ** 0.5, amsgrad=False, maximize=False,
    )  # fmt: skip
    torch._C._increment_version(plan.parameters)  # which the kernel forgets: a tape must notice


def _adam_on_device(optimizer: Any, plan: _Plan, grads: list[Any]) -> None:
    """The same without reading a value back: the host must not wait for a GPU."""
    t, b1, b2 = plan.iterations + 1, optimizer.beta_1, optimizer.beta_2
    rate = plan.rate * (1 - b2**t).sqrt() / (1 - b1**t)
    torch._foreach_lerp_(plan.first, grads, 1 - b1)
    torch._foreach_mul_(plan.second, b2)
    torch._foreach_addcmul_(plan.second, grads, grads, 1 - b2)
    scale = torch._foreach_sqrt(plan.second)
    torch._foreach_add_(scale, optimizer.epsilon)
    change = torch._foreach_div(plan.first, scale)
    torch._foreach_mul_(change, rate)
    torch._foreach_sub_(plan.parameters, change)


def _sgd(optimizer: Any, plan: _Plan, grads: list[Any]) -> None:
    if plan.rate.is_cpu:
        torch._foreach_add_(plan.parameters, grads, alpha=-float(plan.rate))
    else:
        torch._foreach_sub_(plan.parameters, torch._foreach_mul(grads, plan.rate))


def _once(optimizer: Any, update: Any, plan: _Plan, grads: list[Any]) -> None:
    update(optimizer, plan, grads)
    plan.iterations.add_(1)


def _short_apply(full: Callable[..., Any]) -> Callable[..., Any]:
    def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        if recorded.BOXES:
            for v in self._trainable_variables if trainable_variables is None else trainable_variables:
                recorded.keep(v._value)
        kind = type(self)
        update = None
        if trainable_variables is not None and getattr(GLOBAL_STATE_TRACKER, "stateless_scope", None) is None:
            if kind is torch_adam.Adam and not self.amsgrad:
                update = _adam
            elif kind is torch_sgd.SGD and self.momentum == 0:
                update = _sgd
        if update is not None and not self.built:
            # built here, so that the first step goes the way of all others: a resumed run, whose first step comes later, must
            # round as the unbroken one did
            trainable_variables = list(trainable_variables)
            with name_scope(self.name, caller=self):
                self.build(trainable_variables)
            self.built = True
        if update is None or not _plain(self):
            return full(self, grads, trainable_variables)
        pairs = [(g, v) for g, v in zip(grads, trainable_variables, strict=True) if g is not None]
        if not pairs:
            return full(self, grads, trainable_variables)
        variables = tuple(v for _, v in pairs)
        plan = self.__dict__.get("_milepost_plan")
        if (
            plan is None
            or plan.ids != tuple(map(id, variables))
            or any(p is not v._value for p, v in zip(plan.parameters, variables, strict=True))
        ):
            self._check_variables_are_known(variables)
            plan = _Plan(self, variables)
            object.__setattr__(self, "_milepost_plan", plan)
        tensors = [g._t if isinstance(g, Tensor) else g for g, _ in pairs]
        if not plan.ok or any(
            not isinstance(g, torch.Tensor)
            or g.dtype is not torch.float32
            or g.shape != p.shape
            or g.device != p.device
            for g, p in zip(tensors, plan.parameters, strict=True)
        ):
            return full(self, grads, trainable_variables)
        before, inside = torch.is_grad_enabled(), INSIDE.keras
        _grad_mode(False)
        INSIDE.keras = True
        try:
            if NOW.trace is None:
                _once(self, update, plan, tensors)
            else:  # at every run of the traced function, with that run's gradients and the learning rate of the day
                NOW.trace.on_host(
                    lambda *g: _once(self, update, plan, [t._t for t in g]), tuple(wrap(t) for t in tensors)
                )
        finally:
            INSIDE.keras = inside
            _grad_mode(before)
        return None

    return apply


def install() -> None:
    BaseOptimizer.apply = _short_apply(BaseOptimizer.apply)
