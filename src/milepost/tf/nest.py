"""`tf.nest`: `structure` with TensorFlow's checks of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from milepost.tf import structure as own
from milepost.tf.structure import assert_same_structure, flatten, is_nested

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """func of the leaves that stand at the same place, in the structure of the first."""
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for name in kwargs:
        if name not in ("check_types", "expand_composites"):
            raise ValueError(f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{name}`")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, kwargs.get("check_types", True))
    composites = bool(kwargs.get("expand_composites", False))
    leaves = zip(*[flatten(s, composites) for s in structure], strict=True)
    return own.pack_as(structure[0], [func(*some) for some in leaves], composites)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """The same structure with these leaves."""
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found incompatible type `{type(flat_sequence)}` instead."
        )
    wanted = len(flatten(structure, expand_composites))
    if wanted != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had {len(flat_sequence)} items.  "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return own.pack_as(structure, flat_sequence, expand_composites)
