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

from milepost.tf import concrete, convert, derivatives, recorded
from milepost.tf.bridge.boundary import INSIDE
from milepost.tf.kinds import argument, beside, kind_of, outward, result_of, specs, symbolic
from milepost.tf.replay import compile_trace
from milepost.tf.shapes import TensorSpec
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
        if NOW.recording or NOW.trace is not None or INSIDE.keras or EAGERLY[0] or symbolic(args):
            return self._as_python(args, kwargs)
        if kwargs or not self._plain:
            args, kwargs = self._canonical(args, kwargs)
        tensors: list[Any] = []
        key = (*[kind_of(a, tensors) for a in args], *[(k, kind_of(v, tensors)) for k, v in kwargs.items()])
        kind = self._kinds.get(key)
        if kind is None or kind == "again":
            return self._trace(key, args, kwargs)
        if kind == "eager":
            return outward(self._python(*args, **kwargs))
        return kind(tensors)

    def _as_python(self, args: Any, kwargs: Any) -> Any:
        """A call whose operations belong to a tape, to Keras or to an outer function."""
        result = self._python(*args, **kwargs)
        if INSIDE.keras or EAGERLY[0]:
            return result
        key = ("seen", *[kind_of(a, []) for a in args], *[(k, kind_of(v, [])) for k, v in kwargs.items()])
        if key not in self._kinds:
            self._kinds[key] = "again"
            self._note(args, kwargs, result)
        return outward(result)

    def _note(self, args: Any, kwargs: Any, result: Any) -> None:
        """The function was traced for a kind of arguments."""
        self._traced += 1
        self.signatures.append((specs(list(args)), specs(kwargs), specs(outward(result))))

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
            for v, s in beside(value, spec):
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
            return outward(result)
        trace = Trace()
        fresh = map_structure(lambda v: argument(trace, v, with_graph), [list(args), kwargs])
        self._name_arguments(trace, args)
        first, self._called = not self._called, True
        NOW.trace = trace
        before = torch.is_grad_enabled()
        _grad_mode(with_graph)
        NOW.recording += with_graph
        try:
            with Writing(trace):
                result = self._python(*fresh[0], **fresh[1])
                result = map_structure(result_of, result)
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
