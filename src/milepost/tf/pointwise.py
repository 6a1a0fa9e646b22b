"""Element by element: one tensor in, one of the same shape out; and the remaining functions of two. Reductions are in reductions.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import arithmetic, dtypes, failures
from milepost.tf.arithmetic import binary, common, match
from milepost.tf.convert import Composite, is_tensor, owned, raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import told
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

Function = Callable[..., Tensor]


FLOATS = "bfloat16 half float double"
COMPLEX = FLOATS + " complex64 complex128"
NUMBERS = "bfloat16 half float double int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128"
_BY_SHORT = {d.short: d.torch for d in dtypes.DTYPES.values()}


def unary(op: str, function: Callable[[Any], Any], text: str, allowed: str = NUMBERS) -> Function:
    """The facade of a function of one tensor, which refuses other dtypes than those `allowed`, as TensorFlow's kernels do."""
    good = frozenset(_BY_SHORT[d] for d in allowed.split())

    def apply(x: Any, name: str | None = None) -> Tensor:
        try:
            t = raw(x)
        except Composite as found:
            return found.answer(op, apply, x)  # type: ignore[no-any-return]
        if t.dtype not in good:
            raise failures.refused(op, dtypes.string if type(t) is np.ndarray else dtypes.of_torch(t.dtype), allowed)
        return wrap(function(t))

    apply.__doc__ = text
    apply.__name__ = apply.__qualname__ = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", op).lower()  # a layer's config shows it
    return apply


def _safe(t: Any, bad: Any) -> Any:
    """The same with 1 where it is bad: neither value nor gradient is spoilt by what is not chosen."""
    return torch.where(bad, torch.ones_like(t), t)


def _divide_no_nan(a: Any, b: Any) -> Any:
    if not (a.is_floating_point() or a.is_complex()):
        a, b = a.double(), b.double()
    made = a / _safe(b, b == 0)
    return torch.where(b == 0, torch.zeros_like(made), made)


def _multiply_no_nan(a: Any, b: Any) -> Any:
    if not (a.is_floating_point() or a.is_complex()):
        raise failures.refused("MulNoNan", dtypes.of_torch(a.dtype), COMPLEX, "x:T, y:T -> z:T")
    made = a * b
    return torch.where(b == 0, torch.zeros_like(made), made)


def _xdivy(a: Any, b: Any) -> Any:
    made = a / _safe(b, (a == 0) & (b == 0))
    return torch.where(a == 0, torch.zeros_like(made), made)


def _flat(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of steps, which TensorFlow gives no gradient at all."""
    return lambda t: function(t.detach() if t.requires_grad else t)


def _xlogy(a: Any, b: Any) -> Any:
    if not (a.requires_grad or b.requires_grad):
        return torch.xlogy(a, b)
    made = a * torch.log(_safe(*torch.broadcast_tensors(b, a == 0)))
    return torch.where(a == 0, torch.zeros_like(made), made)


def _xlog1py(a: Any, b: Any) -> Any:
    return _xlogy(a, 1 + b) if a.requires_grad or b.requires_grad else torch.special.xlog1py(a, b)


def _sign(t: Any) -> Any:
    return torch.where(t.isnan(), t.detach(), torch.sign(t)) if t.is_floating_point() else torch.sgn(t)


def _digamma(t: Any) -> Any:
    return torch.where(t == 0, torch.full_like(t, float("nan")), torch.digamma(t))


add, subtract, multiply = arithmetic.add, arithmetic.subtract, arithmetic.multiply
truediv = divide = arithmetic.truediv
floordiv, floormod, mod = arithmetic.floordiv, arithmetic.floormod, arithmetic.floormod
less, less_equal, greater, greater_equal = (
    arithmetic.less,
    arithmetic.less_equal,
    arithmetic.greater,
    arithmetic.greater_equal,
)
equal, not_equal = arithmetic.equal, arithmetic.not_equal
pow = arithmetic.power


def larger(a: Any, b: Any) -> Any:
    if not isinstance(b, torch.Tensor):
        return torch.clamp(a, min=b)
    if not NOW.recording or not (a.requires_grad or b.requires_grad):
        return torch.maximum(a, b)
    return torch.where((a >= b) | (a != a), a, b)  # of equal values the first gets the gradient, in torch both get half


def smaller(a: Any, b: Any) -> Any:
    if not isinstance(b, torch.Tensor):
        return torch.clamp(a, max=b)
    if not NOW.recording or not (a.requires_grad or b.requires_grad):
        return torch.minimum(a, b)
    return torch.where((a <= b) | (a != a), a, b)


maximum = binary("Maximum", larger, "The larger of x and y.")
minimum = binary("Minimum", smaller, "The smaller of x and y.")
atan2 = binary("Atan2", torch.atan2, "Angle of the point (x, y).", scalars=False)
squared_difference = binary("SquaredDifference", lambda a, b: (a - b) ** 2, "(x - y)².")


def _logical(op: str, function: Callable[[Any, Any], Any], text: str) -> Function:
    def apply(x: Any, y: Any, name: str | None = None) -> Tensor:
        a, b = (to_torch(v, dtypes.bool_) if not is_tensor(v) else raw(v) for v in (x, y))
        for i, t in enumerate((a, b)):
            if t.dtype is not torch.bool:
                raise failures.dtype_mismatch(op, dtypes.bool_, dtypes.of_torch(t.dtype), i)
        try:
            return wrap(function(a, b))
        except RuntimeError:
            raise failures.shapes_differ(op, a.shape, b.shape) from None

    apply.__doc__ = text
    return told(op)(apply)


logical_and = _logical("LogicalAnd", torch.logical_and, "x and y.")
logical_or = _logical("LogicalOr", torch.logical_or, "x or y.")
logical_xor = _logical("LogicalXor", torch.logical_xor, "x xor y.")
xlogy = binary("Xlogy", _xlogy, "x · log y, and 0 where x is 0.", scalars=False)
xlog1py = binary("Xlog1py", _xlog1py, "x · log(1 + y), and 0 where x is 0.", scalars=False)
divide_no_nan = binary("DivNoNan", _divide_no_nan, "x / y, and 0 where y is 0.", scalars=False)
multiply_no_nan = binary("MulNoNan", _multiply_no_nan, "x · y, and 0 where y is 0, even if x is not finite.", scalars=False)  # fmt: skip
xdivy = binary("Xdivy", _xdivy, "x / y, and 0 where x is 0.", scalars=False)
nextafter = binary("NextAfter", torch.nextafter, "The next number after x in the direction of y.", scalars=False)
igamma = binary(
    "Igamma", lambda a, b: torch.special.gammainc(a, b), "Lower regularised incomplete gamma function.", scalars=False
)
igammac = binary(
    "Igammac", lambda a, b: torch.special.gammaincc(a, b), "Upper regularised incomplete gamma function.", scalars=False
)
zeta = binary("Zeta", lambda a, b: torch.special.zeta(a, b), "Hurwitz zeta function.", scalars=False)
bitwise_and = binary("BitwiseAnd", torch.bitwise_and, "Bits set in both.", scalars=False)
bitwise_or = binary("BitwiseOr", torch.bitwise_or, "Bits set in either.", scalars=False)
bitwise_xor = binary("BitwiseXor", torch.bitwise_xor, "Bits set in one of them.", scalars=False)
left_shift = binary("LeftShift", torch.bitwise_left_shift, "Bits moved up.", scalars=False)
right_shift = binary("RightShift", torch.bitwise_right_shift, "Bits moved down.", scalars=False)

truncatediv = binary("TruncateDiv", lambda a, b: torch.div(a, b, rounding_mode="trunc"), "x / y, cut off.")
truncatemod = binary("TruncateMod", torch.fmod, "Remainder with the sign of x.")
realdiv = binary("RealDiv", torch.true_divide, "x / y of real numbers.")

negative = unary("Neg", torch.neg, "-x.")
abs = unary("Abs", torch.abs, "|x|.")
sign = unary("Sign", _sign, "-1, 0 or 1.")
square = unary("Square", torch.square, "x².")
sqrt = unary("Sqrt", torch.sqrt, "Square root.", COMPLEX)
rsqrt = unary("Rsqrt", torch.rsqrt, "1 / square root.", COMPLEX)
exp = unary("Exp", torch.exp, "eˣ.", COMPLEX)
expm1 = unary("Expm1", torch.expm1, "eˣ - 1, exact near 0.", COMPLEX)
log = unary("Log", torch.log, "Natural logarithm.", COMPLEX)
log1p = unary("Log1p", torch.log1p, "log(1 + x), exact near 0.", COMPLEX)
sin = unary("Sin", torch.sin, "Sine.", COMPLEX)
cos = unary("Cos", torch.cos, "Cosine.", COMPLEX)
tan = unary("Tan", torch.tan, "Tangent.", COMPLEX)
asin = unary("Asin", torch.asin, "Inverse sine.", COMPLEX)
acos = unary("Acos", torch.acos, "Inverse cosine.", COMPLEX)
atan = unary("Atan", torch.atan, "Inverse tangent.", COMPLEX)
sinh = unary("Sinh", torch.sinh, "Hyperbolic sine.", COMPLEX)
cosh = unary("Cosh", torch.cosh, "Hyperbolic cosine.", COMPLEX)
tanh = unary("Tanh", torch.tanh, "Hyperbolic tangent.", COMPLEX)
asinh = unary("Asinh", torch.asinh, "Inverse hyperbolic sine.", COMPLEX)
acosh = unary("Acosh", torch.acosh, "Inverse hyperbolic cosine.", COMPLEX)
atanh = unary("Atanh", torch.atanh, "Inverse hyperbolic tangent.", COMPLEX)
sigmoid = unary("Sigmoid", torch.sigmoid, "1 / (1 + e⁻ˣ).", COMPLEX)
log_sigmoid = unary("LogSigmoid", torch.nn.functional.logsigmoid, "Logarithm of the sigmoid.", FLOATS)
softplus = unary("Softplus", torch.nn.functional.softplus, "log(1 + eˣ).", FLOATS)
softsign = unary("Softsign", torch.nn.functional.softsign, "x / (1 + |x|).", FLOATS)
floor = unary("Floor", _flat(torch.floor), "Rounded down.", FLOATS)
ceil = unary("Ceil", _flat(torch.ceil), "Rounded up.", FLOATS)
round = unary("Round", _flat(torch.round), "Rounded to the nearest, halves to even.")
rint = unary("Rint", _flat(torch.round), "Rounded to the nearest, halves to even.", FLOATS)
reciprocal = unary("Reciprocal", torch.reciprocal, "1 / x.", COMPLEX)
reciprocal_no_nan = unary(
    "DivNoNan", lambda t: _divide_no_nan(torch.ones_like(t), t), "1 / x, and 0 where x is 0.", COMPLEX
)
erf = unary("Erf", torch.erf, "Error function.", FLOATS)
erfc = unary("Erfc", torch.erfc, "1 - error function.", FLOATS)
erfinv = unary("Erfinv", torch.erfinv, "Inverse of the error function.", FLOATS)
erfcinv = unary("Erfcinv", lambda t: -torch.special.ndtri(t / 2) * 0.5**0.5, "Inverse of erfc.", FLOATS)
ndtri = unary("Ndtri", lambda t: torch.special.ndtri(t), "Inverse of the normal distribution function.", FLOATS)
lgamma = unary("Lgamma", torch.lgamma, "Logarithm of |gamma|.", FLOATS)
digamma = unary("Digamma", _digamma, "Derivative of lgamma.", FLOATS)
bessel_i0 = unary("BesselI0", lambda t: torch.special.i0(t), "Modified Bessel function of order 0.", FLOATS)
bessel_i0e = unary("BesselI0e", lambda t: torch.special.i0e(t), "Scaled Bessel function of order 0.", FLOATS)
bessel_i1 = unary("BesselI1", lambda t: torch.special.i1(t), "Modified Bessel function of order 1.", FLOATS)
bessel_i1e = unary("BesselI1e", lambda t: torch.special.i1e(t), "Scaled Bessel function of order 1.", FLOATS)
logical_not = unary("LogicalNot", torch.logical_not, "not x.", "bool")
invert = unary(
    "Invert", torch.bitwise_not, "Every bit turned over.", "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
)
is_finite = unary("IsFinite", torch.isfinite, "Neither infinite nor NaN.", FLOATS)
is_inf = unary("IsInf", torch.isinf, "Infinite.", FLOATS)
is_nan = unary("IsNan", torch.isnan, "Not a number.", FLOATS)
real = unary("Real", lambda t: t.real if t.is_complex() else t, "Real part.")
imag = unary("Imag", lambda t: t.imag if t.is_complex() else torch.zeros_like(t), "Imaginary part.")
conj = unary("Conj", lambda t: torch.conj(t).resolve_conj(), "Complex conjugate.")
angle = unary("Angle", torch.angle, "Argument of a complex number.")


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Derivative of digamma, of order a."""
    order, point = match("Polygamma", a, x)
    sign = torch.where(order % 2 == 0, -1.0, 1.0).to(point.dtype)
    made = sign * torch.exp(torch.lgamma(order + 1)) * torch.special.zeta(order + 1, point)
    return wrap(torch.where(order == 0, torch.digamma(point), made))


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """log |Beta(x)|, over the last dimension."""
    t = raw(x)
    return wrap(torch.lgamma(t).sum(-1) - torch.lgamma(t.sum(-1)))


@told("Complex")
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """real + i·imag."""
    a, b = common("Complex", [real, imag])
    if a.dtype not in (torch.float32, torch.float64):
        kind = dtypes.of_torch(a.dtype).name
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {kind} {kind}. They must be consistent, and one of "
            "[tf.float32, tf.float64]"
        )
    return wrap(torch.complex(*torch.broadcast_tensors(a, b)))


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The same values as another dtype; fractions are cut off."""
    wanted = as_dtype(dtype)
    t = raw(x)
    if type(t) is np.ndarray or wanted.torch is None:
        have = "string" if type(t) is np.ndarray else dtypes.of_torch(t.dtype).short
        if have == wanted.name:
            return wrap(t)
        raise failures.UnimplementedError(
            "{{function_node __wrapped__Cast_device_/job:localhost/replica:0/task:0/device:CPU:0}} "
            f"Cast {have} to {wanted.short} is not supported [Op:Cast] name: "
        )
    if t.dtype is wanted.torch:
        return x if type(x) is Tensor else wrap(owned(x))
    if t.is_complex() and not wanted.is_complex:
        t = t.real
    return wrap(t.to(wanted.torch))


@told("Cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """A cast that stops at the limits of the dtype instead of wrapping round."""
    wanted = as_dtype(dtype)
    t = raw(value)
    low, high = wanted.min, wanted.max
    if t.is_floating_point() and wanted.is_integer:  # the largest of t's numbers that the other dtype can hold
        nearest = torch.tensor(float(high), dtype=t.dtype)
        if float(nearest) > high:
            nearest = torch.nextafter(nearest, torch.zeros_like(nearest))
        high = float(nearest)
    elif not t.is_floating_point():
        have = dtypes.of_torch(t.dtype)
        low, high = max(low, have.min), min(high, have.max)
    return wrap(t.clamp(low, high).to(wanted.torch))


@told("Minimum")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """Every value brought into [min, max]."""
    values = raw(t)
    kind = dtypes.of_torch(values.dtype)
    low, high = to_torch(clip_value_min, kind), to_torch(clip_value_max, kind)
    try:
        made = larger(smaller(values, high), low)
    except RuntimeError:
        made = None
    if made is None or made.shape != values.shape:
        raise failures.shapes_differ("Minimum", values.shape, high.shape if low.ndim == 0 else low.shape)
    return wrap(made)


@told("Mul")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Scaled down where its norm is above clip_norm."""
    values = raw(t)
    if not (values.is_floating_point() or values.is_complex()):
        raise failures.refused("Sqrt", dtypes.of_torch(values.dtype), COMPLEX)
    limit = to_torch(clip_norm, hint=dtypes.of_torch(values.dtype)).to(values.dtype)
    square = values * values
    norm = (square.sum() if axes is None else square.sum(axes, keepdim=True)).sqrt()
    return wrap(values * limit / torch.maximum(norm, limit))


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The norm of all of them together."""
    return wrap(torch.sqrt(torch.stack([(raw(t) ** 2).sum() for t in t_list if t is not None]).sum()))


@told("Mul")
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """All scaled by one factor so that their global norm is at most clip_norm."""
    norm = global_norm(t_list) if use_norm is None else wrap(raw(use_norm))
    limit = to_torch(clip_norm, hint=norm.dtype).to(norm._t.dtype)
    factor = limit / torch.maximum(norm._t, limit)
    return [None if t is None else wrap(raw(t) * factor) for t in t_list], norm


@told("AddN")
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors."""
    listed = list(inputs)
    if not listed:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    parts = common("AddN", listed)
    total = parts[0]
    for t in parts[1:]:
        if t.shape != total.shape:
            raise failures.shapes_differ("AddN", total.shape, t.shape)
        total = total + t
    return wrap(total)


def approximate_equal(x: Any, y: Any, tolerance: float = 1e-5, name: str | None = None) -> Tensor:
    """Whether they differ by less than the tolerance."""
    return wrap((subtract(x, y)._t).abs() < tolerance)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """A polynomial's value, its highest coefficient first."""
    point = raw(x)
    total = torch.zeros_like(point)
    for c in coeffs:
        total = total * point + to_torch(c, hint=dtypes.of_torch(point.dtype))
    return wrap(total)
