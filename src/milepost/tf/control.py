"""Choices and loops as functions: cond, case, while_loop, map_fn, scan, py_function. They run at once; in a trace, loops of unknown length end the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf.convert import convert_to_tensor, raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.state import NOW
from milepost.tf.structure import flatten, map_structure, pack_as
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "case", "cond", "foldl", "foldr", "map_fn", "numpy_function", "py_function", "scan", "switch_case", "vectorized_map",
    "while_loop",
]  # fmt: skip


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """true_fn() or false_fn()."""
    if true_fn is None or false_fn is None:
        raise TypeError("cond(): 'true_fn' and 'false_fn' arguments are required")
    chosen = true_fn if bool(pred) else false_fn
    return map_structure(_value, chosen())


def _value(v: Any) -> Any:
    return v if v is None or isinstance(v, Tensor) else convert_to_tensor(v)


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The first whose predicate holds."""
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    holding = [f for p, f in pairs if bool(p)]
    if exclusive and len(holding) > 1:
        from milepost.tf.failures import InvalidArgumentError

        raise InvalidArgumentError("More than one condition evaluated as True but exclusive=True.")
    chosen = holding[0] if holding else default
    if chosen is None:
        raise ValueError("case: no predicate holds and there is no default")
    return map_structure(_value, chosen())


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case"
) -> Any:
    """The function at this index."""
    table: dict[Any, Any] = (
        dict(branch_fns)
        if isinstance(branch_fns, dict) or (branch_fns and isinstance(branch_fns[0], tuple))
        else dict(enumerate(branch_fns))
    )
    last = default if default is not None else table[max(table)]
    return map_structure(_value, table.get(int(branch_index), last)())


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, maximum_iterations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """body(*loop_vars) as long as cond(*loop_vars)."""
    values = map_structure(_value, loop_vars)
    limit = None if maximum_iterations is None else int(maximum_iterations)
    done = 0
    while (limit is None or done < limit) and bool(cond(*values)):
        new = body(*values)
        new = new if isinstance(new, (list, tuple)) else (new,)
        values = pack_as(loop_vars, [_value(v) for v in flatten(list(new))])
        done += 1
    return values


def _rows(elems: Any) -> tuple[int, list[Any]]:
    leaves = [_value(v) for v in flatten(elems)]
    return len(leaves[0]), leaves


def _stack(results: list[Any]) -> Any:
    from milepost.tf.joining import stack

    return map_structure(lambda *v: stack(list(v)), *results)


def map_fn(fn: Callable[..., Any], elems: Any, dtype: Any = None, fn_output_signature: Any = None, name: str | None = None, **_: Any) -> Any:  # fmt: skip
    """fn of each row, put together."""
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    if any(hasattr(v, "ragged_rank") for v in (*flatten(elems), *flatten(wanted))):
        from milepost.tf.ragged.mapping import map_rows

        return map_rows(fn, elems, wanted)
    n, leaves = _rows(elems)
    results = [fn(pack_as(elems, [leaf[i] for leaf in leaves])) for i in range(n)]
    results = [map_structure(_value, r) for r in results]
    if wanted is not None and not isinstance(wanted, (list, tuple, dict)) and not hasattr(wanted, "shape"):
        kind = as_dtype(wanted)
        results = [
            map_structure(lambda v: wrap(v._t.to(kind.torch)) if kind.torch is not None else v, r) for r in results
        ]
    return _stack(results)


def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """fn of each row, put together."""
    return map_fn(fn, elems)


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    reverse: bool = False,
    name: str | None = None,
    **_: Any,
) -> Any:
    """Running results of fn(result so far, row)."""
    n, leaves = _rows(elems)
    order = list(range(n))[:: -1 if reverse else 1]

    def row(i: int) -> Any:
        return pack_as(elems, [leaf[i] for leaf in leaves])

    if initializer is None:
        state, results, order = row(order[0]), [row(order[0])], order[1:]
    else:
        state, results = map_structure(_value, initializer), []
    for i in order:
        state = map_structure(_value, fn(state, row(i)))
        results.append(state)
    return _stack(results[::-1] if reverse else results)


def foldl(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: str | None = None, **_: Any) -> Any:
    """fn(result so far, row), from the first row to the last."""
    n, leaves = _rows(elems)
    rows = [pack_as(elems, [leaf[i] for leaf in leaves]) for i in range(n)]
    state = map_structure(_value, initializer) if initializer is not None else rows.pop(0)
    for r in rows:
        state = map_structure(_value, fn(state, r))
    return state


def foldr(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: str | None = None, **_: Any) -> Any:
    """The same from the last row to the first."""
    n, leaves = _rows(elems)
    rows = [pack_as(elems, [leaf[i] for leaf in leaves]) for i in range(n)][::-1]
    state = map_structure(_value, initializer) if initializer is not None else rows.pop(0)
    for r in rows:
        state = map_structure(_value, fn(state, r))
    return state


def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """A Python function on tensors; it runs at every call, in a tf.function too."""
    if func is None:
        return lambda f: lambda *args: py_function(f, list(args), Tout)
    if NOW.trace is not None:
        NOW.trace.stay_eager("py_function")
    return _typed(func(*[_value(v) for v in inp or []]), Tout)


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """The same for a function on numpy arrays."""
    if func is None:
        return lambda f: lambda *args: numpy_function(f, list(args), Tout)
    if NOW.trace is not None:
        NOW.trace.stay_eager("numpy_function")
    return _typed(func(*[np.asarray(_value(v)) for v in inp or []]), Tout)


def _typed(result: Any, wanted: Any) -> Any:
    def one(v: Any, kind: Any) -> Tensor:
        t = raw(v)
        target = as_dtype(getattr(kind, "dtype", kind)).torch
        return wrap(t.to(target) if isinstance(t, torch.Tensor) and target is not None else t)

    if isinstance(wanted, (list, tuple)):
        if not wanted:  # called for what it does
            return []
        listed = result if isinstance(result, (list, tuple)) else [result]
        return [one(v, k) for v, k in zip(listed, wanted, strict=True)]
    return one(result, wanted) if wanted is not None else None
