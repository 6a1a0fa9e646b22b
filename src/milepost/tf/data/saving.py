"""Datasets written to a folder and read again: save, load, snapshot. In: a path. Out: files (`storing` says how), datasets.

A saved dataset is a folder with one file of elements for each shard, and `dataset.json` when all of them are whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from milepost.storage import LocalStorage
from milepost.tf.data import edge
from milepost.tf.data.base import Base, number
from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.storing import RecordFile
from milepost.tf.failures import NotFoundError

if TYPE_CHECKING:
    from milepost.tf.data.dataset import Dataset

__all__ = ["Saving"]


class Saving(Base):
    """See the module's first lines."""

    def save(
        self, path: Any, compression: str | None = None, shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:  # fmt: skip
        if checkpoint_args is not None:
            raise NotImplementedError("`checkpoint_args` of `save` is not there: a broken-off save is begun again.")
        write(self, edge.text(path), compression, shard_func)

    @staticmethod
    def load(
        path: Any, element_spec: Any = None, compression: str | None = None, reader_func: Any = None, wait: bool = False
    ) -> Dataset:
        folder = edge.text(path)
        facts = _facts(folder)

        def spec() -> Any:
            return element_spec if element_spec is not None else edge.spec_of(made._sample())

        shards = [_shard(os.path.join(folder, name), spec) for name in facts["shards"]]
        if reader_func is not None:
            from milepost.tf.data.grouping import window_of

            made = reader_func(window_of(shards))
            if not isinstance(made, Base):
                raise TypeError(f"`reader_func` must return a `tf.data.Dataset`, got {type(made).__name__}.")
            return made  # type: ignore[return-value]
        made = Base._new(
            "_LoadDataset", lambda: _FoldersCursor([s._open() for s in shards]), spec, lambda: int(facts["count"])
        )
        return made

    def snapshot(
        self,
        path: Any,
        compression: str = "AUTO",
        reader_func: Any = None,
        shard_func: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Written in the first whole pass, read in later ones and by later programs."""
        folder = edge.text(path)

        def opener() -> Cursor:
            if not os.path.exists(_index(folder)):
                write(self, folder, None if compression == "AUTO" else compression, shard_func)
            return Saving.load(folder, reader_func=reader_func)._open()

        return self._new("_MapDataset", opener, lambda: self.element_spec, self._cardinality, (self,), self._sample)


def _index(folder: str) -> str:
    return os.path.join(folder, "dataset.json")


def _facts(folder: str) -> dict[str, Any]:
    try:
        with open(_index(folder)) as file:
            found: dict[str, Any] = json.load(file)
            return found
    except FileNotFoundError as error:
        raise NotFoundError(f"{folder}: there is no saved dataset here ({_index(folder)} is missing).") from error


def write(dataset: Any, folder: str, compression: str | None, shard_func: Callable[..., Any] | None) -> None:
    os.makedirs(folder, exist_ok=True)
    writers: dict[int, Any] = {}
    cursor, count = dataset._open(), 0
    if shard_func is None:
        writers[0] = RecordFile(os.path.join(folder, "shard-00000"), compression).writer()
    try:
        while True:
            try:
                element = cursor.next()
            except StopIteration:
                break
            shard = 0 if shard_func is None else number(edge.call(shard_func, element))
            if shard not in writers:
                writers[shard] = RecordFile(os.path.join(folder, f"shard-{shard:05}"), compression).writer()
            writers[shard].write(element)
            count += 1
    except BaseException:
        for writer in writers.values():
            writer.abandon()
        raise
    finally:
        cursor.close()
    for writer in writers.values():
        writer.finish()
    names = [os.path.basename(writers[shard].file.name) for shard in sorted(writers)]
    part = _index(folder) + ".part"
    with open(part, "w") as file:
        json.dump({"shards": names, "count": count}, file)
    LocalStorage("fast").replace(part, _index(folder))


def _shard(name: str, spec: Callable[[], Any]) -> Any:
    return Base._new("_LoadDataset", lambda: _FileCursor(RecordFile(name)), spec, RecordFile(name).count)


class _FileCursor(Cursor):
    """The elements of one file."""

    def __init__(self, file: RecordFile):
        self.file, self.at = file, 0
        self.running = file.read()

    def next(self) -> Element:
        element = next(self.running)
        self.at += 1
        return element

    def state(self) -> State:
        return {"at": self.at}

    def restore(self, state: State) -> None:
        self.at = int(state["at"])
        self.running = self.file.read(skip=self.at)


class _FoldersCursor(Cursor):
    """The elements of several files in turn."""

    def __init__(self, inner: list[Cursor]):
        self.inner, self.at = inner, 0
        self.alive = list(range(len(inner)))

    def next(self) -> Element:
        while self.alive:
            place = self.alive[self.at % len(self.alive)]
            try:
                element = self.inner[place].next()
            except StopIteration:
                self.at %= len(self.alive)
                self.alive.remove(place)
                continue
            self.at = (self.at % len(self.alive) + 1) % len(self.alive)
            return element
        raise StopIteration

    def state(self) -> State:
        return {"at": self.at, "alive": list(self.alive), "inner": [c.state() for c in self.inner]}

    def restore(self, state: State) -> None:
        self.at, self.alive = int(state["at"]), [int(i) for i in state["alive"]]
        for cursor, kept in zip(self.inner, state["inner"], strict=True):
            cursor.restore(kept)
