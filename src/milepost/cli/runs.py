"""`milepost runs`: list, show, export and follow the runs under a directory. In: arguments. Out: tables, JSON, files."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any

import click

from milepost.cli.report import report
from milepost.errors import UsageError

LOGDIR = click.argument("logdir", type=click.Path(path_type=Path))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")
RESTARTS = click.option(
    "--restarts", type=click.Choice(["keep-last", "keep-all", "split"]), default="keep-last", show_default=True,
    help="What a resumed run does to points it had written before.",
)  # fmt: skip
RUN = click.option("--run", "run_patterns", multiple=True, metavar="GLOB", help="Only these runs; may be given again.")
TAG = click.option("--tag", "tag_patterns", multiple=True, metavar="GLOB", help="Only these tags; may be given again.")
CACHE = click.option("--cache/--no-cache", default=True, help="Use the index in the user's cache directory.")


@click.group()
def command() -> None:
    """List, show, export and follow the runs under a directory."""


command.add_command(report)


def _open(logdir: Path, *, cache: bool = True, load: bool = True, must_exist: bool = True) -> Any:
    from milepost import store

    if must_exist and not logdir.exists():
        raise UsageError(
            "no such directory", where=str(logdir), todo="give the directory the summaries were written to"
        )
    return store.open(logdir, cache=cache, load=load)


def _matcher(runs: tuple[str, ...], tags: tuple[str, ...]) -> Callable[[str, str], bool]:
    def any_of(patterns: tuple[str, ...], name: str) -> bool:
        return not patterns or any(name == p or fnmatchcase(name, p) for p in patterns)

    return lambda run, tag: any_of(runs, run) and any_of(tags, tag)


@command.command("ls")
@LOGDIR
@AS_JSON
@CACHE
def ls(logdir: Path, as_json: bool, cache: bool) -> None:
    """One line a run: tags, points, last step, times, size, trouble."""
    runs = _open(logdir, cache=cache)
    rows = []
    for name, run in runs.items():
        info = run.info
        rows.append({
            "run": name, "tags": info.tags, "points": info.points, "last_step": info.last_step, "first_wall": info.first_wall,
            "last_wall": info.last_wall, "files": info.files, "bytes": info.bytes, "kinds": run.kinds(),
            "bad_records": info.bad_records, "truncated_at": [list(t) for t in info.truncated_at], "problems": list(info.problems),
        })  # fmt: skip
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    if not rows:
        click.echo(f"no event files under {logdir}")
        return
    table = _table("run", ">tags", ">points", ">last step", "started", "last written", ">size", "notes")
    for row in rows:
        table.add_row(
            _plain(row["run"]), f"{row['tags']:,}", f"{row['points']:,}", _number(row["last_step"]), _when(row["first_wall"]),
            _when(row["last_wall"]), _size(row["bytes"]), _notes(row),
        )  # fmt: skip
    _print(table)


@command.command("show")
@LOGDIR
@RUN
@TAG
@RESTARTS
@AS_JSON
@CACHE
def show(
    logdir: Path,
    run_patterns: tuple[str, ...],
    tag_patterns: tuple[str, ...],
    restarts: str,
    as_json: bool,
    cache: bool,
) -> None:
    """Each tag of each run: points, steps, last, least and greatest value, and what is not as it should be."""
    wanted = _matcher(run_patterns, tag_patterns)
    rows = []
    for name, run in _open(logdir, cache=cache).items():
        rows += [_scalar_row(name, run.series(tag, restarts)) for tag in run.scalars if wanted(name, tag)]
        for kind in run.kinds():
            if kind != "scalars":
                rows += [
                    _media_row(name, kind, tag, media) for tag, media in run.of_kind(kind).items() if wanted(name, tag)
                ]
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    if not rows:
        click.echo(f"nothing of that under {logdir}; see `milepost runs ls {logdir}`")
        return
    table = _table("run", "tag", "kind", ">points", ">last step", ">last", ">least", ">greatest", "truth")
    for row in rows:
        values = [_value(row.get(key)) for key in ("last", "min", "max")]
        table.add_row(
            _plain(row["run"]),
            _plain(row["tag"]),
            row["kind"],
            f"{row['points']:,}",
            _number(row["last_step"]),
            *values,
            _truth(row),
        )
    _print(table)


@command.command("export")
@LOGDIR
@RUN
@TAG
@RESTARTS
@click.option("--csv", "form", flag_value="csv", default=True, help="run,tag,step,wall_time,value (the default).")
@click.option("--json", "form", flag_value="json", help="One object of columns a series.")
@click.option("--parquet", "form", flag_value="parquet", help="A Parquet file; needs pyarrow.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; standard output if left out.",
)
@CACHE
def export(
    logdir: Path, run_patterns: tuple[str, ...], tag_patterns: tuple[str, ...], restarts: str, form: str, output: Path | None, cache: bool
) -> None:  # fmt: skip
    """All points of all scalars, none left out."""
    from milepost.store import export as write

    if form == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is no text", todo="give a file: --output points.parquet")
    runs = _open(logdir, cache=cache)
    series = write.chosen(runs, _matcher(run_patterns, tag_patterns), restarts)
    segments = restarts == "split"
    with _as_long_as_read(), _target(output) as stream:
        if form == "parquet":
            write.write_parquet(stream, series, segments)
            return
        for piece in write.csv_pieces(series, segments) if form == "csv" else write.json_pieces(series, segments):
            stream.write(piece.encode("utf-8", "backslashreplace"))


@contextmanager
def _as_long_as_read() -> Iterator[None]:
    """`milepost runs export | head`: the reader has seen enough, which is no failure. Click would make exit code 1 of it."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still in the buffer


def _target(output: Path | None) -> AbstractContextManager[IO[bytes]]:
    """Standard output, or a file that is there only when it is whole."""
    from milepost.storage.cache import replacing

    if output is None:
        return nullcontext(sys.stdout.buffer)
    if not output.parent.is_dir():
        raise UsageError("no such directory", where=str(output.parent))
    return replacing(output)


@command.command("tail")
@LOGDIR
@RUN
@TAG
@click.option(
    "-n", "--last", type=click.IntRange(0), default=10, show_default=True, help="Points of each tag to begin with."
)
@click.option("--follow/--no-follow", "-f", default=True, help="Go on as points are written, until interrupted.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a point.")
def tail(logdir: Path, run_patterns: tuple[str, ...], tag_patterns: tuple[str, ...], last: int, follow: bool, as_json: bool) -> None:  # fmt: skip
    """Points as they are written."""
    import threading

    from milepost.store.export import plain
    from milepost.store.follow import follow_points

    stop = threading.Event()
    if not follow:
        stop.set()
    runs = _open(logdir, load=False, must_exist=not follow)
    with _as_long_as_read():
        for new in follow_points(runs, _matcher(run_patterns, tag_patterns), stop=stop, last=last):
            for step, wall, value in zip(new.step.tolist(), new.wall_time.tolist(), plain(new.value), strict=True):
                if as_json:
                    row = {"run": new.run, "tag": new.tag, "step": step, "wall_time": wall, "value": value}
                    click.echo(json.dumps(row))
                else:
                    click.echo(f"{_when(wall)}  {_plain(new.run)}  {_plain(new.tag)}  {step}  {value}")
            sys.stdout.flush()


def _scalar_row(run: str, series: Any) -> dict[str, Any]:
    from milepost._native.bucket import extent

    finite, least, greatest, low, high = extent(series.value)
    truth = series.truth
    last = float(series.value[-1]) if len(series) else None
    return {
        "run": run, "tag": series.tag, "kind": "scalars", "points": len(series),
        "last_step": int(series.step[-1]) if len(series) else None, "last": None if last is None else _json_number(last),
        "min": least if finite else None, "min_step": int(series.step[low]) if finite else None,
        "max": greatest if finite else None, "max_step": int(series.step[high]) if finite else None,
        "read": truth.read, "dropped": truth.dropped, "purged": truth.purged, "nan": truth.nan, "inf": truth.inf,
        "restarts": list(truth.restarts), "truncated_at": [list(t) for t in truth.truncated_at],
        "display_name": series.metadata.display_name, "description": series.metadata.description,
    }  # fmt: skip


def _media_row(run: str, kind: str, tag: str, media: Any) -> dict[str, Any]:
    return {
        "run": run, "tag": tag, "kind": kind, "points": len(media), "last_step": int(media.step[-1]) if len(media) else None,
        "display_name": media.metadata.display_name, "description": media.metadata.description,
    }  # fmt: skip


def _json_number(value: float) -> float | str:
    return value if value - value == 0 else "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def _truth(row: dict[str, Any]) -> str:
    said = [f"{row[key]:,} {word}" for key, word in (("dropped", "dropped"), ("purged", "purged"), ("nan", "NaN"), ("inf", "infinite")) if row.get(key)]  # fmt: skip
    if row.get("restarts"):
        said.append(
            "restart at " + ", ".join(map(str, row["restarts"][:3])) + (" …" if len(row["restarts"]) > 3 else "")
        )
    said += [f"truncated at byte {byte:,}" for _, byte in row.get("truncated_at", [])]
    return ", ".join(said) or "all there"


def _notes(row: dict[str, Any]) -> str:
    said = [f"{row['bad_records']:,} bad records"] if row["bad_records"] else []
    said += [f"ends inside a record, byte {byte:,}" for _, byte in row["truncated_at"]]
    return ", ".join(said + row["problems"])


def _table(*columns: str) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left", overflow="fold")
    return table


def _print(table: Any) -> None:
    from rich.console import Console

    # a pipe has no width: lines must not be folded at 80 there
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=400)
    console.print(table)


def _plain(text: str) -> str:
    """Names come from logs: control characters must not reach the terminal."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _value(value: float | str | None) -> str:
    return "" if value is None else value if isinstance(value, str) else f"{value:.6g}"


def _when(wall: float | None) -> str:
    if wall is None or wall - wall != 0 or not 0 <= wall < 253402300800:  # year 10000
        return "–"
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(wall))


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
