"""Which checkpoints to keep. In: what is known of each. Out: those that stay. Rules combine with `|`.

    keep_last(3) | keep_best(2, "val_loss", mode="min") | keep_every(hours=6)

A rule is a pure function of what is on disk, so it means the same after a restart, and `milepost ckpt gc --dry-run` can
show it. What is pinned always stays, and so does the newest. Not here: deleting (`manager`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from milepost.errors import UsageError
from milepost.train.notes import Notes

__all__ = ["Kept", "Retention", "keep_all", "keep_best", "keep_every", "keep_last"]


@dataclass(frozen=True, slots=True)
class Kept:
    """One checkpoint as retention sees it."""

    path: str
    number: int | None
    time: float
    notes: Notes


Rule = Callable[[Sequence[Kept]], set[str]]


@dataclass(frozen=True, slots=True)
class Best:
    """What `best_checkpoint` goes by."""

    metric: str
    mode: Literal["min", "max"]

    def sort(self, items: Sequence[Kept]) -> list[Kept]:
        """Best first; those without the metric (or NaN) are not in it. Of equals the newer one is better."""
        scored = [(i, k) for i, k in enumerate(items) if math.isfinite(k.notes.metrics.get(self.metric, math.nan))]
        sign = 1 if self.mode == "min" else -1
        return [k for i, k in sorted(scored, key=lambda p: (sign * p[1].notes.metrics[self.metric], -p[0]))]


@dataclass(frozen=True, slots=True)
class Retention:
    """A union of rules."""

    rules: tuple[Rule, ...]
    best: Best | None = None
    text: str = ""

    def __or__(self, other: Retention) -> Retention:
        return Retention(self.rules + other.rules, self.best or other.best, f"{self.text} | {other.text}")

    def keep(self, items: Sequence[Kept]) -> set[str]:
        """Paths that stay, of checkpoints given oldest first."""
        out = {item.path for item in items if item.notes.pinned}
        if items:
            out.add(items[-1].path)
        for rule in self.rules:
            out |= rule(items)
        return out

    def __repr__(self) -> str:
        return self.text


def keep_last(count: int) -> Retention:
    """The newest `count`."""
    if count < 1:
        raise UsageError("keep_last needs a positive number", got=count)
    return Retention((lambda items: {item.path for item in items[-count:]},), text=f"keep_last({count})")


def keep_all() -> Retention:
    """Every one."""
    return Retention((lambda items: {item.path for item in items},), text="keep_all()")


def keep_best(count: int, metric: str, mode: Literal["min", "max"] = "min") -> Retention:
    """The `count` with the lowest (or highest) value of a metric given to `save(metrics=…)`."""
    if count < 1 or mode not in ("min", "max"):
        raise UsageError("keep_best needs a positive number and mode min or max", got=(count, mode))
    best = Best(metric, mode)
    return Retention(
        (lambda items: {item.path for item in best.sort(items)[:count]},),
        best,
        f"keep_best({count}, {metric!r}, {mode!r})",
    )


def keep_every(*, hours: float | None = None, numbers: int | None = None) -> Retention:
    """One in so many hours, counted from the first one kept; or those whose number is a multiple of `numbers`."""
    if (hours is None) == (numbers is None):
        raise UsageError("keep_every needs hours= or numbers=")
    if numbers is not None:
        step = numbers
        if step < 1:
            raise UsageError("keep_every needs a positive number", got=numbers)
        return Retention(
            (lambda items: {i.path for i in items if i.number is not None and i.number % step == 0},),
            text=f"keep_every(numbers={numbers})",
        )
    seconds = (hours or 0) * 3600
    if seconds <= 0:
        raise UsageError("keep_every needs a positive number of hours", got=hours)

    def rule(items: Sequence[Kept]) -> set[str]:
        out: set[str] = set()
        last = -math.inf
        for item in items:
            if item.time - last >= seconds:
                out.add(item.path)
                last = item.time
        return out

    return Retention((rule,), text=f"keep_every(hours={hours})")
