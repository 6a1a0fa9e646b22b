"""`tf.function`: Python once per kind of arguments, then the recorded operations alone. In: a function of tensors. Out: a faster one.

A call inside a tape, inside Keras' own training step or inside another trace runs as Python: there, its operations belong to the outer one.
"""

from __future__ import annotations

import functools
import inspect
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import convert, derivatives, dtypes, recorded
from milepost.tf.bridge.boundary import INSIDE
from milepost.tf.replay import compile_trace
from milepost.tf.shapes import TensorSpec
from milepost.tf.state import NOW
from milepost.tf.structure import flatten, is_nested, map_structure, pack_as
from milepost.tf.tensor import Tensor, wrap
from milepost.tf.trace import Trace, Writing

__all__ = ["EAGERLY", "ConcreteFunction", "Function", "function"]

EAGERLY = [False]  # tf.config.run_functions_eagerly
_grad_mode = torch._C._set_grad_enabled
_BelowAutograd = torch._C._AutoDispatchBelowAutograd


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:
    """A function that is traced once for each kind of arguments: decorator, with or without arguments."""
    if func is None:
        return lambda f: Function(f, input_signature)
    return Function(func, input_signature)


class Function:
    """What `tf.function` makes."""

    def __init__(self, python_function: Callable[..., Any], input_signature: Any = None, owner: Any = None):
        self._python = python_function
        self._given_signature = None if input_signature is None else tuple(input_signature)
        self._kinds: dict[Any, Any] = {}
        self._traced = 0
        self._called = False
        self._bound: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, python_function, updated=())
        self._plain = _is_plain(python_function)

    @property
    def python_function(self) -> Callable[..., Any]:
        return self._python

    @property
    def input_signature(self) -> Any:
        return self._given_signature

    @property
    def function_spec(self) -> Any:
        return inspect.signature(self._python)

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._traced

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """A method: one Function for each instance, as its variables are the instance's."""
        if instance is None:
            return self
        try:
            if instance not in self._bound:
                self._bound[instance] = Function(_method(self._python, weakref.ref(instance)), self._given_signature)
            return self._bound[instance]
        except TypeError:  # not hashable or not weakly referable
            return Function(functools.partial(self._python, instance), self._given_signature)

    def __repr__(self) -> str:
        return f"<milepost.tf.Function {getattr(self._python, '__name__', 'function')} at 0x{id(self):x}>"

    # --- calling ------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._given_signature is not None:
            args, kwargs = self._checked(args, kwargs), {}
        watching = sys.modules.get("milepost.tracing")
        if (
            watching is not None and watching.tracing() and NOW.trace is None
        ):  # tf.summary.trace_on: the graph is wanted
            return watching.record(self._python, getattr(self._python, "__name__", "function"))(*args, **kwargs)
        if NOW.recording or NOW.trace is not None or INSIDE.keras or EAGERLY[0] or _symbolic(args):
            if NOW.trace is None:
                self._count(args, kwargs)
            return self._python(*args, **kwargs)
        if kwargs or not self._plain:
            args, kwargs = self._canonical(args, kwargs)
        tensors: list[Any] = []
        key = (*[_kind(a, tensors) for a in args], *[(k, _kind(v, tensors)) for k, v in kwargs.items()])
        kind = self._kinds.get(key)
        if kind is None or kind == "again":
            return self._trace(key, args, kwargs)
        if kind == "eager":
            return self._python(*args, **kwargs)
        return kind(tensors)

    def _count(self, args: Any, kwargs: Any) -> None:
        key = (*[_kind(a, []) for a in args], *[(k, _kind(v, [])) for k, v in kwargs.items()])
        if ("seen", key) not in self._kinds:
            self._kinds["seen", key] = True
            self._traced += 1

    def _checked(self, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """The arguments as the input signature wants them, or TensorFlow's complaint."""
        signature = self._given_signature or ()
        given = self._canonical(args, kwargs)[0]
        if len(given) > len(signature):
            given = given[: len(signature)]
        made = []
        for value, spec in zip(given, signature, strict=True):
            flat_specs = flatten(spec) if not isinstance(spec, TensorSpec) else [spec]
            flat_values = flatten(value) if not isinstance(spec, TensorSpec) else [value]
            new = []
            for v, s in zip(flat_values, flat_specs, strict=True):
                tensor = v if isinstance(v, Tensor) else wrap(convert.to_torch(v, hint=s.dtype))
                if not s.is_compatible_with(tensor):
                    own = TensorSpec.from_tensor(tensor)
                    raise TypeError(
                        f"Binding inputs to tf.function failed due to `Can not cast {own!r} to {s!r}`. "
                        f"Received args: {args} and kwargs: {kwargs} for signature: {signature}."
                    )
                new.append(tensor)
            made.append(new[0] if isinstance(spec, TensorSpec) else pack_as(spec, new))
        return tuple(made)

    def _canonical(self, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        try:
            bound = inspect.signature(self._python).bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: {kwargs}."
            ) from None
        except ValueError:  # no signature to be had
            return args, kwargs
        bound.apply_defaults()
        return bound.args, bound.kwargs

    # --- tracing ------------------------------------------------------------------------------------------------------

    def _trace(self, key: Any, args: Any, kwargs: Any, with_graph: bool = False) -> Any:
        """Run the Python function for real, writing down what torch does."""
        trace = Trace()
        fresh = map_structure(lambda v: _argument(trace, v, with_graph), [list(args), kwargs])
        first, self._called = not self._called, True
        self._traced += 1
        NOW.trace = trace
        before = torch.is_grad_enabled()
        _grad_mode(with_graph)
        NOW.recording += with_graph
        try:
            with Writing(trace):
                result = self._python(*fresh[0], **fresh[1])
                result = map_structure(_result, result)
        except derivatives.GraphWanted:
            self._called, self._traced = not first, self._traced - 1
            return self._trace(key, args, kwargs, with_graph=True)
        finally:
            NOW.trace = None
            NOW.recording -= with_graph
            _grad_mode(before)
        if trace.made_variables:
            if not first:
                raise ValueError(
                    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
                    "created once or created outside tf.function."
                )
            self._kinds[key] = "again"
            self._traced -= 1
            return result
        if trace.eager_because is not None:
            self._kinds[key] = "eager"
            return result
        leaves = flatten(result)
        held = [v._t for v in leaves if isinstance(v, Tensor) and isinstance(v._t, torch.Tensor)]
        replay = compile_trace(trace, held)
        for t in trace.values:
            if isinstance(t, torch.nn.Parameter):
                recorded.captured(t, self, key)
        self._kinds[key] = _Kind(replay, result, leaves)
        return result

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The function for this kind of arguments; specs with unknown sizes stand for any."""
        specs = args if args or kwargs else (self._given_signature or ())
        return ConcreteFunction(self, specs, kwargs)


class _Kind:
    """The replay for one kind of arguments."""

    __slots__ = ("_changed", "_leaves", "_plain", "_replay", "_result")

    def __init__(self, replay: Callable[..., Any], result: Any, leaves: list[Any]):
        self._replay = replay
        self._changed = replay.changed  # type: ignore[attr-defined]
        self._result = map_structure(lambda v: None if isinstance(v, Tensor) else v, result)
        self._leaves = [isinstance(v, Tensor) and isinstance(v._t, torch.Tensor) for v in leaves]
        self._plain = isinstance(result, Tensor)

    def __call__(self, tensors: list[Any]) -> Any:
        before = torch.is_grad_enabled()
        _grad_mode(False)
        try:
            with _BelowAutograd():
                made = self._replay(*tensors)
            if self._changed:
                torch._C._increment_version(self._changed)  # so that a tape notices, as it would have
        finally:
            _grad_mode(before)
        if self._plain:
            return wrap(made[0])
        if not is_nested(self._result):
            return self._result
        fresh = iter(made)
        old = flatten(self._result)
        return pack_as(
            self._result, [wrap(next(fresh)) if new else o for new, o in zip(self._leaves, old, strict=True)]
        )


class ConcreteFunction:
    """A tf.function with its arguments' kinds fixed."""

    def __init__(self, owner: Function, specs: Any, kwargs: Any):
        self._owner, self._args, self._kwargs = owner, specs, kwargs

    @property
    def structured_input_signature(self) -> Any:
        return tuple(_spec(a) for a in self._args), {k: _spec(v) for k, v in self._kwargs.items()}

    @property
    def inputs(self) -> list[Any]:
        return [s for s in flatten(list(self.structured_input_signature[0])) if isinstance(s, TensorSpec)]

    @property
    def graph(self) -> Any:
        from milepost.tf.func_graph import FuncGraph

        return FuncGraph(self._owner.python_function, self._args, self._kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for value, spec in zip(args, self._args, strict=False):
            if isinstance(spec, (TensorSpec, Tensor)):
                wanted = spec if isinstance(spec, TensorSpec) else TensorSpec.from_tensor(spec)
                have = convert.convert_to_tensor(value, dtype_hint=wanted.dtype)
                if not wanted.is_compatible_with(have):
                    raise TypeError(
                        f"Binding inputs to tf.function failed due to `Can not cast {TensorSpec.from_tensor(have)!r} to {wanted!r}`."
                    )
        return self._owner(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {getattr(self._owner.python_function, '__name__', '')}{self.structured_input_signature[0]}>"


def _spec(value: Any) -> Any:
    if isinstance(value, Tensor):
        return TensorSpec.from_tensor(value)
    return value


def _method(python: Callable[..., Any], instance: Any) -> Callable[..., Any]:
    @functools.wraps(python)
    def method(*args: Any, **kwargs: Any) -> Any:
        return python(instance(), *args, **kwargs)

    signature = inspect.signature(python)
    method.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # type: ignore[attr-defined]
    return method


def _is_plain(python: Callable[..., Any]) -> bool:
    """Whether positional arguments alone already are canonical."""
    try:
        parameters = inspect.signature(python).parameters.values()
    except (TypeError, ValueError):
        return True
    return all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in parameters)


def _argument(trace: Trace, value: Any, with_graph: bool) -> Any:
    if isinstance(value, Tensor):
        if not isinstance(value._t, torch.Tensor):
            return value
        own = trace.argument(value._t)
        return wrap(own.requires_grad_(True) if with_graph and own.is_floating_point() else own)
    if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, np.character):
        return wrap(trace.argument(convert.to_torch(value)))
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        return wrap(trace.argument(value))
    return value


def _result(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return wrap(value.detach())
    if isinstance(value, Tensor) and isinstance(value._t, torch.Tensor) and value._t.requires_grad:
        return wrap(value._t.detach())
    if isinstance(value, (float, int, np.ndarray)) and not isinstance(value, bool):
        return convert.convert_to_tensor(value)
    if isinstance(value, convert.variable_types):
        return wrap(convert.raw(value).clone())
    return value


def _kind(value: Any, tensors: list[Any]) -> Any:
    """What makes two arguments the same to a trace; tensors' values are collected, Python's are part of it."""
    kind = type(value)
    if kind is Tensor or isinstance(value, Tensor):
        t = value._t
        if not isinstance(t, torch.Tensor):
            return ("text", t.tobytes() if t.dtype != object else tuple(t.reshape(-1).tolist()))
        tensors.append(t)
        return (t.shape, t.dtype)
    if kind is np.ndarray or isinstance(value, np.generic):
        t = convert.to_torch(value)
        tensors.append(t)
        return (t.shape, t.dtype)
    if value is None or kind in (int, float, bool, str, bytes):
        return (kind, value)
    if kind is list or kind is tuple:
        return (kind, *[_kind(v, tensors) for v in value])
    if kind is dict:
        return (dict, *[(k, _kind(value[k], tensors)) for k in sorted(value, key=str)])
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        tensors.append(value.detach())
        return (value.shape, value.dtype)
    if isinstance(value, dtypes.DType):
        return value
    return (kind, id(value))


def _symbolic(args: Any) -> bool:
    """Whether Keras is only finding out shapes."""
    return any(
        type(a).__name__ == "KerasTensor" or (isinstance(a, Tensor) and getattr(a._t, "is_meta", False)) for a in args
    )
