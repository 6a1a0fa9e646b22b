"""Strings cut into pieces, and pieces put together in runs: split, bytes_split, ngrams."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf.strings.elements import column, one, plural, text
from milepost.tf.tensor import wrap

__all__ = ["bytes_split", "ngrams", "split"]


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts between separators (white space by default): a ragged tensor; of one string, a vector."""
    mark = None if sep is None else one(sep)
    return plural(input, lambda b: b.split(mark or None, maxsplit), column)


def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of each string, as strings."""
    return plural(input, lambda b: [b[i : i + 1] for i in range(len(b))], column)


def ngrams(
    data: Any, ngram_width: Any, separator: str = " ", pad_values: Any = None, padding_width: int | None = None,
    preserve_short_sequences: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Runs of ngram_width neighbours along the last axis, joined; of several widths, one after another."""
    from milepost.tf.ragged import RaggedTensor
    from milepost.tf.ragged.partition import from_lengths

    widths = [int(w) for w in ngram_width] if isinstance(ngram_width, (list, tuple)) else [int(ngram_width)]
    if any(w < 1 for w in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if pad_values is None:
        left = right = b""
        pad = 0
    else:
        pair = (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else tuple(pad_values)
        if len(pair) != 2:
            raise ValueError("pad_values must be a string, a tuple of two strings, or None.")
        left, right = one(pair[0]), one(pair[1])
        if padding_width is not None and padding_width < 1:
            raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
        pad = -1 if padding_width is None else padding_width
    between = separator.encode()

    def runs(row: list[bytes]) -> list[bytes]:
        made: list[bytes] = []
        for width in widths:
            more = width - 1 if pad < 0 else min(pad, width - 1)
            padded = [left] * more + row + [right] * more
            made += [between.join(padded[i : i + width]) for i in range(len(padded) - width + 1)]
        if preserve_short_sequences and not made and row:
            more = min(widths) - 1 if pad < 0 else min(pad, min(widths) - 1)
            made.append(between.join([left] * more + row + [right] * more))
        return made

    if isinstance(data, RaggedTensor):
        if isinstance(data.values, RaggedTensor):
            return data.with_values(
                ngrams(data.values, ngram_width, separator, pad_values, padding_width, preserve_short_sequences)
            )
        parts = [runs(row) for row in data.to_list()]
        flat = column([item for part in parts for item in part])
        return RaggedTensor._made(wrap(flat), from_lengths([len(p) for p in parts], data._splits.dtype))
    t = text(data)
    if t.ndim == 0:
        raise ValueError("Data must have rank>0")
    rows = [runs(row) for row in t.reshape(-1, t.shape[-1]).tolist()]
    count = len(rows[0]) if rows else 0
    made = column([item for row in rows for item in row])
    return wrap(np.reshape(made, (*t.shape[:-1], count)))
