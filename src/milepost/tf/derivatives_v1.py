"""Gradients and optimizers of TensorFlow 1's graphs. In: nodes. Out: nodes that differentiate and update when a Session runs them."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import graph_mode
from milepost.tf.graph_v1 import GRAPHS, Node, defer
from milepost.tf.structure import flatten

__all__ = [
    "AdagradOptimizer",
    "AdamOptimizer",
    "GradientDescentOptimizer",
    "Gradients",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
    "gradients",
]


class Gradients(Node):
    """The derivatives of ys by each of xs, taken from the run's tape."""

    __slots__ = ("by",)

    def __init__(self, ys: Any, xs: list[Any], grad_ys: Any = None):
        super().__init__(gradients, (flatten(ys), grad_ys), name="gradients")
        self.by = xs

    def value_in(self, run: Any) -> Any:
        from milepost.tf.tape import GradientTape

        if run.tape is None:  # only shapes are wanted
            run.tape = GradientTape(persistent=True)
            with run.tape:
                return self.value_in(run)
        ys, seeds = run.values(self._args)
        return run.tape.gradient(ys, run.values(self.by), output_gradients=seeds)


def gradients(ys: Any, xs: Any, grad_ys: Any = None, name: str = "gradients", *_: Any, **__: Any) -> list[Any]:
    """A node for the gradient by each of xs."""
    listed = flatten(xs)
    found = Gradients(ys, listed, None if grad_ys is None else flatten(grad_ys))
    return [defer(lambda all_, i=i: all_[i], found, name=f"{name}/{i}") for i in range(len(listed))]


class Optimizer:
    """`minimize(loss)`: a node that moves the variables by one step; with eager execution, loss is a function."""

    def __init__(self, learning_rate: Any = 0.01, name: str | None = None, **_: Any):
        self._learning_rate = learning_rate
        self._slots: dict[int, dict[str, Any]] = {}
        self._steps = 0

    def compute_gradients(self, loss: Any, var_list: Any = None, *_: Any, **__: Any) -> list[tuple[Any, Any]]:
        if not graph_mode.is_on():
            return self._eager_gradients(loss, var_list)
        variables = list(var_list) if var_list is not None else [v for v in GRAPHS.current.variables if v.trainable]
        if not variables:
            raise ValueError("No variables to optimize.")
        return list(zip(gradients(loss, variables), variables, strict=True))

    def _eager_gradients(self, loss: Any, var_list: Any) -> list[tuple[Any, Any]]:
        from milepost.tf.tape import GradientTape

        if not callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        with GradientTape() as tape:
            value = loss()
        variables = list(var_list) if var_list is not None else list(tape.watched_variables())
        return list(zip(tape.gradient(value, variables), variables, strict=True))

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable.")
        if not graph_mode.is_on():
            return self._apply(self._learning_rate, [g for g, _ in pairs], [v for _, v in pairs], global_step)
        return defer(
            self._apply, self._learning_rate, [g for g, _ in pairs], [v for _, v in pairs], global_step, name=name or "train"
        )  # fmt: skip

    def minimize(
        self, loss: Any, global_step: Any = None, var_list: Any = None, *_: Any, name: str | None = None, **__: Any
    ) -> Any:
        return self.apply_gradients(self.compute_gradients(loss, var_list), global_step, name)

    def variables(self) -> list[Any]:
        return [value for slots in self._slots.values() for value in slots.values()]

    def _apply(self, rate: Any, grads: list[Any], variables: list[Any], global_step: Any) -> None:
        self._steps += 1
        for g, v in zip(grads, variables, strict=True):
            if g is not None:
                self._move(rate, g, v, self._slots.setdefault(id(v), {}))
        if global_step is not None:
            global_step.assign_add(1)

    def _slot(self, slots: dict[str, Any], name: str, like: Any, value: float = 0.0) -> Any:
        from milepost.tf.convert import raw
        from milepost.tf.tensor import wrap
        from milepost.tf.variables import Variable

        if name not in slots:
            slots[name] = Variable(wrap(torch.full_like(raw(like).detach(), value)), trainable=False)
        return slots[name]

    def _move(self, rate: Any, g: Any, v: Any, slots: dict[str, Any]) -> None:
        raise NotImplementedError


class GradientDescentOptimizer(Optimizer):
    """v -= rate · g."""

    def _move(self, rate: Any, g: Any, v: Any, slots: dict[str, Any]) -> None:
        v.assign_sub(g * rate)


class MomentumOptimizer(Optimizer):
    """A moving sum of gradients."""

    def __init__(self, learning_rate: Any, momentum: Any, use_locking: bool = False, name: str | None = None, use_nesterov: bool = False):  # fmt: skip
        super().__init__(learning_rate)
        self._momentum, self._nesterov = momentum, use_nesterov

    def _move(self, rate: Any, g: Any, v: Any, slots: dict[str, Any]) -> None:
        sum_ = self._slot(slots, "momentum", v)
        sum_.assign(sum_ * self._momentum + g)
        v.assign_sub((g * rate + sum_ * self._momentum * rate) if self._nesterov else sum_ * rate)


class AdagradOptimizer(Optimizer):
    """Steps shrink with the sum of squares."""

    def __init__(self, learning_rate: Any, initial_accumulator_value: float = 0.1, **_: Any):
        super().__init__(learning_rate)
        self._start = initial_accumulator_value

    def _move(self, rate: Any, g: Any, v: Any, slots: dict[str, Any]) -> None:
        sum_ = self._slot(slots, "accumulator", v, self._start)
        sum_.assign_add(g * g)
        v.assign_sub(g * rate / sum_**0.5)


class RMSPropOptimizer(Optimizer):
    """Steps shrink with the moving mean of squares, which starts at one."""

    def __init__(self, learning_rate: Any, decay: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-10, use_locking: bool = False, centered: bool = False, name: str | None = None):  # fmt: skip
        super().__init__(learning_rate)
        if centered:
            raise NotImplementedError(
                "RMSPropOptimizer(centered=True) is not there: tf.keras.optimizers.RMSprop has it."
            )
        self._decay, self._momentum, self._epsilon = decay, momentum, epsilon

    def _move(self, rate: Any, g: Any, v: Any, slots: dict[str, Any]) -> None:
        mean, moving = self._slot(slots, "rms", v, 1.0), self._slot(slots, "momentum", v)
        mean.assign(mean * self._decay + g * g * (1.0 - self._decay))
        moving.assign(moving * self._momentum + g * rate / (mean + self._epsilon) ** 0.5)
        v.assign_sub(moving)


class AdamOptimizer(Optimizer):
    """Moving means of gradients and of their squares."""

    def __init__(self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8, use_locking: bool = False, name: str | None = None):  # fmt: skip
        super().__init__(learning_rate)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon

    def _move(self, rate: Any, g: Any, v: Any, slots: dict[str, Any]) -> None:
        m, s = self._slot(slots, "m", v), self._slot(slots, "v", v)
        m.assign(m * self._beta1 + g * (1.0 - self._beta1))
        s.assign(s * self._beta2 + g * g * (1.0 - self._beta2))
        scale = (1.0 - self._beta2**self._steps) ** 0.5 / (1.0 - self._beta1**self._steps)
        v.assign_sub(m * (rate * scale) / (s**0.5 + self._epsilon))
