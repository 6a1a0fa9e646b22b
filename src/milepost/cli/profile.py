"""`milepost profile`: show a capture in the terminal, or record one of any Python program. In: argv. Out: text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import click

from milepost.errors import ProfileError, UsageError

__all__ = ["command"]


@click.group("profile")
def command() -> None:
    """Show where a run's time goes, or record it."""


@command.command("show")
@click.argument("path", type=click.Path(exists=True))
@click.option("--by", type=click.Choice(["name", "shape", "module"]), default="name", help="Group ops by this.")
@click.option("-n", "--rows", default=15, show_default=True, help="Rows of the op table.")
@click.option("--json", "as_json", is_flag=True, help="The whole analysis as JSON.")
def show(path: str, by: str, rows: int, as_json: bool) -> None:
    """Where the time went: PATH is a trace (ours, torch's, jax's, TensorFlow's) or a log directory, of which the newest is shown."""
    from milepost.store import profile

    chosen = _newest(path) if os.path.isdir(path) else path
    analysis = profile.analyse(profile.load(chosen))
    if as_json:
        print(json.dumps({"path": chosen, **analysis.to_json()}))
        return
    _print(chosen, analysis, profile.op_table(analysis.kinded, by)[:rows])


def _newest(logdir: str) -> str:
    from milepost.store import profile

    found = profile.find({"": logdir})
    if not found:
        raise ProfileError("no capture under this directory", where=logdir, todo="make one: milepost profile record")
    return found[0].files[0].path


def _print(path: str, analysis: Any, rows: list[Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from milepost.store.profile.advice import milliseconds

    console, split = Console(highlight=False), analysis.split
    steps = len(split.step) if split.step[0] >= 0 else 0
    length = float(split.length.mean())
    console.print(f"[bold]{escape(path)}[/bold]  {len(analysis.trace)} events", soft_wrap=True)
    unit = f"{steps} steps, {milliseconds(length)} each on average" if steps else f"no steps, {milliseconds(length)}"
    console.print(f"{unit}; host {'sampled' if split.sampled else 'not sampled: pauses are taken for Python'}")
    for part, share in split.share.items():
        bar = "█" * round(share * 40)
        each = split.total[part] / max(len(split.step), 1)
        console.print(f"  {part:8} {share:6.1%} {milliseconds(each):>9}  {bar}")
    for item in analysis.advice:
        console.print(f"• {escape(item.text)}", soft_wrap=True)
    if rows:
        table = Table(box=None, pad_edge=False)
        for title in ("own", "total", "calls", "kind", "op"):
            table.add_column(
                title, justify="right" if title in ("own", "total", "calls") else "left", no_wrap=title != "op"
            )
        for row in rows:
            name = f"{row.name}  {row.detail}" if row.detail else row.name
            table.add_row(milliseconds(row.own), milliseconds(row.total), str(row.calls), row.kind, escape(name))
        console.print(table)
    for curve in analysis.memory:
        if curve.unit == "bytes":
            console.print(f"{escape(curve.name)}: at most {curve.peak / 1e6:.1f} MB")


@command.command("record", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--logdir", default="runs/profile", show_default=True, help="Where the capture goes.")
@click.option("--sample-ms", default=4.0, show_default=True, help="Milliseconds between two looks at the threads.")
@click.option("--show/--no-show", "then_show", default=True, help="Show the result when the program has ended.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=True)
@click.pass_context
def record(ctx: click.Context, logdir: str, sample_ms: float, then_show: bool, program: tuple[str, ...]) -> int:
    """Run a Python program, unchanged, under a capture: `milepost profile record -- python train.py --epochs 3`."""
    interpreter, rest = _python(list(program))
    before = {c.id for c in _captures(logdir)}
    done = subprocess.run([*interpreter, "-m", "milepost.profiler.run", logdir, str(sample_ms), *rest], check=False)
    made = [c for c in _captures(logdir) if c.id not in before]
    if made and then_show:
        ctx.invoke(show, path=made[0].files[0].path, by="name", rows=15, as_json=False)
    if not made and done.returncode == 0:
        raise ProfileError("the program ended without a capture", where=logdir, todo="did it end by os._exit?")
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _captures(logdir: str) -> list[Any]:
    from milepost.store import profile

    return profile.find({"": logdir})


def _python(program: list[str]) -> tuple[list[str], list[str]]:
    """The interpreter with its own options, and what it runs."""
    name = os.path.basename(program[0]).lower().removesuffix(".exe")
    if name.endswith(".py"):
        return [sys.executable], program
    if not name.startswith("python"):
        raise UsageError(
            "only Python programs can be recorded", got=program[0], want="python …, or a .py file",
            todo="start it as `python -m module` or `python script.py`",
        )  # fmt: skip
    at = 1
    while at < len(program) and program[at].startswith("-") and program[at] not in ("-m", "-c"):
        at += 2 if program[at] in ("-W", "-X") else 1
    if at >= len(program):
        raise UsageError("no program after the interpreter", got=" ".join(program), want="python train.py …")
    return program[:at], program[at:]
