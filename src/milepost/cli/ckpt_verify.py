"""`milepost ckpt verify`. In: checkpoints or directories. Out: each damaged tensor by name; exit code 1 if there is one."""

from __future__ import annotations

import click

from milepost.cli.ckpt_output import bytes_of, console, plain, print_json, progress
from milepost.errors import MilepostError

__all__ = ["verify_command"]


@click.command(name="verify")
@click.argument("paths", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def verify_command(paths: tuple[str, ...], as_json: bool) -> int:
    """Check every byte of checkpoints, or of all those in a directory, against their checksums; exit code 1 on damage."""
    from milepost.train.inspect import prefixes, verify
    from milepost.train.reader import CheckpointReader

    found = [prefix for path in paths for prefix in prefixes(path)]
    total = 0
    for prefix in found:
        try:
            index = CheckpointReader(prefix).index
            total += sum(entry.size for entry in [*index.entries.values(), *index.parts.values()])
        except MilepostError:
            pass  # verify itself tells what is wrong with it
    with progress(quiet=as_json) as bar:
        task = bar.add_task("verifying", total=total)
        results = list(verify(found, on_tensor=lambda _, size: bar.advance(task, size)))
    if as_json:
        print_json(results)
    else:
        out = console()
        for result in results:
            if result.errors:
                count = f"{len(result.errors)} of {result.tensors} tensors" if result.tensors else "unreadable"
                out.print(plain("damaged  ", "red") + plain(f"{result.prefix}: {count}"))
                for error in result.errors:
                    out.print(plain(f"         {error}"))
            else:
                size = f"{result.tensors} tensors, {bytes_of(result.bytes)}"
                out.print(plain("whole    ", "green") + plain(f"{result.prefix}: {size}"))
    return 1 if any(result.errors for result in results) else 0
