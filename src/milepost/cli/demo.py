"""`milepost demo`: a small real training, then the board on it. In: a port, a logdir. Out: runs to look at. The training is in `demo_training`."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path

import click

__all__ = ["command"]


@click.command("demo", help="Train a small real model with checkpoints and summaries, then serve the board on it.")
@click.option(
    "--port",
    "-p",
    type=click.IntRange(0, 65535),
    default=6006,
    show_default=True,
    help="Port of the board; 0 takes a free one.",
)
@click.option(
    "--logdir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the runs go (a temporary directory unless told).",
)
@click.option("--no-serve", is_flag=True, help="Train only.")
@click.option("--quick", is_flag=True, help="A few short runs: for tests.", hidden=True)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
def command(port: int, logdir: Path | None, no_serve: bool, quick: bool, open_browser: bool) -> None:
    # matrices this small must not pay for a thread barrier, least of all on a busy machine; numpy is not imported yet
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    from milepost.cli import demo_model, demo_training

    began = time.perf_counter()
    folder = logdir or Path(tempfile.mkdtemp(prefix="milepost-demo-"))
    data = demo_model.digits()
    click.echo(f"learning {data.source}, logs and checkpoints in {folder}", err=True)
    chosen = demo_training.plans()
    for plan in chosen[:: len(chosen) - 1] if quick else chosen:
        accuracy = demo_training.train_run(folder, plan, data)
        click.echo(f"  {plan.name:<16} {plan.steps} steps, {accuracy:.1%} of the test digits right", err=True)
    demo_training.profile_run(folder, data)
    click.echo(f"trained in {time.perf_counter() - began:.1f} s", err=True)
    if no_serve:
        return
    from milepost.board.options import Options
    from milepost.board.server import serve

    threading.Thread(target=demo_training.keep_training, args=(folder, data), name="milepost-demo", daemon=True).start()
    serve(
        Options(roots=(("", str(folder)),), port=port),
        say=lambda line: click.echo(line, err=True),
        open_browser=open_browser,
    )
