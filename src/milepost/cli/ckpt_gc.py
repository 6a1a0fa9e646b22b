"""`milepost ckpt gc`. In: a directory and what to keep. Out: what is (or would be) deleted."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import click

from milepost.cli.ckpt_output import bytes_of, console, plain, print_json, table

if TYPE_CHECKING:
    from milepost.train.retention import Retention

__all__ = ["gc_command"]


@click.command(name="gc")
@click.argument("directory")
@click.option("--keep-last", type=click.IntRange(min=1), metavar="N", help="Keep the newest N of each name.")
@click.option(
    "--keep-best", metavar="N:METRIC[:max]", multiple=True, help="Keep the N with the lowest (or highest) metric."
)
@click.option(
    "--keep-every", type=click.FloatRange(min=0, min_open=True), metavar="HOURS", help="Keep one in so many hours."
)
@click.option("--dry-run", "-n", is_flag=True, help="Only say what would be deleted.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def gc_command(
    directory: str,
    keep_last: int | None,
    keep_best: tuple[str, ...],
    keep_every: float | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Delete checkpoints that no rule keeps, and leftovers of processes that died.

    Without a rule every checkpoint stays. The newest and pinned ones always stay. Try --dry-run first.
    """
    from milepost.train import retention
    from milepost.train.garbage import collect, garbage

    rules = [_best(text) for text in keep_best]
    rules += [retention.keep_last(keep_last)] if keep_last else []
    rules += [retention.keep_every(hours=keep_every)] if keep_every else []
    rule = reduce(lambda a, b: a | b, rules) if rules else retention.keep_all()
    doomed = garbage(directory, rule) if dry_run else collect(directory, rule)
    if as_json:
        print_json({"deleted": not dry_run, "rule": repr(rule), "items": doomed})
        return 0
    total = bytes_of(sum(item.bytes for item in doomed))
    title = f"{directory}: {'would free' if dry_run else 'freed'} {total} in {sum(len(item.files) for item in doomed)} files"
    lines = [(item.name, bytes_of(item.bytes), item.why) for item in doomed]
    console().print(table(title, [("", "left"), ("size", "right"), ("why", "left")], lines) if lines else plain(title))
    return 0


def _best(text: str) -> Retention:
    from milepost.train.retention import keep_best

    count, _, rest = text.partition(":")
    metric, _, mode = rest.rpartition(":") if rest.endswith((":min", ":max")) else (rest, "", "min")
    if not count.isdigit() or not metric:
        raise click.BadParameter("it wants N:METRIC or N:METRIC:max, as in 2:val_loss", param_hint="--keep-best")
    return keep_best(int(count), metric, "max" if mode == "max" else "min")
