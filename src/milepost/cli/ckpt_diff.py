"""`milepost ckpt diff A B`. In: two checkpoints. Out: which tensors differ, told by the checksums in the two indexes."""

from __future__ import annotations

import click
from rich.text import Text

from milepost.cli.ckpt_output import console, plain, print_json, table

__all__ = ["diff_command"]

_COLOURS = {"added": "green", "removed": "red", "value": "yellow", "shape": "magenta", "dtype": "magenta"}


@click.command(name="diff")
@click.argument("before")
@click.argument("after")
@click.option(
    "--norms", is_flag=True, help="Read changed tensors too, and show their norms and the norm of the change."
)
@click.option("--all", "show_same", is_flag=True, help="List tensors that are the same, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def diff_command(before: str, after: str, norms: bool, show_same: bool, as_json: bool) -> int:
    """Compare two checkpoints, tensor by tensor; exit code 1 when they differ.

    Checksums in the two indexes tell what changed: no tensor is read unless --norms asks for it.
    """
    from milepost.train.inspect import compare
    from milepost.train.reader import load_checkpoint

    a, b = load_checkpoint(before), load_checkpoint(after)
    changes = list(compare(a, b, norms=norms))
    differing = [change for change in changes if change.kind != "same"]
    if as_json:
        print_json(
            {
                "before": a.prefix,
                "after": b.prefix,
                "same": len(changes) - len(differing),
                "changes": changes if show_same else differing,
            }
        )
        return 1 if differing else 0
    shown = changes if show_same else differing
    columns = [("path", "left"), ("", "left"), ("before", "left"), ("after", "left")]
    if norms:
        columns += [("‖before‖", "right"), ("‖after‖", "right"), ("‖change‖", "right")]
    lines = []
    for change in shown:
        line: list[str | Text] = [
            change.path,
            plain(change.kind, _COLOURS.get(change.kind, "dim")),
            change.before,
            change.after if change.after != change.before else "″",
        ]
        if norms:
            line += [
                "" if norm is None else f"{norm:.6g}"
                for norm in (change.norm_before, change.norm_after, change.norm_change)
            ]
        lines.append(line)
    title = f"{a.prefix} → {b.prefix}: {len(differing)} of {len(changes)} tensors differ"
    console().print(table(title, columns, lines) if shown else plain(title))
    return 1 if differing else 0
