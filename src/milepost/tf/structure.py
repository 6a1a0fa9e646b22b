"""Nested structures (`tf.nest`): lists, tuples, named tuples, dicts and attrs of values. In: a structure. Out: its leaves, or one like it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_as"]


def is_nested(value: Any) -> bool:
    """Whether it is a list, tuple or dict of values."""
    return isinstance(value, (list, tuple, dict)) or (isinstance(value, Mapping) and not hasattr(value, "shape"))


def _is_shape(value: Any) -> bool:
    return type(value).__name__ == "TensorShape"


def _keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:  # keys of several types
        return sorted(mapping, key=str)


def _walk(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for key in _keys(value):
            yield from _walk(value[key])
    elif isinstance(value, (list, tuple)) and not _is_shape(value):
        for item in value:
            yield from _walk(item)
    else:
        yield value


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves, dicts in the order of their keys; with expand_composites, the tensors a ragged or sparse one is made of."""
    leaves = list(_walk(structure))
    return [part for leaf in leaves for part in _parts(leaf)] if expand_composites else leaves


def _parts(leaf: Any) -> list[Any]:
    if hasattr(leaf, "nested_row_splits"):
        return [leaf.flat_values, *leaf.nested_row_splits]
    return [leaf.indices, leaf.values, leaf.dense_shape] if hasattr(type(leaf), "_answer") else [leaf]


def _whole(like: Any, parts: Iterator[Any]) -> Any:
    """A leaf like this one, of the next tensors."""
    if hasattr(like, "nested_row_splits"):
        flat = next(parts)
        return type(like).from_nested_row_splits(flat, [next(parts) for _ in like.nested_row_splits])
    return type(like)(next(parts), next(parts), next(parts)) if hasattr(type(like), "_answer") else next(parts)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(structure, Mapping):
        made = {key: _pack(structure[key], leaves) for key in _keys(structure)}
        ordered = {key: made[key] for key in structure}
        return ordered if type(structure) is dict else _like(structure, ordered)
    if isinstance(structure, (list, tuple)) and not _is_shape(structure):
        items = [_pack(item, leaves) for item in structure]
        if hasattr(structure, "_fields"):
            return type(structure)(*items)
        return tuple(items) if isinstance(structure, tuple) else items
    return next(leaves)


def _like(structure: Mapping[Any, Any], made: dict[Any, Any]) -> Any:
    if isinstance(structure, defaultdict):
        return defaultdict(structure.default_factory, made)
    try:
        return type(structure)(made)  # type: ignore[call-arg]
    except TypeError:
        return made


def pack_as(structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False) -> Any:
    """The same structure with these leaves."""
    leaves = iter(flat_sequence)
    if expand_composites:
        leaves = iter([_whole(like, leaves) for like in _walk(structure)] + list(leaves))
    made = _pack(structure, leaves)
    if next(leaves, leaves) is not leaves:
        raise ValueError(f"Structure has fewer leaves than the {len(flat_sequence)} given: {structure!r}")
    return made


def map_structure(func: Callable[..., Any], *structure: Any, expand_composites: bool = False, **_: Any) -> Any:
    """func of the leaves that stand at the same place."""
    first = structure[0]
    for other in structure[1:]:
        assert_same_structure(first, other)
    if expand_composites:
        whole = zip(*[flatten(s, True) for s in structure], strict=True)
        return pack_as(first, [func(*leaves) for leaves in whole], True)
    return pack_as(first, [func(*leaves) for leaves in zip(*map(flatten, structure), strict=True)])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """ValueError where they differ, TypeError where only the kinds of their containers do."""
    if is_nested(nest1) != is_nested(nest2):
        raise _differ(ValueError, nest1, nest2, "one is a structure, the other is not")
    if not is_nested(nest1) or _is_shape(nest1):
        return
    if isinstance(nest1, Mapping) != isinstance(nest2, Mapping):
        raise _differ(TypeError, nest1, nest2, "one is a dictionary, the other is not")
    if isinstance(nest1, Mapping):
        if set(nest1) != set(nest2):
            keys = f"{sorted(map(str, nest1))} and {sorted(map(str, nest2))}"
            raise _differ(ValueError, nest1, nest2, f"the two dictionaries don't have the same set of keys: {keys}")
        for key in nest1:
            assert_same_structure(nest1[key], nest2[key], check_types)
        return
    if check_types and not _same_kind(nest1, nest2):
        raise _differ(TypeError, nest1, nest2, f"they have types {type(nest1).__name__} and {type(nest2).__name__}")
    if len(nest1) != len(nest2):
        raise _differ(ValueError, nest1, nest2, f"they have {len(nest1)} and {len(nest2)} elements")
    for a, b in zip(nest1, nest2, strict=True):
        assert_same_structure(a, b, check_types)


def _same_kind(a: Any, b: Any) -> bool:
    named = getattr(type(a), "_fields", None), getattr(type(b), "_fields", None)
    if named != (None, None):
        return named[0] == named[1] and type(a).__name__ == type(b).__name__
    return isinstance(a, list) == isinstance(b, list)


def _differ(kind: type[Exception], a: Any, b: Any, why: str) -> Exception:
    return kind(
        f"The two structures don't have the same nested structure.\n\nFirst structure: type={type(a).__name__} str={a}\n\n"
        f"Second structure: type={type(b).__name__} str={b}\n\nMore specifically: {why}."
    )
