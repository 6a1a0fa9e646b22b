"""Element by element: one tensor in, one of the same shape out; and the remaining functions of two. Reductions are in reductions.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import arithmetic, dtypes, failures
from milepost.tf.arithmetic import binary, common
from milepost.tf.convert import owned, raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap

Function = Callable[..., Tensor]


def unary(op: str, function: Callable[[Any], Any], text: str, floating: bool = False) -> Function:
    """The facade of a function of one tensor; `floating` ones refuse integers as TensorFlow's kernels do."""

    def apply(x: Any, name: str | None = None) -> Tensor:
        t = raw(x)
        if floating and not (t.is_floating_point() or t.is_complex()):
            raise failures.InvalidArgumentError(
                f"Value for attr 'T' of {dtypes.of_torch(t.dtype).name} is not in the list of allowed values: bfloat16, half, "
                f"float, double, complex64, complex128\n\t; NodeDef: {{{{node {op}}}}}; [Op:{op}]"
            )
        return wrap(function(t))

    apply.__doc__ = text
    return apply


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


def _larger(a: Any, b: Any) -> Any:
    if not isinstance(b, torch.Tensor):
        return torch.clamp(a, min=b)
    if not NOW.recording or not (a.requires_grad or b.requires_grad):
        return torch.maximum(a, b)
    return torch.where((a >= b) | (a != a), a, b)  # of equal values the first gets the gradient, in torch both get half


def _smaller(a: Any, b: Any) -> Any:
    if not isinstance(b, torch.Tensor):
        return torch.clamp(a, max=b)
    if not NOW.recording or not (a.requires_grad or b.requires_grad):
        return torch.minimum(a, b)
    return torch.where((a <= b) | (a != a), a, b)


maximum = binary("Maximum", _larger, "The larger of x and y.")
minimum = binary("Minimum", _smaller, "The smaller of x and y.")
atan2 = binary("Atan2", torch.atan2, "Angle of the point (x, y).")
squared_difference = binary("SquaredDifference", lambda a, b: (a - b) ** 2, "(x - y)².")
logical_and = binary("LogicalAnd", torch.logical_and, "x and y.")
logical_or = binary("LogicalOr", torch.logical_or, "x or y.")
logical_xor = binary("LogicalXor", torch.logical_xor, "x xor y.")
xlogy = binary("Xlogy", torch.xlogy, "x · log y, and 0 where x is 0.")
xlog1py = binary("Xlog1py", lambda a, b: torch.special.xlog1py(a, b), "x · log(1 + y), and 0 where x is 0.")
divide_no_nan = binary("DivNoNan", lambda a, b: torch.where(b == 0, torch.zeros_like(a * b), a / torch.where(b == 0, torch.ones_like(b), b)), "x / y, and 0 where y is 0.")  # fmt: skip
multiply_no_nan = binary("MulNoNan", lambda a, b: torch.where(b == 0, torch.zeros_like(a * b), a * b), "x · y, and 0 where y is 0, even if x is not finite.")  # fmt: skip
nextafter = binary("NextAfter", torch.nextafter, "The next number after x in the direction of y.")
igamma = binary("Igamma", lambda a, b: torch.special.gammainc(a, b), "Lower regularised incomplete gamma function.")
igammac = binary("Igammac", lambda a, b: torch.special.gammaincc(a, b), "Upper regularised incomplete gamma function.")
zeta = binary("Zeta", lambda a, b: torch.special.zeta(a, b), "Hurwitz zeta function.")
bitwise_and = binary("BitwiseAnd", torch.bitwise_and, "Bits set in both.")
bitwise_or = binary("BitwiseOr", torch.bitwise_or, "Bits set in either.")
bitwise_xor = binary("BitwiseXor", torch.bitwise_xor, "Bits set in one of them.")
left_shift = binary("LeftShift", torch.bitwise_left_shift, "Bits moved up.")
right_shift = binary("RightShift", torch.bitwise_right_shift, "Bits moved down.")

negative = unary("Neg", torch.neg, "-x.")
abs = unary("Abs", torch.abs, "|x|.")
sign = unary("Sign", torch.sgn, "-1, 0 or 1.")
square = unary("Square", torch.square, "x².")
sqrt = unary("Sqrt", torch.sqrt, "Square root.", True)
rsqrt = unary("Rsqrt", torch.rsqrt, "1 / square root.", True)
exp = unary("Exp", torch.exp, "eˣ.", True)
expm1 = unary("Expm1", torch.expm1, "eˣ - 1, exact near 0.", True)
log = unary("Log", torch.log, "Natural logarithm.", True)
log1p = unary("Log1p", torch.log1p, "log(1 + x), exact near 0.", True)
sin = unary("Sin", torch.sin, "Sine.", True)
cos = unary("Cos", torch.cos, "Cosine.", True)
tan = unary("Tan", torch.tan, "Tangent.", True)
asin = unary("Asin", torch.asin, "Inverse sine.", True)
acos = unary("Acos", torch.acos, "Inverse cosine.", True)
atan = unary("Atan", torch.atan, "Inverse tangent.", True)
sinh = unary("Sinh", torch.sinh, "Hyperbolic sine.", True)
cosh = unary("Cosh", torch.cosh, "Hyperbolic cosine.", True)
tanh = unary("Tanh", torch.tanh, "Hyperbolic tangent.", True)
asinh = unary("Asinh", torch.asinh, "Inverse hyperbolic sine.", True)
acosh = unary("Acosh", torch.acosh, "Inverse hyperbolic cosine.", True)
atanh = unary("Atanh", torch.atanh, "Inverse hyperbolic tangent.", True)
sigmoid = unary("Sigmoid", torch.sigmoid, "1 / (1 + e⁻ˣ).", True)
log_sigmoid = unary("LogSigmoid", torch.nn.functional.logsigmoid, "Logarithm of the sigmoid.", True)
softplus = unary("Softplus", torch.nn.functional.softplus, "log(1 + eˣ).", True)
softsign = unary("Softsign", torch.nn.functional.softsign, "x / (1 + |x|).", True)
floor = unary("Floor", torch.floor, "Rounded down.")
ceil = unary("Ceil", torch.ceil, "Rounded up.")
round = unary("Round", torch.round, "Rounded to the nearest, halves to even.")
rint = round
reciprocal = unary("Reciprocal", torch.reciprocal, "1 / x.", True)
reciprocal_no_nan = unary(
    "ReciprocalNoNan", lambda t: torch.where(t == 0, torch.zeros_like(t), 1 / t), "1 / x, and 0 where x is 0."
)
erf = unary("Erf", torch.erf, "Error function.", True)
erfc = unary("Erfc", torch.erfc, "1 - error function.", True)
erfinv = unary("Erfinv", torch.erfinv, "Inverse of the error function.", True)
erfcinv = unary("Erfcinv", lambda t: torch.erfinv(1 - t), "Inverse of erfc.", True)
ndtri = unary("Ndtri", lambda t: torch.special.ndtri(t), "Inverse of the normal distribution function.", True)
lgamma = unary("Lgamma", torch.lgamma, "Logarithm of |gamma|.", True)
digamma = unary("Digamma", torch.digamma, "Derivative of lgamma.", True)
bessel_i0 = unary("BesselI0", lambda t: torch.special.i0(t), "Modified Bessel function of order 0.", True)
bessel_i0e = unary("BesselI0e", lambda t: torch.special.i0e(t), "Scaled Bessel function of order 0.", True)
bessel_i1 = unary("BesselI1", lambda t: torch.special.i1(t), "Modified Bessel function of order 1.", True)
bessel_i1e = unary("BesselI1e", lambda t: torch.special.i1e(t), "Scaled Bessel function of order 1.", True)
logical_not = unary("LogicalNot", torch.logical_not, "not x.")
invert = unary("Invert", torch.bitwise_not, "Every bit turned over.")
is_finite = unary("IsFinite", torch.isfinite, "Neither infinite nor NaN.")
is_inf = unary("IsInf", torch.isinf, "Infinite.")
is_nan = unary("IsNan", torch.isnan, "Not a number.")
real = unary("Real", lambda t: t.real if t.is_complex() else t, "Real part.")
imag = unary("Imag", lambda t: t.imag if t.is_complex() else torch.zeros_like(t), "Imaginary part.")
conj = unary("Conj", lambda t: torch.conj(t).resolve_conj(), "Complex conjugate.")
angle = unary("Angle", torch.angle, "Argument of a complex number.")


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Derivative of digamma, of order a."""
    return wrap(torch.polygamma(int(raw(a).reshape(-1)[0]), raw(x)))


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """log |Beta(x)|, over the last dimension."""
    t = raw(x)
    return wrap(torch.lgamma(t).sum(-1) - torch.lgamma(t.sum(-1)))


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """real + i·imag."""
    a, b = common("Complex", [real, imag])
    return wrap(torch.complex(a, b))


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


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """A cast that stops at the limits of the dtype instead of wrapping round."""
    wanted = as_dtype(dtype)
    return wrap(raw(value).clamp(wanted.min, wanted.max).to(wanted.torch))


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """Every value brought into [min, max]."""
    values = raw(t)
    kind = dtypes.of_torch(values.dtype)
    low, high = to_torch(clip_value_min, hint=kind), to_torch(clip_value_max, hint=kind)
    return wrap(_smaller(_larger(values, low.to(values.dtype)), high.to(values.dtype)))


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Scaled down where its norm is above clip_norm."""
    values = raw(t)
    limit = to_torch(clip_norm, hint=dtypes.of_torch(values.dtype)).to(values.dtype)
    square = values * values
    norm = (square.sum() if axes is None else square.sum(axes, keepdim=True)).sqrt()
    return wrap(values * limit / torch.maximum(norm, limit))


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The norm of all of them together."""
    return wrap(torch.sqrt(torch.stack([(raw(t) ** 2).sum() for t in t_list if t is not None]).sum()))


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """All scaled by one factor so that their global norm is at most clip_norm."""
    norm = global_norm(t_list) if use_norm is None else wrap(raw(use_norm))
    limit = to_torch(clip_norm, hint=norm.dtype).to(norm._t.dtype)
    factor = limit / torch.maximum(norm._t, limit)
    return [None if t is None else wrap(raw(t) * factor) for t in t_list], norm


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors."""
    parts = common("AddN", inputs)
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
