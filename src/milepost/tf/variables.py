"""`tf.Variable`: state that changes in place, watched by tapes. It is a Keras variable too, so layers track it, optimizers update it and checkpoints save it."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from keras.src.backend import Variable as KerasVariable
from keras.src.backend.common.stateless_scope import in_stateless_scope

from milepost.tf import convert, dtypes, failures, recorded
from milepost.tf.arithmetic import OPERATORS
from milepost.tf.dtypes import as_dtype
from milepost.tf.execution import scope_prefix
from milepost.tf.indexing import index
from milepost.tf.shapes import TensorShape
from milepost.tf.state import NOW
from milepost.tf.tensor import Reference, Tensor, device_name, host, printed, wrap
from milepost.tf.variable_parts import Scattering, in_place

__all__ = ["Variable"]

_grad_mode = torch._C._set_grad_enabled
_CLEAN = str.maketrans({"/": "_", ":": "_"})


_alive: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def alive() -> Iterator[Any]:
    """Every variable of this process, Keras' too, in the order they were made."""
    return iter(sorted(_alive.values(), key=lambda v: v._milepost_order))


def enlist(variable: Any) -> None:
    """A variable was made."""
    variable._milepost_order = number = next(_order)
    _alive[number] = variable


_order = itertools.count()


class Held(torch.nn.Parameter):  # type: ignore[misc]
    """The parameter of a variable. Keras reads `v.value`, TensorFlow's users call `v.value()`: both get there."""

    def __call__(self) -> Tensor:
        return wrap((self if NOW.recording else self.detach()).clone())


class Variable(Scattering, KerasVariable):  # type: ignore[misc]
    """A tensor that can be assigned to: `v.assign(x)`, `v.assign_add(1.)`, `v[0].assign(3.)`."""

    __array_priority__ = 100.0
    _past: Any = ()  # parameters left to tapes that recorded them

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ):
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a `variable_def`. "
                "You provided neither."
            )
        if NOW.trace is not None:
            NOW.trace.variable_made()
        if callable(initial_value) and not isinstance(initial_value, convert.variable_types):
            initial_value = initial_value()
        wanted = None if dtype is None else as_dtype(dtype)
        start = convert.to_torch(initial_value, wanted)
        self._wanted_trainable = True if trainable is None else bool(trainable)
        texts = isinstance(start, np.ndarray)
        differentiable = not texts and (start.is_floating_point() or start.is_complex())
        self._label = scope_prefix() + (name or "Variable")
        declared = None if shape is None else TensorShape(shape)
        if declared is not None and not declared.is_compatible_with(start.shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({TensorShape(start.shape)}) is not compatible with the "
                f"explicitly supplied `shape` argument ({shape})."
            )
        self._declared = None if declared is None or declared.is_fully_defined() else declared
        self._given_synchronization, self._given_aggregation = synchronization, aggregation
        if texts:
            from milepost.tf.text_variables import become

            become(self, start)
            return
        super().__init__(
            start.detach().clone(),
            dtype=dtypes.of_torch(start.dtype).name,
            trainable=self._wanted_trainable and differentiable,
            name=self._label.translate(_CLEAN),
        )
        self._constraint = constraint

    def _initialize(self, value: Any) -> None:
        self._value = Held(value, requires_grad=self._trainable)
        enlist(self)

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Any:
        return convert.to_torch(value, hint=None if dtype is None else as_dtype(dtype))

    @property
    def value(self) -> Any:
        if in_stateless_scope() or self._value is None:
            return KerasVariable.value.fget(self)
        return self._value

    def read_value(self) -> Tensor:
        return wrap(self._read_torch().clone())

    def _read_torch(self) -> Any:
        t = self.value
        return t if NOW.recording else t.detach()

    @property
    def dtype(self) -> Any:
        return dtypes.DTYPES[self._dtype]

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._shape) if self._declared is None else self._declared

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def name(self) -> str:
        return f"{self._label}:0"

    @property
    def trainable(self) -> bool:
        return self._wanted_trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._wanted_trainable = self._trainable = bool(value)
        if self._value is not None and self._value.is_floating_point():
            self._value.requires_grad = bool(value)

    @property
    def device(self) -> str:
        return device_name(self._value)

    @property
    def initial_value(self) -> Any:
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def initializer(self) -> None:
        """Variables have their values when they are made."""

    def is_initialized(self, name: str | None = None) -> Tensor:
        return wrap(torch.tensor(True))

    def load(self, value: Any, session: Any = None) -> None:
        """Session's way of assigning."""
        self.assign(value)

    def eval(self, session: Any = None) -> Any:
        raise RuntimeError("This operation is not supported when eager execution is enabled. Use `variable.numpy()`.")

    def to_proto(self, export_scope: Any = None) -> Any:
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    @property
    def synchronization(self) -> Any:
        from milepost.tf.arrays import VariableSynchronization

        return self._given_synchronization or VariableSynchronization.AUTO

    @property
    def aggregation(self) -> Any:
        from milepost.tf.arrays import VariableAggregation

        return self._given_aggregation or VariableAggregation.NONE

    @property
    def constraint(self) -> Any:
        return self._constraint

    @constraint.setter
    def constraint(self, value: Any) -> None:
        self._constraint = value

    def numpy(self) -> Any:
        values = host(self._value)
        return values.copy() if values.ndim else values[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(host(self._value), dtype=dtype)

    # --- assignment -------------------------------------------------------------------------------------------------

    def _incoming(self, value: Any) -> Any:
        t = convert.to_torch(value, None if not isinstance(value, (Tensor, KerasVariable)) else self.dtype, self.dtype)
        if t.dtype is not self._value.dtype:
            t = convert.to_torch(value, self.dtype)
        return t.detach()

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        t = self._incoming(value)
        if t.shape != self._value.shape:
            self._reshape(t)
        if in_stateless_scope():
            return super().assign(t)
        self._write("copy_", t)
        return self if read_value else None

    def _reshape(self, t: Any) -> None:
        """A variable made with unknown dimensions takes the size of what comes; others refuse."""
        if self._declared is None or not self._declared.is_compatible_with(t.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape {self.shape}, "
                f"and the assigned value shape {TensorShape(t.shape)} are incompatible."
            )
        if NOW.trace is not None:
            NOW.trace.stay_eager("a variable changes its shape")
        self._about_to_change()
        self._value.data = torch.empty_like(t)
        self._shape, self._ndim = tuple(t.shape), t.ndim

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._step("add_", delta) if read_value else self._step("add_", delta) and None

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._step("sub_", delta) if read_value else self._step("sub_", delta) and None

    def _step(self, method: str, delta: Any) -> Any:
        t = self._incoming(delta)
        if in_stateless_scope():
            return super().assign(self.value + t if method == "add_" else self.value - t)
        if t.shape != self._value.shape:
            raise failures.kernel(
                "AssignAddVariableOp" if method == "add_" else "AssignSubVariableOp",
                f"Cannot update variable with shape {failures.brackets(self._value.shape)} using a Tensor with shape "
                f"{failures.brackets(t.shape)}, shapes must be equal.",
            )
        self._write(method, t)
        return self

    def _write(self, method: str, t: Any) -> None:
        before = torch.is_grad_enabled()
        _grad_mode(False)
        try:
            self._about_to_change()
            getattr(self._value, method)(t)
        finally:
            _grad_mode(before)

    def _direct_assign(self, value: Any) -> None:
        self._write("copy_", value)

    def _about_to_change(self) -> None:
        """What tapes recorded of the present value stays theirs."""
        if recorded.BOXES:
            recorded.keep(self._value)
        if not recorded.held_by_graph(self._value):
            return
        if NOW.trace is not None:
            NOW.trace.stay_eager("a variable is assigned to after its use in a tape")
        old = self._value
        self._past = [*filter(recorded.held_by_graph, self._past), old]
        self._value = Held(old.detach().clone(), requires_grad=old.requires_grad)
        recorded.forget(old)

    # --- as a value -------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        return SlicedVariable(self, key)._read()

    def __iter__(self) -> Any:
        return iter(self.read_value())

    def __len__(self) -> int:
        return len(wrap(self._read_torch()))

    def __bool__(self) -> bool:
        return bool(wrap(self._read_torch()))

    def __int__(self) -> int:
        return int(wrap(self._read_torch()))

    def __float__(self) -> float:
        return float(wrap(self._read_torch()))

    def __index__(self) -> int:
        return wrap(self._read_torch()).__index__()

    def __hash__(self) -> int:
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def ref(self) -> Reference:
        return Reference(self)

    experimental_ref = ref

    def __repr__(self) -> str:
        shown = printed(host(self._value) if self._ndim else host(self._value)[()], True)
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}, numpy={shown}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(wrap(self._read_torch()), spec) if spec else str(self)

    def __deepcopy__(self, memo: Any) -> Variable:
        made = Variable(self, trainable=self._wanted_trainable, shape=self._declared)
        made._label = self._label
        memo[id(self)] = made
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (np.array(host(self._value)), self._wanted_trainable, self._label)

    class SaveSliceInfo:
        """Partitioned variables are not there; the name is kept for `isinstance`."""


class SlicedVariable:
    """`v[0]`: reads as a tensor; `.assign` writes into the variable."""

    def __init__(self, variable: Variable, key: Any):
        self._variable, self._key = variable, key

    def _read(self) -> Tensor:
        read = index(self._variable, self._key)
        made = object.__new__(_PartOfVariable)
        made._t, made._origin = read._t, self
        return made

    def assign(self, value: Any) -> Variable:
        t = self._variable._incoming(value)
        before = torch.is_grad_enabled()
        _grad_mode(False)
        try:
            self._variable._about_to_change()
            index(wrap(self._variable._value.data), self._key)._t.copy_(t)
        finally:
            _grad_mode(before)
        return self._variable


class _PartOfVariable(Tensor):
    """A tensor read from part of a variable, which remembers where it came from."""

    __slots__ = ("_origin",)
    _origin: SlicedVariable

    def assign(self, value: Any, **_: Any) -> Variable:
        return self._origin.assign(value)

    __hash__ = Tensor.__hash__


def _revive(values: Any, trainable: bool, name: str) -> Variable:
    return Variable(values, trainable=trainable, name=name)


for _name, _operation in OPERATORS.items():
    setattr(Variable, _name, _operation)
for _name, _sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "pow": "**"}.items():
    setattr(Variable, f"__i{_name}__", in_place(_sign))
# `==` of an operator compares values; hashing stays refused, as in TensorFlow
Variable.__hash__ = lambda self: _refuse()  # type: ignore[method-assign]


def _refuse() -> int:
    raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")


convert.register_variables(KerasVariable)
