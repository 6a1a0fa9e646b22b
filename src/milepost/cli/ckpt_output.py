"""How `milepost ckpt` shows things. In: rows and values. Out: rich tables, JSON, progress bars on stderr. Not here: any command."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table
from rich.text import Text

__all__ = ["bytes_of", "console", "plain", "print_json", "progress", "table"]


def console(stderr: bool = False) -> Console:
    """A terminal as it is; a pipe wide enough that no name is cut."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else 200, highlight=False, soft_wrap=not stream.isatty())


def plain(text: str, style: str = "") -> Text:
    """Text as it stands: names come from files, so brackets are no markup and control characters are spelled out."""
    return Text("".join(c if c.isprintable() else repr(c)[1:-1] for c in text), style=style)


def table(title: str, columns: Sequence[tuple[str, str]], lines: Iterable[Sequence[str | Text]]) -> Table:
    """`columns` are (heading, "left" or "right")."""
    out = Table(title=plain(title), title_justify="left", box=None, pad_edge=False, header_style="bold")
    for heading, side in columns:
        out.add_column(heading, justify="right" if side == "right" else "left", overflow="fold")
    for line in lines:
        out.add_row(*(plain(cell) if isinstance(cell, str) else cell for cell in line))
    return out


def print_json(value: Any) -> None:
    """Dataclasses, lists and dicts as JSON; what is no number (nan, inf) as null, since JSON has no word for it."""
    sys.stdout.write(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value


def bytes_of(size: int) -> str:
    """12.3 MB: powers of 1000, as disks and networks are sold."""
    number, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while number >= 999.5 and len(units) > 1:
        number /= 1000
        units.pop(0)
    return f"{size} B" if units[0] == "B" else f"{number:.3g} {units[0]}"


def progress(quiet: bool = False) -> Progress:
    """A bar of bytes on stderr; only for people who watch."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(),
        console=console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty(),
    )  # fmt: skip
