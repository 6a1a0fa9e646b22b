"""`milepost runs report`: one self-contained file of a logdir. In: a directory. Out: report.html. No logic here."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import click

from milepost.errors import UsageError

__all__ = ["report"]


@click.command("report")
@click.argument("logdir", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="File to write.",
)
@click.option("--run", "patterns", multiple=True, metavar="GLOB", help="Only these runs; may be given again.")
@click.option("--title", default="", help="Title of the page.")
@click.option(
    "--max-media-mb",
    type=click.IntRange(0, 2000),
    default=64,
    show_default=True,
    help="Media beyond this is left out, and the report says so.",
)
def report(logdir: Path, out: Path, patterns: tuple[str, ...], title: str, max_media_mb: int) -> None:
    """One HTML file with the board's page and all its data inside, to open or send without a server."""
    from milepost.board.report import write_report

    if not logdir.exists():
        raise UsageError(
            "no such directory", where=str(logdir), todo="give the directory the summaries were written to"
        )
    made = write_report(
        str(logdir), out, title=title, max_media_bytes=max_media_mb << 20, runs=lambda name: not patterns or any(name == p or fnmatchcase(name, p) for p in patterns)
    )  # fmt: skip
    click.echo(
        f"{out}: {made['runs']} runs, {made['lines']} curves, {made['media']} media items, {made['bytes'] / 1e6:.1f} MB",
        err=True,
    )
