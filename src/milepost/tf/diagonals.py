"""Diagonals of matrices: made, read, replaced, bands cut out. `k` is one diagonal, or the lowest and highest of several."""

from __future__ import annotations

from typing import Any

import torch

from milepost.tf import failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import owned as raw  # a view of a variable must not change with it
from milepost.tf.convert import to_torch
from milepost.tf.failures import told
from milepost.tf.tensor import Tensor, wrap


def _bounds(k: Any) -> tuple[int, int]:
    listed = raw(k).reshape(-1).tolist() if not isinstance(k, int) else [k]
    return int(listed[0]), int(listed[-1])


def _length(d: int, rows: int, columns: int) -> int:
    return min(rows + min(d, 0), columns - max(d, 0))


def _shift(d: int, length: int, widest: int, align: str) -> int:
    """How far from the left a diagonal begins in its row of the packed form."""
    above, _, below = align.partition("_")
    left = (d >= 0 and above == "LEFT") or (d <= 0 and below == "LEFT")
    return 0 if left else widest - length


@told("MatrixDiagV3")
def diag(
    diagonal: Any, name: str = "diag", k: Any = 0, num_rows: int = -1, num_cols: int = -1, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:  # fmt: skip
    """Matrices with these diagonals."""
    t = raw(diagonal)
    low, high = _bounds(k)
    if not t.ndim:
        raise failures.kernel("MatrixDiagV3", "diagonal must be at least 1-dim, received shape: []", None)
    if low == high == 0 and num_rows == num_cols == -1:
        return wrap(torch.diag_embed(t))
    packed = t.unsqueeze(-2) if low == high else t
    widest = packed.shape[-1]
    rows, columns = widest - min(high, 0), widest + max(low, 0)
    if num_rows == num_cols == -1:
        rows = columns = max(rows, columns)
    rows, columns = (rows if num_rows == -1 else num_rows), (columns if num_cols == -1 else num_cols)
    made = torch.full((*packed.shape[:-2], rows, columns), raw(padding_value).item(), dtype=t.dtype)
    return wrap(_written(made, packed, low, high, align))


def _written(matrix: Any, packed: Any, low: int, high: int, align: str) -> Any:
    rows, columns = matrix.shape[-2:]
    for d in range(low, high + 1):
        length = _length(d, rows, columns)
        start = _shift(d, length, packed.shape[-1], align)
        values = packed[..., high - d, start : start + length]
        matrix = torch.diagonal_scatter(matrix, values, d, -2, -1)
    return matrix


def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The diagonals."""
    t = raw(input)
    low, high = _bounds(k)
    if t.ndim < 2:
        raise failures.kernel("MatrixDiagPartV3", f"input must be at least 2-dim, received shape: {failures.brackets(t.shape)}", None)  # fmt: skip
    if low == high:
        return wrap(t.diagonal(low, -2, -1))
    rows, columns = t.shape[-2:]
    widest = max(_length(d, rows, columns) for d in range(low, high + 1))
    lines = []
    for d in range(high, low - 1, -1):
        values = t.diagonal(d, -2, -1)
        length = values.shape[-1]
        start = _shift(d, length, widest, align)
        sides = [start, widest - length - start]
        lines.append(torch.nn.functional.pad(values, sides, value=raw(padding_value).item()))
    return wrap(torch.stack(lines, -2))


def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """The same matrices with another diagonal."""
    a, b = match("MatrixSetDiagV3", input, diagonal)
    low, high = _bounds(k)
    packed = b.unsqueeze(-2) if low == high else b
    expected = _length(low, *a.shape[-2:]) if low == high else packed.shape[-1]
    if packed.shape[-1] != expected:
        wanted = [*a.shape[:-2], expected]
        raise failures.kernel(
            "MatrixSetDiagV3",
            f"Expected diagonal to have shape {failures.brackets(wanted)}, got {failures.brackets(b.shape)}",
            None,
        )
    return wrap(_written(a, packed, low, high, align))


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


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Zero outside a band round the diagonal; -1 keeps the whole triangle."""
    t = raw(input)
    low, high = int(num_lower), int(num_upper)
    if low >= 0:
        t = torch.triu(t, -low)
    return wrap(torch.tril(t, high) if high >= 0 else t)


def trace(x: Any, name: str | None = None) -> Tensor:
    """Sum of the diagonal."""
    t = raw(x)
    if t.ndim < 2:
        raise failures.kernel("MatrixDiagPartV3", f"input must be at least 2-dim, received shape: {failures.brackets(t.shape)}", None)  # fmt: skip
    return wrap(t.diagonal(dim1=-2, dim2=-1).sum(-1, dtype=t.dtype))


def tridiagonals(diagonals: Any, form: str) -> tuple[Any, Any, Any]:
    """The three diagonals of equal length: above, main, below; the first of `below` and the last of `above` mean nothing."""
    if form == "sequence":
        above, main, below = (to_torch(d) for d in diagonals)
        size = main.shape[-1]
        if above.shape[-1] == size - 1:
            above = torch.nn.functional.pad(above, [0, 1])
        if below.shape[-1] == size - 1:
            below = torch.nn.functional.pad(below, [1, 0])
        return above, main, below
    t = raw(diagonals)
    if form == "compact":
        above, main, below = t.unbind(-2)
        return above, main, below
    if form != "matrix":
        raise ValueError(f"Expected diagonals_format to be one of 'matrix', 'sequence' or 'compact', got {form!r}")
    above = torch.nn.functional.pad(t.diagonal(1, -2, -1), [0, 1])
    return above, t.diagonal(0, -2, -1), torch.nn.functional.pad(t.diagonal(-1, -2, -1), [1, 0])


def tridiagonal_dense(above: Any, main: Any, below: Any) -> Any:
    return torch.diag_embed(main) + torch.diag_embed(above[..., :-1], 1) + torch.diag_embed(below[..., 1:], -1)
