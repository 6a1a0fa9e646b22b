"""A trace as one Python function that runs the same torch operations, without Keras, the tape or autograd between them. In: a Trace. Out: a callable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from milepost.tf.state import NOW
from milepost.tf.structure import flatten, map_structure
from milepost.tf.tensor import wrap
from milepost.tf.trace import Host, Slot, Step, Trace

__all__ = ["compile_trace"]

# torch's own Python entry parses its arguments faster than the general one of an OpOverload; these take the schema's arguments as they are.
_QUICK = frozenset(
    [
        "mm",
        "addmm",
        "bmm",
        "baddbmm",
        "add",
        "sub",
        "mul",
        "div",
        "neg",
        "relu",
        "sigmoid",
        "tanh",
        "exp",
        "log",
        "sqrt",
        "rsqrt",
        "square",
        "pow",
        "sum",
        "mean",
        "amax",
        "amin",
        "argmax",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "where",
        "t",
        "transpose",
        "permute",
        "squeeze",
        "unsqueeze",
        "clone",
        "cat",
        "stack",
        "reciprocal",
        "abs",
        "sign",
        "floor",
        "ceil",
        "round",
        "clamp",
        "maximum",
        "minimum",
        "gather",
        "index_select",
        "log_softmax",
        "softmax",
        "_softmax",
        "_log_softmax",
        "zeros_like",
        "ones_like",
        "_foreach_add",
        "_foreach_add_",
        "_foreach_mul",
        "_foreach_mul_",
        "_foreach_sub",
        "_foreach_sub_",
        "_foreach_div",
        "_foreach_div_",
        "_foreach_sqrt",
        "_foreach_addcmul_",
        "_foreach_addcdiv_",
        "_foreach_lerp_",
        "select",
        "rsub",
    ]
)


_METHODS = frozenset({"view", "expand"})


def _entry(step: Step) -> Any:
    """The callable for an operation."""
    name = step.operation._schema.name.removeprefix("aten::")
    if name in _QUICK and hasattr(torch, name) and step.operation.namespace == "aten":
        return getattr(torch, name)
    if name in _METHODS and not step.keywords:
        return getattr(torch.Tensor, name)
    return step.operation._op


def _live(trace: Trace, outputs: list[Slot]) -> list[Step | Host]:
    """The steps that outputs or side effects need, constants left out."""
    needed = {s.number for s in outputs}
    kept: list[Step | Host] = []
    for step in reversed(trace.steps):
        if isinstance(step, Host):
            needed |= {s.number for s in flatten(step.arguments) if isinstance(s, Slot)}
            kept.append(step)
            continue
        makes = {r.number for r in step.results if r is not None}
        if not step.mutates and not makes & needed:
            continue
        if step.constant and not any(_storage(trace, n) in trace.changed for n in makes):
            continue  # its value of the traced run is used
        needed |= _used(step)
        kept.append(step)
    return kept[::-1]


def _storage(trace: Trace, number: int) -> int:
    return int(trace.values[number].untyped_storage().data_ptr())


def _used(step: Step) -> set[int]:
    found: set[int] = set()

    def look(value: Any) -> None:
        if isinstance(value, Slot):
            found.add(value.number)
        elif isinstance(value, (list, tuple)):
            for v in value:
                look(v)

    look(step.arguments)
    look(list(step.keywords.values()))
    return found


def compile_trace(trace: Trace, outputs: list[Any]) -> Callable[..., Any]:
    """A function of the arguments' torch tensors that gives the outputs' torch tensors."""
    wanted = [trace.slot(t) for t in outputs]
    steps = _live(trace, wanted)
    made = {r.number for s in steps if isinstance(s, Step) for r in s.results if r is not None}
    inputs = {s.number for s in trace.arguments}
    names: dict[str, Any] = {}
    last: dict[int, int] = {}
    for i, step in enumerate(steps):
        if isinstance(step, Step):
            for n in _used(step):
                last[n] = i
    lasting = {s.number for s in wanted}

    def name(slot: Slot) -> str:
        n = slot.number
        if n in inputs or n in made:
            return f"t{n}"
        names[f"c{n}"] = trace.values[n]
        return f"c{n}"

    def write(value: Any) -> str:
        if isinstance(value, Slot):
            return name(value)
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(write(v) for v in value) + "]"
        if value is None or isinstance(value, (bool, int)):
            return repr(value)
        key = f"k{len(names)}"
        names[key] = value
        return key

    lines = []
    for i, step in enumerate(steps):
        if isinstance(step, Host):
            names[f"h{i}"] = _host_call(step)
            slots = [s for s in flatten(step.arguments) if isinstance(s, Slot)]
            lines.append(f"h{i}({', '.join(name(s) for s in slots)})")
            continue
        names[f"f{i}"] = _entry(step)
        call = ", ".join([*(write(a) for a in step.arguments), *(f"{k}={write(v)}" for k, v in step.keywords.items())])
        targets = [f"t{r.number}" if r is not None else "_" for r in step.results]
        left = ""
        if any(r is not None for r in step.results):
            left = (targets[0] if step.single else ", ".join(targets) + ("," if len(targets) == 1 else "")) + " = "
        lines.append(f"{left}f{i}({call})")
        gone = [f"t{n}" for n, at in last.items() if at == i and n in made and n not in lasting]
        if gone:
            lines.append(f"del {', '.join(gone)}")
    lines.append(f"return ({', '.join(name(s) for s in wanted)}{',' if len(wanted) == 1 else ''})")
    source = f"def replay({', '.join(f't{s.number}' for s in trace.arguments)}):\n" + "".join(
        f"    {line}\n" for line in lines
    )
    exec(compile(source, "<tf.function>", "exec"), names)
    keep = [n for n in names.values() if isinstance(n, torch.Tensor)]
    names["replay"].changed = [t for t in keep if t.untyped_storage().data_ptr() in trace.changed]
    function: Callable[..., Any] = names["replay"]
    # what the replay needs stays; the traced run's other values may go
    trace.values = keep
    trace._places.clear()
    return function


def _host_call(step: Host) -> Callable[..., Any]:
    def call(*tensors: Any) -> None:
        fresh = iter(tensors)
        before, NOW.trace = NOW.trace, None
        try:
            step.function(*map_structure(lambda v: wrap(next(fresh)) if isinstance(v, Slot) else v, step.arguments))
        finally:
            NOW.trace = before

    return call
