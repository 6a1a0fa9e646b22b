"""The `milepost` command. In: argv. Out: an exit code; errors as one line on stderr, a traceback only with --debug.

Commands live one a file and load when called, so that `milepost --help` needs neither numpy nor a web server.
Exit codes: 0 done; 1 it failed; 2 the command line makes no sense; 130 interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from milepost import __version__
from milepost.errors import MilepostError

__all__ = ["cli", "main"]

# name -> (module, one line for --help)
COMMANDS: dict[str, tuple[str, str]] = {
    "board": ("milepost.cli.board", "Serve the board: every run under a directory, live, in the browser."),
    "ckpt": ("milepost.cli.ckpt", "List, show, compare, verify, convert and clean up checkpoints."),
    "runs": ("milepost.cli.runs", "List, show, export and follow the runs under a directory."),
    "profile": ("milepost.cli.profile", "Show where a run's time goes, or record it."),
    "demo": ("milepost.cli.demo", "Train a small real model with checkpoints and summaries."),
}


class Rooms(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=Rooms, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="milepost", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show a traceback when something fails.")
def cli(debug: bool) -> None:
    """Save it, watch it, resume it: checkpoints, summaries and a board for any training run."""


def main(argv: list[str] | None = None) -> None:
    """Entry point of the `milepost` script."""
    arguments = sys.argv[1:] if argv is None else argv
    debug = "--debug" in arguments or bool(os.environ.get("MILEPOST_DEBUG"))
    sys.exit(run(arguments, debug=debug))


def run(arguments: list[str], *, debug: bool) -> int:
    # --debug is accepted in any place: people add it at the end of the line that has just failed
    arguments = ["--debug", *(a for a in arguments if a != "--debug")] if debug else arguments
    try:
        result: Any = cli.main(arguments, prog_name="milepost", standalone_mode=False)
        return int(result) if isinstance(result, int) else 0
    except click.ClickException as error:
        click.echo(f"milepost: {error.format_message()}", err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:  # `milepost runs export | head`
        sys.stderr.close()
        return 0
    except (MilepostError, OSError) as error:
        if debug:
            raise
        click.echo(f"milepost: {' '.join(str(error).split())}", err=True)
        return 1
