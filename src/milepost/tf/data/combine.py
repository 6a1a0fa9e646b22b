"""Several datasets as one: zip, concatenate, sample, interleave. In: cursors. Out: one cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from milepost.tf import philox
from milepost.tf.data.chance import Draws, InnerSeeds, Seeds
from milepost.tf.data.cursor import Cursor, Element, Rows, State
from milepost.tf.data.structure import map_one, pack_like
from milepost.tf.data.transform import Over
from milepost.tf.failures import InvalidArgumentError

__all__ = ["ConcatenateCursor", "InterleaveCursor", "RejectionCursor", "SampleCursor", "WeightedCursor", "ZipCursor"]


class Several(Cursor):
    """A cursor over several others."""

    def __init__(self, inner: list[Cursor]):
        self.inner = inner

    def state(self) -> State:
        return {str(i): cursor.state() for i, cursor in enumerate(self.inner)}

    def restore(self, state: State) -> None:
        for i, cursor in enumerate(self.inner):
            cursor.restore(state[str(i)])

    def close(self) -> None:
        for cursor in self.inner:
            cursor.close()


class ZipCursor(Several):
    def __init__(self, structure: Any, inner: list[Cursor]):
        super().__init__(inner)
        self.structure = structure

    def next(self) -> Element:
        return pack_like(self.structure, iter([cursor.next() for cursor in self.inner]))

    def uniform(self) -> bool:
        return all(cursor.uniform() for cursor in self.inner)

    def rows(self) -> Rows | None:
        rows = [found for found in (cursor.rows() for cursor in self.inner) if found is not None]
        if len(rows) < len(self.inner):
            return None
        return Rows(
            min(part.length for part in rows),
            lambda some: pack_like(self.structure, iter([part.gather(some) for part in rows])),
            lambda at: pack_like(self.structure, iter([part.row(at) for part in rows])),
        )

    def stacked(self, count: int) -> tuple[Element, int]:
        parts = [cursor.stacked(count) for cursor in self.inner]
        least = min(taken for _, taken in parts)
        if not least:
            return None, 0
        cut = [part if taken == least else map_one(lambda a: a[:least], part) for part, taken in parts]
        return pack_like(self.structure, iter(cut)), least


class ConcatenateCursor(Several):
    def next(self) -> Element:
        for cursor in self.inner:
            try:
                return cursor.next()
            except StopIteration:
                continue
        raise StopIteration


class SampleCursor(Several):
    """A cursor of numbers says which of the others gives the next element."""

    def __init__(self, inner: list[Cursor], choices: Cursor, stop_on_empty: bool):
        super().__init__([*inner, choices])
        self.choices, self.stop_on_empty = choices, stop_on_empty
        self.alive = set(range(len(inner)))
        self.ended = False

    def next(self) -> Element:
        while self.alive and not self.ended:
            chosen = int(self.choices.next())
            if not 0 <= chosen < len(self.inner) - 1:
                raise InvalidArgumentError(f"Selector index out of range: {chosen} >= {len(self.inner) - 1}")
            if chosen not in self.alive:
                continue
            try:
                return self.inner[chosen].next()
            except StopIteration:
                self.alive.remove(chosen)
                self.ended = self.stop_on_empty
        raise StopIteration

    def state(self) -> State:
        return {"inner": super().state(), "alive": sorted(self.alive), "ended": self.ended}

    def restore(self, state: State) -> None:
        super().restore(state["inner"])
        self.alive, self.ended = {int(i) for i in state["alive"]}, bool(state["ended"])


class WeightedCursor(Cursor):
    """Numbers by chance, each as often as its weight says, for ever: TensorFlow's own for the same seed."""

    def __init__(self, logits: Cursor, seeds: Seeds):
        self.logits, self.seeds, self.draws = logits, seeds, Draws(*seeds.next())

    def next(self) -> Element:
        logits = np.asarray(self.logits.next(), np.float32)
        chances = np.cumsum(np.exp((logits - logits.max()).astype(np.float64)))
        place = philox.scrambled(*self.draws.take(2))
        high, low = philox.bits(place.key, place.low, place.high, 2).tolist()
        drawn = ((high & 0xFFFFF) << 32 | low) / 2**52
        return np.minimum(np.searchsorted(chances, drawn * chances[-1], side="right"), len(chances) - 1)

    def state(self) -> State:
        draws = [self.draws.seed, self.draws.seed2, self.draws.taken]
        return {"logits": self.logits.state(), "draws": draws, "seeds": self.seeds.state()}

    def restore(self, state: State) -> None:
        self.logits.restore(state["logits"])
        self.draws = Draws(*(int(v) for v in state["draws"]))
        self.seeds.restore(state["seeds"])


class RejectionCursor(Over):
    """Leaves out elements of classes that come too often, until the classes come as often as wanted."""

    def __init__(self, before: Cursor, classify: Callable[[Element], int], target: Any, initial: Any, seeds: Seeds):
        super().__init__(before)
        self.classify, self.target, self.initial, self.seeds = classify, target, initial, seeds
        self.seen = np.ones(len(target), np.int64)
        self.draws = Draws(*seeds.next())

    def next(self) -> Element:
        while True:
            element = self.before.next()
            place = self.classify(element)
            self.seen[place] += 1
            initial = self.seen / self.seen.sum() if self.initial is None else self.initial
            ratio = self.target / np.maximum(initial, np.finfo(np.float64).tiny)
            if self.draws.one() / 2**32 < ratio[place] / ratio.max():
                return np.array(place, np.int32), element

    def own_state(self) -> State:
        draws = [self.draws.seed, self.draws.seed2, self.draws.taken]
        return {"seen": self.seen, "draws": draws, "seeds": self.seeds.state()}

    def own_restore(self, state: State) -> None:
        self.seen, self.draws = np.asarray(state["seen"]), Draws(*(int(v) for v in state["draws"]))
        self.seeds.restore(state["seeds"])


class InterleaveCursor(Over):
    """`cycle` inner datasets at a time, `block` elements of each in turn; flat_map is a cycle of one."""

    def __init__(
        self, before: Cursor, function: Callable[[Element], Cursor], cycle: int, block: int, seeds: InnerSeeds
    ):
        super().__init__(before)
        self.function, self.cycle, self.block, self.seeds = function, cycle, block, seeds
        self.open: list[tuple[Element, Cursor] | None] = [None] * cycle
        self.at = self.taken = 0
        self.exhausted = False

    def next(self) -> Element:
        while True:
            slot = self.open[self.at]
            if slot is None and not self.exhausted:
                try:
                    source = self.before.next()
                    slot = self.open[self.at] = (source, self.function(source))
                except StopIteration:
                    self.exhausted = True
            if slot is None:
                if self.exhausted and not any(self.open):
                    raise StopIteration
                self._advance()
                continue
            try:
                element = slot[1].next()
            except StopIteration:
                self.open[self.at] = None
                self._advance()
                continue
            self.taken += 1
            if self.taken >= self.block:
                self._advance()
            return element

    def _advance(self) -> None:
        self.at, self.taken = (self.at + 1) % self.cycle, 0

    def own_state(self) -> State:
        return {
            "at": self.at, "taken": self.taken, "exhausted": self.exhausted, "seeds": self.seeds.state(),
            "open": {str(i): {"source": slot[0], "inner": slot[1].state()} for i, slot in enumerate(self.open) if slot},
        }  # fmt: skip

    def own_restore(self, state: State) -> None:
        self.at, self.taken, self.exhausted = int(state["at"]), int(state["taken"]), bool(state["exhausted"])
        self.open = [None] * self.cycle
        self.seeds.restore(state["seeds"])
        for place, kept in state["open"].items():
            cursor = self.function(kept["source"])
            cursor.restore(kept["inner"])
            self.open[int(place)] = (kept["source"], cursor)
