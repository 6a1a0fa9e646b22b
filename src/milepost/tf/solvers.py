"""Linear systems: general, triangular, banded, tridiagonal, least squares, from factors. In: matrices and right-hand sides. Out: the solutions."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw, to_torch
from milepost.tf.decompositions import matrix_of
from milepost.tf.diagonals import tridiagonal_dense, tridiagonals
from milepost.tf.failures import told
from milepost.tf.tensor import Tensor, wrap


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """x with matrix · x = rhs."""
    a, b = match("MatrixSolve", matrix, rhs)
    a = matrix_of("MatrixSolve", wrap(a), True)
    if b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise failures.kernel(
            "MatrixSolve",
            f"Input matrix and rhs are incompatible: {failures.brackets(a.shape)}, {failures.brackets(b.shape)}",
        )
    try:
        return wrap(torch.linalg.solve(a.mH if adjoint else a, b))
    except torch.linalg.LinAlgError:
        raise failures.kernel("MatrixSolve", "Input matrix is not invertible.") from None


@told("MatrixTriangularSolve")
def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The same for a triangular matrix."""
    a, b = match("MatrixTriangularSolve", matrix, rhs)
    a = matrix_of("MatrixTriangularSolve", wrap(a), True)
    return wrap(torch.linalg.solve_triangular(a.mH if adjoint else a, b, upper=lower if adjoint else not lower))


def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The same for a triangular matrix given by its diagonals, the main one first (lower) or last."""
    a, b = match("BandedTriangularSolve", bands, rhs)
    count, size = a.shape[-2:]
    dense = torch.zeros((*a.shape[:-2], size, size), dtype=a.dtype)
    for i in range(count):
        d = -i if lower else count - 1 - i
        values = a[..., i, abs(d) :] if lower else a[..., i, : size - d] if d == 0 else a[..., i, d:]
        dense = torch.diagonal_scatter(dense, values, d, -2, -1)
    return triangular_solve(wrap(dense), wrap(b), lower, adjoint)


@told("MatrixSolveLs")
def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """Least squares."""
    a, b = match("MatrixSolveLs", matrix, rhs)
    if l2_regularizer:
        gram = a.mH @ a + l2_regularizer * torch.eye(a.shape[-1], dtype=a.dtype)
        return wrap(torch.linalg.solve(gram, a.mH @ b))
    return wrap(torch.linalg.lstsq(a, b).solution)


@told("MatrixTriangularSolve")
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """x with chol · cholᵀ · x = rhs."""
    a, b = match("CholeskySolve", chol, rhs)
    return wrap(torch.cholesky_solve(b, a))


def _permuted(lower_upper: Any, perm: Any) -> tuple[Any, Any, Any]:
    t, order = raw(lower_upper), raw(perm).long()
    lower = torch.tril(t, -1) + torch.eye(t.shape[-1], dtype=t.dtype)
    return lower, torch.triu(t), order


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrix these LU factors belong to."""
    lower, upper, order = _permuted(lower_upper, perm)
    back = torch.argsort(order, -1)
    return wrap(torch.take_along_dim(lower @ upper, back.unsqueeze(-1), -2))


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The solution by LU factors."""
    lower, upper, order = _permuted(lower_upper, perm)
    b = torch.take_along_dim(raw(rhs), order.unsqueeze(-1), -2)
    middle = torch.linalg.solve_triangular(lower, b, upper=False, unitriangular=True)
    return wrap(torch.linalg.solve_triangular(upper, middle, upper=True))


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The inverse by LU factors."""
    t = raw(lower_upper)
    return lu_solve(lower_upper, perm, wrap(torch.eye(t.shape[-1], dtype=t.dtype).expand_as(t)))


@told("TridiagonalSolve")
def tridiagonal_solve(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", transpose_rhs: bool = False, conjugate_rhs: bool = False,
    name: str | None = None, partial_pivoting: bool = True, perturb_singular: bool = False,
) -> Tensor:  # fmt: skip
    """The solution for a matrix of three diagonals."""
    dense = tridiagonal_dense(*tridiagonals(diagonals, diagonals_format))
    b = to_torch(rhs, hint=wrap(dense).dtype)
    b = b.conj() if conjugate_rhs else b
    vector = b.ndim == dense.ndim - 1
    b = b.unsqueeze(-1) if vector else b.transpose(-1, -2) if transpose_rhs else b
    made = solve(wrap(dense), wrap(b))._t
    return wrap(made.squeeze(-1) if vector else made)


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """A matrix of three diagonals times another."""
    above, main, below = tridiagonals(diagonals, diagonals_format)
    b = raw(rhs)
    made = main.unsqueeze(-1) * b
    made = made + torch.nn.functional.pad(above[..., :-1].unsqueeze(-1) * b[..., 1:, :], [0, 0, 0, 1])
    return wrap(made + torch.nn.functional.pad(below[..., 1:].unsqueeze(-1) * b[..., :-1, :], [0, 0, 1, 0]))


def eigh_tridiagonal(
    alpha: Any, beta: Any, eigvals_only: bool = True, select: str = "a", select_range: Any = None, tol: Any = None, name: str | None = None
) -> Any:  # fmt: skip
    """Eigenvalues (and vectors) of a symmetric matrix with this diagonal and the one beside it."""
    if select != "a":
        raise NotImplementedError("tf.linalg.eigh_tridiagonal gives all eigenvalues: use select='a'.")
    a, b = match("EighTridiagonal", alpha, beta)
    dense = torch.diag_embed(a) + torch.diag_embed(b, 1) + torch.diag_embed(b.conj(), -1)
    if eigvals_only:
        return wrap(torch.linalg.eigvalsh(dense))
    values, vectors = torch.linalg.eigh(dense)
    return wrap(values), wrap(vectors)
