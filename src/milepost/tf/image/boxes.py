"""Boxes in images: parts cut out and resized, boxes drawn, overlapping ones left out; patches. Boxes are [y1, x1, y2, x2], in parts of the image."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from milepost.tf import failures
from milepost.tf.arithmetic import match
from milepost.tf.convert import raw
from milepost.tf.convolutions import padded, spread_of
from milepost.tf.shapes import as_dims
from milepost.tf.tensor import Tensor, host, wrap

__all__ = [
    "combined_non_max_suppression", "crop_and_resize", "draw_bounding_boxes", "extract_patches", "non_max_suppression",
    "non_max_suppression_overlaps", "non_max_suppression_padded", "non_max_suppression_with_scores",
]  # fmt: skip


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Tensor:
    """Every window of an image, its values in the last dimension."""
    t = raw(images)
    if t.ndim != 4:
        raise failures.kernel("ExtractImagePatches", f"input must be 4-dimensional{failures.brackets(t.shape)}", None)
    size, step, spread = (spread_of(v, 2) for v in (sizes, strides, rates))
    wide = padded(t.movedim(-1, 1), padding, size, step, spread).movedim(1, -1)
    height, width = ((wide.shape[1 + i] - (size[i] - 1) * spread[i] - 1) // step[i] + 1 for i in range(2))
    parts = []
    for y in range(size[0]):
        for x in range(size[1]):
            rows = slice(y * spread[0], y * spread[0] + (height - 1) * step[0] + 1, step[0])
            columns = slice(x * spread[1], x * spread[1] + (width - 1) * step[1] + 1, step[1])
            parts.append(wide[:, rows, columns])
    return wrap(torch.cat(parts, -1))


def crop_and_resize(
    image: Any, boxes: Any, box_indices: Any, crop_size: Any, method: str = "bilinear", extrapolation_value: float = 0.0, name: str | None = None
) -> Tensor:  # fmt: skip
    """Each box of its image, in one size; what lies outside has the extrapolation value."""
    t, where, which = raw(image).float(), raw(boxes).float(), raw(box_indices).long()
    if method not in ("bilinear", "nearest"):
        raise failures.InvalidArgumentError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    if which.numel() and (int(which.min()) < 0 or int(which.max()) >= t.shape[0]):
        raise failures.kernel("CropAndResize", f"box_index has values outside [0, {t.shape[0]})")
    (height, width), (h, w) = as_dims(crop_size), t.shape[1:3]

    def places(first: Any, last: Any, count: int, size: int) -> Any:
        """[boxes, count]: where each new pixel lies in the old image."""
        if count == 1:
            return (0.5 * (first + last) * (size - 1)).unsqueeze(1)
        step = (last - first) * (size - 1) / (count - 1)
        return first.unsqueeze(1) * (size - 1) + torch.arange(count) * step.unsqueeze(1)

    y, x = places(where[:, 0], where[:, 2], height, h), places(where[:, 1], where[:, 3], width, w)
    inside = ((y >= 0) & (y <= h - 1)).unsqueeze(2) & ((x >= 0) & (x <= w - 1)).unsqueeze(1)

    def at(rows: Any, columns: Any) -> Any:
        r, c = rows.long().clamp(0, h - 1), columns.long().clamp(0, w - 1)
        return t[which.reshape(-1, 1, 1), r.unsqueeze(2), c.unsqueeze(1)]

    if method == "nearest":
        made = at((y + 0.5).floor(), (x + 0.5).floor())
    else:
        top, left = y.floor(), x.floor()
        dy, dx = (y - top).unsqueeze(2).unsqueeze(3), (x - left).unsqueeze(1).unsqueeze(3)
        upper = at(top, left) + (at(top, x.ceil()) - at(top, left)) * dx
        lower = at(y.ceil(), left) + (at(y.ceil(), x.ceil()) - at(y.ceil(), left)) * dx
        made = upper + (lower - upper) * dy
    return wrap(torch.where(inside.unsqueeze(3), made, torch.tensor(float(extrapolation_value))))


_COLOURS = [
    [1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1], [0.5, 0.5, 0, 1], [0.5, 0, 0, 1], [0, 0, 0.5, 1], [0, 1, 1, 1],
    [1, 0, 1, 1],
]  # fmt: skip


def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Lines of one pixel round each box, in colours that come again."""
    t, where = raw(images).clone(), raw(boxes)
    palette = torch.tensor(_COLOURS) if colors is None or raw(colors).numel() == 0 else raw(colors).float()
    n, h, w, depth = t.shape
    if depth == 1:
        palette = torch.ones_like(palette)
    for i in range(n):
        for j, (y1, x1, y2, x2) in enumerate(where[i].tolist()):
            top, bottom, left, right = int(y1 * (h - 1)), int(y2 * (h - 1)), int(x1 * (w - 1)), int(x2 * (w - 1))
            if top > bottom or left > right or top >= h or bottom < 0 or left >= w or right < 0:
                continue
            ink = palette[j % len(palette)][:depth].to(t.dtype)
            rows, columns = slice(max(top, 0), min(bottom, h - 1) + 1), slice(max(left, 0), min(right, w - 1) + 1)
            for row in (top, bottom):
                if 0 <= row < h:
                    t[i, row, columns] = ink
            for column in (left, right):
                if 0 <= column < w:
                    t[i, rows, column] = ink
    return wrap(t)


def _overlaps(box: Any, others: Any) -> Any:
    """Intersection over union of one box with others."""

    def corners(b: Any) -> tuple[Any, ...]:
        return (
            *(np.minimum(b[..., i], b[..., i + 2]) for i in (0, 1)),
            *(np.maximum(b[..., i], b[..., i + 2]) for i in (0, 1)),
        )

    y1, x1, y2, x2 = corners(box)
    v1, u1, v2, u2 = corners(others)
    shared = np.maximum(np.minimum(y2, v2) - np.maximum(y1, v1), 0) * np.maximum(
        np.minimum(x2, u2) - np.maximum(x1, u1), 0
    )
    areas = (y2 - y1) * (x2 - x1), (v2 - v1) * (u2 - u1)
    union = areas[0] + areas[1] - shared
    return np.where((areas[0] <= 0) | (areas[1] <= 0) | (union <= 0), 0.0, shared / np.where(union == 0, 1, union))


def _kept(likeness: Any, scores: Any, most: int, limit: float, least: float, sigma: float) -> tuple[list[int], list[float]]:  # fmt: skip
    """The best of those that do not overlap one that is better; with sigma, overlapping ones only lose score."""
    scores = scores.astype(np.float64).copy()
    waiting = scores > least
    chosen: list[int] = []
    values: list[float] = []
    while len(chosen) < most and waiting.any():
        best = int(np.argmax(np.where(waiting, scores, -np.inf)))
        chosen.append(best)
        values.append(float(scores[best]))
        waiting[best] = False
        rest = np.nonzero(waiting)[0]
        if len(rest):
            alike = likeness(best, rest)
            if sigma > 0:
                scores[rest] *= np.exp(-0.5 / sigma * alike**2)
                waiting[rest] = scores[rest] > least
            else:
                waiting[rest] = alike <= limit
    return chosen, values


def _suppressed(boxes: Any, scores: Any, most: Any, limit: Any, least: Any, sigma: float = 0.0) -> Any:
    places, numbers = match("NonMaxSuppression", boxes, scores)
    b, s = host(places).astype(np.float64), host(numbers)
    if b.ndim != 2 or b.shape[1] != 4 or s.shape != b.shape[:1]:
        raise failures.kernel(
            "NonMaxSuppressionV3",
            f"boxes must be [n, 4] and scores [n], got {failures.brackets(b.shape)}, {failures.brackets(s.shape)}",
        )
    if not 0 <= float(limit) <= 1:
        raise failures.kernel("NonMaxSuppressionV3", "iou_threshold must be in [0, 1]")
    return _kept(lambda i, rest: _overlaps(b[i], b[rest]), s, int(most), float(limit), float(least), sigma)


def non_max_suppression(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"), name: str | None = None
) -> Tensor:  # fmt: skip
    """Which boxes stay: the best of those that overlap."""
    chosen, _ = _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold)
    return wrap(torch.tensor(chosen, dtype=torch.int32))


def non_max_suppression_with_scores(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"), soft_nms_sigma: float = 0.0, name: str | None = None
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The same with their scores; with soft_nms_sigma overlapping boxes lose score instead of being left out."""
    chosen, values = _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold, float(soft_nms_sigma))
    return wrap(torch.tensor(chosen, dtype=torch.int32)), wrap(torch.tensor(values, dtype=raw(scores).dtype))


def non_max_suppression_padded(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"), pad_to_max_output_size: bool = False,
    name: str | None = None, sorted_input: bool = False, canonicalized_coordinates: bool = False, tile_size: int = 512,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The same, filled up with zeros, and how many there are."""
    if raw(boxes).ndim != 2:
        raise NotImplementedError("Batches of boxes are not there: call it for each image.")
    chosen, _ = _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold)
    count = len(chosen)
    filled = chosen + [0] * (int(max_output_size) - count) if pad_to_max_output_size else chosen
    return wrap(torch.tensor(filled, dtype=torch.int32)), wrap(torch.tensor(count, dtype=torch.int32))


def non_max_suppression_overlaps(
    overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any = 0.5, score_threshold: Any = float("-inf"), name: str | None = None
) -> Tensor:  # fmt: skip
    """The same with overlaps already known."""
    table, numbers = host(raw(overlaps)), host(raw(scores))
    chosen, _ = _kept(
        lambda i, rest: table[i, rest],
        numbers,
        int(max_output_size),
        float(overlap_threshold),
        float(score_threshold),
        0.0,
    )
    return wrap(torch.tensor(chosen, dtype=torch.int32))


class CombinedNonMaxSuppression(NamedTuple):
    nmsed_boxes: Any
    nmsed_scores: Any
    nmsed_classes: Any
    valid_detections: Any


def combined_non_max_suppression(
    boxes: Any, scores: Any, max_output_size_per_class: Any, max_total_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    pad_per_class: bool = False, clip_boxes: bool = True, name: str | None = None,
) -> CombinedNonMaxSuppression:  # fmt: skip
    """For each image of a batch the best boxes of every class, the best first."""
    b, s = raw(boxes), raw(scores)
    per_class, total = int(max_output_size_per_class), int(max_total_size)
    size = min(total, per_class * s.shape[2]) if pad_per_class else total
    rows = []
    for image in range(b.shape[0]):
        found: list[tuple[float, int, list[float]]] = []
        for c in range(s.shape[2]):
            own = b[image, :, c if b.shape[2] > 1 else 0]
            chosen, values = _suppressed(wrap(own), wrap(s[image, :, c]), per_class, iou_threshold, score_threshold)
            found += [(value, c, own[i].tolist()) for i, value in zip(chosen, values, strict=True)]
        found.sort(key=lambda item: -item[0])
        rows.append(found[:size])
    places = torch.zeros((len(rows), size, 4))
    numbers, classes = torch.zeros((len(rows), size)), torch.zeros((len(rows), size))
    for i, found in enumerate(rows):
        for j, (value, c, box) in enumerate(found):
            places[i, j], numbers[i, j], classes[i, j] = torch.tensor(box), value, c
    counts = torch.tensor([len(found) for found in rows], dtype=torch.int32)
    made = places.clamp(0, 1) if clip_boxes else places
    return CombinedNonMaxSuppression(wrap(made), wrap(numbers), wrap(classes), wrap(counts))
