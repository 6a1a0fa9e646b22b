"""`tf.strings`: byte strings element by element. In: string tensors (or text). Out: tensors. Ragged results are padded or refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from milepost.tf import dtypes, failures
from milepost.tf.convert import raw, to_torch
from milepost.tf.dtypes import as_dtype
from milepost.tf.tensor import Tensor, host, wrap

__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "reduce_join", "regex_full_match", "regex_replace", "split", "strip", "substr",
    "to_hash_bucket", "to_hash_bucket_fast", "to_number", "unicode_decode", "upper",
]  # fmt: skip


def _text(value: Any) -> Any:
    t = raw(value)
    if type(t) is not np.ndarray:
        raise TypeError(f"Expected a tensor of strings, got {dtypes.of_torch(t.dtype).name}.")
    return t


def _each(value: Any, function: Callable[[bytes], Any]) -> Tensor:
    t = _text(value)
    made = np.empty(t.size, dtype=object)
    made[:] = [function(v) for v in t.reshape(-1).tolist()]
    return wrap(made.reshape(t.shape))


def _numbers(value: Any, function: Callable[[bytes], Any], dtype: Any) -> Tensor:
    t = _text(value)
    return wrap(torch.tensor([function(v) for v in t.reshape(-1).tolist()], dtype=dtype).reshape(t.shape))


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """How long each is, in bytes or in characters (`UTF8_CHAR`)."""
    return _numbers(input, lambda b: len(b) if unit == "BYTE" else len(b.decode("utf-8", "replace")), torch.int32)


def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Small letters."""
    return _each(input, lambda b: b.decode().lower().encode() if encoding else b.lower())


def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Capital letters."""
    return _each(input, lambda b: b.decode().upper().encode() if encoding else b.upper())


def strip(input: Any, name: str | None = None) -> Tensor:
    """Without white space at the ends."""
    return _each(input, bytes.strip)


def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """Put together, element by element."""
    parts = np.broadcast_arrays(*[_text(v) for v in inputs])
    between = separator.encode() if isinstance(separator, str) else bytes(_text(separator)[()])
    flat = [p.reshape(-1).tolist() for p in parts]
    made = np.empty(parts[0].size, dtype=object)
    made[:] = [between.join(row) for row in zip(*flat, strict=True)]
    return wrap(made.reshape(parts[0].shape))


def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Tensor:
    """All along an axis put together."""
    t = _text(inputs)
    if axis is None:
        made = np.array(separator.encode().join(t.reshape(-1).tolist()), dtype=object)
        return wrap(made.reshape([1] * t.ndim) if keepdims else made)
    moved = np.moveaxis(t, int(axis), -1)
    rows = [separator.encode().join(r.tolist()) for r in moved.reshape(-1, moved.shape[-1])]
    made = np.empty(len(rows), dtype=object)
    made[:] = rows
    made = made.reshape(moved.shape[:-1])
    return wrap(np.expand_dims(made, int(axis)) if keepdims else made)


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Tensor:
    """The parts of one string; of several, when all have as many parts."""
    t = _text(input)
    mark = None if sep in (None, "") else (sep.encode() if isinstance(sep, str) else bytes(_text(sep)[()]))
    rows = [v.split(mark, maxsplit) for v in t.reshape(-1).tolist()]
    if not t.ndim:
        return wrap(_column(rows[0]))
    if len({len(r) for r in rows}) > 1:
        raise NotImplementedError(
            "tf.strings.split of strings with different numbers of parts needs ragged tensors, which are not there. Split them one by one."
        )
    return wrap(np.stack([_column(r) for r in rows]).reshape(*t.shape, -1))


def _column(values: list[Any]) -> Any:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def bytes_split(input: Any, name: str | None = None) -> Tensor:
    """The bytes of one string."""
    return wrap(_column([bytes([b]) for b in _text(input)[()]]))


def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The part from pos on, of this length."""
    start, size = int(raw(pos)), int(raw(len))

    def part(b: bytes) -> bytes:
        if unit == "BYTE":
            if not -_size(b) <= start <= _size(b):
                raise failures.kernel("Substr", f"pos {start} out of range for string of length {_size(b)}")
            return b[start : None if start < 0 and start + size >= 0 else start + size]
        text = b.decode()
        return text[start : None if start < 0 and start + size >= 0 else start + size].encode()

    return _each(input, part)


def _size(b: bytes) -> int:
    return b.__len__()


def regex_replace(
    input: Any, pattern: str, rewrite: str, replace_global: bool = True, name: str | None = None
) -> Tensor:
    """What matches, replaced."""
    found = re.compile(pattern.encode())
    return _each(input, lambda b: found.sub(rewrite.encode(), b, count=0 if replace_global else 1))


def regex_full_match(input: Any, pattern: str, name: str | None = None) -> Tensor:
    """Whether the whole string matches."""
    found = re.compile(pattern.encode())
    return _numbers(input, lambda b: found.fullmatch(b) is not None, torch.bool)


def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Text read as numbers."""
    kind = as_dtype(out_type)

    def number(b: bytes) -> Any:
        try:
            return int(b) if kind.is_integer else float(b)
        except ValueError:
            raise failures.InvalidArgumentError(
                f"StringToNumberOp could not correctly convert string: {b.decode('utf-8', 'replace')}"
            ) from None

    return _numbers(input, number, kind.torch)


def as_string(input: Any, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = "", name: str | None = None) -> Tensor:  # fmt: skip
    """Numbers written as text."""
    values = host(to_torch(input))
    if values.dtype == object:
        return wrap(values)

    def written(v: Any) -> bytes:
        if isinstance(v, bool):
            text = "true" if v else "false"
        elif isinstance(v, float):
            digits = 6 if precision < 0 else precision
            text = f"{v:.{digits}e}" if scientific else (f"{v:g}" if shortest else f"{v:.{digits}f}")
        else:
            text = str(v)
        return (text.rjust(width, fill or " ") if width > 0 else text).encode()

    return wrap(_column([written(v) for v in values.reshape(-1).tolist()]).reshape(values.shape))


def format(template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None) -> Tensor:
    """A template with tensors written in."""
    from milepost.tf.execution import _shown

    listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    parts = template.split(placeholder)
    if parts.__len__() != listed.__len__() + 1:
        raise ValueError(
            f"The template expects {parts.__len__() - 1} tensors, but the inputs only has {listed.__len__()}."
        )
    text = parts[0] + "".join(_shown(v) + p for v, p in zip(listed, parts[1:], strict=True))
    return wrap(np.array(text.encode(), dtype=object))


def unicode_decode(input: Any, input_encoding: str = "UTF-8", **_: Any) -> Tensor:
    """The code points of one string."""
    return wrap(torch.tensor([ord(c) for c in _text(input)[()].decode(input_encoding)], dtype=torch.int32))


def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below num_buckets for each string, the same every time (not TensorFlow's own)."""
    import zlib

    return _numbers(input, lambda b: zlib.crc32(b) % int(num_buckets), torch.int64)


to_hash_bucket = to_hash_bucket_fast
