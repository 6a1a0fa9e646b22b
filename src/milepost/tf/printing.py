"""Values as TensorFlow's kernels write them: `tf.print`, `tf.strings.format`, `tf.Assert`. In: tensors and whatever stands beside them. Out: text.

Not the text of `print(tensor)` and `repr`, which is numpy's and lives in tensor.py.
"""

from __future__ import annotations

import pprint
from typing import Any

import numpy as np

from milepost.tf.convert import raw
from milepost.tf.structure import flatten, is_nested, map_structure
from milepost.tf.tensor import Tensor, host

__all__ = ["line", "shown"]

_MARK = "\x00\x01"  # stands for a tensor in a container while Python lays the container out
_ESCAPES = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("'"): "\\'", ord("\\"): "\\\\"}


class _Marked:
    def __repr__(self) -> str:
        return _MARK


class _Dots:
    """What was left out."""


def _cell(v: Any) -> str:
    if isinstance(v, bytes):
        return f'"{_escaped(v)}"'
    if isinstance(v, (bool, np.bool_)):
        return str(int(v))
    if isinstance(v, (float, np.floating)):
        short, full = (15, 17) if isinstance(v, np.float64) else (6, 9)
        text = f"{float(v):.{short}g}"
        return text if v != v or type(v)(text) == v else f"{float(v):.{full}g}"
    return "..." if isinstance(v, _Dots) else str(v)


def _escaped(b: bytes) -> str:
    made = "".join(_ESCAPES.get(c) or (chr(c) if c >= 32 and c != 127 else f"\\{c:03o}") for c in b)
    return made.encode("latin-1").decode("utf-8", "surrogateescape")


def _rows(part: Any, depth: int, count: int) -> str:
    if not isinstance(part, np.ndarray):
        return _cell(part)
    listed: list[Any] = list(part)
    if count >= 0 and len(listed) > 2 * count:
        listed = [*listed[:count], _Dots(), *listed[len(listed) - count :]]
    between = " " if part.ndim == 1 else "\n" * (part.ndim - 1) + " " * (depth + 1)
    made = ""
    for place, item in enumerate(listed):
        gap = between
        if part.ndim > 1 and (isinstance(item, _Dots) or (place and isinstance(listed[place - 1], _Dots))):
            gap = "\n" + " " * (depth + 1)
        made += (gap if place else "") + _rows(item, depth + 1, count)
    return f"[{made}]"


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "read_value") or hasattr(value, "_value")


def shown(value: Any, summarize: int = 3) -> str:
    """One value, long dimensions shortened to `summarize` elements at each end."""
    if hasattr(value, "nested_row_splits"):
        return repr(_plain(value.to_list()))
    if hasattr(value, "dense_shape") and hasattr(value, "indices"):
        parts = (shown(p, summarize) for p in (value.indices, value.values, value.dense_shape))
        return repr("SparseTensor(indices={}, values={}, shape={})".format(*parts))
    if not _is_tensor(value):
        return value if isinstance(value, str) else repr(value)
    array = host(raw(value))
    if array.dtype.kind == "c":
        return "?" if not array.ndim else "[" + " ".join("?" * min(array.size, 2 * summarize)) + "]"
    if array.dtype == np.float16 or array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    return _rows(array if array.ndim else array[()], 0, summarize)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def line(inputs: Any, summarize: int, separator: str) -> str:
    """What `tf.print` writes: strings bare, containers as Python writes them with tensors inside."""
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and not inputs[0].ndim and type(inputs[0]._t) is np.ndarray:
        return bytes(inputs[0]._t[()]).decode("utf-8", "surrogateescape")
    return separator.join(_one(value, summarize) for value in inputs)


def _one(value: Any, summarize: int) -> str:
    if not is_nested(value) or type(value).__name__ == "TensorShape":
        return shown(value, summarize)
    marked = map_structure(lambda v: _Marked() if _is_special(v) else v, value)
    texts = [shown(v, summarize) for v in flatten(value) if _is_special(v)]
    parts = pprint.pformat(marked, sort_dicts=True).split(_MARK)
    return parts[0] + "".join(text + rest for text, rest in zip(texts, parts[1:], strict=True))


def _is_special(value: Any) -> bool:
    return _is_tensor(value) or hasattr(type(value), "_answer")
