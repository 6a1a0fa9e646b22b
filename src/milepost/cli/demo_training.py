"""The demo's runs. In: a logdir. Out: runs that learn, one that diverges, one that was stopped and resumed, with every kind of summary and with checkpoints.

Written as a user would write it: `milepost.summary` and `milepost.train` around a training loop, nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from milepost import profiler, summary, train
from milepost.cli.demo_model import Digits, Network, forward, gradients, loss_of
from milepost.formats.graphdef import AttrValue, GraphDef, NodeDef, shape_attr
from milepost.summary.emit import encode_event
from milepost.summary.hyperparameters import session_end_value

Array = np.ndarray[Any, Any]

__all__ = ["Plan", "keep_training", "plans", "train_run"]

BATCH = 64
EVERY = 50  # steps between looks at the test digits
SAVE_EVERY = 150
SUCCESS, FAILURE = 1, 2  # end of a session, as TensorBoard's hparams count it


@dataclass(frozen=True)
class Plan:
    """One run: its name, what it is given, and where it is interrupted, if at all."""

    name: str
    rate: float
    seed: int
    steps: int = 600
    interrupted_at: int | None = None


def plans() -> list[Plan]:
    """Three learning rates with three seeds each, one rate that is too high, one run that is stopped and resumed."""
    usual = [Plan(f"lr={rate}/seed-{seed}", rate, seed) for rate in (0.1, 0.03, 0.003) for seed in (1, 2, 3)]
    return [*usual, Plan("lr=5/diverges", 5.0, 1, 300), Plan("resumed", 0.03, 4, 600, interrupted_at=380)]


def batches(data: Digits, seed: int, start: int) -> Iterator[tuple[Array, Array]]:
    """Endless; the same from any step on, so that a resumed run sees what it would have seen."""
    step = start
    while True:
        chosen = np.random.default_rng([seed, step]).integers(0, len(data.train_x), BATCH)
        yield data.train_x[chosen], data.train_y[chosen]
        step += 1


def train_run(logdir: Path, plan: Plan, data: Digits) -> float:
    """Train one run to its end; its accuracy on the test digits."""
    folder = logdir / plan.name
    network, step = Network(plan.seed), np.zeros((), np.int64)
    checkpoint = train.Checkpoint(step=step, **network.parts)
    manager = train.CheckpointManager(
        checkpoint, folder / "checkpoints", max_to_keep=None, best_metric="accuracy", best_mode="max"
    )
    writer = summary.create_file_writer(str(folder))
    with writer.as_default(), np.errstate(all="ignore"):
        introduce(plan, data)
        accuracy = loop(network, step, plan, data, manager, plan.interrupted_at or plan.steps)
        if plan.interrupted_at is None:
            finish(writer, accuracy)
    writer.close()
    if plan.interrupted_at is not None:
        # as after a crash: a new process, a new writer, the newest checkpoint
        network, step = Network(plan.seed + 100), np.zeros((), np.int64)
        manager = train.CheckpointManager(
            train.Checkpoint(step=step, **network.parts),
            folder / "checkpoints",
            max_to_keep=None,
            best_metric="accuracy",
            best_mode="max",
        )
        manager.restore_or_initialize()
        writer = summary.create_file_writer(str(folder), filename_suffix=".resumed")
        with writer.as_default(), np.errstate(all="ignore"):
            accuracy = loop(network, step, plan, data, manager, plan.steps)
            finish(writer, accuracy)
        writer.close()
    manager.close()
    return accuracy


def introduce(plan: Plan, data: Digits) -> None:
    """What a run says of itself once."""
    summary.hparams({"learning rate": plan.rate, "seed": plan.seed, "batch": BATCH, "momentum": 0.9})
    summary.text(
        "about",
        f"# {plan.name}\n\nA network of 64 → 48 → 24 → 10 learns {data.source}.\n\n| | |\n|---|---|\n| learning rate | {plan.rate} |\n| seed | {plan.seed} |\n| steps | {plan.steps} |\n",
        step=0,
    )
    summary.custom_scalars(
        {
            "train and validation": {
                "loss": ["Multiline", ["loss/train", "loss/validation"]],
                "accuracy": ["Multiline", ["accuracy/train", "accuracy/validation"]],
            }
        }
    )
    summary.graph(graph_def())


def finish(writer: Any, accuracy: float) -> None:
    """A run that says that it has ended, and how, need not be guessed at."""
    status = SUCCESS if accuracy > 0.5 else FAILURE
    writer.append(encode_event([session_end_value(status, time.time())], 0, time.time()))


def loop(
    network: Network, step: Array, plan: Plan, data: Digits, manager: train.CheckpointManager, until: int
) -> float:
    accuracy = 0.0
    source = batches(data, plan.seed, int(step))
    while int(step) < until:
        now = int(step)
        rate = plan.rate * 0.5 * (1 + np.cos(np.pi * now / plan.steps))
        loss, correct, slopes = gradients(network, *next(source))
        summary.scalar("loss/train", loss, step=now)
        summary.scalar("accuracy/train", correct, step=now)
        summary.scalar("optimizer/learning rate", rate, step=now)
        summary.scalar("optimizer/gradient norm", np.sqrt(sum(float((s**2).sum()) for s in slopes)), step=now)
        network.step(slopes, rate)
        step += 1
        if now % EVERY == 0 or now + 1 == until:
            accuracy = look(network, now, plan, data)
        if int(step) % SAVE_EVERY == 0:
            manager.save(checkpoint_number=int(step), metrics={"accuracy": accuracy, "loss": loss})
    return accuracy


def look(network: Network, step: int, plan: Plan, data: Digits) -> float:
    """What the network makes of digits it has not learned from."""
    layers, probabilities = forward(network, data.test_x)
    guess = probabilities.argmax(axis=1)
    accuracy = float((guess == data.test_y).mean())
    summary.scalar("loss/validation", loss_of(probabilities, data.test_y), step=step)
    summary.scalar("accuracy/validation", accuracy, step=step)
    for number, weight in enumerate(network.weights, 1):
        if np.isfinite(weight).all():
            summary.histogram(f"weights/layer {number}", weight, step=step)
            summary.histogram(f"activations/layer {number}", layers[number - 1], step=step)
    if step % (2 * EVERY) == 0 and np.isfinite(probabilities).all():
        pictures(network, data, guess, step)
        summary.pr_curve("is it an 8", data.test_y == 8, probabilities[:, 8], step=step, num_thresholds=101)
        summary.text("hardest", hardest(probabilities, data), step=step)
        summary.audio("loss as a tone", tone(loss_of(probabilities, data.test_y)), 8000, step=step)
        if plan.seed == 1:
            summary.mesh("hidden layer", *cloud(layers[-1], data.test_y), step=step)
    return accuracy


def pictures(network: Network, data: Digits, guess: Array, step: int) -> None:
    wrong = np.flatnonzero(guess != data.test_y)[:3]
    shown = wrong if len(wrong) else np.arange(3)
    summary.image(
        "digits/mistaken",
        np.kron(data.test_x[shown].reshape(-1, 8, 8, 1), np.ones((1, 8, 8, 1))),
        step=step,
        max_outputs=3,
    )
    first = network.weights[0].T.reshape(-1, 8, 8)[:48]
    low, high = first.min(), first.max()
    tiles = (first - low) / max(high - low, 1e-9)
    tiles = (
        np.pad(tiles, ((0, 0), (0, 1), (0, 1)), constant_values=1.0)
        .reshape(6, 8, 9, 9)
        .transpose(0, 2, 1, 3)
        .reshape(54, 72)
    )
    summary.image("weights/first layer", np.kron(tiles, np.ones((4, 4)))[None, :, :, None], step=step)
    table = np.zeros((10, 10))
    np.add.at(table, (data.test_y, guess), 1)
    table /= np.maximum(table.sum(axis=1, keepdims=True), 1)
    colours = np.stack([1 - 0.9 * table, 1 - 0.55 * table, 1 - 0.2 * table], axis=-1)
    summary.image("confusion", np.kron(colours, np.ones((20, 20, 1)))[None], step=step)


def hardest(probabilities: Array, data: Digits) -> str:
    sure = probabilities[np.arange(len(data.test_y)), data.test_y]
    worst = np.argsort(sure)[:5]
    rows = "\n".join(
        f"| {data.test_y[i]} | {probabilities[i].argmax()} | {probabilities[i].max():.2f} |" for i in worst
    )
    return f"The five digits the network is most wrong about:\n\n| is | guessed | sure |\n|---|---|---|\n{rows}\n"


def tone(loss: float) -> Array:
    """Half a second whose pitch is the loss: training can be heard to fall."""
    seconds = np.arange(4000) / 8000
    pitch = 110 * 2 ** (2 * min(loss, 3.0))
    wave = 0.4 * np.sin(2 * np.pi * pitch * seconds) * np.minimum(1, 20 * np.minimum(seconds, 0.5 - seconds))
    return np.asarray(wave[None, :, None], np.float32)


PALETTE = np.array(
    [
        [31, 119, 180],
        [255, 127, 14],
        [44, 160, 44],
        [214, 39, 40],
        [148, 103, 189],
        [140, 86, 75],
        [227, 119, 194],
        [127, 127, 127],
        [188, 189, 34],
        [23, 190, 207],
    ]
)


def cloud(hidden: Array, labels: Array) -> tuple[Array, None, Array]:
    """The last hidden layer's first three principal components, coloured by digit."""
    centred = hidden - hidden.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    points = centred @ axes[:3].T
    points /= max(float(np.abs(points).max()), 1e-9)
    return points[None].astype(np.float32), None, PALETTE[labels][None].astype(np.uint8)


def graph_def() -> bytes:
    """The network as a graph for the graph page."""

    def node(name: str, op: str, shape: tuple[int | None, ...], *inputs: str) -> NodeDef:
        return NodeDef(
            name=name,
            op=op,
            input=list(inputs),
            attr={"_output_shapes": shape_attr([shape]), "dtype": AttrValue(s=b"float64")},
        )

    nodes, before = [node("digits", "Placeholder", (None, 64))], "digits"
    for number, (a, b) in enumerate(((64, 48), (48, 24), (24, 10)), 1):
        scope = f"network/layer_{number}"
        nodes += [node(f"{scope}/weights", "Variable", (a, b)), node(f"{scope}/bias", "Variable", (b,)), node(f"{scope}/MatMul", "MatMul", (None, b), before, f"{scope}/weights"), node(f"{scope}/Add", "Add", (None, b), f"{scope}/MatMul", f"{scope}/bias")]  # fmt: skip
        before = f"{scope}/Add"
        if number < 3:
            nodes.append(node(f"{scope}/Relu", "Relu", (None, b), before))
            before = f"{scope}/Relu"
    nodes += [
        node("network/Softmax", "Softmax", (None, 10), before),
        node("labels", "Placeholder", (None,)),
        node("loss/CrossEntropy", "CrossEntropy", (), "network/Softmax", "labels"),
    ]
    return GraphDef(node=nodes).encode()


def profile_run(logdir: Path, data: Digits) -> None:
    """A short capture of a training loop, named step by step, for the profile page."""
    network = Network(9)
    source = batches(data, 9, 0)
    with profiler.Profile(str(logdir / "lr=0.1" / "seed-1")):
        for number in range(60):
            with profiler.Trace("train", step_num=number):
                with profiler.Trace("input"):
                    batch = next(source)
                with profiler.Trace("gradients"):
                    _, _, slopes = gradients(network, *batch)
                with profiler.Trace("update"):
                    network.step(slopes, 0.03)
            time.sleep(0.002)


def keep_training(logdir: Path, data: Digits, seconds: float = 1800.0, pause: float = 0.05) -> None:
    """One run that goes on while the board is open, so that something moves on it."""
    plan = Plan("live", 0.01, 7, 10**9)
    network = Network(plan.seed)
    end = time.monotonic() + seconds
    # a pace people can watch; flushed often, as a run would be that one wants to see live
    writer = summary.create_file_writer(str(logdir / plan.name), flush_millis=200)
    with writer.as_default():
        introduce(plan, data)
        for step, batch in enumerate(batches(data, plan.seed, 0)):
            if time.monotonic() > end:
                break
            loss, correct, slopes = gradients(network, *batch)
            summary.scalar("loss/train", loss, step=step)
            summary.scalar("accuracy/train", correct, step=step)
            network.step(slopes, plan.rate)
            if step % 20 == 0:
                look(network, step, plan, data)
            time.sleep(pause)
    writer.close()
