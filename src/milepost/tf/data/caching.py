"""Elements kept after the first whole pass, in memory or in files. In: the cursor before. Out: the same elements, made once.

Not here: datasets saved for others to load (`storing`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.tf.data.cursor import Cursor, Element, Rows, SliceCursor, State, stack, unstack
from milepost.tf.data.frozen import freeze
from milepost.tf.data.storing import RecordFile
from milepost.tf.data.structure import flatten, map_one, map_structure
from milepost.tf.data.transform import Over

__all__ = ["CacheCursor", "FileCacheCursor", "Kept"]


class Kept:
    """What the passes over one cached dataset share."""

    def __init__(self) -> None:
        self.elements: list[Element] | None = None  # of a whole pass
        self.begin: State = {}  # the state that pass began with: from it, the same pass can be made again
        self.columns: SliceCursor | None = None  # the same as rows of arrays, where they all have one shape

    def fill(self, mine: Mine, begin: State) -> None:
        self.begin = begin
        if mine.elements and not mine.blocks and _uniform(mine.elements):
            mine.blocks.append(stack(mine.elements))
            mine.elements = []
        if mine.blocks and not mine.elements:
            whole = map_structure(lambda *parts: np.concatenate(parts), *mine.blocks)
            self.columns = SliceCursor(whole, len(next(flatten(whole))))
        self.elements = mine.all()


class Mine:
    """What one pass has seen so far: batches, then elements."""

    def __init__(self) -> None:
        self.blocks: list[Element] = []
        self.elements: list[Element] = []

    def all(self) -> list[Element]:
        rows = (
            [row for block in self.blocks for row in unstack(block, len(next(flatten(block))))] if self.elements else []
        )
        return rows + self.elements


def _uniform(elements: list[Element]) -> bool:
    def kinds(element: Element) -> list[Any]:
        return [(a.shape, a.dtype) if isinstance(a, np.ndarray) else None for a in flatten(element)]

    first = kinds(elements[0])
    return None not in first and all(kinds(element) == first for element in elements)


class CacheCursor(Over):
    """Keeps what the first whole pass gave; later passes read that."""

    def __init__(self, before: Cursor, kept: Kept):
        super().__init__(before)
        self.kept, self.at = kept, 0
        self.begin = before.state()
        self.mine: Mine | None = None if kept.elements is not None else Mine()

    def next(self) -> Element:
        if self.mine is None:
            return self._again()
        try:
            element = self.before.next()
        except StopIteration:
            if self.kept.elements is None:
                self.kept.fill(self.mine, self.begin)
            self.mine = None
            raise
        self.mine.elements.append(element)
        self.at += 1
        return element

    def _again(self) -> Element:
        columns, elements = self.kept.columns, self.kept.elements or []
        if self.at >= (len(elements) if columns is None else columns.length):
            raise StopIteration
        self.at += 1
        return elements[self.at - 1] if columns is None else columns.row(self.at - 1)

    def stacked(self, count: int) -> tuple[Element, int]:
        columns = self.kept.columns
        if self.mine is not None and not self.mine.elements and self.before.uniform():
            batch, taken = self.before.stacked(count)
            if taken:
                self.mine.blocks.append(map_one(np.copy, batch))  # what becomes of the batch is not known
                self.at += taken
                return batch, taken
        if self.mine is not None or columns is None:
            return super().stacked(count)
        begin, self.at = self.at, min(self.at + count, columns.length)
        return (columns.slab(begin, self.at), self.at - begin) if self.at > begin else (None, 0)

    def rows(self) -> Rows | None:
        return self.kept.columns.rows() if self.mine is None and self.kept.columns is not None else None

    def uniform(self) -> bool:
        columns = self.kept.columns
        return columns is not None and columns.uniform() if self.mine is None else self.before.uniform()

    def state(self) -> State:
        whole = self.mine is None
        return {"at": self.at, "whole": whole, "begin": self.kept.begin if whole else self.begin}

    def restore(self, state: State) -> None:
        """What is in memory is not in the checkpoint: the pass is made again from where it began, unless this memory is of that very pass."""
        if self.kept.elements is None or freeze(self.kept.begin) != freeze(state["begin"]):
            if self.kept.elements is not None:
                self.kept = Kept()
            self.before.restore(state["begin"])
            self.begin, self.at, self.mine = state["begin"], 0, Mine()
        if state["whole"]:
            while self.mine is not None:
                try:
                    self.next()
                except StopIteration:
                    break
        if self.mine is None:
            self.at = int(state["at"])
            return
        for _ in range(int(state["at"])):
            self.next()


class FileCacheCursor(Over):
    """The same in files: complete ones are read instead of the dataset, by later programs too."""

    def __init__(self, before: Cursor, filename: str):
        super().__init__(before)
        self.filename, self.at = filename, 0
        self.begin = before.state()
        self.file = RecordFile(filename)
        self.reading = self.file.read() if self.file.complete() else None
        self.writing: Any = None
        self.ended = False

    def next(self) -> Element:
        if self.ended:
            raise StopIteration
        if self.reading is not None:
            element = next(self.reading)
            self.at += 1
            return element
        if self.writing is None:
            self.writing = self.file.writer()
        try:
            element = self.before.next()
        except StopIteration:
            self.writing.finish()
            self.ended = True
            raise
        self.writing.write(element)
        self.at += 1
        return element

    def state(self) -> State:
        return {"at": self.at, "ended": self.ended, "begin": self.begin}

    def restore(self, state: State) -> None:
        if self.reading is None:
            self.before.restore(state["begin"])
            self.begin = state["begin"]
        for _ in range(int(state["at"])):
            self.next()
        if state["ended"]:
            self.ended = True

    def close(self) -> None:
        if self.writing is not None and not self.ended:
            self.writing.abandon()
        super().close()
