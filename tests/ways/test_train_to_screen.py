"""The whole way: a numpy training writes an event file and checkpoints; store reads them; HTTP serves them; every value is the one that was trained."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milepost
from milepost import summary, train
from milepost.board.options import Options
from milepost.board.series.frame import unpack
from milepost.board.server import BoardServer


def ask(server: BoardServer, path: str, body: dict[str, Any] | None = None) -> bytes:
    request = urllib.request.Request(
        server.url + path, json.dumps(body).encode() if body else None, {"X-Milepost": "1"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        data: bytes = answer.read()
        return data


def linear_regression(folder: Path, steps: int) -> tuple[list[float], dict[str, np.ndarray]]:  # type: ignore[type-arg]
    """Gradient descent on made data, saved twice; the losses as computed, and the state at the end."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    y = x @ np.array([1.0, -2.0, 0.5]) + 0.3
    state = {"w": np.zeros(3), "b": np.zeros(())}
    step = np.zeros((), np.int64)
    manager = train.CheckpointManager(train.Checkpoint(state=state, step=step), folder / "ckpt", max_to_keep=3)
    writer = summary.create_file_writer(str(folder))
    losses = []
    with writer.as_default():
        for now in range(steps):
            error = x @ state["w"] + state["b"] - y
            losses.append(float((error**2).mean()))
            summary.scalar("loss", losses[-1], step=now)
            state["w"] -= 0.05 * 2 * x.T @ error / len(x)
            state["b"] -= 0.05 * 2 * error.mean()
            step += 1
            if (now + 1) % (steps // 2) == 0:
                manager.save(metrics={"loss": losses[-1]})
    writer.close()
    manager.close()
    return losses, state


def test_what_was_trained_is_what_is_served(tmp_path: Path) -> None:
    folder = tmp_path / "linear"
    losses, state = linear_regression(folder, 500)

    series = milepost.open(tmp_path)["linear"].scalars["loss"]
    assert series.step.tolist() == list(range(500))
    np.testing.assert_array_equal(series.value, np.array(losses, np.float32))

    server = BoardServer(Options(roots=(("", str(tmp_path)),), port=0))
    thread = server.start_in_thread()
    try:
        assert server.live.loaded.wait(20)
        header, column = unpack(ask(server, "api/series", {"lines": [["linear", "loss"]], "width": 0}))
        line = header["lines"][0]
        assert column(line["x"]).tolist() == list(range(500))
        np.testing.assert_array_equal(column(line["y"]), np.array(losses, np.float32))
        assert line["badge"]["read"] == 500

        ask(server, "api/refresh", {"now": True})
        saved = json.loads(ask(server, "api/checkpoints?run=linear"))["data"]["checkpoints"]
        assert [(c["step"], c["latest"]) for c in saved] == [(250, False), (500, True)]
        assert saved[1]["metrics"] == {"loss": pytest.approx(losses[-1])}
        tensors = {
            t["name"]: t for t in json.loads(ask(server, f"api/checkpoint?id={saved[1]['id']}"))["data"]["tensors"]
        }
        assert tensors["state/w"]["shape"] == [3]
        assert tensors["state/w"]["dtype"] == "float64"
    finally:
        server.stop()
        thread.join(10)

    fresh = {"w": np.zeros(3), "b": np.zeros(())}
    train.Checkpoint(state=fresh, step=np.zeros((), np.int64)).restore(train.latest_checkpoint(str(folder / "ckpt")))
    np.testing.assert_array_equal(fresh["w"], state["w"])


def test_the_demo_trains_and_shows_every_kind(tmp_path: Path) -> None:
    """`milepost demo --no-serve`: real accuracy, every kind of summary, checkpoints at their steps, a restart that is seen."""
    done = subprocess.run(
        [sys.executable, "-m", "milepost", "demo", "--no-serve", "--quick", "--logdir", str(tmp_path)], capture_output=True, text=True, timeout=100, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    server = BoardServer(Options(roots=(("", str(tmp_path)),), port=0))
    thread = server.start_in_thread()
    try:
        assert server.live.loaded.wait(20)
        ask(server, "api/refresh", {"now": True})
        info = json.loads(ask(server, "api/info"))["data"]
        assert set(info["plugins"]) >= {
            "scalars",
            "images",
            "audio",
            "text",
            "histograms",
            "pr_curves",
            "hparams",
            "graphs",
            "meshes",
            "custom_scalars",
        }
        runs = {r["id"]: r for r in json.loads(ask(server, "api/runs?metrics=accuracy/validation"))["data"]["runs"]}
        assert runs["lr=0.1/seed-1"]["metrics"]["accuracy/validation"]["max"] > 0.9
        assert runs["lr=0.1/seed-1"]["checkpoints"] == 4
        assert runs["lr=0.1/seed-1"]["status"] == "finished"
        assert runs["resumed"]["restarts"] == [300], "stopped at 380, resumed from the checkpoint of step 300"
        header, column = unpack(ask(server, "api/series", {"lines": [["resumed", "loss/train"]], "width": 0}))
        assert column(header["lines"][0]["x"]).tolist() == list(range(600))
        graph = json.loads(ask(server, "api/graph?run=resumed&tag=__run_graph__"))["data"]
        assert graph["count"] > 10
        assert json.loads(ask(server, "api/captures"))["data"]["captures"]
    finally:
        server.stop()
        thread.join(10)
