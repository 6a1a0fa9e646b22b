"""One run: the event files of one directory as one thing. In: tails. Out: tags by kind, each a series, built when asked for.

Not here: threads and refreshing (`collection`), restarts themselves (`restarts`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from milepost.errors import EngineMissingError, FormatError
from milepost.store.columns import PointColumns
from milepost.store.discover import file_order
from milepost.store.index import IndexDamaged
from milepost.store.kinds import EVENT_FIELDS, KINDS, kind_of
from milepost.store.media import BlobList, MediaSeries
from milepost.store.restarts import Part, Restarts, check_mode, keep
from milepost.store.series import Join, Metadata, Series, build, read_metadata
from milepost.store.tail import BadRecord, Slot, Tail

__all__ = ["Run", "RunInfo", "TagMap"]

S = TypeVar("S", Series, MediaSeries)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a list of runs shows of one."""

    first_wall: float | None
    last_wall: float | None
    last_step: int | None
    points: int
    tags: int
    files: int
    bytes: int
    stopped: bool  # the file written last ends with a session log's STOP: its writer was closed
    bad_records: int
    truncated_at: tuple[tuple[str, int], ...]
    problems: tuple[str, ...]


class TagMap(Mapping[str, S], Generic[S]):
    """Tag -> series, of one kind. Tags in order of first appearance; a series is built when it is asked for."""

    def __init__(self, run: Run, kind: str):
        self._run, self._kind = run, kind

    def __getitem__(self, tag: str) -> S:
        return self._run._series(self._kind, tag)  # type: ignore[return-value]  # scalars are Series, the others MediaSeries

    def __iter__(self) -> Iterator[str]:
        return iter(self._run._tags(self._kind))

    def __len__(self) -> int:
        return len(self._run._tags(self._kind))

    def __contains__(self, tag: object) -> bool:
        return tag in self._run._tags(self._kind)

    def metadata(self, tag: str) -> Metadata:
        """Display name, description, plugin, without building the series."""
        return self._run._metadata(self._kind, tag)

    def count(self, tag: str) -> int:
        """Points as read, before any restart is looked at, without building the series."""
        return self._run._count(self._kind, tag)

    def counts(self) -> dict[str, int]:
        """`count` of every tag at once."""
        return self._run._counts(self._kind)

    def __repr__(self) -> str:
        return f"<{self._kind} of {self._run.name!r}: {', '.join(self)}>"


class Run:
    """The logs of one directory. Get one from a collection: `milepost.open(logdir)[name]`."""

    def __init__(self, name: str, restarts: Restarts = "keep-last"):
        self.name = name
        self.restarts = restarts
        self.lock = threading.RLock()
        self.version = 0  # grows with every change
        self.rescue: Callable[[Run, Tail], None] | None = None  # reads a file again whose index turned out damaged
        self._tails: dict[str, Tail] = {}
        self._order: list[Tail] = []
        self._index: dict[str, dict[str, list[tuple[Tail, int]]]] = {kind: {} for kind in KINDS}
        self._placed: dict[
            Tail, tuple[int, dict[int, set[str]]]
        ] = {}  # tail -> (generation, slot -> kinds it is listed under)
        self._keys: dict[Tail, tuple[float | None, tuple[int, float, str]]] = {}
        self._starts: dict[Tail, int] = {}  # session starts seen in a file
        self._joins: dict[str, Join] = {}  # tag -> its columns of several files
        self._versions: dict[tuple[str, str], int] = {}
        self._built: dict[tuple[str, str, Restarts], tuple[int, Any]] = {}
        self.scalars: TagMap[Series] = TagMap(self, "scalars")
        self.images: TagMap[MediaSeries] = TagMap(self, "images")
        self.audio: TagMap[MediaSeries] = TagMap(self, "audio")
        self.texts: TagMap[MediaSeries] = TagMap(self, "texts")
        self.histograms: TagMap[MediaSeries] = TagMap(self, "histograms")
        self.pr_curves: TagMap[MediaSeries] = TagMap(self, "pr_curves")
        self.hparams: TagMap[MediaSeries] = TagMap(self, "hparams")
        self.graphs: TagMap[MediaSeries] = TagMap(self, "graphs")
        self.meshes: TagMap[MediaSeries] = TagMap(self, "meshes")
        self.custom_scalars: TagMap[MediaSeries] = TagMap(self, "custom_scalars")
        self.tensors: TagMap[MediaSeries] = TagMap(self, "tensors")

    def __repr__(self) -> str:
        info = self.info
        return f"<run {self.name!r}: {info.tags} tags, {info.points} points, {info.files} files>"

    def kinds(self) -> dict[str, int]:
        """Kind -> number of tags, of the kinds there are."""
        with self.lock:
            return {kind: len(tags) for kind, tags in self._index.items() if tags}

    def of_kind(self, kind: str) -> TagMap[Any]:
        """The mapping of a kind by its name."""
        found: TagMap[Any] = getattr(self, kind)
        return found

    def series(self, tag: str, restarts: str | None = None) -> Series:
        """A scalar series, with another treatment of restarts than the run's own."""
        found = self._series("scalars", tag, None if restarts is None else check_mode(restarts))
        assert isinstance(found, Series)
        return found

    def version_of(self, kind: str, tag: str) -> int:
        """A number that changes whenever the tag does; 0 when there is no such tag."""
        return self._versions.get((kind, tag), 0)

    @property
    def info(self) -> RunInfo:
        with self.lock:
            facts = [tail.facts for tail in self._order]
            first = [f.first_wall for f in facts if f.first_wall is not None]
            last = [f.last_wall for f in facts if f.last_wall is not None]
            steps = [f.last_step for f in facts if f.last_step is not None]
            return RunInfo(
                min(first, default=None), max(last, default=None), max(steps, default=None),
                sum(slot.points.count for tail in self._order for slot in tail.slots),
                sum(len(tags) for tags in self._index.values()), len(self._order), sum(t.size for t in self._order),
                # a session that crashed and was resumed in a later file has no STOP of its own
                bool(last) and max(facts, key=lambda f: f.last_wall or 0.0).stopped, sum(f.bad_records for f in facts), self._truncated(),
                tuple(f"{t.path}: {t.error}" for t in self._order if t.error),
            )  # fmt: skip

    @property
    def bad_records(self) -> list[BadRecord]:
        """The bytes that were skipped, the first thousand of each file."""
        with self.lock:
            return [bad for tail in self._order for bad in tail.bad]

    @property
    def files(self) -> list[str]:
        with self.lock:
            return [tail.path for tail in self._order]

    def to_pandas(self) -> Any:
        """All scalars as one DataFrame: tag, step, wall_time, value."""
        try:
            import pandas
        except ImportError:
            raise EngineMissingError(
                "to_pandas() needs pandas", todo="install it with `pip install 'milepost[pandas]'`"
            ) from None
        frames = [series.to_pandas().assign(tag=tag) for tag, series in self.scalars.items()]
        columns = ["tag", "step", "wall_time", "value"]
        return pandas.concat(frames, ignore_index=True)[columns] if frames else pandas.DataFrame(columns=columns)

    # -- for the collection ------------------------------------------------------------------------------------------

    def know(self, tail: Tail) -> None:
        """A file of this run was found, not read yet; should it never be, its name and trouble are told."""
        with self.lock:
            self._tails[tail.path] = tail
            self._sort()

    def place(self, tail: Tail, slots: list[int], anew: bool) -> list[tuple[str, str]]:
        """Take in what a tail read: the (kind, tag) pairs that changed."""
        with self.lock:
            changed: list[tuple[str, str]] = []
            if not slots and not anew and tail in self._placed and self._starts.get(tail) == len(tail.facts.starts):
                return []
            if anew or tail not in self._placed:
                changed += self._forget(tail)
                self._placed[tail] = (tail.generation, {})
                slots = list(range(len(tail.slots)))
            listed = self._placed[tail][1]
            for index in slots:
                slot = tail.slots[index]
                for kind, tag in _names(slot):
                    if kind not in listed.setdefault(index, set()):
                        listed[index].add(kind)
                        self._index[kind].setdefault(tag, []).append((tail, index))
                    changed.append((kind, tag))
            self._sort()
            if self._starts.get(tail) != len(tail.facts.starts):  # a session start works on every tag
                self._starts[tail] = len(tail.facts.starts)
                if tail.facts.starts:
                    changed = list(
                        dict.fromkeys([*changed, *((k, tag) for k, tags in self._index.items() for tag in tags)])
                    )
            self._touch(changed)
            return changed

    def touch(self) -> None:
        """Something changed that is no tag's: its writer was closed."""
        with self.lock:
            self._touch([])

    def drop(self, path: str) -> list[tuple[str, str]]:
        """A file went away."""
        with self.lock:
            tail = self._tails.pop(path)
            changed = self._forget(tail)
            self._sort()
            self._touch(changed)
            return changed

    def _forget(self, tail: Tail) -> list[tuple[str, str]]:
        changed = []
        self._starts.pop(tail, None)
        self._keys.pop(tail, None)
        if self._placed.pop(tail, None) is not None:
            for kind, tags in self._index.items():
                for tag in list(tags):
                    if any(t is tail for t, _ in tags[tag]):
                        changed.append((kind, tag))
                        tags[tag] = [(t, i) for t, i in tags[tag] if t is not tail]
                        if not tags[tag]:
                            del tags[tag]
        return changed

    def _sort(self) -> None:
        for tail in self._tails.values():
            first = tail.facts.first_wall
            if tail not in self._keys or self._keys[tail][0] != first:
                self._keys[tail] = (first, file_order(tail.path, first))
        order = sorted(self._tails.values(), key=lambda t: self._keys[t][1])
        if order != self._order:
            old, self._order = self._order, order
            if old != [t for t in order if t in old]:  # the old ones changed places: every series may differ
                self._touch([(kind, tag) for kind, tags in self._index.items() for tag in tags])

    def _touch(self, changed: list[tuple[str, str]]) -> None:
        self.version += 1
        for key in changed:
            self._versions[key] = self.version

    # -- for the tag maps --------------------------------------------------------------------------------------------

    def _tags(self, kind: str) -> list[str]:
        with self.lock:
            return list(self._index[kind])

    def _places(self, kind: str, tag: str) -> list[tuple[Tail, Slot]]:
        try:
            places = self._index[kind][tag]
        except KeyError:
            raise KeyError(tag) from None
        position = {tail: k for k, tail in enumerate(self._order)}
        return [(t, t.slots[i]) for t, i in sorted(places, key=lambda place: position[place[0]])]

    def _metadata(self, kind: str, tag: str) -> Metadata:
        with self.lock:
            return _first_metadata([slot for _, slot in self._places(kind, tag)])

    def _count(self, kind: str, tag: str) -> int:
        with self.lock:
            slots = [slot for _, slot in self._places(kind, tag)]
            return sum(slot.points.count if kind == "scalars" else slot.blobs.count for slot in slots)

    def _counts(self, kind: str) -> dict[str, int]:
        scalars = kind == "scalars"
        with self.lock:
            return {
                tag: sum(t.slots[i].points.count if scalars else t.slots[i].blobs.count for t, i in places)
                for tag, places in self._index[kind].items()
            }

    def _series(self, kind: str, tag: str, mode: Restarts | None = None) -> Series | MediaSeries:
        while True:
            try:
                return self._series_now(kind, tag, mode or self.restarts)
            except IndexDamaged:
                if self.rescue is None:
                    raise
                for tail in list(self._order):
                    self.rescue(self, tail)

    def _series_now(self, kind: str, tag: str, mode: Restarts) -> Series | MediaSeries:
        with self.lock:
            key, version = (kind, tag, mode), self._versions.get((kind, tag), 0)
            found = self._built.get(key)
            if found is None or found[0] != version:
                places = self._places(kind, tag)
                made = (
                    self._build_scalars(tag, places, mode)
                    if kind == "scalars"
                    else self._build_media(kind, tag, places, mode)
                )
                found = self._built[key] = (version, made)
            series: Series | MediaSeries = found[1]
            return series

    def _build_scalars(self, tag: str, places: list[tuple[Tail, Slot]], mode: Restarts) -> Series:
        found = {tail: slot.points for tail, slot in places}
        # a session that starts in a file without this tag ends its earlier points all the same
        parts = [
            Part(found.get(tail, PointColumns()), tail.facts.starts, found[tail].count if tail in found else 0)
            for tail in self._order
            if tail in found or tail.facts.starts
        ]
        tails = [tail for tail, _ in places]
        first = [t.facts.first_wall for t in self._order if t.facts.first_wall is not None]
        return build(
            tag, parts, self._joins.setdefault(tag, Join()), mode, _first_metadata([slot for _, slot in places]), self._truncated(tails),
            sum(t.facts.bad_records for t in tails), tuple(bad for t in tails for bad in t.bad),
            tuple(t.path for t in tails), min(first, default=0.0),
        )  # fmt: skip

    def _build_media(self, kind: str, tag: str, places: list[tuple[Tail, Slot]], mode: Restarts) -> MediaSeries:
        rows = np.concatenate([slot.blobs.rows for _, slot in places])
        file = np.repeat(np.arange(len(places)), [slot.blobs.count for _, slot in places])
        step = rows["step"].copy()
        parts = []
        held = {tail: slot.blobs.rows for tail, slot in places}
        for tail in self._order:
            if tail not in held and not tail.facts.starts:
                continue
            mine = held.get(tail, rows[:0])
            turns = np.flatnonzero(np.diff(mine["starts"], prepend=0))
            marks = [(int(i), int(mine["starts"][i])) for i in turns]
            unordered = bool((mine["step"][1:] < mine["step"][:-1]).any())
            parts.append(Part(PointColumns(len(mine), unordered, marks=marks), tail.facts.starts, len(mine)))
        # hparams and graphs are facts about the run, not a course over steps: a restart takes none of them away
        kept = keep(parts, step, "keep-all" if kind in ("hparams", "graphs", "custom_scalars") else mode)
        if kept.mask is not None:
            rows, file, step = rows[kept.mask], file[kept.mask], step[kept.mask]
        blobs = BlobList(tuple(tail.path for tail, _ in places), file, rows)
        metadata = _first_metadata([slot for _, slot in places])
        return MediaSeries(kind, tag, step, rows["wall_time"].copy(), blobs, metadata, kept.restart_steps)

    def _truncated(self, tails: list[Tail] | None = None) -> tuple[tuple[str, int], ...]:
        return tuple(
            (t.path, at) for t in (self._order if tails is None else tails) if (at := t.truncated_at) is not None
        )


def _first_metadata(slots: list[Slot]) -> Metadata:
    return next((_metadata_of(slot) for slot in slots if slot.metadata is not None), Metadata())


def _metadata_of(slot: Slot) -> Metadata:
    try:
        return read_metadata(slot.metadata)
    except FormatError:  # names only decorate; points must not be lost over them
        return Metadata()


def _names(slot: Slot) -> list[tuple[str, str]]:
    """Under which (kind, tag) a slot is listed."""
    if slot.origin:
        return [EVENT_FIELDS[slot.origin]] if slot.origin in EVENT_FIELDS else []
    tag = slot.tag.decode("utf-8", "backslashreplace")
    names = [("scalars", tag)] if slot.points.count else []
    if slot.blobs.count:
        names.append((kind_of(_metadata_of(slot).plugin, int(slot.blobs.rows[0]["field"])), tag))
    return names
