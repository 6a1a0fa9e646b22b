"""Looks into torch's graph of recorded operations: which came after a moment, and what its complaints mean to a user of tapes."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["Cut", "explained", "number_of_next"]


def number_of_next() -> int:
    """The number the next recorded operation will get, or a smaller one that none has."""
    with torch.enable_grad():
        probe = torch.zeros((), requires_grad=True) + 0.0
    return int(probe.grad_fn._sequence_nr()) + 1


class Cut:
    """Operations recorded before a moment count as constants, until `undo`; `reached` has the ids of the leaves still reached."""

    def __init__(self, targets: list[Any], since: int):
        self.reached: set[int] = set()
        self._handles: list[Any] = []
        waiting = [t.grad_fn for t in targets if t.grad_fn is not None]
        self.reached.update(id(t) for t in targets if t.grad_fn is None)
        seen: set[Any] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            leaf = getattr(node, "variable", None)
            if leaf is not None:
                self.reached.add(id(leaf))
            elif node._sequence_nr() < since:
                self._handles.append(node.register_prehook(_nothing))
            else:
                waiting += [following for following, _ in node.next_functions if following is not None]

    def undo(self) -> None:
        for handle in self._handles:
            handle.remove()


def _nothing(gradients: Any) -> Any:
    return tuple(None if g is None else torch.zeros_like(g) for g in gradients)


def explained(error: RuntimeError) -> RuntimeError:
    """torch's words about its graph in terms of tapes and variables."""
    text = str(error)
    if "modified by an inplace operation" in text:
        return RuntimeError(
            "A layer's variable was changed after this tape used it and before tape.gradient() was called, so its recorded value is gone. "
            "Call gradient() before apply_gradients() or assign(), or make the tape GradientTape(persistent=True), which keeps such values."
        )
    if "backward through the graph a second time" in text:
        return RuntimeError(
            "What is differentiated here was computed under another GradientTape that has been used already. "
            "Make that tape persistent: tf.GradientTape(persistent=True)."
        )
    return error
