"""A recorded function of one element as a function of a batch of them. In: a Trace. Out: the same operations with one dimension more, or None.

Only operations for which the result of a row cannot depend on the other rows, nor its rounding on where it lies: sums, products and
quotients of single numbers, comparisons, casts, and changes of shape. Reductions and functions like exp are rounded differently in
vectors and are not among them. Not here: recording, and the comparison with the element-wise result (`batchwise`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from milepost.tf.trace import Host, Slot, Step, Trace

__all__ = ["over_batches"]

Values = dict[int, Any]

# Exact in every lane: IEEE fixes their rounding, or there is none.
_POINTWISE = frozenset(
    [
        "add",
        "sub",
        "rsub",
        "mul",
        "div",
        "neg",
        "abs",
        "minimum",
        "maximum",
        "clamp",
        "clamp_min",
        "clamp_max",
        "where",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "logical_and",
        "logical_or",
        "logical_not",
        "logical_xor",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_not",
        "sign",
        "floor",
        "ceil",
        "trunc",
        "round",
        "sqrt",
        "square",
        "_to_copy",
        "clone",
        "detach",
        "alias",
    ]
)


def over_batches(trace: Trace, outputs: list[Any]) -> Callable[[list[Any], int], list[Any]] | None:
    """A function of the arguments' batches and their length that gives the outputs' batches."""
    wanted = [trace.slot(t) for t in outputs]
    ranks = {n: t.ndim for n, t in enumerate(trace.values)}
    dtypes = {n: t.dtype for n, t in enumerate(trace.values)}
    batched = {slot.number for slot in trace.arguments}
    steps: list[Callable[[Values, int], None]] = []
    for step in trace.steps:
        if isinstance(step, Host) or step.mutates:
            return None
        used = _slots(step)
        if not any(slot.number in batched for slot in used):
            continue  # a constant: its value of the recorded run is used
        result = step.results[0]
        if len(step.results) != 1 or not step.single or result is None:
            return None
        made = _step(step, ranks, batched)
        if made is None:
            return None
        batched.add(result.number)
        steps.append(_checked(made, result.number, dtypes[result.number]))
    held = dict(enumerate(trace.values))
    places = [slot.number for slot in trace.arguments]

    def run(arguments: list[Any], count: int) -> list[Any]:
        values = dict(held)
        values.update(zip(places, arguments, strict=True))
        for step in steps:
            step(values, count)
        return [
            values[slot.number]
            if slot.number in batched
            else values[slot.number].expand(count, *values[slot.number].shape).clone()
            for slot in wanted
        ]

    return run


def _slots(step: Step) -> list[Slot]:
    found: list[Slot] = []

    def look(value: Any) -> None:
        if isinstance(value, Slot):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            for v in value:
                look(v)

    look(step.arguments)
    look(list(step.keywords.values()))
    return found


def _checked(make: Callable[[Values, int], Any], number: int, dtype: Any) -> Callable[[Values, int], None]:
    def go(values: Values, count: int) -> None:
        made = make(values, count)
        if made.dtype is not dtype:  # numbers without dimensions promote differently
            raise TypeError(f"{dtype} became {made.dtype}")
        values[number] = made

    return go


def _step(step: Step, ranks: dict[int, int], batched: set[int]) -> Callable[[Values, int], Any] | None:
    name = step.operation._schema.name.removeprefix("aten::")
    if name in _POINTWISE:
        return _pointwise(step, name, ranks, batched)
    if step.keywords or not step.arguments or not isinstance(step.arguments[0], Slot):
        return None
    source, rest = step.arguments[0].number, step.arguments[1:]
    if any(isinstance(slot, Slot) for slot in rest):
        return None
    change = _SHAPES.get(name)
    made: Callable[[Values, int], Any] | None = None if change is None else change(source, ranks[source], *rest)
    return made


def _pointwise(step: Step, name: str, ranks: dict[int, int], batched: set[int]) -> Callable[[Values, int], Any] | None:
    keywords = step.keywords
    if keywords.get("alpha", 1) != 1 or any(isinstance(v, Slot) for v in keywords.values()):
        return None
    if name in ("add", "sub", "rsub") and len(step.arguments) > 2 and step.arguments[2] != 1:
        return None
    if name == "div" and "rounding_mode" in keywords:
        return None
    if any(isinstance(a, (list, tuple)) for a in step.arguments):
        return None
    result = step.results[0]
    assert result is not None
    rank, operation = ranks[result.number], step.operation
    if name == "_to_copy":
        keywords = {k: v for k, v in keywords.items() if k == "dtype"}
        operation = torch.ops.aten._to_copy.default

    def go(values: Values, count: int) -> Any:
        def operand(value: Any) -> Any:
            if not isinstance(value, Slot):
                return value
            t = values[value.number]
            missing = rank - ranks[value.number]
            return t.reshape(count, *[1] * missing, *t.shape[1:]) if missing and value.number in batched else t

        return operation(*[operand(a) for a in step.arguments], **keywords)

    return go


# --- changes of shape: each makes the step for a batch ---------------------------------------------------------------------


def _past(dim: int) -> int:
    return dim + 1 if dim >= 0 else dim


def _view(source: int, rank: int, size: Any) -> Any:
    return lambda values, count: values[source].reshape(count, *size)


def _unsqueeze(source: int, rank: int, dim: int) -> Any:
    return lambda values, count: values[source].unsqueeze(_past(dim))


def _squeeze(source: int, rank: int, dim: Any = None) -> Any:
    if dim is None:
        return None
    dims = [_past(d) for d in (dim if isinstance(dim, (list, tuple)) else [dim])]
    return lambda values, count: values[source].squeeze(dims)


def _permute(source: int, rank: int, dims: Any) -> Any:
    order = [0, *(d % rank + 1 for d in dims)]
    return lambda values, count: values[source].permute(order)


def _transpose(source: int, rank: int, a: int, b: int) -> Any:
    return lambda values, count: values[source].transpose(_past(a), _past(b))


def _expand(source: int, rank: int, size: Any) -> Any:
    missing = len(size) - rank

    def go(values: Values, count: int) -> Any:
        t = values[source]
        return t.reshape(count, *[1] * missing, *t.shape[1:]).expand(count, *size)

    return go


def _select(source: int, rank: int, dim: int, index: int) -> Any:
    return lambda values, count: values[source].select(_past(dim), index)


def _slice(source: int, rank: int, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    return lambda values, count: torch.ops.aten.slice.Tensor(values[source], _past(dim), start, end, step)


def _flip(source: int, rank: int, dims: Any) -> Any:
    return lambda values, count: values[source].flip([_past(d) for d in dims])


_SHAPES: dict[str, Callable[..., Any]] = {
    "view": _view, "_unsafe_view": _view, "reshape": _view, "unsqueeze": _unsqueeze, "squeeze": _squeeze, "permute": _permute,
    "transpose": _transpose, "expand": _expand, "select": _select, "slice": _slice, "flip": _flip,
}  # fmt: skip
