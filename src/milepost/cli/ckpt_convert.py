"""`milepost ckpt convert SOURCE TARGET`. In: two names. Out: the tensors of the first in the format of the second."""

from __future__ import annotations

import os

import click

from milepost.cli.ckpt_output import bytes_of, console, plain, print_json, progress
from milepost.errors import UsageError

__all__ = ["convert_command"]


@click.command(name="convert")
@click.argument("source")
@click.argument("target")
@click.option("--only", metavar="GLOB", multiple=True, help="Convert only tensors whose path matches, as in 'model/*'.")
@click.option(
    "--rename", metavar="OLD=NEW", multiple=True, help="Put NEW for a path's beginning OLD; 'model=' drops it."
)
@click.option("--force", is_flag=True, help="Replace TARGET if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def convert_command(
    source: str, target: str, only: tuple[str, ...], rename: tuple[str, ...], force: bool, as_json: bool
) -> int:
    """Convert between TensorBundle, .safetensors, .pt, .weights.h5 and .npz; the names' endings say which.

    TensorBundle checksums are verified on the way; the target is written whole or not at all.
    """
    from milepost.train.convert import convert, format_of

    rules = []
    for rule in rename:
        old, equals, new = rule.partition("=")
        if not equals:
            raise UsageError("--rename wants OLD=NEW", got=rule)
        rules.append((old.strip("/"), new.strip("/")))
    existing = target + ".index" if format_of(target) == "bundle" else target
    if os.path.exists(existing) and not force:
        raise UsageError("the target exists", where=existing, todo="give another name, or --force to replace it")
    with progress(quiet=as_json) as bar:
        task = bar.add_task("converting", total=None)
        done = convert(source, target, only=only, rename=rules, on_tensor=lambda _, size: bar.advance(task, size))
    if as_json:
        print_json(done)
        return 0
    out = console()
    formats = f"({done.source_format} → {done.target_format})"
    out.print(plain(f"{target}: {len(done.names)} tensors, {bytes_of(done.bytes)} {formats}"))
    for item in done.left_out:
        out.print(plain(f"  left out {item.name}: {item.why}"))
    return 0
