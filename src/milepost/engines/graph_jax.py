"""A jax function's graph. In: a function and example inputs. Out: `ModelNodes` from its jaxpr, or None if it cannot be traced.

Calls inside (jit, custom rules, loops) become scopes; their bodies' inputs are tied to the caller's values.
"""

from __future__ import annotations

from typing import Any

import jax

from milepost.engines.graph import MAX_NODES, GraphNode, ModelNodes, Shape
from milepost.errors import UsageError

__all__ = ["nodes_of"]

MAX_NESTING = 32


def nodes_of(model: Any, inputs: tuple[Any, ...]) -> ModelNodes | None:
    function = model if callable(model) else None
    if function is None:
        return None
    if not inputs:
        raise UsageError("a function has no graph before it is called", todo="give example inputs: graph(function, x)")
    closed = jax.make_jaxpr(function)(*inputs)
    builder = _Builder()
    names: dict[Any, str] = {}
    for number, variable in enumerate(closed.jaxpr.invars):
        names[variable] = builder.add(f"input/arg{number}", "Placeholder", (), [variable])
    for number, variable in enumerate(closed.jaxpr.constvars):
        names[variable] = builder.add(f"const/{number}", "Const", (), [variable])
    builder.body(closed.jaxpr, names, "", 0)
    for number, variable in enumerate(closed.jaxpr.outvars):
        source = builder.source(variable, names)
        builder.add(f"output/{number}", "Output", (source,) if source else (), [variable])
    return ModelNodes("jax", "jaxpr", tuple(builder.nodes), cut=builder.cut)


def _aval(variable: Any) -> tuple[Shape, str]:
    aval = variable.aval
    shape = tuple(s if isinstance(s, int) else None for s in getattr(aval, "shape", ()))
    return shape, str(getattr(aval, "dtype", ""))


class _Builder:
    def __init__(self) -> None:
        self.nodes: list[GraphNode] = []
        self.cut = False
        self._used: dict[str, int] = {}

    def add(self, name: str, op: str, inputs: tuple[str, ...], outputs: list[Any], **about: str) -> str:
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        unique = f"{name}_{count}" if count else name
        described = [_aval(v) for v in outputs]
        if len(self.nodes) < MAX_NODES:
            shapes = tuple(shape for shape, _ in described)
            self.nodes.append(GraphNode(unique, op, inputs, shapes, described[0][1] if described else "", about))
        else:
            self.cut = True
        return unique

    def source(self, variable: Any, names: dict[Any, str]) -> str | None:
        return None if hasattr(variable, "val") else names.get(variable)  # a literal has no source

    def body(self, jaxpr: Any, names: dict[Any, str], scope: str, depth: int) -> None:
        for equation in jaxpr.eqns:
            primitive = str(equation.primitive)
            stack = str(getattr(equation.source_info, "name_stack", ""))
            inner_scope = "/".join(part for part in (scope, stack) if part)
            inputs = tuple(dict.fromkeys(s for v in equation.invars if (s := self.source(v, names))))
            inside = next(iter(_bodies(equation)), None) if depth < MAX_NESTING else None
            name = str(equation.params.get("name", primitive))
            path = "/".join(part for part in (inner_scope, name) if part)
            if inside is None or len(inside.invars) != len(equation.invars):
                made = self.add(path, primitive, inputs, list(equation.outvars))
                names.update(dict.fromkeys(equation.outvars, made))
                continue
            count = self._used.get(path, 0)
            self._used[path] = count + 1
            path = f"{path}_{count}" if count else path
            inner = {
                v: s
                for v, outer in zip(inside.invars, equation.invars, strict=True)
                if (s := self.source(outer, names))
            }
            self.body(inside, inner, path, depth + 1)
            for outer, v in zip(equation.outvars, inside.outvars, strict=False):
                names[outer] = self.source(v, inner) or self.add(f"{path}/constant", "Const", (), [outer])


def _bodies(equation: Any) -> list[Any]:
    found = []
    for value in equation.params.values():
        jaxpr = getattr(value, "jaxpr", value)
        if hasattr(jaxpr, "eqns") and hasattr(jaxpr, "invars"):
            found.append(jaxpr)
    return found
