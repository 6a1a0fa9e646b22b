"""`tf.linalg.LinearOperator*`: matrices that are known by their structure. Each says what its dense matrix is; what is cheaper it does itself."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import decompositions, diagonals, dtypes, solvers
from milepost.tf.convert import raw
from milepost.tf.shapes import TensorShape
from milepost.tf.state import NOW
from milepost.tf.tensor import Tensor, wrap


def _vector(value: Any) -> Any:
    return raw(value).unsqueeze(-1)


class LinearOperator:
    """What every operator can do, by way of its dense matrix."""

    def __init__(
        self, dtype: Any = None, graph_parents: Any = None, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None, parameters: Any = None,
    ):  # fmt: skip
        self.is_non_singular, self.is_self_adjoint = is_non_singular, is_self_adjoint
        self.is_positive_definite, self._is_square = is_positive_definite, is_square
        self.name = name or type(self).__name__

    def _dense(self) -> Any:
        """The matrix itself, as torch has it."""
        raise NotImplementedError(f"{type(self).__name__} must say what its dense matrix is: override `_dense`.")

    def to_dense(self, name: str = "to_dense") -> Tensor:
        return wrap(self._dense())

    @property
    def dtype(self) -> Any:
        return self.to_dense().dtype

    @property
    def shape(self) -> TensorShape:
        return self.to_dense().shape

    @property
    def batch_shape(self) -> TensorShape:
        return TensorShape(self.shape[:-2])

    @property
    def tensor_rank(self) -> int:
        return len(self.shape)

    @property
    def range_dimension(self) -> int:
        return int(self.shape[-2])

    @property
    def domain_dimension(self) -> int:
        return int(self.shape[-1])

    @property
    def is_square(self) -> bool:
        return self.shape[-1] == self.shape[-2] if self._is_square is None else self._is_square

    @property
    def H(self) -> LinearOperator:
        return self.adjoint()

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        return wrap(torch.tensor(tuple(self.shape), dtype=torch.int32))

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            return LinearOperatorComposition([left, x.adjoint() if adjoint_arg else x])
        b = raw(x)
        return wrap(self._times(b.mH if adjoint_arg else b, adjoint))

    def _times(self, b: Any, adjoint: bool) -> Any:
        a = self._dense()
        return (a.mH if adjoint else a) @ b

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor:
        return wrap(self._times(_vector(x), adjoint).squeeze(-1))

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        if isinstance(rhs, LinearOperator):
            return LinearOperatorComposition([(self.adjoint() if adjoint else self).inverse(), rhs])
        b = raw(rhs)
        return wrap(self._solved(b.mH if adjoint_arg else b, adjoint))

    def _solved(self, b: Any, adjoint: bool) -> Any:
        return solvers.solve(wrap(self._dense()), wrap(b), adjoint)._t

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Tensor:
        return wrap(self._solved(_vector(rhs), adjoint).squeeze(-1))

    def determinant(self, name: str = "det") -> Tensor:
        return decompositions.det(self.to_dense())

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        return wrap(torch.log(torch.abs(self.determinant()._t)))

    def trace(self, name: str = "trace") -> Tensor:
        return wrap(self.diag_part()._t.sum(-1))

    def diag_part(self, name: str = "diag_part") -> Tensor:
        return diagonals.diag_part(self.to_dense())

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        return wrap(self._dense() + raw(x))

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        return self if self.is_self_adjoint else LinearOperatorAdjoint(self)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        return LinearOperatorInversion(self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        return LinearOperatorLowerTriangular(decompositions.cholesky(self.to_dense()), is_non_singular=True)

    def eigvals(self, name: str = "eigvals") -> Tensor:
        return decompositions.eigvalsh(self.to_dense())

    def cond(self, name: str = "cond") -> Tensor:
        return wrap(torch.linalg.cond(self._dense()))


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix given by all of its values."""

    def __init__(self, matrix: Any, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self._matrix = decompositions.matrix_of("MatMul", matrix)

    @property
    def matrix(self) -> Tensor:
        return wrap(self._matrix)

    def _dense(self) -> Any:
        return self._matrix


class LinearOperatorLowerTriangular(LinearOperator):
    """What stands on and below the diagonal; the rest is not looked at."""

    def __init__(self, tril: Any, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self._matrix = torch.tril(raw(tril))

    def _dense(self) -> Any:
        return self._matrix

    def _solved(self, b: Any, adjoint: bool) -> Any:
        return solvers.triangular_solve(wrap(self._matrix), wrap(b), True, adjoint)._t

    def determinant(self, name: str = "det") -> Tensor:
        return wrap(self._matrix.diagonal(0, -2, -1).prod(-1))


class LinearOperatorDiag(LinearOperator):
    """A diagonal."""

    def __init__(self, diag: Any, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self._diag = raw(diag)
        if self.is_self_adjoint is None and not self._diag.is_complex():
            self.is_self_adjoint = True

    @property
    def diag(self) -> Tensor:
        return wrap(self._diag)

    def _dense(self) -> Any:
        return torch.diag_embed(self._diag)

    def _times(self, b: Any, adjoint: bool) -> Any:
        return (self._diag.conj() if adjoint else self._diag).unsqueeze(-1) * b

    def _solved(self, b: Any, adjoint: bool) -> Any:
        return b / (self._diag.conj() if adjoint else self._diag).unsqueeze(-1)

    def determinant(self, name: str = "det") -> Tensor:
        return wrap(self._diag.prod(-1))

    def inverse(self, name: str = "inverse") -> LinearOperator:
        return LinearOperatorDiag(wrap(1 / self._diag))


class LinearOperatorScaledIdentity(LinearOperatorDiag):
    """One number times the identity."""

    def __init__(self, num_rows: Any, multiplier: Any, name: str | None = None, **hints: Any):
        scale = raw(multiplier)
        super().__init__(wrap(scale.unsqueeze(-1).expand(*scale.shape, int(num_rows))), name, **hints)
        self.multiplier = wrap(scale)


class LinearOperatorIdentity(LinearOperatorDiag):
    """The identity."""

    def __init__(
        self, num_rows: Any, batch_shape: Any = None, dtype: Any = None, name: str | None = None, **hints: Any
    ):
        kind = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
        lead = [] if batch_shape is None else [int(d) for d in batch_shape]
        super().__init__(wrap(torch.ones((*lead, int(num_rows)), dtype=kind.torch, device=NOW.device)), name, **hints)


class LinearOperatorZeros(LinearOperator):
    """Nothing."""

    def __init__(self, num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = None, name: str | None = None, **hints: Any):  # fmt: skip
        super().__init__(name=name, **hints)
        kind = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
        lead = [] if batch_shape is None else [int(d) for d in batch_shape]
        columns = num_rows if num_columns is None else num_columns
        self._zeros = torch.zeros((*lead, int(num_rows), int(columns)), dtype=kind.torch, device=NOW.device)

    def _dense(self) -> Any:
        return self._zeros


class LinearOperatorAdjoint(LinearOperator):
    """The conjugate transpose of another."""

    def __init__(self, operator: LinearOperator, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self.operator = operator

    def _dense(self) -> Any:
        return self.operator._dense().mH.resolve_conj()

    def _times(self, b: Any, adjoint: bool) -> Any:
        return self.operator._times(b, not adjoint)

    def _solved(self, b: Any, adjoint: bool) -> Any:
        return self.operator._solved(b, not adjoint)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        return self.operator


class LinearOperatorInversion(LinearOperator):
    """The inverse of another."""

    def __init__(self, operator: LinearOperator, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self.operator = operator

    def _dense(self) -> Any:
        return decompositions.inv(self.operator.to_dense())._t

    def _times(self, b: Any, adjoint: bool) -> Any:
        return self.operator._solved(b, adjoint)

    def _solved(self, b: Any, adjoint: bool) -> Any:
        return self.operator._times(b, adjoint)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        return self.operator


class LinearOperatorComposition(LinearOperator):
    """Several, one after the other, the last first."""

    def __init__(self, operators: Any, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self.operators = list(operators)

    def _dense(self) -> Any:
        made = self.operators[-1]._dense()
        for operator in reversed(self.operators[:-1]):
            made = operator._times(made, False)
        return made

    def _times(self, b: Any, adjoint: bool) -> Any:
        for operator in self.operators if adjoint else reversed(self.operators):
            b = operator._times(b, adjoint)
        return b

    def _solved(self, b: Any, adjoint: bool) -> Any:
        for operator in reversed(self.operators) if adjoint else self.operators:
            b = operator._solved(b, adjoint)
        return b


class LinearOperatorBlockDiag(LinearOperator):
    """Several, side by side on the diagonal."""

    def __init__(self, operators: Any, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self.operators = list(operators)

    def _dense(self) -> Any:
        return torch.block_diag(*(o._dense() for o in self.operators))


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of several."""

    def __init__(self, operators: Any, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self.operators = list(operators)

    def _dense(self) -> Any:
        made = self.operators[0]._dense()
        for operator in self.operators[1:]:
            made = torch.kron(made, operator._dense())
        return made


class LinearOperatorHouseholder(LinearOperator):
    """A reflection: what points along the axis turns round."""

    def __init__(self, reflection_axis: Any, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        axis = raw(reflection_axis)
        self._axis = axis / torch.linalg.vector_norm(axis, dim=-1, keepdim=True)

    def _dense(self) -> Any:
        axis = self._axis
        return torch.eye(axis.shape[-1], dtype=axis.dtype, device=axis.device) - 2 * axis.unsqueeze(
            -1
        ) * axis.unsqueeze(-2)


class LinearOperatorToeplitz(LinearOperator):
    """Each diagonal one number: the first column and the first row say which."""

    def __init__(self, col: Any, row: Any, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self._column, self._row = raw(col), raw(row)

    def _dense(self) -> Any:
        rows, columns = self._column.shape[-1], self._row.shape[-1]
        line = torch.cat([self._column.flip(-1), self._row[..., 1:]], -1)
        place = rows - 1 + torch.arange(columns).reshape(1, -1) - torch.arange(rows).reshape(-1, 1)
        return line[..., place]


class LinearOperatorCirculant(LinearOperator):
    """Each row the one above moved by one; the spectrum is what its Fourier transform multiplies with."""

    def __init__(self, spectrum: Any, input_output_dtype: Any = dtypes.complex64, name: str | None = None, **hints: Any):  # fmt: skip
        super().__init__(name=name, **hints)
        self._kind = dtypes.as_dtype(input_output_dtype)
        self._kernel = torch.fft.ifft(raw(spectrum).to(torch.complex64))

    def _dense(self) -> Any:
        size = self._kernel.shape[-1]
        place = (torch.arange(size).reshape(-1, 1) - torch.arange(size).reshape(1, -1)) % size
        dense = self._kernel[..., place]
        return dense.to(self._kind.torch) if self._kind.is_complex else dense.real.to(self._kind.torch)


class LinearOperatorTridiag(LinearOperator):
    """Three diagonals."""

    def __init__(self, diagonals: Any, diagonals_format: str = "compact", name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        from milepost.tf.diagonals import tridiagonals

        self._parts = tridiagonals(diagonals, diagonals_format)

    def _dense(self) -> Any:
        return diagonals.tridiagonal_dense(*self._parts)


class LinearOperatorPermutation(LinearOperator):
    """Rows in another order."""

    def __init__(self, perm: Any, dtype: Any = dtypes.float32, name: str | None = None, **hints: Any):
        super().__init__(name=name, **hints)
        self._order, self._kind = raw(perm).long(), dtypes.as_dtype(dtype)

    def _dense(self) -> Any:
        return torch.nn.functional.one_hot(self._order, self._order.shape[-1]).to(self._kind.torch)


class LinearOperatorLowRankUpdate(LinearOperator):
    """Another, plus u · diag(d) · vᴴ."""

    def __init__(self, base_operator: LinearOperator, u: Any, diag_update: Any = None, v: Any = None, name: str | None = None, **hints: Any):  # fmt: skip
        super().__init__(name=name, **hints)
        self.base_operator = base_operator
        self._u = raw(u)
        self._v = self._u if v is None else raw(v)
        self._d = None if diag_update is None else raw(diag_update)

    def _dense(self) -> Any:
        left = self._u if self._d is None else self._u * self._d.unsqueeze(-2)
        return self.base_operator._dense() + left @ self._v.mH
