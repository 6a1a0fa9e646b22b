"""Blocks of pixels moved between space, depth and batch; patches of volumes. In: images, channels last unless said otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from milepost.tf import failures
from milepost.tf.convert import raw
from milepost.tf.failures import told
from milepost.tf.tensor import Tensor, wrap


@told("SpaceToDepth")
def space_to_depth(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Blocks of pixels become channels."""
    t, b = raw(input), int(block_size)
    if data_format == "NCHW":
        return wrap(space_to_depth(wrap(t.movedim(1, -1)), b)._t.movedim(-1, 1))
    n, h, w, c = t.shape
    if h % b or w % b:
        raise failures.kernel("SpaceToDepth", f"Image width {w} and height {h} should be divisible by block_size: {b}")
    return wrap(t.reshape(n, h // b, b, w // b, b, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h // b, w // b, b * b * c))


@told("DepthToSpace")
def depth_to_space(input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Channels become blocks of pixels."""
    t, b = raw(input), int(block_size)
    if data_format == "NCHW":
        return wrap(depth_to_space(wrap(t.movedim(1, -1)), b)._t.movedim(-1, 1))
    n, h, w, c = t.shape
    if c % (b * b):
        raise failures.kernel("DepthToSpace", f"Input depth dimension {c} should be divisible by: {b * b}")
    return wrap(t.reshape(n, h, w, b, b, c // b // b).permute(0, 1, 3, 2, 4, 5).reshape(n, h * b, w * b, c // b // b))


@told("SpaceToBatchND")
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Blocks of pixels become rows of the batch, after padding."""
    t, blocks = raw(input), raw(block_shape)
    if blocks.ndim != 1:
        raise failures.kernel("SpaceToBatchND", f"block_shape rank should be 1 instead of {blocks.ndim}", None)
    sizes = blocks.tolist()
    sides = [(0, 0), *[tuple(p) for p in raw(paddings).tolist()], *[(0, 0)] * (t.ndim - 1 - len(sizes))]
    flat = [v for pair in reversed(sides) for v in pair]
    t = torch.nn.functional.pad(t, flat)
    n, rest = t.shape[0], t.shape[1 + len(sizes) :]
    for i, b in enumerate(sizes):
        if t.shape[1 + i] % b:
            raise failures.kernel(
                "SpaceToBatchND", f"padded_shape[{i}]={t.shape[1 + i]} is not divisible by block_shape[{i}]={b}", None
            )
    cut = [v for i, b in enumerate(sizes) for v in (t.shape[1 + i] // b, b)]
    t = t.reshape(n, *cut, *rest)
    count = len(sizes)
    inner, outer = [2 + 2 * i for i in range(count)], [1 + 2 * i for i in range(count)]
    t = t.permute(*inner, 0, *outer, *range(1 + 2 * count, t.ndim))
    return wrap(t.reshape(-1, *t.shape[count + 1 :]))


@told("BatchToSpaceND")
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Rows of the batch become blocks of pixels, cut at the sides."""
    t, edges = raw(input), raw(crops).tolist()
    given = raw(block_shape)
    sizes = given.tolist() if given.ndim else [int(given)] * len(edges)
    count, total = len(sizes), int(np.prod(sizes))
    if t.shape[0] % total:
        raise failures.kernel(
            "BatchToSpaceND",
            f"Input batch dimension ({t.shape[0]}) is not divisible by product of block sizes ({total})",
            None,
        )
    t = t.reshape(*sizes, t.shape[0] // total, *t.shape[1:])
    order = [count, *[v for i in range(count) for v in (count + 1 + i, i)], *range(2 * count + 1, t.ndim)]
    t = t.permute(order)
    spread = [t.shape[1 + 2 * i] * t.shape[2 + 2 * i] for i in range(count)]
    t = t.reshape(t.shape[0], *spread, *t.shape[1 + 2 * count :])
    for i, (low, high) in enumerate(edges):
        t = t.narrow(1 + i, low, t.shape[1 + i] - low - high)
    return wrap(t)
