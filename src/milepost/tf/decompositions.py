"""Matrices taken apart: determinants, inverses, Cholesky, QR, SVD, eigenvalues, LU, functions of a matrix."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import owned as raw  # a view of a variable must not change with it
from milepost.tf.dtypes import as_dtype
from milepost.tf.failures import told
from milepost.tf.tensor import Tensor, wrap

_KINDS = "double float half complex64 complex128"


@told("Matrix")
def matrix_of(op: str, value: Any, square: bool = False) -> Any:
    """A tensor of floating-point matrices, or what is wrong with it."""
    t = raw(value)
    if not (t.is_floating_point() or t.is_complex()):
        raise failures.refused(op, dtypes.of_torch(t.dtype), _KINDS, "input:T -> output:T")
    if t.ndim < 2:
        raise failures.kernel(op, f"Input tensor {0} must have rank >= 2")
    if square and t.shape[-1] != t.shape[-2]:
        sentence = "Input matrix must be square." if op != "MatrixInverse" else "Input matrices must be squares, got "
        raise failures.kernel(op, sentence + (f"{t.shape[-2]} != {t.shape[-1]}" if op == "MatrixInverse" else ""))
    return t


def det(input: Any, name: str | None = None) -> Tensor:
    """Determinant."""
    return wrap(torch.linalg.det(matrix_of("MatrixDeterminant", input, True)))


def slogdet(input: Any, name: str | None = None) -> Any:
    """Sign and log |determinant|."""
    from milepost.tf.results import LogMatrixDeterminant

    sign, value = torch.linalg.slogdet(matrix_of("LogMatrixDeterminant", input, True))
    return LogMatrixDeterminant(wrap(sign), wrap(value))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """log of the determinant of a positive definite matrix."""
    return wrap(2 * torch.log(cholesky(matrix)._t.diagonal(0, -2, -1).real).sum(-1))


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Inverse."""
    t = matrix_of("MatrixInverse", input, True)
    try:
        made = torch.linalg.inv(t)
    except RuntimeError:
        raise failures.kernel("MatrixInverse", "Input is not invertible.") from None
    return wrap(made.mH.resolve_conj() if adjoint else made)


@told("Svd")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Pseudo-inverse."""
    t = matrix_of("Svd", a)
    return wrap(torch.linalg.pinv(t, rtol=None if rcond is None else float(rcond)))


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Lower factor of a positive definite matrix."""
    try:
        return wrap(torch.linalg.cholesky(matrix_of("Cholesky", input, True)))
    except torch.linalg.LinAlgError:
        raise failures.kernel(
            "Cholesky", "Cholesky decomposition was not successful. The input might not be valid."
        ) from None


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """Orthogonal and upper triangular factor."""
    from milepost.tf.results import Qr

    q, r = torch.linalg.qr(matrix_of("Qr", input), "complete" if full_matrices else "reduced")
    return Qr(wrap(q), wrap(r))


@told("Svd")
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Singular values s, and u, v with tensor = u · diag(s) · vᴴ."""
    t = matrix_of("Svd", tensor)
    if not compute_uv:
        return wrap(torch.linalg.svdvals(t))
    u, s, vh = torch.linalg.svd(t, full_matrices)
    return wrap(s), wrap(u), wrap(vh.mH)


def _lower(t: Any) -> Any:
    """The symmetric matrix of the lower triangle: only that one is looked at, and has a gradient."""
    below = torch.tril(t, -1)
    return torch.tril(t) + below.mH if t.requires_grad else t


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and -vectors of a symmetric matrix."""
    e, v = torch.linalg.eigh(_lower(matrix_of("SelfAdjointEigV2", tensor, True)))
    return wrap(e), wrap(v)


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and -vectors."""
    e, v = torch.linalg.eig(matrix_of("Eig", tensor, True))
    return wrap(e), wrap(v)


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues of a symmetric matrix."""
    return wrap(torch.linalg.eigvalsh(_lower(matrix_of("SelfAdjointEigV2", tensor, True))))


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues."""
    return wrap(torch.linalg.eigvals(matrix_of("Eig", tensor, True)))


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """LU factors in one matrix, and the permutation."""
    from milepost.tf.results import Lu

    packed, pivots = torch.linalg.lu_factor(matrix_of("Lu", input, True))
    order = torch.arange(packed.shape[-2]).expand(*packed.shape[:-2], -1).clone().reshape(-1, packed.shape[-2])
    for row, swaps in zip(order, pivots.reshape(-1, pivots.shape[-1]), strict=True):
        for i, j in enumerate((swaps - 1).tolist()):
            row[[i, j]] = row[[j, i]]
    return Lu(wrap(packed), wrap(order.reshape(packed.shape[:-1]).to(as_dtype(output_idx_type).torch)))


def expm(input: Any, name: str | None = None) -> Tensor:
    """Matrix exponential."""
    return wrap(torch.linalg.matrix_exp(matrix_of("MatrixExponential", input, True)))


def _through_eigenvalues(op: str, input: Any, function: Any) -> Tensor:
    t = matrix_of(op, input, True)
    e, v = torch.linalg.eig(t)
    made = v @ torch.diag_embed(function(e)) @ torch.linalg.inv(v)
    return wrap(made if t.is_complex() else made.real)


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """Matrix square root, through the eigenvalues."""
    return _through_eigenvalues("MatrixSquareRoot", input, torch.sqrt)


def logm(input: Any, name: str | None = None) -> Tensor:
    """Matrix logarithm, through the eigenvalues; of complex matrices, as in TensorFlow."""
    if not raw(input).is_complex():
        raise failures.refused("MatrixLogarithm", dtypes.of_torch(raw(input).dtype), "complex64 complex128")
    return _through_eigenvalues("MatrixLogarithm", input, torch.log)


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Rank."""
    t = matrix_of("Svd", a)
    return wrap(torch.linalg.matrix_rank(t, atol=None if tol is None else raw(tol)).int())


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """Conjugate transpose."""
    t = raw(matrix)
    if t.ndim < 2:
        raise failures.kernel("Transpose", f"Input must have rank >= 2, got shape {failures.brackets(t.shape)}")
    return wrap(t.mH.resolve_conj())
