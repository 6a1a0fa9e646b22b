"""`tf.linalg`: products, decompositions, solvers, norms. In: tensors whose last two dimensions are matrices."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import failures, pointwise, reductions, shaping
from milepost.tf.arithmetic import common, match, matrix_product
from milepost.tf.convert import owned as raw  # a view of a variable must not change with it
from milepost.tf.creation import eye
from milepost.tf.dtypes import as_dtype
from milepost.tf.tensor import Tensor, wrap

__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh", "eigvals", "eigvalsh", "einsum",
    "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu", "matmul", "matrix_rank", "matrix_transpose", "matvec",
    "norm", "normalize", "pinv", "qr", "set_diag", "slogdet", "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace",
    "triangular_solve",
]  # fmt: skip

norm = reductions.reduce_norm
global_norm = pointwise.global_norm
matrix_transpose = shaping.matrix_transpose


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
    if not (transpose_a or transpose_b or adjoint_a or adjoint_b):
        return matrix_product(a, b)
    x, y = match("MatMul", a, b)
    if transpose_a or adjoint_a:
        x = x.mH if adjoint_a else x.transpose(-1, -2)
    if transpose_b or adjoint_b:
        y = y.mH if adjoint_b else y.transpose(-1, -2)
    made = matrix_product(wrap(x), wrap(y))
    return made if output_type is None else wrap(made._t.to(as_dtype(output_type).torch))


def matvec(a: Any, b: Any, transpose_a: bool = False, name: str | None = None, **_: Any) -> Tensor:
    """Matrix times vector."""
    x, y = match("MatVec", a, b)
    return wrap(((x.transpose(-1, -2) if transpose_a else x) @ y.unsqueeze(-1)).squeeze(-1))


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Summed over the named axes of both."""
    x, y = match("Tensordot", a, b)
    if isinstance(axes, int):
        return wrap(torch.tensordot(x, y, axes))
    first, second = raw(axes).tolist() if hasattr(axes, "numpy") else axes
    listed = ([first] if isinstance(first, int) else list(first), [second] if isinstance(second, int) else list(second))
    return wrap(torch.tensordot(x, y, listed))


def einsum(equation: str, *inputs: Any, **_: Any) -> Tensor:
    """Einstein's summation: `einsum('ij,jk->ik', a, b)`."""
    try:
        return wrap(torch.einsum(equation, *common("Einsum", inputs)))
    except RuntimeError as error:
        raise failures.kernel("Einsum", str(error).split("\n")[0]) from None


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """Conjugate transpose."""
    return wrap(raw(matrix).mH.resolve_conj())


def trace(x: Any, name: str | None = None) -> Tensor:
    """Sum of the diagonal."""
    return wrap(raw(x).diagonal(dim1=-2, dim2=-1).sum(-1))


def det(input: Any, name: str | None = None) -> Tensor:
    """Determinant."""
    return wrap(torch.linalg.det(raw(input)))


def slogdet(input: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Sign and log |determinant|."""
    sign, value = torch.linalg.slogdet(raw(input))
    return wrap(sign), wrap(value)


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """log of the determinant of a positive definite matrix."""
    return wrap(torch.logdet(raw(matrix)))


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Inverse."""
    t = raw(input)
    try:
        made = torch.linalg.inv(t)
    except RuntimeError:
        raise failures.kernel("MatrixInverse", "Input is not invertible.") from None
    return wrap(made.mH if adjoint else made)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Pseudo-inverse."""
    return wrap(torch.linalg.pinv(raw(a), rtol=None if rcond is None else float(rcond)))


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """x with matrix · x = rhs."""
    a, b = match("MatrixSolve", matrix, rhs)
    return wrap(torch.linalg.solve(a.mH if adjoint else a, b))


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The same for a triangular matrix."""
    a, b = match("MatrixTriangularSolve", matrix, rhs)
    return wrap(torch.linalg.solve_triangular(a.mH if adjoint else a, b, upper=lower if adjoint else not lower))


def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """Least squares."""
    a, b = match("MatrixSolveLs", matrix, rhs)
    if l2_regularizer:
        gram = a.mH @ a + l2_regularizer * torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
        return wrap(torch.linalg.solve(gram, a.mH @ b))
    return wrap(torch.linalg.lstsq(a, b).solution)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Lower factor of a positive definite matrix."""
    try:
        return wrap(torch.linalg.cholesky(raw(input)))
    except RuntimeError:
        raise failures.kernel(
            "Cholesky", "Cholesky decomposition was not successful. The input might not be valid."
        ) from None


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """x with chol · cholᵀ · x = rhs."""
    a, b = match("CholeskySolve", chol, rhs)
    return wrap(torch.cholesky_solve(b, a))


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Orthogonal and upper triangular factor."""
    q, r = torch.linalg.qr(raw(input), "complete" if full_matrices else "reduced")
    return wrap(q), wrap(r)


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Singular values s, and u, v with tensor = u · diag(s) · vᴴ."""
    if not compute_uv:
        return wrap(torch.linalg.svdvals(raw(tensor)))
    u, s, vh = torch.linalg.svd(raw(tensor), full_matrices)
    return wrap(s), wrap(u), wrap(vh.mH)


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and -vectors of a symmetric matrix."""
    e, v = torch.linalg.eigh(raw(tensor))
    return wrap(e), wrap(v)


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and -vectors."""
    e, v = torch.linalg.eig(raw(tensor))
    return wrap(e), wrap(v)


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues of a symmetric matrix."""
    return wrap(torch.linalg.eigvalsh(raw(tensor)))


def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues."""
    return wrap(torch.linalg.eigvals(raw(tensor)))


def lu(input: Any, output_idx_type: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """LU factors in one matrix, and the permutation."""
    packed, pivots = torch.linalg.lu_factor(raw(input))
    order = (
        torch.arange(packed.shape[-2], device=packed.device)
        .expand(*packed.shape[:-2], -1)
        .clone()
        .reshape(-1, packed.shape[-2])
    )
    for row, swaps in zip(order, pivots.reshape(-1, pivots.shape[-1]), strict=True):
        for i, j in enumerate((swaps - 1).tolist()):
            row[[i, j]] = row[[j, i]]
    return wrap(packed), wrap(order.reshape(packed.shape[:-1]).int())


def expm(input: Any, name: str | None = None) -> Tensor:
    """Matrix exponential."""
    return wrap(torch.linalg.matrix_exp(raw(input)))


def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """Matrix square root, through the eigenvalues."""
    t = raw(input)
    e, v = torch.linalg.eig(t)
    made = v @ torch.diag_embed(e.sqrt()) @ torch.linalg.inv(v)
    return wrap(made if t.is_complex() else made.real)


def logm(input: Any, name: str | None = None) -> Tensor:
    """Matrix logarithm, through the eigenvalues."""
    t = raw(input)
    e, v = torch.linalg.eig(t)
    made = v @ torch.diag_embed(e.log()) @ torch.linalg.inv(v)
    return wrap(made if t.is_complex() else made.real)


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Rank."""
    return wrap(torch.linalg.matrix_rank(raw(a), atol=None if tol is None else raw(tol)).int())


def diag(diagonal: Any, name: str = "diag", k: int = 0, **_: Any) -> Tensor:
    """Matrices with these diagonals."""
    return wrap(torch.diag_embed(raw(diagonal), int(k)))


def diag_part(input: Any, name: str = "diag_part", k: int = 0, **_: Any) -> Tensor:
    """The diagonals."""
    return wrap(raw(input).diagonal(int(k), -2, -1))


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A square matrix from a vector (twice the rank from any tensor)."""
    t = raw(diagonal)
    return wrap(torch.diag(t.reshape(-1)).reshape(*t.shape, *t.shape))


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of a square tensor."""
    t = raw(input)
    half = t.shape[: t.ndim // 2]
    size = 1
    for d in half:
        size *= d
    return wrap(t.reshape(size, size).diagonal().reshape(half))


def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: int = 0, **_: Any) -> Tensor:
    """The same matrices with another diagonal."""
    a, b = match("MatrixSetDiag", input, diagonal)
    return wrap(torch.diagonal_scatter(a, b, int(k), -2, -1))


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Zero outside a band round the diagonal; -1 keeps the whole triangle."""
    t = raw(input)
    low, high = int(num_lower), int(num_upper)
    if low >= 0:
        t = torch.triu(t, -low)
    return wrap(torch.tril(t, high) if high >= 0 else t)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Cross product of vectors of three."""
    x, y = match("Cross", a, b)
    return wrap(torch.linalg.cross(x, y))


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """Scaled to length 1."""
    t = raw(x)
    dims = reductions.axes_of(t, axis, "L2Normalize")
    return wrap(t * torch.rsqrt(torch.clamp((t * t).sum(dims, keepdim=True), min=epsilon)))


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The tensor scaled to norm 1, and its norm."""
    n = reductions.reduce_norm(tensor, ord, axis, keepdims=True)
    return wrap(raw(tensor) / n._t), n
