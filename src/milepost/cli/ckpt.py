"""`milepost ckpt`: look into checkpoints, compare, verify, convert and clean up. In: paths. Out: tables or JSON, an exit code.

Exit codes: 0 fine; 1 something is wrong with a checkpoint (or, for `diff`, the two differ); 2 the command line makes no sense.
"""

from __future__ import annotations

import fnmatch
import os
import time
from typing import TYPE_CHECKING

import click

from milepost.cli.ckpt_convert import convert_command
from milepost.cli.ckpt_diff import diff_command
from milepost.cli.ckpt_gc import gc_command
from milepost.cli.ckpt_output import bytes_of, console, plain, print_json, table
from milepost.cli.ckpt_verify import verify_command
from milepost.errors import CheckpointNotFoundError

if TYPE_CHECKING:
    from milepost.train.inspect import Listed

__all__ = ["command"]


@click.group(name="ckpt")
def command() -> None:
    """List, show, compare, verify, convert and clean up checkpoints.

    A checkpoint is named by its prefix (run/ckpt-3) or by its directory (the newest one in it).
    """


@command.command()
@click.argument("directory", default=".")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def ls(directory: str, as_json: bool) -> int:
    """List the checkpoints of a directory, oldest first."""
    from milepost.train.inspect import listing

    if not os.path.isdir(directory):
        raise CheckpointNotFoundError("no such directory", where=directory)
    found = listing(directory)
    if as_json:
        print_json(found)
        return 1 if any(item.error for item in found) else 0
    if not found:
        raise CheckpointNotFoundError("no checkpoint in this directory", where=directory)
    lines = [
        (
            ("→ " if item.latest else "  ") + os.path.basename(item.prefix),
            time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(item.modified)),
            str(item.tensors), bytes_of(item.bytes), _noted(item), plain(item.error, "red"),
        )
        for item in found
    ]  # fmt: skip
    columns = [
        ("  checkpoint", "left"),
        ("written", "left"),
        ("tensors", "right"),
        ("size", "right"),
        ("", "left"),
        ("", "left"),
    ]
    console().print(table(f"{directory} (→ latest)", columns, lines))
    return 1 if any(item.error for item in found) else 0


def _noted(item: Listed) -> str:
    """A pin and metrics, as they were given to the manager."""
    return " ".join(
        [*(["pinned"] if item.pinned else []), *(f"{name}={value:.6g}" for name, value in item.metrics.items())]
    )


@command.command()
@click.argument("checkpoint")
@click.argument("tensor", required=False)
@click.option("--only", metavar="GLOB", multiple=True, help="Show only tensors whose path matches, as in 'model/*'.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def show(checkpoint: str, tensor: str | None, only: tuple[str, ...], as_json: bool) -> int:
    """Show what a checkpoint holds; with TENSOR (a path or key), that tensor's values."""
    from milepost.train.inspect import rows
    from milepost.train.reader import load_checkpoint

    reader = load_checkpoint(checkpoint)
    found = rows(reader)
    if tensor is not None:
        return _values(reader, next((row.key for row in found if tensor in (row.path, row.key)), tensor), as_json)
    if only:
        found = [row for row in found if any(fnmatch.fnmatchcase(row.path, pattern) for pattern in only)]
    if as_json:
        print_json(
            {
                "prefix": reader.prefix,
                "shards": reader.index.num_shards,
                "object_graph": reader.graph is not None,
                "tensors": found,
            }
        )
        return 0
    lines = [
        (
            row.path,
            row.dtype,
            "×".join(map(str, row.shape)) or "scalar",
            bytes_of(row.bytes),
            row.crc or f"{row.slices} slices",
            row.full_name,
        )
        for row in found
    ]
    columns = [
        ("path", "left"),
        ("dtype", "left"),
        ("shape", "right"),
        ("size", "right"),
        ("crc32c", "left"),
        ("name", "left"),
    ]
    total = sum(row.bytes for row in found)
    console().print(table(f"{reader.prefix}: {len(found)} tensors, {bytes_of(total)}", columns, lines))
    return 0


def _values(reader: object, key: str, as_json: bool) -> int:
    import numpy as np

    from milepost.train.reader import CheckpointReader

    assert isinstance(reader, CheckpointReader)
    array, entry = reader.get(key), reader.entry(key)
    if as_json:
        text = array.dtype == object
        values = (
            np.vectorize(lambda item: item.decode("utf-8", "backslashreplace"), otypes=[object])(array)
            if text
            else array
        )
        if values.dtype.kind not in "biufO":
            values = values.astype(np.complex64 if values.dtype.kind == "c" else np.float32)
        if values.dtype.kind == "c":
            values = np.stack([values.real, values.imag], -1)
        print_json({"key": key, "dtype": entry.dtype.name, "shape": list(entry.shape), "values": values.tolist()})
        return 0
    out = console()
    out.print(plain(f"{key}  {entry.dtype.name}{list(entry.shape)}", "bold"))
    if array.dtype.kind in "biuf" and array.size:
        numbers = array.astype(np.float64)
        out.print(
            f"min {numbers.min():.6g}  max {numbers.max():.6g}  mean {numbers.mean():.6g}  std {numbers.std():.6g}"
        )
    out.print(np.array2string(array, threshold=200, edgeitems=4, max_line_width=110), markup=False)
    return 0


command.add_command(diff_command)
command.add_command(verify_command)
command.add_command(convert_command)
command.add_command(gc_command)
