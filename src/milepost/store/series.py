"""A scalar series as columns. In: a tag's points from every file of a run. Out: frozen arrays and the truth about them.

Not here: reading (`tail`), thinning out for a chart (`query`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from milepost.errors import EngineMissingError
from milepost.formats.event import SummaryMetadata
from milepost.store.columns import Floats, Ints, PointColumns, grown
from milepost.store.restarts import Part, Restarts, keep
from milepost.store.tail import BadRecord

__all__ = ["Join", "Metadata", "Series", "Truth", "build", "read_metadata"]


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the first value of a tag said about it."""

    plugin: str = ""
    display_name: str = ""
    description: str = ""
    content: bytes = b""
    data_class: int = 0


def read_metadata(raw: bytes | None) -> Metadata:
    """SummaryMetadata bytes -> Metadata; nothing told is an empty one."""
    if raw is None:
        return Metadata()
    message = SummaryMetadata.decode(raw)
    plugin = message.plugin_data
    return Metadata(
        plugin.plugin_name if plugin else "", message.display_name, message.summary_description,
        plugin.content if plugin else b"", message.data_class,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Truth:
    """How true a series is to its files.

    `dropped` counts the bad records of those files: which tags they held nobody can tell any more.
    """

    read: int
    purged: int
    dropped: int
    nan: int
    inf: int
    truncated_at: tuple[tuple[str, int], ...]  # (file, byte) of each file that ends inside a record
    restarts: tuple[int, ...]  # the steps at which a restart was seen
    files: tuple[str, ...]
    bad: tuple[BadRecord, ...]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Series:
    """One tag of one run: three columns of the same length, in the order of writing.

    >>> import milepost
    >>> loss = milepost.open("runs")["."].scalars["loss"]  # doctest: +SKIP
    >>> loss.step, loss.wall_time, loss.value  # doctest: +SKIP
    """

    tag: str
    step: Ints
    wall_time: Floats
    value: Floats  # float32 as logged, float64 when the log holds doubles or integers
    truth: Truth
    metadata: Metadata
    segments: Ints  # where each part between restarts begins; [0] when there was none
    ordered: bool  # steps never go back within a segment
    origin_wall: float  # the run's first event, for the relative axis

    def __len__(self) -> int:
        return len(self.step)

    def __repr__(self) -> str:
        return f"Series({self.tag!r}, {len(self)} points, {self.truth.dropped} records dropped)"

    def split(self) -> list[Series]:
        """One series per part between restarts."""
        edges = [*self.segments.tolist(), len(self)]
        return [
            replace(self, step=self.step[a:b], wall_time=self.wall_time[a:b], value=self.value[a:b], segments=np.zeros(1, np.int64))
            for a, b in pairwise(edges)
        ]  # fmt: skip

    def to_pandas(self) -> Any:
        """A DataFrame with the columns step, wall_time, value."""
        try:
            import pandas
        except ImportError:
            raise EngineMissingError(
                "to_pandas() needs pandas", todo="install it with `pip install 'milepost[pandas]'`"
            ) from None
        return pandas.DataFrame({"step": self.step, "wall_time": self.wall_time, "value": self.value})


class Join:
    """The columns of several files, one behind the other. Growth of the last file is appended, not joined anew."""

    def __init__(self) -> None:
        self._of: list[tuple[PointColumns, int]] = []
        self._columns: tuple[Ints, Floats, Floats] = (
            np.empty(0, np.int64),
            np.empty(0, np.float64),
            np.empty(0, np.float32),
        )

    def joined(self, parts: Sequence[Part]) -> tuple[Ints, Floats, Floats]:
        now = [(p.points, p.count) for p in parts if p.count]
        if len(now) <= 1:
            self._of = []
            step, wall, value = now[0][0].since(0) if now else self._columns
            return step.view(), wall.view(), value.view()
        used = sum(count for _, count in self._of)
        grew = len(now) == len(self._of) and now[-1][0] is self._of[-1][0] and now[-1][1] >= self._of[-1][1]
        if grew and all(a is b and m == n for (a, m), (b, n) in zip(now[:-1], self._of[:-1], strict=True)):
            fresh = now[-1][0].since(self._of[-1][1])
            step, wall = grown(self._columns[0], used, fresh[0]), grown(self._columns[1], used, fresh[1])
            value = grown(self._columns[2], used, fresh[2])
        else:
            steps, walls, values = zip(*(points.since(0) for points, _ in now), strict=True)
            step, wall, value = np.concatenate(steps), np.concatenate(walls), np.concatenate(values)
        self._of, self._columns = now, (step, wall, value)
        total = sum(count for _, count in now)
        return step[:total], wall[:total], value[:total]


def build(
    tag: str, parts: Sequence[Part], join: Join, mode: Restarts, metadata: Metadata, truncated_at: tuple[tuple[str, int], ...],
    dropped: int, bad: tuple[BadRecord, ...], files: tuple[str, ...], origin_wall: float,
) -> Series:  # fmt: skip
    """The series of a tag; with one file and no restart its arrays are the scan's own, not copied."""
    step, wall, value = join.joined(parts)
    kept = keep(parts, step, mode)
    nan, inf, read = sum(p.points.nan for p in parts), sum(p.points.inf for p in parts), len(step)
    if kept.mask is not None:
        step, wall, value = step[kept.mask], wall[kept.mask], value[kept.mask]
        nan = int(np.isnan(value).sum()) if nan else 0
        inf = int(np.isinf(value).sum()) if inf else 0
    for column in (step, wall, value):
        column.flags.writeable = False
    truth = Truth(read, read - len(step), dropped, nan, inf, truncated_at, kept.restart_steps, files, bad)
    # after keep-last nothing goes back; in the other ways each segment begins where something did
    return Series(tag, step, wall, value, truth, metadata, kept.segments, True, origin_wall)
