"""Tensors joined and cut apart: concat, stack, unstack, split. In: several tensors, or one. Out: one, or several."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import failures
from milepost.tf.arithmetic import common
from milepost.tf.convert import owned as raw  # a view of a variable must not change with it
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, wrap


def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Joined end to end along an axis they have."""
    if not isinstance(values, (list, tuple)):
        return wrap(raw(values))
    parts = common("ConcatV2", values)
    a = int(axis)
    first = parts[0] if parts else None
    if type(first) is np.ndarray and first.ndim:
        return wrap(np.concatenate(parts, a))
    try:
        return wrap(torch.cat(parts, a))
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        raise _not_joined(parts, a, error) from None


def _not_joined(parts: list[Any], a: int, error: Exception) -> Exception:
    """Why these cannot be joined, in TensorFlow's words."""

    def said(sentence: str) -> Exception:
        return failures.kernel("ConcatV2", f"ConcatOp : {sentence}", "concat", f"_N_{len(parts)}")

    if not parts:
        return said("Expected at least one tensor to join, got none")
    first = parts[0]
    if first.ndim == 0:
        return said("Can't concatenate scalars (use tf.stack instead)")
    if not -first.ndim <= a < first.ndim:
        return said(f"Expected concatenating dimensions in the range [{-first.ndim}, {first.ndim}), but got {a}")
    for i, t in enumerate(parts[1:], 1):
        shapes = f"shape[0] = {failures.brackets(first.shape)} vs. shape[{i}] = {failures.brackets(t.shape)}"
        if t.ndim != first.ndim:
            return said(f"Ranks of all input tensors should match: {shapes}")
        for d in range(first.ndim):
            if d != a % first.ndim and t.shape[d] != first.shape[d]:
                return said(f"Dimension {d} in both shapes must be equal: {shapes}")
    return said(str(error).split("\n")[0])


def stack(values: Any, axis: Any = 0, name: str = "stack") -> Tensor:
    """Put together along a new axis."""
    parts = common("Pack", list(values))
    if not parts:
        return wrap(torch.zeros((0,)))
    a, rank = int(axis), parts[0].ndim
    for i, t in enumerate(parts):
        if tuple(t.shape) != tuple(parts[0].shape):
            raise failures.kernel(
                "Pack",
                f"Shapes of all inputs must match: values[0].shape = {failures.brackets(parts[0].shape)} != "
                f"values[{i}].shape = {failures.brackets(t.shape)}",
                "stack",
                f"_N_{len(parts)}",
            )
    if not -rank - 1 <= a <= rank:
        raise ValueError(f"Argument `axis` = {a} not in range [{-rank - 1}, {rank + 1})")
    return wrap(np.stack(parts, a) if type(parts[0]) is np.ndarray else torch.stack(parts, a))


def unstack(value: Any, num: Any = None, axis: Any = 0, name: str = "unstack") -> list[Tensor]:
    """Taken apart along an axis, which disappears."""
    t, a = raw(value), int(axis)
    if not -t.ndim <= a < t.ndim:
        raise ValueError(f"Argument `axis` = {a} not in range [{-t.ndim}, {t.ndim})")
    if num is not None and int(num) != t.shape[a]:
        raise failures.kernel(
            "Unpack",
            f"Input shape axis {a % t.ndim} must equal {int(num)}, got shape {failures.brackets(t.shape)}",
            None,
            f"_num_{int(num)}",
        )
    if type(t) is np.ndarray:
        return [wrap(np.asarray(p, object)) for p in np.moveaxis(t, a, 0)]
    return [wrap(p) for p in t.unbind(a)]


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split") -> list[Tensor]:
    """Cut into equal parts (a number) or parts of given sizes (a list)."""
    t, a = raw(value), int(axis)
    wanted = num_or_size_splits
    if not -t.ndim <= a < t.ndim:
        raise failures.kernel(
            "Split",
            f"-input rank(-{t.ndim}) <= split_dim < input rank ({t.ndim}), but got {a}",
            "split",
            f"_num_split_{wanted}",
        )
    total = t.shape[a]
    if isinstance(wanted, int) or (not isinstance(wanted, (list, tuple)) and raw(wanted).ndim == 0):
        n = int(wanted)
        if total % n:
            raise failures.kernel(
                "Split",
                f"Number of ways to split should evenly divide the split dimension, but got split_dim {a % t.ndim} (size = {total}) and num_split {n}",
                "split",
                f"_num_split_{n}",
            )
        if type(t) is np.ndarray:
            return [wrap(p) for p in np.split(t, n, a)]
        return [wrap(p) for p in t.split(max(total // n, 1), a)] if total else [wrap(t) for _ in range(n)]
    sizes = list(as_dims(wanted))
    if sizes.count(-1) > 1:
        raise failures.kernel("SplitV", "There can only be one -1 in the input.", "split", f"_num_split_{len(sizes)}")
    if -1 in sizes:
        sizes[sizes.index(-1)] = total - sum(s for s in sizes if s != -1)
    if sum(sizes) != total:
        raise failures.kernel(
            "SplitV",
            f"Determined shape must either match input shape along split_dim exactly if fully specified: {sizes} vs. {total}",
        )
    if type(t) is np.ndarray:
        return [wrap(p) for p in np.split(t, np.cumsum(sizes)[:-1], a)]
    return [wrap(p) for p in t.split(sizes, a)]


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """`stack` along the first axis, in graphs only."""
    raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
