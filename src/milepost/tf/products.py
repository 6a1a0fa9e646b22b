"""Products of tensors: matmul, matvec, tensordot, einsum, cross. In: tensors of one dtype. Out: their product."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import failures
from milepost.tf.arithmetic import common, match, matrix_product
from milepost.tf.convert import raw
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import told
from milepost.tf.tensor import Tensor, wrap


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix product of the last two dimensions, the others broadcast."""
    if output_type is None and not (transpose_a or transpose_b or adjoint_a or adjoint_b):
        return matrix_product(a, b)
    x, y = match("MatMul", a, b)
    if x.ndim < 2 or y.ndim < 2:
        return matrix_product(wrap(x), wrap(y))  # which says what is wrong
    if transpose_a or adjoint_a:
        x = x.mH if adjoint_a else x.transpose(-1, -2)
    if transpose_b or adjoint_b:
        y = y.mH if adjoint_b else y.transpose(-1, -2)
    if output_type is not None:
        kind = as_dtype(output_type).torch
        x, y = x.to(kind), y.to(kind)
    return matrix_product(wrap(x), wrap(y))


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix times vector."""
    x, y = match("MatMul", a, b)
    product = matmul(wrap(x), wrap(y.unsqueeze(-1)), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return wrap(product._t.squeeze(-1))


@told("MatMul")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Summed over the named axes of both."""
    x, y = match("MatMul", a, b)
    if isinstance(axes, int):
        if axes > min(x.ndim, y.ndim):
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {wrap(x)}.  Received {axes}"
            )
        first, second = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    else:
        given = raw(axes).tolist() if hasattr(axes, "numpy") else axes
        first, second = ([int(v)] if isinstance(v, int) else [int(w) for w in v] for v in given)
    if len(first) != len(second):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}.")
    for t, listed in ((x, first), (y, second)):
        for axis in listed:
            if not -t.ndim <= axis < t.ndim:
                raise ValueError(f"`axes` contain {axis}, which is outside the {t.ndim} dimensions of {wrap(t)}.")
    if [x.shape[i] for i in first] != [y.shape[i] for i in second]:
        raise failures.kernel(
            "MatMul",
            f"Matrix size-incompatible: In[0]: {failures.brackets(x.shape)}, In[1]: {failures.brackets(y.shape)}",
        )
    return wrap(torch.tensordot(x, y, (first, second)))


def einsum(equation: str, *inputs: Any, **_: Any) -> Tensor:
    """Einstein's summation: `einsum('ij,jk->ik', a, b)`."""
    if not isinstance(equation, str):
        raise TypeError(f"The equation of einsum is a string, got {type(equation).__name__}.")
    left, arrow, right = equation.replace(" ", "").partition("->")
    if arrow:
        for label in right.replace(".", ""):
            if label not in left:
                raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
    if len(left.split(",")) != len(inputs):
        raise ValueError(f"Got {len(inputs)} inputs for equation {equation!r}, expecting {len(left.split(','))}")
    try:
        return wrap(torch.einsum(equation, *common("Einsum", inputs)))
    except RuntimeError as error:
        raise failures.kernel("Einsum", str(error).split("\n")[0]) from None


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Cross product of vectors of three."""
    x, y = match("Cross", a, b)
    if x.shape != y.shape or x.shape[-1] != 3:
        raise failures.FailedPreconditionError(
            "{{function_node __wrapped__Cross_device_/job:localhost/replica:0/task:0/device:CPU:0}} Cross-products are only defined for "
            "3-element vectors. [Op:Cross]"
        )
    return wrap(torch.linalg.cross(x, y))
