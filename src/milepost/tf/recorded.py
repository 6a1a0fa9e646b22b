"""What a tape's graph holds of a variable stays as it was recorded, whatever is assigned to the variable afterwards.

Two ways. Tapes that are differentiated more than once (persistent ones, several at a time) save variables in boxes, which get a copy just
before the variable is written to. A plain tape saves the parameter itself, without a detour: there the *variable* moves to memory of its own.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

__all__ = ["ASIDE", "BOXES", "captured", "forget", "held_by_graph", "keep", "pop_boxes", "push_boxes", "sever"]

_Parameter = torch.nn.Parameter
BOXES: dict[int, list[Any]] = {}  # id of a parameter -> weak references to the boxes that show it
ASIDE = [False]  # whether any variable of this process ever moved
_captured: dict[int, list[tuple[Any, Any]]] = {}  # id of a parameter -> (weak reference to a Function, its kind)


class _Box:
    """A saved value of a parameter (or of a view of one): the parameter itself until it changes."""

    __slots__ = ("__weakref__", "value")

    def __init__(self, value: Any):
        self.value = value


def _pack(t: Any) -> Any:
    owner = t if isinstance(t, _Parameter) else t._base if t._is_view() else None
    if not isinstance(owner, _Parameter):
        return t
    box, number = _Box(t), id(owner)

    def gone(reference: Any) -> None:
        left = BOXES.get(number)
        if left is not None and reference in left:
            left.remove(reference)
            if not left:
                BOXES.pop(number, None)

    BOXES.setdefault(number, []).append(weakref.ref(box, gone))
    return box


def _unpack(saved: Any) -> Any:
    return saved.value if type(saved) is _Box else saved


def push_boxes() -> None:
    """From here on, what autograd saves of variables can be kept."""
    torch._C._autograd._push_saved_tensors_default_hooks(_pack, _unpack)


def pop_boxes() -> None:
    torch._C._autograd._pop_saved_tensors_default_hooks()


def keep(parameter: Any) -> None:
    """It is about to be written to: the boxes that show it get its present values."""
    boxes = [box for reference in BOXES.pop(id(parameter), ()) if (box := reference()) is not None]
    if not boxes:
        return
    before = torch.is_grad_enabled()
    torch._C._set_grad_enabled(False)
    try:
        copy = parameter.detach().clone(memory_format=torch.preserve_format)
        for box in boxes:
            t = box.value
            offset = t.storage_offset() - parameter.storage_offset()
            box.value = copy if t is parameter else copy.as_strided(t.size(), t.stride(), offset)
    finally:
        torch._C._set_grad_enabled(before)


def held_by_graph(parameter: Any) -> bool:
    """Whether a living graph saved the parameter itself (its gradient's accumulator counts once)."""
    return bool(parameter._use_count() > (2 if parameter.requires_grad else 1))


def sever(leaves: Any) -> None:
    """A tape is spent, but values it computed live on: to later tapes they are constants, whatever they were computed from.

    torch finds a parameter's gradient through an accumulator that all living graphs share. Data of another type, for a moment, makes it
    begin a new one.
    """
    for p in leaves:
        if p is not None and isinstance(p, _Parameter) and p._use_count() > 1 and p.is_floating_point():
            values = p.data
            p.data = _NARROW if p.dtype is torch.float64 else _WIDE
            p.data = values


_WIDE, _NARROW = torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.float32)


def captured(parameter: Any, function: Any, kind: Any) -> None:
    """A recorded tf.function reads and writes this very parameter."""
    _captured.setdefault(id(parameter), []).append((weakref.ref(function), kind))


def forget(parameter: Any) -> None:
    """The variable moved: what was recorded with its old parameter is recorded anew."""
    ASIDE[0] = True
    for reference, kind in _captured.pop(id(parameter), ()):
        function = reference()
        if function is not None:
            function._kinds.pop(kind, None)
