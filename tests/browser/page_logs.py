"""A logdir with something of everything, for the browser tests. In: a directory. Out: event files and checkpoints in it.

Not here: the board that serves it, the browser that looks at it (conftest).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from milepost import summary, train
from milepost.formats.event import Event
from milepost.formats.graphdef import GraphDef, NodeDef

STEPS = 400
# Text that must stay text, wherever it is shown.
HOSTILE_TAG = "<img src=x onerror=window.hacked=1>"
HOSTILE_TEXT = """# Notes of the run

**bold** and `code`, a [link](https://example.org/paper) and a list:

- one
- two

<script>window.hacked = 1</script>
<img src="https://evil.example/track.png" onerror="window.hacked = 1">
<iframe src="https://evil.example/"></iframe>
<a href="javascript:window.hacked=1">press</a>
<div style="position:fixed;inset:0" onmouseover="window.hacked=1">over</div>
<svg onload="window.hacked=1"><circle r=4></svg>
<form action="https://evil.example/"><button>send</button></form>
"""


def scoped_graph(nodes: int) -> bytes:
    """A net of `nodes` ops in blocks of layers: each block a scope, each layer a scope in it."""
    made = [NodeDef(name="input", op="Placeholder")]
    last = "input"
    ops = ("MatMul", "BiasAdd", "Relu", "LayerNorm", "Add")
    i = 0
    while len(made) < nodes:
        name = f"model/block{i // 50}/layer{i // 5 % 10}/{ops[i % 5]}"
        made.append(NodeDef(name=name, op=ops[i % 5], input=[last]))
        last = name
        i += 1
    return GraphDef(node=made).encode()


def flat_graph(nodes: int) -> bytes:
    """The worst case for a layout: no scope at all, every node beside every other."""
    made = [
        NodeDef(name=f"n{i}", op="Op", input=[f"n{j}" for j in {i - 1, i // 2} if 0 <= j < i]) for i in range(nodes)
    ]
    return GraphDef(node=made).encode()


def write_graph(directory: Path, payload: bytes) -> None:
    writer = summary.create_file_writer(str(directory))
    writer.append(Event(wall_time=1_731_700_000.0, graph_def=payload).encode())
    writer.close()


def scalars(directory: Path, seed: int, steps: int = STEPS) -> None:
    rng = np.random.default_rng(seed)
    for step in range(steps):
        base = 2.3 * float(np.exp(-step / (60 + 15 * seed))) + 0.1
        summary.scalar("train/loss", base + float(rng.normal(0, 0.03)), step=step)
        summary.scalar("train/accuracy", 1 - base / 2.6, step=step)
        summary.scalar("train/lr", 1e-3 * (1 - step / steps), step=step)
        if step % 10 == 0:
            summary.scalar("val/loss", base * 1.1 + 0.02 * seed, step=step)


def media(rng: np.random.Generator) -> None:
    ramp = np.linspace(0, 1, 16 * 16).reshape(16, 16, 1)
    for step in range(0, 50, 10):
        pictures = np.stack([np.roll(ramp, step + k, axis=0) for k in range(4)])
        summary.image("samples", pictures, step=step, max_outputs=4)
        wave = np.sin(np.linspace(0, 60 + step, 2000)).reshape(1, -1, 1) * 0.5
        summary.audio("tone", wave, sample_rate=8000, step=step)
        summary.text("notes", f"step **{step}**", step=step)
        summary.histogram("weights", rng.normal(step / 20, 1, 400), step=step)
        labels = rng.random(200) > 0.5
        summary.pr_curve("cats", labels, np.clip(labels * 0.3 + rng.random(200) * 0.7, 0, 1), step=step)
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1 + step / 50) for z in (-1, 1)], np.float32)
        sides = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
        red = np.tile(np.array([255, 0, 0], np.uint8), (8, 1))
        summary.mesh("box", np.stack([corners, corners * 2]), np.array([sides, sides]), np.stack([red, red]), step=step)
        summary.mesh("cloud", rng.normal(0, 1, (1, 500, 3)).astype(np.float32), step=step)
    # three clouds along one line: classes that are seen apart, and whose members are their own neighbours
    points = rng.normal(0, 0.1, (60, 8)) + np.repeat([-5, 0, 5], 20)[:, None] * np.eye(8)[0] + np.eye(8)[1]
    names = [[f"point {i}", ["left", "middle", "right"][i // 20]] for i in range(60)]
    summary.embedding(points.astype(np.float32), names, np.ones((60, 1, 8, 8), np.float32), step=0, tag="three", metadata_header=["name", "class"])  # fmt: skip
    summary.text("hostile", HOSTILE_TEXT, step=0)
    summary.text("table", np.array([["a", "b"], ["**c**", "<b onclick=alert(1)>d</b>"]]), step=0)


def write_all(directory: Path) -> Path:
    """Three seeds, one run with trouble in it, media, a graph, checkpoints."""
    for seed in (1, 2, 3):
        run = directory / f"seed-{seed}"
        writer = summary.create_file_writer(str(run))
        with writer.as_default():
            summary.hparams(
                {"lr": [1e-3, 1e-2, 1e-1][seed - 1], "optimizer": ["adam", "sgd"][seed % 2], "layers": seed}
            )
            scalars(run, seed)
            if seed == 1:
                media(np.random.default_rng(0))
        writer.close()
    state = train.Checkpoint(step=np.array(0), w=np.zeros((64, 32), np.float32), b=np.zeros(32, np.float32))
    for step in (100, 200, 300):
        state.step[...] = step
        state.save(str(directory / "seed-1" / "ckpt"))
    writer = summary.create_file_writer(str(directory / "trouble"))
    with writer.as_default():
        for step in range(100):
            value = {30: float("nan"), 40: float("inf"), 50: float("-inf")}.get(step, float(step % 7))
            summary.scalar("train/loss", value, step=step)
        summary.scalar(HOSTILE_TAG, 1.0, step=0)
    writer.close()
    write_graph(directory / "seed-2", scoped_graph(600))
    return directory
