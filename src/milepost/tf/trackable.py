"""What a checkpoint sees of a tf.Module: the variables, modules, layers and containers of them that are its attributes. In: a Module. Out: its children.

Attributes that are set after a restore get their values at once: the module tells whoever waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from milepost.engines.adapter import Adapter, Poke, Undo, detect, register

__all__ = ["ModuleAdapter", "serve"]

_waiting: dict[int, list[Poke]] = {}


def _is_part(value: Any) -> bool:
    """A variable, module, layer, optimizer — something with state an engine knows — or a container of such."""
    if isinstance(value, dict):
        return any(_is_part(v) for v in value.values())
    if isinstance(value, (list, tuple)):
        return any(_is_part(v) for v in value)
    if (
        value is None
        or isinstance(value, (str, bytes, int, float, complex))
        or (callable(value) and not hasattr(value, "variables"))
    ):
        return False
    adapter = detect(value)
    return adapter is not None and (adapter.engine != "plain" or isinstance(adapter, ModuleAdapter))


class ModuleAdapter(Adapter):
    """Answers for tf.Module and its subclasses."""

    engine = "tf"

    def children(self, obj: Any) -> Iterable[tuple[str, Any]]:
        return [
            (name, value) for name, value in vars(obj).items() if name not in ("_name", "_scope") and _is_part(value)
        ]

    def watch(self, obj: Any, poke: Poke) -> Undo | None:
        listeners = _waiting.setdefault(id(obj), [])
        listeners.append(poke)

        def undo() -> None:
            if poke in listeners:
                listeners.remove(poke)
            if not listeners:
                _waiting.pop(id(obj), None)

        return undo


def announce(obj: Any) -> None:
    """An attribute of a module was set."""
    for poke in list(_waiting.get(id(obj), ())):
        poke()


def serve(kind: type) -> None:
    """Let checkpoints see objects of this class."""
    register(kind, ModuleAdapter())
