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

from milepost.tf import concrete, convert, derivatives, dtypes, recorded
from milepost.tf.bridge.boundary import INSIDE
from milepost.tf.replay import compile_trace
from milepost.tf.shapes import TensorShape, TensorSpec
from milepost.tf.state import NOW
from milepost.tf.structure import flatten, is_nested, map_structure, pack_as
from milepost.tf.tensor import Tensor, wrap
from milepost.tf.trace import Trace, Writing

__all__ = ["EAGERLY", "Function", "function"]

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
        return lambda f: function(f, input_signature)
    if not callable(func):
        raise TypeError(f"{func!r} is not a callable object")
    return Function(func, input_signature)


class Function:
    """What `tf.function` makes."""

    def __init__(self, python_function: Callable[..., Any], input_signature: Any = None, owner: Any = None):
        self._python = python_function
        self._given_signature = None if input_signature is None else tuple(input_signature)
        self._kinds: dict[Any, Any] = {}
        self.signatures: list[tuple[Any, Any, Any]] = []  # of arguments and result, one for each trace
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
            return self._as_python(args, kwargs)
        if kwargs or not self._plain:
            args, kwargs = self._canonical(args, kwargs)
        tensors: list[Any] = []
        key = (*[_kind(a, tensors) for a in args], *[(k, _kind(v, tensors)) for k, v in kwargs.items()])
        kind = self._kinds.get(key)
        if kind is None or kind == "again":
            return self._trace(key, args, kwargs)
        if kind == "eager":
            return _outward(self._python(*args, **kwargs))
        return kind(tensors)

    def _as_python(self, args: Any, kwargs: Any) -> Any:
        """A call whose operations belong to a tape, to Keras or to an outer function."""
        result = self._python(*args, **kwargs)
        if INSIDE.keras or EAGERLY[0]:
            return result
        key = ("seen", *[_kind(a, []) for a in args], *[(k, _kind(v, [])) for k, v in kwargs.items()])
        if key not in self._kinds:
            self._kinds[key] = "again"
            self._note(args, kwargs, result)
        return _outward(result)

    def _note(self, args: Any, kwargs: Any, result: Any) -> None:
        """The function was traced for a kind of arguments."""
        self._traced += 1
        self.signatures.append((_specs(list(args)), _specs(kwargs), _specs(_outward(result))))

    def _checked(self, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """The arguments as the input signature wants them, or TensorFlow's complaint."""
        signature = self._given_signature or ()
        given = self._canonical(args, kwargs)[0]
        if len(given) > len(signature):
            given = given[: len(signature)]
        made = []
        if len(given) < len(signature):
            raise TypeError(
                f"Binding inputs to tf.function failed due to `missing a required argument`. Received args: {args} and kwargs: {kwargs} "
                f"for signature: {self._shown_signature()}."
            )
        for value, spec in zip(given, signature, strict=True):
            if hasattr(spec, "from_value"):  # of a ragged or sparse tensor
                if not spec.is_compatible_with(value):
                    raise TypeError(
                        f"Binding inputs to tf.function failed due to `Can not cast {value!r} to {spec!r}`. "
                        f"Received args: {args} and kwargs: {kwargs} for signature: {self._shown_signature()}."
                    )
                made.append(value)
                continue
            new = []
            for v, s in _beside(value, spec):
                tensor = v if isinstance(v, Tensor) else wrap(convert.to_torch(v, hint=s.dtype))
                if not s.is_compatible_with(tensor):
                    own = TensorSpec.from_tensor(tensor)
                    raise TypeError(
                        f"Binding inputs to tf.function failed due to `Can not cast {own!r} to {s!r}`. "
                        f"Received args: {args} and kwargs: {kwargs} for signature: {self._shown_signature()}."
                    )
                new.append(tensor)
            made.append(new[0] if isinstance(spec, TensorSpec) else pack_as(spec, new))
        return tuple(made)

    def _shown_signature(self) -> str:
        """(x: TensorSpec(shape=(None,), …), y: …), as TensorFlow writes it."""
        try:
            names = list(inspect.signature(self._python).parameters)
        except (TypeError, ValueError):
            names = []
        listed = self._given_signature or ()
        names += [f"arg{i}" for i in range(len(names), len(listed))]
        return "(" + ", ".join(f"{n}: {s!r}" for n, s in zip(names, listed, strict=False)) + ")"

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
        if any(isinstance(v, Tensor) and not isinstance(v._t, torch.Tensor) for v in flatten([list(args), kwargs])):
            self._kinds[key] = "eager"  # text is computed in Python: nothing of torch's to write down
            result = self._python(*args, **kwargs)
            self._note(args, kwargs, result)
            return _outward(result)
        trace = Trace()
        fresh = map_structure(lambda v: _argument(trace, v, with_graph), [list(args), kwargs])
        self._name_arguments(trace, args)
        first, self._called = not self._called, True
        NOW.trace = trace
        before = torch.is_grad_enabled()
        _grad_mode(with_graph)
        NOW.recording += with_graph
        try:
            with Writing(trace):
                result = self._python(*fresh[0], **fresh[1])
                result = map_structure(_result, result)
        except derivatives.GraphWanted:
            self._called = not first
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
            return result
        self._note(args, kwargs, result)
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

    def _name_arguments(self, trace: Trace, args: Any) -> None:
        """Tensors printed during the trace are called by the names of their arguments."""
        try:
            names = list(inspect.signature(self._python).parameters)
        except (TypeError, ValueError):
            return
        slots = iter(trace.arguments)
        for name, value in zip(names, args, strict=False):
            for _ in [v for v in flatten(value) if isinstance(v, (Tensor, np.ndarray, np.generic))]:
                slot = next(slots, None)
                if slot is not None:
                    trace.names[slot.number] = name

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """What was traced so far, for people."""
        return "\n\n".join(concrete.described(self._python, *s) for s in self.signatures)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> concrete.ConcreteFunction:
        """The function for this kind of arguments; specs with unknown sizes stand for any."""
        if not args and not kwargs and self._given_signature is not None:
            args = self._given_signature
        return concrete.ConcreteFunction(self, args, kwargs)


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


def _specs(value: Any) -> Any:
    return map_structure(lambda v: TensorSpec.from_tensor(v) if isinstance(v, Tensor) else v, value)


def _beside(value: Any, spec: Any) -> list[tuple[Any, TensorSpec]]:
    """The values that stand where the specs of a structure stand; a spec takes a whole list."""
    if isinstance(spec, TensorSpec):
        return [(value, spec)]
    if isinstance(spec, dict):
        return [pair for k in sorted(spec, key=str) for pair in _beside(value[k], spec[k])]
    return [pair for v, s in zip(value, spec, strict=True) for pair in _beside(v, s)]


def _outward(result: Any) -> Any:
    """Python's own numbers and text come out of a tf.function as tensors."""
    if type(result) is Tensor or result is None:
        return result
    return map_structure(_number, result)


def _number(value: Any) -> Any:
    if isinstance(value, (bool, float, int, str, bytes, np.ndarray, np.generic)):
        return convert.convert_to_tensor(value)
    if isinstance(value, (TensorShape, dtypes.DType)):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None values; "
            f"found return value of type {type(value).__name__}, which is not a Tensor or ExtensionType."
        )
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
    if hasattr(type(value), "_answer"):
        trace.stay_eager("the row splits of a ragged tensor, or the places of a sparse one, decide what is computed")
    return value


def _result(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return wrap(value.detach())
    if isinstance(value, Tensor) and isinstance(value._t, torch.Tensor) and value._t.requires_grad:
        return wrap(value._t.detach())
    if isinstance(value, convert.variable_types):
        return wrap(convert.raw(value).clone())
    return _number(value)


def _kind(value: Any, tensors: list[Any]) -> Any:
    """What makes two arguments the same to a trace; tensors' values are collected, Python's are part of it."""
    kind = type(value)
    if kind is Tensor or isinstance(value, Tensor):
        t = value._t
        if not isinstance(t, torch.Tensor):
            return ("text", t.shape)
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
    if hasattr(kind, "_answer"):  # ragged and sparse tensors: see _argument
        return kind
    return _Same(value)


class _Same:
    """Stands for one object as long as it lives: another object at the same address is not the same."""

    __slots__ = ("_number", "_reference")

    def __init__(self, value: Any):
        self._number = id(value)
        try:
            self._reference: Any = weakref.ref(value)
        except TypeError:  # kept alive instead
            self._reference = lambda: value

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._reference() is not None and self._reference() is other._reference()


def _symbolic(args: Any) -> bool:
    """Whether Keras is only finding out shapes."""
    return any(
        type(a).__name__ == "KerasTensor" or (isinstance(a, Tensor) and getattr(a._t, "is_meta", False)) for a in args
    )
