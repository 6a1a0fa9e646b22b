"""Connectionist temporal classification: the loss, and decoders. In: logits [time, batch, classes]. Out: losses, or sparse label sequences."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as fn

from milepost.tf.convert import raw
from milepost.tf.tensor import Tensor, wrap

_NEVER = -math.inf


def ctc_loss(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True, unique: Any = None,
    blank_index: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """-log of the probability that the logits spell the labels, whatever the pace."""
    from milepost.tf.sparse import SparseTensor, to_dense

    x = raw(logits)
    x = x if logits_time_major else x.transpose(0, 1)
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
        lengths = torch.bincount(raw(labels.indices)[:, 0].long(), minlength=x.shape[1])
        labels = to_dense(labels)
    else:
        lengths = raw(label_length).long()
    blank = (0 if blank_index is None else int(blank_index)) % x.shape[2]
    chances = torch.log_softmax(x, -1)
    return wrap(fn.ctc_loss(chances, raw(labels).long(), raw(logit_length).long(), lengths, blank, reduction="none"))


def _sparse(paths: list[list[int]]) -> Any:
    """Sequences of different lengths as one sparse matrix."""
    from milepost.tf.sparse import SparseTensor

    where = [[row, i] for row, path in enumerate(paths) for i in range(len(path))]
    widest = max((len(path) for path in paths), default=0)
    indices = torch.tensor(where, dtype=torch.int64).reshape(-1, 2)
    values = torch.tensor([label for path in paths for label in path], dtype=torch.int64)
    return SparseTensor(wrap(indices), wrap(values), wrap(torch.tensor([len(paths), widest])))


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[Any], Tensor]:
    """The most likely class at each step, repeats merged and blanks left out; and minus the sum of their logits."""
    x = raw(inputs)
    blank = (x.shape[2] - 1 if blank_index is None else int(blank_index)) % x.shape[2]
    best = x.max(-1)
    paths, scores = [], []
    for row, length in enumerate(raw(sequence_length).tolist()):
        path: list[int] = []
        before = -1
        for label in best.indices[:length, row].tolist():
            if label != blank and not (merge_repeated and label == before):
                path.append(label)
            before = label
        paths.append(path)
        scores.append(-best.values[:length, row].sum())
    return [_sparse(paths)], wrap(torch.stack(scores).reshape(-1, 1))


def _added(a: float, b: float) -> float:
    if a == _NEVER or b == _NEVER:
        return max(a, b)
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def _beams(chances: list[list[float]], width: int) -> list[tuple[tuple[int, ...], float]]:
    """The likeliest label sequences: each keeps the chance of ending in a blank and of ending in its last label."""
    blank = len(chances[0]) - 1 if chances else 0
    beams: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, _NEVER)}
    for step in chances:
        grown: dict[tuple[int, ...], tuple[float, float]] = {}
        for path, (in_blank, in_label) in beams.items():
            both = _added(in_blank, in_label)
            b, n = grown.get(path, (_NEVER, _NEVER))
            grown[path] = (_added(b, both + step[blank]), _added(n, in_label + step[path[-1]]) if path else n)
            for label in range(blank):
                longer = (*path, label)
                b, n = grown.get(longer, (_NEVER, _NEVER))
                grown[longer] = (b, _added(n, (in_blank if path and path[-1] == label else both) + step[label]))
        beams = dict(sorted(grown.items(), key=lambda item: -_added(*item[1]))[:width])
    return [(path, _added(*chance)) for path, chance in beams.items()]


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[Any], Tensor]:
    """The likeliest label sequences, and the logarithms of their probabilities."""
    chances = torch.log_softmax(raw(inputs).double(), -1)
    found = [
        _beams(chances[:length, row].tolist(), int(beam_width))
        for row, length in enumerate(raw(sequence_length).tolist())
    ]
    decoded = [_sparse([list(beams[k][0]) for beams in found]) for k in range(int(top_paths))]
    scores = torch.tensor([[beams[k][1] for k in range(int(top_paths))] for beams in found], dtype=raw(inputs).dtype)
    return decoded, wrap(scores)


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Labels with repeats taken out, and the new lengths."""
    t = raw(labels)
    rows = []
    for row, length in zip(t.tolist(), raw(seq_length).tolist(), strict=True):
        rows.append([v for i, v in enumerate(row[:length]) if i == 0 or v != row[i - 1]])
    widest = max((len(r) for r in rows), default=0)
    made = torch.tensor([r + [0] * (widest - len(r)) for r in rows], dtype=t.dtype).reshape(len(rows), widest)
    return wrap(made), wrap(torch.tensor([len(r) for r in rows], dtype=raw(seq_length).dtype))
