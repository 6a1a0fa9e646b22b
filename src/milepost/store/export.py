"""All points of chosen series as CSV, JSON or Parquet. In: series with their runs' names. Out: text, piece by piece, or a file.

Nothing is sampled. Numbers are written so that reading them gives the same bits; JSON, which has no NaN, gets "NaN",
"Infinity" and "-Infinity" as strings.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import IO

import numpy as np

from milepost.errors import EngineMissingError
from milepost.store.collection import Collection
from milepost.store.columns import Floats
from milepost.store.series import Series

__all__ = ["chosen", "csv_pieces", "json_pieces", "write_parquet"]

ROWS_A_PIECE = 50_000
Named = tuple[str, Series]  # run name, series


def chosen(
    runs: Collection, wanted: Callable[[str, str], bool] = lambda run, tag: True, restarts: str | None = None
) -> Iterator[Named]:
    """The wanted series, run by run, built one at a time."""
    for name, run in runs.items():
        for tag in run.scalars:
            if wanted(name, tag):
                yield name, run.series(tag, restarts)


def csv_pieces(series: Iterable[Named], segments: bool = False) -> Iterator[str]:
    """run,tag,step,wall_time,value; with `segments` also the number of the part between restarts."""
    yield "run,tag,step,wall_time,value" + (",segment" if segments else "") + "\n"
    for run, one in series:
        head = _csv_row([run, one.tag])
        for a in range(0, len(one), ROWS_A_PIECE):
            rows = slice(a, a + ROWS_A_PIECE)
            columns = [one.step[rows].tolist(), one.wall_time[rows].tolist(), one.value[rows].tolist()]
            if segments:
                columns.append(_segment_numbers(one)[rows].tolist())
                yield "".join([f"{head},{s},{w!r},{v!r},{k}\n" for s, w, v, k in zip(*columns, strict=True)])
            else:
                yield "".join([f"{head},{s},{w!r},{v!r}\n" for s, w, v in zip(*columns, strict=True)])


def json_pieces(series: Iterable[Named], segments: bool = False) -> Iterator[str]:
    """{"series": [{"run", "tag", "step": […], "wall_time": […], "value": […]}]}"""
    yield '{"series": ['
    for k, (run, one) in enumerate(series):
        columns = {"step": one.step.tolist(), "wall_time": plain(one.wall_time), "value": plain(one.value)}
        if segments:
            columns["segment"] = _segment_numbers(one).tolist()
        yield (",\n" if k else "\n") + json.dumps({"run": run, "tag": one.tag, **columns}, allow_nan=False)
    yield "\n]}\n"


def plain(column: Floats) -> list[float | str]:
    """Floats as JSON can hold them."""
    values: list[float | str] = column.tolist()
    if np.isfinite(column).all():
        return values
    return [v if isinstance(v, float) and math.isfinite(v) else _word(v) for v in values]


def write_parquet(stream: IO[bytes], series: Iterable[Named], segments: bool = False) -> int:
    """One row group a series; the number of rows. Value is float64, which holds every float32 exactly."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise EngineMissingError(
            "Parquet needs pyarrow, which is not installed",
            todo="install it with `pip install pyarrow`, or export --csv",
        ) from None
    word = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    fields = [
        ("run", word),
        ("tag", word),
        ("step", pyarrow.int64()),
        ("wall_time", pyarrow.float64()),
        ("value", pyarrow.float64()),
    ]
    if segments:
        fields.append(("segment", pyarrow.int32()))
    schema, rows = pyarrow.schema(fields), 0
    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        for run, one in series:
            zero = pyarrow.array(np.zeros(len(one), np.int32))
            columns = [
                pyarrow.DictionaryArray.from_arrays(zero, [run]), pyarrow.DictionaryArray.from_arrays(zero, [one.tag]),
                one.step, one.wall_time, one.value.astype(np.float64),
            ]  # fmt: skip
            if segments:
                columns.append(_segment_numbers(one).astype(np.int32))
            writer.write_table(pyarrow.table(columns, schema=schema))
            rows += len(one)
    return rows


def _segment_numbers(one: Series) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.searchsorted(one.segments, np.arange(len(one)), side="right") - 1


def _word(value: float | str) -> str:
    return "NaN" if value != value else "Infinity" if value == math.inf else "-Infinity"


def _csv_row(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue()
