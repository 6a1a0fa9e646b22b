"""A tensor on its way between two files. In: names as each format spells them. Out: Tensor: a path, what it is, and how to read it.

A path is the names from the root. TensorBundle and HDF5 write it with "/", torch and safetensors with ".". Not here: files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from milepost.formats.objectgraph import escape, unescape

__all__ = ["LeftOut", "Tensor", "dotted", "renamed", "slashed", "undotted", "unslashed"]


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of the source; `read` gives its bytes as an array (raw integers for a dtype numpy lacks)."""

    path: tuple[str, ...]
    dtype: str
    shape: tuple[int, ...]
    read: Callable[[], np.ndarray[Any, Any]]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A value that the target format has no place for, and why."""

    name: str
    why: str


def slashed(path: tuple[str, ...]) -> str:
    """The path as a checkpoint spells it."""
    return "/".join(escape(part) for part in path)


def unslashed(name: str) -> tuple[str, ...]:
    return tuple(unescape(part) for part in name.split("/"))


def dotted(path: tuple[str, ...]) -> str:
    """The path as torch spells it: with dots, unless a part has dots or slashes of its own."""
    plain = all(part and "." not in part and "/" not in part for part in path)
    return ".".join(path) if plain else slashed(path)


def undotted(name: str) -> tuple[str, ...]:
    return unslashed(name) if "/" in name else tuple(name.split("."))


def renamed(tensor: Tensor, rules: list[tuple[str, str]]) -> Tensor:
    """Apply the first rule whose old prefix (whole parts) the path begins with."""
    name = slashed(tensor.path)
    for old, new in rules:
        if name == old or name.startswith(old + "/") or not old:
            rest = name[len(old) :].lstrip("/")
            return replace(tensor, path=unslashed("/".join(part for part in (new, rest) if part)))
    return tensor
