"""`tf.Module`: an object whose variables and submodules are found through its attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from milepost.tf import convert, trackable

__all__ = ["Module"]


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _members(value: Any, seen: set[int]) -> Iterator[Any]:
    """What stands in a container, however deep."""
    if isinstance(value, (list, tuple, set)):
        for item in value:
            yield from _members(item, seen)
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from _members(value[key], seen)
    else:
        yield value


class Module:
    """Base of objects that own variables: `variables`, `trainable_variables`, `submodules`, `name`."""

    def __init__(self, name: str | None = None):
        if name is not None and not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid class name)."
            )
        from milepost.tf.execution import scope_prefix

        self._name = name or _snake(type(self).__name__)
        self._scope = f"{scope_prefix()}{self._name}/"

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        trackable.announce(self)

    @property
    def name(self) -> str:
        return self._name

    @property
    def name_scope(self) -> Any:
        from milepost.tf.execution import name_scope

        return name_scope(self._scope)

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method that runs in the module's name scope."""
        import functools

        @functools.wraps(method)
        def inside(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return inside

    def _walk(self, wanted: Callable[[Any], bool]) -> tuple[Any, ...]:
        found: list[Any] = []
        seen: set[int] = {id(self)}
        waiting: list[Any] = [self]
        while waiting:
            module = waiting.pop(0)
            below: list[Any] = []
            for key in sorted(vars(module)):
                if key.startswith("_keras") or key in ("_name", "_scope"):
                    continue
                for leaf in _members(vars(module)[key], seen):
                    if id(leaf) in seen:
                        continue
                    if isinstance(leaf, Module):
                        seen.add(id(leaf))
                        below.append(leaf)
                        if wanted(leaf):
                            found.append(leaf)
                    elif isinstance(leaf, convert.variable_types):
                        seen.add(id(leaf))
                        if wanted(leaf):
                            found.append(leaf)
                    elif hasattr(leaf, "trainable_variables") and hasattr(leaf, "variables"):  # a Keras layer or model
                        seen.add(id(leaf))
                        for v in leaf.variables:
                            if id(v) not in seen:
                                seen.add(id(v))
                                if wanted(v):
                                    found.append(v)
            waiting = below + waiting
        return tuple(found)

    @property
    def variables(self) -> tuple[Any, ...]:
        return self._walk(lambda v: isinstance(v, convert.variable_types))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return self._walk(lambda v: isinstance(v, convert.variable_types) and bool(v.trainable))  # type: ignore[attr-defined]

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        return self._walk(lambda v: isinstance(v, convert.variable_types) and not v.trainable)  # type: ignore[attr-defined]

    @property
    def submodules(self) -> tuple[Any, ...]:
        return self._walk(lambda v: isinstance(v, Module))


trackable.serve(Module)
