"""`tf.linalg`: products, decompositions, solvers, norms, operators under one roof. In: tensors whose last two dimensions are matrices."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import failures, reductions
from milepost.tf.convert import owned as raw  # a view of a variable must not change with it
from milepost.tf.creation import eye
from milepost.tf.decompositions import (
    adjoint,
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    expm,
    inv,
    logdet,
    logm,
    lu,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    sqrtm,
    svd,
)
from milepost.tf.diagonals import band_part, diag, diag_part, set_diag, tensor_diag, tensor_diag_part, trace
from milepost.tf.pointwise import global_norm
from milepost.tf.products import cross, einsum, matmul, matvec, tensordot
from milepost.tf.shaping import matrix_transpose
from milepost.tf.solvers import (
    banded_triangular_solve,
    cholesky_solve,
    eigh_tridiagonal,
    lstsq,
    lu_matrix_inverse,
    lu_reconstruct,
    lu_solve,
    solve,
    triangular_solve,
    tridiagonal_matmul,
    tridiagonal_solve,
)
from milepost.tf.tensor import Tensor, wrap

norm = reductions.reduce_norm

_OPERATORS = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorBlockDiag", "LinearOperatorCirculant", "LinearOperatorComposition",
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorHouseholder", "LinearOperatorIdentity", "LinearOperatorInversion",
    "LinearOperatorKronecker", "LinearOperatorLowRankUpdate", "LinearOperatorLowerTriangular", "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity", "LinearOperatorToeplitz", "LinearOperatorTridiag", "LinearOperatorZeros",
]  # fmt: skip

__all__ = [
    "adjoint", "band_part", "banded_triangular_solve", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh",
    "eigh_tridiagonal", "eigvals", "eigvalsh", "einsum", "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu",
    "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr",
    "set_diag", "slogdet", "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve",
    "tridiagonal_matmul", "tridiagonal_solve",
]  # fmt: skip


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """Scaled to length 1."""
    t = raw(x)
    dims = reductions.axes_of(t, axis, "Sum")
    return wrap(t * torch.rsqrt(torch.clamp((t * t).sum(dims, keepdim=True), min=epsilon)))


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The tensor scaled to norm 1, and its norm."""
    n = reductions.reduce_norm(tensor, ord, axis, keepdims=True)
    return wrap(raw(tensor) / n._t), n


failures.guard(globals(), __all__, "matmul norm eye einsum")


def __getattr__(name: str) -> Any:
    """Operators load when they are first used."""
    if name in _OPERATORS:
        from milepost.tf import linear_operators

        return getattr(linear_operators, name)
    from milepost.tf.missing import no_such_name

    raise no_such_name(name, "tf.linalg", [*__all__, *_OPERATORS])
