"""When to capture. In: `wait, warmup, active, repeat`, or "10,20", and a call after every step. Out: captures of the steps meant.

A warm-up step is run under the profilers and thrown away: the first step under a profiler pays for starting it.
Not here: capturing itself (`session`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from milepost.errors import UsageError
from milepost.profiler import session
from milepost.profiler.session import ProfilerOptions
from milepost.profiler.spans import Trace
from milepost.types import PathLike

__all__ = ["Schedule", "Scheduled", "batch_range", "schedule"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """Cycles of `wait` steps without, `warmup` steps thrown away and `active` steps captured, `repeat` times (0: for ever)."""

    wait: int = 0
    warmup: int = 1
    active: int = 3
    repeat: int = 1
    skip_first: int = 0

    def __post_init__(self) -> None:
        for name in ("wait", "warmup", "repeat", "skip_first"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} cannot be negative", got=getattr(self, name), want="0 or more")
        if self.active < 1:
            raise UsageError("a schedule must capture something", got=f"active={self.active}", want="1 or more")

    def phase(self, step: int) -> str:
        """What step number `step` (from 0) is: "off", "warmup", "active" or "last" (of an active stretch).

        >>> [Schedule(wait=1, warmup=1, active=2).phase(step) for step in range(5)]
        ['off', 'warmup', 'active', 'last', 'off']
        """
        step -= self.skip_first
        length = self.wait + self.warmup + self.active
        if step < 0 or (self.repeat and step >= length * self.repeat):
            return "off"
        place = step % length
        if place < self.wait:
            return "off"
        if place < self.wait + self.warmup:
            return "warmup"
        return "last" if place == length - 1 else "active"


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0) -> Schedule:
    """A schedule under the names, and with the defaults, of torch's."""
    return Schedule(wait, warmup, active, repeat, skip_first)


def batch_range(value: int | str | Sequence[int]) -> tuple[int, int] | None:
    """`profile_batch` as Keras has it: 2, "10,20" or (10, 20), counted from 1, both ends included; 0 is none.

    >>> batch_range("10,20"), batch_range(2), batch_range(0)
    ((10, 20), (2, 2), None)
    """
    parts: list[Any] = (
        list(value.split(",")) if isinstance(value, str) else [value] if isinstance(value, int) else list(value)
    )
    try:
        numbers = [int(part) for part in parts]
    except (TypeError, ValueError):
        numbers = []
    if numbers == [0]:
        return None
    if len(numbers) not in (1, 2) or min(numbers) < 1 or numbers[0] > numbers[-1]:
        raise UsageError("no range of batches", got=repr(value), want='a batch number, "first,last", or 0 for none')
    return numbers[0], numbers[-1]


class Scheduled:
    """Captures by a schedule while a loop runs.

    >>> with Scheduled("runs/a", Schedule(wait=5, warmup=1, active=3)) as scheduled:    # doctest: +SKIP
    ...     for batch in batches:
    ...         train(batch)
    ...         scheduled.step()
    """

    def __init__(
        self, logdir: PathLike, when: Schedule, options: ProfilerOptions | None = None, *, name: str = "train"
    ):
        self._logdir, self._when, self._options, self._name = logdir, when, options, name
        self._number = 0
        self._phase = "off"
        self._span: Trace | None = None
        self.paths: list[str] = []

    def __enter__(self) -> Self:
        self._begin()
        return self

    def step(self) -> None:
        """A step has ended and the next one begins."""
        self._end_span()
        if self._phase == "last":
            self._stop(save=True)
        self._number += 1
        self._begin()

    def _begin(self) -> None:
        before, self._phase = self._phase, self._when.phase(self._number)
        if self._phase == "warmup" and before != "warmup":
            session.start(self._logdir, self._options)
        elif self._phase in ("active", "last") and before not in ("active",):
            if before == "warmup":
                self._stop(save=False)
            session.start(self._logdir, self._options)
        if self._phase in ("active", "last"):
            self._span = Trace(self._name, self._number).__enter__()

    def _end_span(self) -> None:
        if self._span is not None:
            self._span.__exit__(None, None, None)
            self._span = None

    def _stop(self, *, save: bool) -> None:
        path = session.stop(save)
        if path is not None:
            self.paths.append(path)

    def __exit__(self, *exc: object) -> None:
        """A stretch that the loop's end cut short is kept; a warm-up is not."""
        self._end_span()
        if self._phase in ("active", "last"):
            self._stop(save=True)
        elif self._phase == "warmup":
            self._stop(save=False)
        self._phase = "off"
