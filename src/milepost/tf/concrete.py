"""A tf.function with the kinds of its arguments fixed: `get_concrete_function`. In: a Function and specs. Out: a callable that can be looked at."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from milepost.tf import convert, failures
from milepost.tf.dtypes import string
from milepost.tf.shapes import TensorSpec
from milepost.tf.structure import flatten, map_structure
from milepost.tf.tensor import Tensor, wrap

__all__ = ["ConcreteFunction", "described"]


class ConcreteFunction:
    """Takes tensors alone: Python values were fixed when it was made."""

    def __init__(self, owner: Any, args: Any, kwargs: Any):
        self._owner = owner
        self._python = owner.python_function
        bound = inspect.signature(self._python).bind(*args, **kwargs)
        bound.apply_defaults()
        self._args, self._kwargs = bound.args, bound.kwargs
        self._fixed = dict(bound.arguments)

    @property
    def name(self) -> str:
        return str(getattr(self._python, "__name__", "function"))

    @property
    def structured_input_signature(self) -> Any:
        """((specs of positional arguments), {specs of others}), each spec with its argument's name."""
        named = dict(zip(self._fixed, self._args, strict=False))
        args = tuple(map_structure(lambda v, n=n: _spec(v, n), value) for n, value in named.items())
        return args, {k: map_structure(lambda v, k=k: _spec(v, k), value) for k, value in self._kwargs.items()}

    @property
    def inputs(self) -> list[Any]:
        return [s for s in flatten(list(self.structured_input_signature)) if isinstance(s, TensorSpec)]

    @property
    def structured_outputs(self) -> Any:
        """Specs of what comes out. The function runs twice on made-up values; variables are as before afterwards."""
        small, large = self._example_result(2), self._example_result(3)
        return map_structure(_common, small, large)

    @property
    def outputs(self) -> list[Any]:
        return [s for s in flatten(self.structured_outputs) if isinstance(s, TensorSpec)]

    @property
    def output_shapes(self) -> Any:
        return map_structure(lambda s: getattr(s, "shape", None), self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        return map_structure(lambda s: getattr(s, "dtype", None), self.structured_outputs)

    def _example_result(self, size: int) -> Any:
        args, kwargs = map_structure(lambda v: _example(v, size), [list(self._args), dict(self._kwargs)])
        with unchanged_variables():
            result = self._python(*args, **kwargs)
        return map_structure(lambda v: TensorSpec.from_tensor(v) if isinstance(v, Tensor) else v, result)

    @property
    def graph(self) -> Any:
        from milepost.tf.func_graph import FuncGraph

        return FuncGraph(self._python, self._args, self._kwargs)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        return described(self._python, list(self._args), self._kwargs, self.structured_outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        wanted = {n: v for n, v in self._fixed.items() if _takes(v)}
        given = dict(zip(wanted, args, strict=False))
        if len(args) > len(wanted):
            given = dict(zip(self._fixed, args, strict=False))
        for name, value in {**given, **kwargs}.items():
            if name not in self._fixed:
                raise TypeError(f"{self.name}() got an unexpected keyword argument {name!r}.")
            if name in given and name in kwargs:
                raise TypeError(f"{self.name}() got multiple values for argument {name!r}.")
            if name in wanted:
                self._check(name, value, wanted[name])
        missing = [n for n in wanted if n not in given and n not in kwargs]
        if missing:
            raise TypeError(f"{self.name}() missing required arguments: {', '.join(missing)}.")
        every = {**self._fixed, **{n: v for n, v in {**given, **kwargs}.items() if n in wanted}}
        bound = inspect.signature(self._python).bind_partial()
        bound.arguments.update(every)
        return self._owner(*bound.args, **bound.kwargs)

    def _check(self, name: str, value: Any, wanted: Any) -> None:
        for have, spec in zip(flatten(value), flatten(wanted), strict=False):
            if not isinstance(spec, (TensorSpec, Tensor)):
                continue
            spec = spec if isinstance(spec, TensorSpec) else TensorSpec.from_tensor(spec)
            tensor = convert.convert_to_tensor(have, dtype_hint=spec.dtype)
            if tensor.dtype != spec.dtype:
                raise failures.InvalidArgumentError(
                    f"cannot compute {self.name} as argument {name!r} was expected to be a {spec.dtype.short} tensor "
                    f"but is a {tensor.dtype.short} tensor [Op:{self.name}]"
                )
            if not spec.is_compatible_with(tensor):
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast {TensorSpec.from_tensor(tensor)!r} to {spec!r}`."
                )

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}{self.structured_input_signature[0]} at 0x{id(self):x}>"


def _takes(value: Any) -> bool:
    return any(isinstance(v, (TensorSpec, Tensor)) for v in flatten(value))


def _spec(value: Any, name: str) -> Any:
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype, name)
    return TensorSpec(value.shape, value.dtype, value.name or name) if isinstance(value, TensorSpec) else value


def _example(value: Any, size: int) -> Any:
    if not isinstance(value, TensorSpec):
        return value
    if value.dtype is string:
        return convert.constant("", shape=[size if d is None else d for d in value.shape or []])
    dims = [] if value.shape.rank is None else [size if d is None else d for d in value.shape]
    return wrap(torch.zeros(dims, dtype=value.dtype.torch))


def _common(a: Any, b: Any) -> Any:
    """One spec for results of two sizes: what differs is unknown."""
    if not isinstance(a, TensorSpec) or not isinstance(b, TensorSpec):
        return a
    if a.shape.rank != b.shape.rank:
        return TensorSpec(None, a.dtype)
    return TensorSpec([x if x == y else None for x, y in zip(a.shape, b.shape, strict=True)], a.dtype)


@contextmanager
def unchanged_variables() -> Iterator[None]:
    """Whatever is assigned inside is taken back."""
    from milepost.tf.variables import alive

    before = [(v, v._value, v._value._version, v._value.detach().clone()) for v in alive() if v._value is not None]
    try:
        yield
    finally:
        with torch.no_grad():
            for variable, parameter, version, values in before:
                if variable._value is not parameter or parameter._version != version:
                    variable._value.copy_(values)


def described(python: Any, args: list[Any], kwargs: dict[str, Any], result: Any) -> str:
    """A signature in TensorFlow's words."""
    bound = inspect.signature(python).bind_partial(*args, **kwargs)
    lines = ["Input Parameters:"]
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind.name
        lines.append(f"  {name} ({kind}): {_type(value)}")
    if not bound.arguments:
        lines.append("  None")
    return "\n".join([*lines, "Output Type:", f"  {_type(result)}", "Captures:", "  None"])


def _type(value: Any) -> str:
    if isinstance(value, (Tensor, TensorSpec)):
        return repr(TensorSpec(value.shape, value.dtype))
    if isinstance(value, (list, tuple)):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[" + ", ".join(_type(v) for v in value) + "]"
    if isinstance(value, dict):
        return "Dict[[" + "], [".join(f"{k!r}, {_type(v)}" for k, v in value.items()) + "]]"
    return f"Literal[{value!r}]"
