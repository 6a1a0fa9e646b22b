"""Elements grouped by a key: a full group becomes a dataset whose elements come next. In: the cursor before. Out: the elements of the groups' datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from milepost.tf.data.chance import InnerSeeds
from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.transform import Over

__all__ = ["GroupByReducerCursor", "GroupByWindowCursor"]


class GroupByWindowCursor(Over):
    def __init__(
        self,
        before: Cursor,
        key: Callable[[Element], int],
        width: Callable[[int], int],
        reduced: Callable[[int, list[Element]], Any],
        seeds: InnerSeeds,
    ):
        super().__init__(before)
        self.key, self.width, self.reduced, self.seeds = key, width, reduced, seeds
        self.groups: dict[int, list[Element]] = {}
        self.widths: dict[int, int] = {}
        self.ended = False
        self.coming: tuple[int, list[Element], Cursor] | None = None  # the group whose elements come now

    def next(self) -> Element:
        while True:
            if self.coming is not None:
                try:
                    return self.coming[2].next()
                except StopIteration:
                    self.coming[2].close()
                    self.coming = None
            if not self.ended:
                self._collect()
            elif self.groups:  # what is left, in the order of the keys
                self._release(min(self.groups))
            else:
                raise StopIteration

    def _collect(self) -> None:
        try:
            element = self.before.next()
        except StopIteration:
            self.ended = True
            return
        key = self.key(element)
        if key not in self.widths:
            self.widths[key] = self.width(key)
        group = self.groups.setdefault(key, [])
        group.append(element)
        if len(group) >= self.widths[key]:
            self._release(key)

    def _release(self, key: int) -> None:
        elements = self.groups.pop(key)
        self.coming = (key, elements, self.reduced(key, elements)._open())

    def own_state(self) -> State:
        coming = self.coming and {"key": self.coming[0], "elements": self.coming[1], "inner": self.coming[2].state()}
        return {
            "groups": [[key, elements] for key, elements in self.groups.items()],
            "widths": [list(width) for width in self.widths.items()],
            "ended": self.ended,
            "coming": coming,
            "seeds": self.seeds.state(),
        }

    def own_restore(self, state: State) -> None:
        self.groups = {int(key): list(elements) for key, elements in state["groups"]}
        self.widths = {int(key): int(width) for key, width in state["widths"]}
        self.ended, coming = bool(state["ended"]), state["coming"]
        self.seeds.restore(state["seeds"])
        self.coming = None
        if coming is not None:
            key, elements = int(coming["key"]), list(coming["elements"])
            self.coming = (key, elements, self.reduced(key, elements)._open())
            self.coming[2].restore(coming["inner"])


class GroupByReducerCursor(Over):
    """One element for each key, once the dataset has ended."""

    def __init__(self, before: Cursor, key: Callable[[Element], int], reducer: Any):
        super().__init__(before)
        self.key, self.reducer = key, reducer
        self.results: list[Element] | None = None
        self.at = 0

    def next(self) -> Element:
        if self.results is None:
            states: dict[int, Any] = {}
            while True:
                try:
                    element = self.before.next()
                except StopIteration:
                    break
                key = self.key(element)
                if key not in states:
                    states[key] = self.reducer.begin(key)
                states[key] = self.reducer.add(states[key], element)
            self.results = [self.reducer.end(states[key]) for key in sorted(states)]
        if self.at >= len(self.results):
            raise StopIteration
        self.at += 1
        return self.results[self.at - 1]

    def own_state(self) -> State:
        return {"results": self.results, "at": self.at}

    def own_restore(self, state: State) -> None:
        self.results, self.at = state["results"], int(state["at"])
