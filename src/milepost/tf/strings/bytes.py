"""Strings as bytes: length, case, joining, cutting, hashing, formatting."""

from __future__ import annotations

import builtins
import functools
from typing import Any

import numpy as np
import torch

from milepost.tf import failures
from milepost.tf.convert import Composite, convert_to_tensor, raw
from milepost.tf.hashes import fingerprint64, murmur64, siphash64
from milepost.tf.printing import shown
from milepost.tf.strings.elements import column, each, number, one, text
from milepost.tf.tensor import host, wrap

__all__ = [
    "format", "join", "length", "lower", "reduce_join", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast",
    "to_hash_bucket_strong", "unsorted_segment_join", "upper",
]  # fmt: skip

_len = builtins.len
_fingerprint = functools.lru_cache(65536)(fingerprint64)  # words come again and again


def _unit(unit: str) -> bool:
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise failures.InvalidArgumentError(f"Value for attr 'unit' of \"{unit}\" is not in the list of allowed values: \"BYTE\", \"UTF8_CHAR\"")  # fmt: skip
    return unit == "UTF8_CHAR"


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """How long each is, in bytes or in characters (`UTF8_CHAR`)."""
    if _unit(unit):  # every byte that does not continue a character starts one
        return number(input, lambda b: sum((c & 0xC0) != 0x80 for c in b), torch.int32)
    return number(input, _len, torch.int32)


def _encoding(encoding: str) -> bool:
    if encoding not in ("", "utf-8"):
        raise failures.InvalidArgumentError(f"only utf8 or '' (no encoding) is supported, received '{encoding}'")
    return bool(encoding)


def lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Small letters; those outside ASCII with encoding='utf-8'."""
    wide = _encoding(encoding)
    return each(input, (lambda b: b.decode(errors="replace").lower().encode()) if wide else bytes.lower)


def upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Capital letters; those outside ASCII with encoding='utf-8'."""
    wide = _encoding(encoding)
    return each(input, (lambda b: b.decode(errors="replace").upper().encode()) if wide else bytes.upper)


def strip(input: Any, name: str | None = None) -> Any:
    """Without white space at the ends."""
    return each(input, bytes.strip)


def join(inputs: Any, separator: Any = "", name: str | None = None) -> Any:
    """Put together, element by element; scalars go with each."""
    try:
        parts = [text(v) for v in inputs]
    except Composite:
        from milepost.tf.ragged.elementwise import apply

        return apply(lambda *flat: join(flat, separator), *inputs)
    shapes = {p.shape for p in parts if p.ndim}
    if _len(shapes) > 1:
        a, b = [p.shape for p in parts if p.ndim][:2]
        raise failures.kernel("StringJoin", f"Input shapes do not match: {failures.brackets(a)} vs. {failures.brackets(b)}")  # fmt: skip
    between = one(separator)
    whole = np.broadcast_arrays(*parts)
    flat = [p.reshape(-1).tolist() for p in whole]
    return wrap(column([between.join(row) for row in zip(*flat, strict=True)]).reshape(whole[0].shape))


def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: Any = "", name: str | None = None
) -> Any:
    """All along axes put together."""
    between = one(separator)
    try:
        t = text(inputs)
    except Composite as found:
        return _joined_rows(found.value, axis, keepdims, between)
    axes = list(range(t.ndim))[::-1] if axis is None else [int(a) for a in np.atleast_1d(raw(axis) if hasattr(axis, "dtype") else axis)]  # fmt: skip
    for a in axes:
        if not -t.ndim <= a < t.ndim:
            raise failures.OutOfRangeError(f"Invalid reduction dimension {a} for input with {t.ndim} dimension(s)")
    axes = [a % t.ndim for a in axes]
    rest = [a for a in range(t.ndim) if a not in axes]
    moved = t.transpose(rest + axes[::-1])  # the first of several axes is joined first
    count = int(np.prod([t.shape[a] for a in axes]))
    kept = [t.shape[a] for a in rest]
    table = moved.reshape(int(np.prod(kept)), count)
    shape = [1 if a in axes else t.shape[a] for a in range(t.ndim)] if keepdims else kept
    return wrap(column([between.join(row) for row in table.tolist()]).reshape(shape))


def _joined_rows(rt: Any, axis: Any, keepdims: bool, between: bytes) -> Any:
    from milepost.tf.ragged.shaping import expand_dims

    if axis is None:
        return reduce_join(rt.flat_values, None, keepdims, between)
    rank = _len(rt.shape)
    a = int(axis if not isinstance(axis, (list, tuple)) else axis[0]) % rank
    if a == 0:
        raise NotImplementedError("tf.strings.reduce_join of a ragged tensor over axis 0 is not there.")

    def over(value: Any, depth: int) -> Any:
        if depth > 1:
            return value.with_values(over(value.values, depth - 1))
        if not hasattr(value, "row_splits") or hasattr(value.values, "row_splits"):
            raise NotImplementedError(
                "tf.strings.reduce_join of a ragged tensor works along its innermost ragged axis."
            )
        return wrap(column([between.join(row) for row in value.to_list()]))

    made = over(rt, a)
    return expand_dims(made, a) if keepdims else made


def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """The part from pos on, of this length; both may be tensors of one number for each string."""
    characters = _unit(unit)
    try:
        t = text(input)
    except Composite as found:
        return found.value.with_flat_values(substr(found.value.flat_values, pos, len, unit))
    starts, sizes = host(raw(pos)), host(raw(len))
    if starts.shape != sizes.shape:
        raise failures.kernel("Substr", f"pos and len should have the same shape, got: {failures.brackets(starts.shape)} vs. {failures.brackets(sizes.shape)}")  # fmt: skip
    try:
        whole, first, count = np.broadcast_arrays(t, starts, sizes)
    except ValueError:
        raise failures.shapes_differ("Substr", t.shape, starts.shape) from None
    triples = zip(whole.reshape(-1).tolist(), first.reshape(-1).tolist(), count.reshape(-1).tolist(), strict=True)
    made = [_part(b, at, n, place, characters) for place, (b, at, n) in enumerate(triples)]
    return wrap(column(made).reshape(whole.shape))


def _part(b: bytes, at: int, count: int, place: int, characters: bool) -> bytes:
    whole: Any = b.decode("utf-8", "surrogateescape") if characters else b
    size = _len(whole)
    if not -size <= at <= size:
        raise failures.kernel(
            "Substr", f"pos {at} out of range for string b'{b.decode(errors='replace')}' at index {place}"
        )
    start = at if at >= 0 else at + size
    found: Any = whole[start:] if count < 0 else whole[start : start + count]
    return bytes(found.encode("utf-8", "surrogateescape") if characters else found)


def _buckets(num_buckets: Any) -> int:
    count = int(num_buckets)
    if count < 1:
        raise failures.InvalidArgumentError(f"Value for attr 'num_buckets' of {count} must be at least minimum 1")
    return count


def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """A number below num_buckets for each string: FarmHash's fingerprint, as in TensorFlow."""
    count = _buckets(num_buckets)
    return number(input, lambda b: _fingerprint(b) % count, torch.int64)


def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """A number below num_buckets for each string: the older hash of TensorFlow."""
    count = _buckets(num_buckets)
    return number(input, lambda b: murmur64(b) % count, torch.int64)


def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Any:
    """A number below num_buckets for each string that cannot be guessed without the key: SipHash."""
    count = _buckets(num_buckets)
    if _len(key) != 2:
        raise failures.InvalidArgumentError(f"Key must have 2 elements, got {_len(key)}.")
    pair = (int(key[0]), int(key[1]))
    return number(input, lambda b: siphash64(pair, b) % count, torch.int64)


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Any:
    """The strings of each id put together."""
    t, ids = text(inputs), host(raw(segment_ids))
    if t.shape[: ids.ndim] != ids.shape:
        raise failures.kernel("UnsortedSegmentJoin", "segment_ids shape must be a prefix of the shape of inputs")
    tail = t.shape[ids.ndim :]
    made: list[list[list[bytes]]] = [[[] for _ in range(int(np.prod(tail)))] for _ in range(int(num_segments))]
    for row, segment in zip(t.reshape(ids.size, -1).tolist(), ids.reshape(-1).tolist(), strict=True):
        if segment >= int(num_segments):
            raise failures.kernel("UnsortedSegmentJoin", f"Segment id {segment} out of range [0, {int(num_segments)})")
        if segment >= 0:
            for held, value in zip(made[segment], row, strict=True):
                held.append(value)
    joined = [separator.encode().join(cell) for row in made for cell in row]
    return wrap(column(joined).reshape(int(num_segments), *tail))


def format(
    template: str | Any, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Any:
    """A template with tensors written in, long ones shortened to their ends."""
    listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    parts = (template if isinstance(template, str) else one(template).decode()).split(placeholder)
    if _len(parts) != _len(listed) + 1:
        raise ValueError(
            f"The template expects {_len(parts) - 1} tensors, but the inputs only has {_len(listed)}. "
            "Please ensure the number of placeholders in template matches inputs length."
        )
    made = parts[0] + "".join(
        shown(convert_to_tensor(v), summarize) + p for v, p in zip(listed, parts[1:], strict=True)
    )
    return wrap(np.array(made.encode("utf-8", "surrogateescape"), dtype=object))
