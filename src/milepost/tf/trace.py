"""One run of a function, written down operation by operation as torch executes it — forward, backward and updates alike. Replaying is in replay.py.

Memory is identity: a tensor is known by where its values lie, so that aliases and the tensors autograd keeps resolve to what made them.
What depends on values (a branch on a tensor, a Python callback) cannot be replayed; the trace then says so and why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from milepost.tf.tensor import Tensor

__all__ = ["Host", "Slot", "Step", "Trace"]

_READS_VALUES = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
_RANDOM = torch.Tag.nondeterministic_seeded


@dataclass(frozen=True)
class Slot:
    """The n-th value of the trace."""

    number: int


@dataclass
class Step:
    """One torch operation: which, on what, giving which slots (None for a result that is not a tensor)."""

    operation: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    results: list[Slot | None]
    single: bool
    constant: bool
    mutates: bool


@dataclass
class Host:
    """One call of a Python function, at every run: printing."""

    function: Callable[..., Any]
    arguments: Any


@dataclass
class Trace:
    """What was written down so far."""

    steps: list[Step | Host] = field(default_factory=list)
    values: list[Any] = field(
        default_factory=list
    )  # slot -> the tensor it held in this run, kept alive so that memory is not reused
    captured: set[int] = field(default_factory=set)  # slots of tensors from outside: variables and constants
    constant: set[int] = field(default_factory=set)  # slots whose values cannot differ between runs
    arguments: list[Slot] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)  # of arguments' slots
    changed: set[int] = field(default_factory=set)  # storages written to in place
    eager_because: str | None = None
    made_variables: bool = False
    paused: bool = False  # a host function is running: what torch does in it is the function's own
    _places: dict[tuple[Any, ...], int] = field(default_factory=dict)

    # --- said by the rest of tf while the function runs ---------------------------------------------------------------

    def stay_eager(self, why: str) -> None:
        """This function cannot be replayed."""
        if self.eager_because is None:
            self.eager_because = why

    def values_read(self, t: Any) -> None:
        """Python looked at values: fine for constants, the end of the trace for anything else."""
        if not self.is_constant(t):
            self.stay_eager("Python reads the value of a tensor")

    def is_constant(self, t: Any) -> bool:
        """Whether its values cannot differ between runs."""
        return not isinstance(t, torch.Tensor) or self._places.get(_place(t)) in self.constant

    def symbol(self, t: Any) -> str | None:
        """What a tensor is called while the function is traced, when its values are nobody's business yet; None for text."""
        if not isinstance(t, torch.Tensor) or self.eager_because is not None:
            return None
        number = self._places.get(_place(t))
        if number in self.names:
            return f"{self.names[number]}:0"
        if number is None or number in self.constant:
            return "Const:0"
        for step in self.steps:
            if isinstance(step, Step) and Slot(number) in step.results:
                name = str(step.operation._schema.name).removeprefix("aten::")
                return f"{name}:{step.results.index(Slot(number))}"
        return "ReadVariableOp:0"

    def values_listed(self, t: Any) -> None:
        """The same for `tolist`, which also lists shapes and axes that come from outside and stay what they are."""
        slot = self._places.get(_place(t))
        if slot is not None and slot not in self.constant:
            self.stay_eager("Python reads the value of a tensor")

    def variable_made(self) -> None:
        self.made_variables = True

    def on_host(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Call it now and at every later run, with that run's values."""
        from milepost.tf.state import NOW
        from milepost.tf.structure import map_structure

        bound = map_structure(
            lambda v: self.slot(v._t) if isinstance(v, Tensor) and isinstance(v._t, torch.Tensor) else v,
            list(arguments),
        )
        self.steps.append(Host(function, bound))
        NOW.trace, self.paused = None, True
        try:
            function(*arguments)
        finally:
            NOW.trace, self.paused = self, False

    # --- written down -------------------------------------------------------------------------------------------------

    def argument(self, t: Any) -> Any:
        """A copy of an argument in memory of its own, known as the next argument."""
        own = t.detach().clone()
        self.arguments.append(self._new(own))
        return own

    def slot(self, t: Any) -> Slot:
        """Where this tensor's values come from; from outside, if the trace did not make them."""
        known = self._places.get(_place(t))
        if known is None:
            made = self._new(t)
            self.captured.add(made.number)
            return made
        return Slot(known)

    def _new(self, t: Any) -> Slot:
        number = len(self.values)
        self.values.append(t)
        self._places[_place(t)] = number
        return Slot(number)

    def record(self, operation: Any, args: Any, kwargs: Any, result: Any) -> None:
        if self.paused or self.eager_because is not None:
            return
        tags = operation.tags
        fresh = operation is torch.ops.aten.lift_fresh.default  # a literal: torch.tensor(3.0)
        inputs: list[Slot] = []

        def bind(value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                inputs.append(self.slot(value))
                return inputs[-1]
            if isinstance(value, (list, tuple)):
                return [bind(v) for v in value]
            return value

        arguments = tuple(bind(a) for a in args)
        keywords = {k: bind(v) for k, v in kwargs.items()}
        if fresh:
            self.constant.add(inputs[0].number)
            self.captured.discard(inputs[0].number)
            return
        mutates = bool(operation._schema.is_mutable)
        constant = not mutates and _RANDOM not in tags and all(s.number in self.constant for s in inputs)
        if _READS_VALUES.intersection(tags) and not constant:
            self.stay_eager(f"{operation} depends on values")
            return
        if mutates:
            for given, told in zip(args, operation._schema.arguments, strict=False):
                if told.alias_info is not None and told.alias_info.is_write:
                    self._written(given)
            for told in operation._schema.arguments:
                if told.alias_info is not None and told.alias_info.is_write and told.name in kwargs:
                    self._written(kwargs[told.name])
        single = isinstance(result, torch.Tensor)
        listed = [result] if single else (list(result) if isinstance(result, (list, tuple)) else [])
        if not mutates and single and inputs and self._places.get(_place(result)) is not None:
            return  # the same values in the same memory: nothing happened
        results: list[Slot | None] = []
        for r in listed:
            if not isinstance(r, torch.Tensor):
                results.append(None)
                continue
            if mutates and self._places.get(_place(r)) is not None:
                results.append(None)  # what it wrote into has a name already
                continue
            slot = self._new(r)
            results.append(slot)
            if constant:
                self.constant.add(slot.number)
        self.steps.append(Step(operation, arguments, keywords, results, single, constant, mutates))

    def _written(self, value: Any) -> None:
        for t in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(t, torch.Tensor):
                self.changed.add(t.untyped_storage().data_ptr())
                self.constant.discard(self.slot(t).number)


def _place(t: Any) -> tuple[Any, ...]:
    """Where the values lie and how they are read."""
    if t.numel() == 0:
        return ("empty", tuple(t.shape), t.dtype)
    return (t.data_ptr(), tuple(t.shape), tuple(t.stride()), t.dtype)


class Writing(TorchDispatchMode):  # type: ignore[misc]
    """While active, every operation torch executes is written into the trace."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return (
            False  # torch.compile plays no part here; shielding this from it would load all of it, which takes seconds
        )

    def __init__(self, trace: Trace):
        super().__init__()
        self._trace = trace

    def __enter__(self) -> Any:
        """`tolist` reads values without an operation of torch's: it is told of here, or they would stay those of the first run."""
        self._before = torch.Tensor.__dict__.get("tolist")
        read, trace = torch.Tensor.tolist, self._trace

        def tolist(t: Any) -> Any:
            trace.values_listed(t)
            return read(t)

        torch.Tensor.tolist = tolist
        return super().__enter__()

    def __exit__(self, *error: Any) -> Any:
        if self._before is None:
            del torch.Tensor.tolist
        else:
            torch.Tensor.tolist = self._before
        return super().__exit__(*error)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.namespace != "profiler":  # its marks are of this run, not of the function
            self._trace.record(func, args, kwargs or {}, result)
        return result
