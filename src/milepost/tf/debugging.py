"""`tf.debugging`: assertions on values, shapes and dtypes; each raises an InvalidArgumentError that says what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import is_tensor, raw
from milepost.tf.execution import Assert
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, host, wrap

__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal",
    "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank",
    "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_shapes", "assert_type", "check_numerics", "disable_check_numerics",
    "disable_traceback_filtering", "enable_check_numerics", "enable_traceback_filtering", "get_log_device_placement", "is_numeric_tensor",
    "is_traceback_filtering_enabled", "set_log_device_placement",
]  # fmt: skip


def _first(t: Any, count: int = 3) -> str:
    return str(host(t).reshape(-1)[:count])


def _pairwise(sign: str, op: str, holds: Callable[[Any, Any], Any]) -> Callable[..., None]:
    def check(
        x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
    ) -> None:
        a, b = match(op, x, y)
        if type(a) is np.ndarray:
            ok = torch.from_numpy(np.asarray(a == b if sign == "==" else a != b, bool))
        else:
            try:
                ok = holds(a, b)
            except RuntimeError:
                raise failures.shapes_differ(op, a.shape, b.shape) from None
        if bool(ok.all()):
            return
        most = 3 if summarize is None else int(summarize)
        lines = [message] if message else []
        lines.append(f"Condition x {sign} y did not hold.")
        if a.ndim and a.shape == b.shape:
            places = np.argwhere(~host(ok))[:most]
            found = [host(t)[tuple(places.T)] for t in (a, b)]
            lines.append(f"Indices of first {len(places)} different values:\n{places}")
            lines += [f"Corresponding {n} values:\n{values}" for n, values in zip("xy", found, strict=True)]
        for n, t in (("x", a), ("y", b)):
            count = min(t.size if type(t) is np.ndarray else t.numel(), most)
            lines.append(f"First {count} elements of {n}:\n{_first(t, most)}")
        raise failures.InvalidArgumentError("\n".join(lines))

    return check


assert_equal = _pairwise("==", "Equal", torch.eq)
assert_none_equal = _pairwise("!=", "NotEqual", torch.ne)
assert_less = _pairwise("<", "Less", torch.lt)
assert_less_equal = _pairwise("<=", "LessEqual", torch.le)
assert_greater = _pairwise(">", "Greater", torch.gt)
assert_greater_equal = _pairwise(">=", "GreaterEqual", torch.ge)


def assert_near(x: Any, y: Any, rtol: Any = None, atol: Any = None, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:  # fmt: skip
    """Within tolerance of each other."""
    a, b = match("Assert", x, y)
    eps = 10 * torch.finfo(a.dtype).eps if a.is_floating_point() else 0
    if not torch.allclose(a, b, float(eps if rtol is None else rtol), float(eps if atol is None else atol)):
        raise failures.InvalidArgumentError(
            f"{message or ''}\nx and y not equal to tolerance rtol = {rtol}, atol = {atol}\nx: {_first(a)}\ny: {_first(b)}".strip()
        )


def _sign(words: str, holds: Callable[[Any], Any]) -> Callable[..., None]:
    def check(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
        if NOW.trace is not None:
            NOW.trace.on_host(lambda x: check(x, message), (x,))
            return
        t = raw(x)
        if not bool(holds(t).all()):
            raise failures.InvalidArgumentError(
                f"{message or ''}\nCondition {words} did not hold element-wise: x = {_first(t)}".strip()
            )

    return check


assert_positive = _sign("x > 0", lambda t: t > 0)
assert_negative = _sign("x < 0", lambda t: t < 0)
assert_non_negative = _sign("x >= 0", lambda t: t >= 0)
assert_non_positive = _sign("x <= 0", lambda t: t <= 0)


def _said(message: str | None) -> str:
    return f"{message}.  " if message else ""


def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """As many dimensions."""
    t = raw(x)
    if t.ndim != int(rank):
        raise ValueError(
            f"{_said(message)}Tensor  must have rank {int(rank)}.  Received rank {t.ndim}, shape {tuple(t.shape)}"
        )


def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """At least as many dimensions."""
    t = raw(x)
    if t.ndim < int(rank):
        raise ValueError(
            f"{_said(message)}Tensor  must have rank at least {int(rank)}.  Received rank {t.ndim}, shape {tuple(t.shape)}"
        )


def assert_rank_in(x: Any, ranks: Any, message: str | None = None, name: str | None = None) -> None:
    """One of these numbers of dimensions."""
    t = raw(x)
    wanted = tuple(int(r) for r in ranks)
    if t.ndim not in wanted:
        raise ValueError(
            f"{_said(message)}Tensor  must have rank in {wanted}.  Received rank {t.ndim}, shape {tuple(t.shape)}"
        )


def assert_proper_iterable(values: Any) -> None:
    """Something to iterate over that is not one value: no tensor, array or text."""
    if isinstance(values, (Tensor, np.ndarray, str, bytes)) or is_tensor(values) or not isinstance(values, Iterable):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """No dimensions."""
    if raw(tensor).ndim:
        raise ValueError(f"{message or ''} Expected scalar shape, saw shape: {tuple(raw(tensor).shape)}.".strip())


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """This dtype."""
    kind = dtypes.as_dtype(wrap(raw(tensor)).dtype)
    if kind is not dtypes.as_dtype(tf_type):
        said = f"{message}  " if message else ""
        raise TypeError(f"{said}tensor must be of type {dtypes.as_dtype(tf_type)!r}; got {kind!r}")


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """An integer dtype."""
    kind = wrap(raw(x)).dtype
    if not kind.is_integer:
        said = f"{message}  " if message else ""
        raise TypeError(f'{said}Expected "x" to be integer type.  Found: tensor of dtype {kind}')


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """One floating dtype for all."""
    kinds = {wrap(raw(t)).dtype for t in tensors or []} | ({dtypes.as_dtype(dtype)} if dtype is not None else set())
    if len(kinds) > 1 or not all(k.is_floating for k in kinds):
        raise ValueError(f"Expected one floating point type, got {sorted(k.name for k in kinds)}")
    return next(iter(kinds), dtypes.float32)


def assert_shapes(
    shapes: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str | None = None
) -> None:
    """Sizes as named: the same letter must mean the same size everywhere."""
    sizes: dict[Any, int] = {}
    for tensor, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        have = tuple(raw(tensor).shape)
        wanted = tuple(wanted) if isinstance(wanted, (tuple, list, str)) else (wanted,)
        if Ellipsis in wanted[:1] or "..." in wanted[:1]:
            wanted = wanted[1:]
            have = have[len(have) - len(wanted) :] if len(wanted) <= len(have) else have
        elif Ellipsis in wanted[-1:] or "..." in wanted[-1:]:
            wanted = wanted[:-1]
            have = have[: len(wanted)]
        if len(have) != len(wanted):
            raise ValueError(f"{message or ''} Tensor has shape {have}, which does not match {wanted}.".strip())
        for size, want in zip(have, wanted, strict=True):
            known = want if isinstance(want, int) else sizes.setdefault(want, size)
            if want is not None and want not in (".", "*") and known != size:
                raise ValueError(
                    f"{message or ''} Dimension {want!r} must be {known}, got {size} in shape {have}.".strip()
                )


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor, or an error when it holds NaN or infinity."""
    t = raw(tensor)
    if not t.is_floating_point():
        raise failures.refused(
            "CheckNumerics", dtypes.of_torch(t.dtype), "bfloat16 half float double", "tensor:T -> output:T"
        )
    if not bool(torch.isfinite(t).all()):
        what = " and ".join(w for w, f in (("Inf", torch.isinf), ("NaN", torch.isnan)) if bool(f(t).any()))
        raise failures.kernel(
            "CheckNumerics", f"{message} : Tensor had {what} values", "" if is_tensor(tensor) else None
        )
    return wrap(t)


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """The same."""
    return check_numerics(wrap(raw(x)), message)


def enable_check_numerics(*_: Any, **__: Any) -> None:
    """Look for NaN in every backward pass."""
    torch.autograd.set_detect_anomaly(True)


def disable_check_numerics() -> None:
    """Stop looking."""
    torch.autograd.set_detect_anomaly(False)


def is_numeric_tensor(tensor: Any) -> bool:
    """A tensor of numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype not in (dtypes.string, dtypes.bool_)


def set_log_device_placement(enabled: bool) -> None:
    """Placement is not logged."""


def get_log_device_placement() -> bool:
    """It never is."""
    return False


def enable_traceback_filtering() -> None:
    """Nothing is hidden of tracebacks."""


def disable_traceback_filtering() -> None:
    """Nothing is hidden of tracebacks."""


def is_traceback_filtering_enabled() -> bool:
    """Nothing is hidden of tracebacks."""
    return False


failures.guard(globals(), __all__)
