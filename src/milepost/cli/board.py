"""`milepost board`: flags in, a serving board out. TensorBoard's flags keep their names and meanings. No logic here.

The heavy rooms are imported inside the command, so that `--help` stays instant.
"""

from __future__ import annotations

import click

from milepost.errors import UsageError

__all__ = ["command"]

DEFAULT_PORT = 6006


def parse_spec(text: str) -> tuple[tuple[str, str], ...]:
    """`name:path,name:path`; a part without a name is named by its directory."""
    found = []
    for part in text.split(","):
        if not part.strip():
            continue
        name, colon, path = part.partition(":")
        # C:\runs is a path, not a run called C
        if not colon or (len(name) == 1 and path.startswith("\\")):
            name, path = part.rstrip("/").rpartition("/")[2] or part, part
        found.append((name.strip(), path.strip()))
    names = [name for name, _ in found]
    if not found or any(not path for _, path in found) or len(set(names)) != len(names):
        raise UsageError(
            "--logdir_spec wants different names and a path for each", got=text, want="name:path,name:path"
        )
    return tuple(found)


@click.command("board", help="Serve the board: every run under a directory, live, in the browser.")
@click.argument("directory", required=False)
@click.option("--logdir", "-l", help="Directory to look for runs in; it may not exist yet.")
@click.option("--logdir_spec", "--logdir-spec", help="Several directories: name:path,name:path.")
@click.option(
    "--port",
    "-p",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port; 0 takes a free one.",
)
@click.option("--host", help="Address to listen on (localhost unless told).")
@click.option("--bind_all", "--bind-all", is_flag=True, help="Listen on every interface. Think of --token.")
@click.option("--token", help="Ask every request for this token.")
@click.option("--read_only", "--read-only", is_flag=True, help="Refuse to rename, note, tag, hide or trash runs.")
@click.option("--follow_links", "--follow-links", is_flag=True, help="Read runs that links lead to outside the logdir.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
@click.option("--path_prefix", "--path-prefix", default="", help="Serve under this path, e.g. /board, behind a proxy.")
@click.option("--window_title", "--window-title", default="", help="Title of the browser window.")
@click.option(
    "--reload_interval",
    "--reload-interval",
    type=float,
    help="Seconds between looks at file systems that send no notice (5); 0 loads once.",
)
@click.option("--samples_per_plugin", "--samples-per-plugin", help="Accepted and unneeded: every point is kept.")
@click.option("--load_fast", "--load-fast", hidden=True, help="Accepted and unneeded.")
def command(
    directory: str | None,
    logdir: str | None,
    logdir_spec: str | None,
    port: int,
    host: str | None,
    bind_all: bool,
    token: str | None,
    read_only: bool,
    follow_links: bool,
    open_browser: bool,
    path_prefix: str,
    window_title: str,
    reload_interval: float | None,
    samples_per_plugin: str | None,
    load_fast: str | None,
) -> None:
    given = [value for value in (directory, logdir, logdir_spec) if value]
    if len(given) != 1:
        raise click.UsageError("give one directory: `milepost board DIR`, --logdir DIR or --logdir_spec name:DIR,…")
    if host and bind_all:
        raise click.UsageError("--host and --bind_all exclude each other")
    if token is not None and not token.strip():
        raise click.UsageError("--token is empty")
    from milepost.board.options import Options
    from milepost.board.server import serve

    roots = parse_spec(logdir_spec) if logdir_spec else (("", logdir or directory or ""),)
    serve(
        Options(
            roots=roots,
            port=port,
            host=host,
            bind_all=bind_all,
            token=token,
            read_only=read_only,
            follow_links=follow_links,
            path_prefix=path_prefix,
            window_title=window_title,
            reload_interval=reload_interval,
        ),
        say=lambda line: click.echo(line, err=True),
        open_browser=open_browser,
    )
