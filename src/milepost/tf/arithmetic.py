"""Two operands, one result: TensorFlow's mixing rules over torch, and the operators of Tensor.

The rules: tensors of different dtypes do not mix; arrays, lists and Python numbers follow the tensor beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import convert, dtypes, failures, threads
from milepost.tf.convert import raw, to_torch
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

__all__ = ["BINARY", "binary", "common", "match"]

Operation = Callable[..., Tensor]
BINARY: dict[str, Operation] = {}


def _is_tensor(x: Any) -> bool:
    return isinstance(x, (Tensor, torch.Tensor, *_variables()))


def _variables() -> tuple[type, ...]:
    return convert.variable_types


def _dtype_of(t: Any) -> dtypes.DType:
    return dtypes.string if type(t) is np.ndarray else dtypes.of_torch(t.dtype)


# A Python number beside a tensor must follow its dtype; these find the difference a step later, as in TensorFlow.
_LENIENT = frozenset({"AddV2", "MatMul", "RealDiv"})


def match(op: str, x: Any, y: Any) -> tuple[Any, Any]:
    """Both operands as torch tensors of one dtype, or TensorFlow's complaint."""
    if _is_tensor(x):
        a = raw(x)
        if _is_tensor(y):
            b = raw(y)
        else:
            b = to_torch(y, hint=_dtype_of(a)) if op in _LENIENT else to_torch(y, _dtype_of(a))
    elif _is_tensor(y):
        b = raw(y)
        a = to_torch(x, _dtype_of(b))
    else:
        a = to_torch(x)
        b = to_torch(y, hint=_dtype_of(a)) if op in _LENIENT else to_torch(y, _dtype_of(a))
    if a.dtype is not b.dtype:
        if isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor) or (_keras(x) or _keras(y)):
            return _promoted(a, b)  # Keras' own values mix as Keras mixes them
        raise failures.dtype_mismatch(op, _dtype_of(a), _dtype_of(b))
    return a, b


def _keras(x: Any) -> bool:
    return isinstance(x, _variables()) and not isinstance(x, Tensor) and not hasattr(x, "read_value")


def _promoted(a: Any, b: Any) -> tuple[Any, Any]:
    kind = torch.promote_types(a.dtype, b.dtype)
    if kind is torch.float64 and torch.float32 in (a.dtype, b.dtype):
        kind = torch.float32
    return a.to(kind), b.to(kind)


def common(op: str, values: Any, dtype: dtypes.DType | None = None) -> list[Any]:
    """A list of operands as torch tensors of one dtype."""
    values = list(values)
    if dtype is None:
        lead = next((raw(v) for v in values if _is_tensor(v)), None)
        if lead is None and values:
            lead = to_torch(values[0])
        dtype = None if lead is None else _dtype_of(lead)
    made = [raw(v) if _is_tensor(v) else to_torch(v, dtype) for v in values]
    for i, t in enumerate(made):
        if t.dtype is not made[0].dtype:
            raise failures.dtype_mismatch(op, _dtype_of(made[0]), _dtype_of(t), i)
    return made


def _explained(op: str, a: Any, b: Any, error: Exception) -> Exception:
    sa, sb = tuple(getattr(a, "shape", ())), tuple(getattr(b, "shape", ()))
    try:
        np.broadcast_shapes(sa, sb)
    except ValueError:
        return failures.shapes_differ(op, sa, sb)
    if "ZeroDivisionError" in str(error):
        return failures.kernel(op, "Integer division by zero")
    return failures.kernel(op, str(error).split("\n")[0])


_NUMERIC = "bfloat16 half float double uint8 uint16 uint32 uint64 int8 int16 int32 int64 complex64 complex128"


def binary(
    op: str,
    function: Callable[[Any, Any], Any],
    text: str,
    strings: Callable[[Any, Any], Any] | None = None,
    bools: bool = False,
    scalars: bool = True,
) -> Operation:
    """The facade of an operation on two tensors: whether it takes booleans, and whether its function takes Python numbers beside a tensor."""
    forbidden = None if bools else torch.bool
    float_, numbers = (torch.float32, _NUMBERS) if scalars else (None, frozenset())

    def apply(x: Any, y: Any, name: str | None = None) -> Tensor:
        try:
            if type(x) is Tensor:
                a, kind = x._t, type(y)
                if kind is Tensor:
                    b = y._t
                    dtype = a.dtype
                    if dtype is not b.dtype:
                        raise failures.dtype_mismatch(op, _dtype_of(a), _dtype_of(b))
                    if dtype is forbidden:
                        raise failures.refused(op, _dtype_of(a), _NUMERIC, "x:T, y:T -> z:T")
                elif (kind is float and a.dtype is float_) or (kind is int and a.dtype in numbers):
                    b = y
                else:
                    a, b = match(op, x, y)
                if not NOW.recording and type(a) is torch.Tensor:
                    if a.requires_grad:
                        a = a.detach()
                    if type(b) is torch.Tensor and b.requires_grad:
                        b = b.detach()
            else:
                a, b = match(op, x, y)
                if a.dtype is forbidden:
                    raise failures.refused(op, _dtype_of(a), _NUMERIC, "x:T, y:T -> z:T")
        except convert.Composite as found:
            return found.answer(op, apply, x, y)  # type: ignore[no-any-return]
        try:
            if type(a) is np.ndarray:
                if strings is None:
                    raise failures.refused(op, dtypes.string, _NUMERIC, "x:T, y:T -> z:T")
                result = np.asarray(strings(a, raw(b)))
                return wrap(torch.from_numpy(result) if result.dtype == bool else np.asarray(result, object))
            return wrap(function(a, b))
        except (RuntimeError, TypeError) as error:
            raise _explained(op, a, b, error) from None

    apply.__doc__ = text
    BINARY[op] = apply
    return apply


_NUMBERS: frozenset[Any] = frozenset(
    {torch.float32, torch.float64, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.int16, torch.int8}
)


def _true_divide(a: Any, b: Any) -> Any:
    if not (a.is_floating_point() or a.is_complex()):
        wide = torch.float32 if a.dtype in (torch.int8, torch.int16, torch.uint8, torch.uint16) else torch.float64
        a = a.to(wide)
        b = b.to(wide) if isinstance(b, torch.Tensor) else b
    return torch.true_divide(a, b)


def _floor_divide(a: Any, b: Any) -> Any:
    """x // y; TensorFlow gives it no gradient."""
    a = a.detach() if a.requires_grad else a
    return torch.floor_divide(a, b.detach() if isinstance(b, torch.Tensor) and b.requires_grad else b)


def _power(a: Any, b: Any) -> Any:
    if not (a.is_floating_point() or a.is_complex()):
        if a.dtype is torch.uint8:
            raise failures.refused("Pow", dtypes.uint8, "bfloat16 float half double int8 int16 int32 int64 complex64 complex128", "x:T, y:T -> z:T")  # fmt: skip
        if bool((b < 0).any()) if isinstance(b, torch.Tensor) else b < 0:
            raise failures.kernel("Pow", "Integers to negative integer powers are not allowed")
    return torch.pow(a, b)


def _logical(function: Callable[[Any, Any], Any], bitwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: function(a, b) if a.dtype is torch.bool else bitwise(a, b)


def _checked_matmul(a: Any, b: Any) -> Any:
    if a.ndim < 2 or b.ndim < 2:
        which = 0 if a.ndim < 2 else 1
        raise failures.kernel("MatMul", f"In[{which}] ndims must be >= 2")
    if a.shape[-1] != b.shape[-2]:
        raise failures.kernel(
            "MatMul",
            f"Matrix size-incompatible: In[0]: {failures.brackets(a.shape)}, In[1]: {failures.brackets(b.shape)}",
        )
    threads.work(2 * a.numel() * b.shape[-1])
    return torch.matmul(a, b)


add = binary("AddV2", torch.add, "x + y, element by element.", lambda a, b: a + b)
subtract = binary("Sub", torch.sub, "x - y, element by element.")
multiply = binary("Mul", torch.mul, "x * y, element by element.", bools=True)
truediv = binary("RealDiv", _true_divide, "x / y; integers give float64, as in TensorFlow.")
floordiv = binary("FloorDiv", _floor_divide, "x // y, rounded down.")
floormod = binary("FloorMod", torch.remainder, "Remainder with the sign of y.")
power = binary("Pow", _power, "x to the power y.")
matrix_product = binary("MatMul", _checked_matmul, "Matrix product of the last two dimensions.", scalars=False)
less = binary("Less", torch.lt, "x < y.")
less_equal = binary("LessEqual", torch.le, "x <= y.")
greater = binary("Greater", torch.gt, "x > y.")
greater_equal = binary("GreaterEqual", torch.ge, "x >= y.")
equal = binary("Equal", torch.eq, "x == y, element by element.", lambda a, b: np.equal(a, b).astype(bool), True)
not_equal = binary(
    "NotEqual", torch.ne, "x != y, element by element.", lambda a, b: np.not_equal(a, b).astype(bool), True
)
_and = binary("LogicalAnd", _logical(torch.logical_and, torch.bitwise_and), "x and y.", bools=True, scalars=False)
_or = binary("LogicalOr", _logical(torch.logical_or, torch.bitwise_or), "x or y.", bools=True, scalars=False)
_xor = binary("LogicalXor", _logical(torch.logical_xor, torch.bitwise_xor), "x xor y.", bools=True, scalars=False)


def reversed_(operation: Operation) -> Operation:
    return lambda x, y: operation(y, x)


def _comparison(operation: Operation, when_unlike: bool) -> Operation:
    def compare(x: Any, y: Any) -> Any:
        if y is None:
            return when_unlike
        try:
            return operation(x, y)
        except failures.InvalidArgumentError as error:
            if "Incompatible shapes" in str(error):
                return wrap(torch.tensor(when_unlike))
            raise

    return compare


def _invert(x: Any) -> Tensor:
    return wrap(torch.bitwise_not(raw(x)))


OPERATORS: dict[str, Operation] = {
    "__neg__": lambda x: wrap(torch.neg(raw(x))),
    "__pos__": lambda x: wrap(convert.owned(x)),
    "__abs__": lambda x: wrap(torch.abs(raw(x))),
    "__invert__": _invert,
    "__eq__": _comparison(equal, False),
    "__ne__": _comparison(not_equal, True),
    "__lt__": less,
    "__le__": less_equal,
    "__gt__": greater,
    "__ge__": greater_equal,
}
for _name, _operation in {
    "add": add, "sub": subtract, "mul": multiply, "truediv": truediv, "floordiv": floordiv, "mod": floormod, "pow": power,
    "matmul": matrix_product, "and": _and, "or": _or, "xor": _xor,
}.items():  # fmt: skip
    OPERATORS[f"__{_name}__"] = _operation
    OPERATORS[f"__r{_name}__"] = reversed_(_operation)
OPERATORS["__div__"] = truediv

for _name, _operation in OPERATORS.items():
    setattr(Tensor, _name, _operation)
