"""The same log in both servers: what TensorBoard 2.21 answers over HTTP is what the board answers, for logs of TensorFlow, torch and tensorboardX."""

from __future__ import annotations

import base64
import json
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost.board.options import Options
from milepost.board.series.frame import unpack
from milepost.board.server import BoardServer

pytestmark = pytest.mark.peers

PEER = r"""
import json, sys, urllib.request, urllib.parse
import numpy as np, tensorflow as tf
from torch.utils.tensorboard import SummaryWriter
import tensorboardX
from tensorboard import program
from tensorboard.plugins.hparams import api as hp
from tensorboard.plugins.pr_curve import summary as pr

root = sys.argv[1]
rng = np.random.default_rng(0)
w = tf.summary.create_file_writer(root + "/tf")
with w.as_default():
    hp.hparams({"lr": 0.1, "name": "x"})
    for s in range(30):
        tf.summary.scalar("loss", 1.0 / (s + 1), step=s)
    for s in (0, 7):
        tf.summary.histogram("h", rng.normal(size=500), step=s)
        tf.summary.image("im", rng.random((2, 5, 6, 3)), step=s)
        tf.summary.text("t", ["a", "b"], step=s)
        tf.summary.audio("au", rng.uniform(-1, 1, (1, 100, 1)).astype("float32"), 8000, step=s)
w.close()
with SummaryWriter(root + "/torch") as w:
    for s in range(30):
        w.add_scalar("loss", s * 0.5, s)
    for s in (0, 7):
        w.add_histogram("h", rng.normal(size=500), s)
        w.add_image("im", rng.random((3, 5, 6)), s)
        w.add_pr_curve("pr", rng.integers(0, 2, 100), rng.random(100), s)
with tensorboardX.SummaryWriter(root + "/tbx") as w:
    for s in range(30):
        w.add_scalar("loss", -s, s)

board = program.TensorBoard()
board.configure(argv=[None, "--logdir", root, "--port", "0", "--load_fast=false"])
url = board.launch()
def get(path, **query):
    return json.loads(urllib.request.urlopen(url + "data/plugin/" + path + "?" + urllib.parse.urlencode(query)).read())
import time
def loaded():
    tags = get("scalars/tags")
    if not all("loss" in tags.get(r, {}) for r in ("tf", "torch", "tbx")): return False
    if not all(len(get("scalars/scalars", run=r, tag="loss")) == 30 for r in ("tf", "torch", "tbx")): return False
    return "pr" in get("pr_curves/tags").get("torch", {}) and "au" in get("audio/tags").get("tf", {}) and len(get("distributions/tags")) == 2
end = time.time() + 60
while not loaded() and time.time() < end:
    time.sleep(0.2)
out = {"scalars": {r: get("scalars/scalars", run=r, tag="loss") for r in ("tf", "torch", "tbx")}}
out["tags"] = {k: {r: sorted(t) for r, t in get(k + "/tags").items()} for k in ("scalars", "histograms", "images", "text", "audio", "pr_curves")}
out["histograms"] = {r: get("histograms/histograms", run=r, tag="h") for r in ("tf", "torch")}
out["distributions"] = {r: get("distributions/distributions", run=r, tag="h") for r in ("tf", "torch")}
out["images"] = {r: get("images/images", run=r, tag="im", sample=0) for r in ("tf", "torch")}
import base64
def raw(path, query):
    return base64.b64encode(urllib.request.urlopen(url + "data/plugin/" + path + "?" + query).read()).decode()
out["pictures"] = {r: [raw("images/individualImage", item["query"]) for item in out["images"][r]] for r in ("tf", "torch")}
out["text"] = get("text/text", run="tf", tag="t")
out["audio"] = get("audio/audio", run="tf", tag="au", sample=0)
out["sounds"] = [raw("audio/individualAudio", item["query"]) for item in out["audio"]]
out["pr_curves"] = get("pr_curves/pr_curves", run="torch", tag="pr")
print(json.dumps(out))
import os; sys.stdout.flush(); os._exit(0)
"""


def test_both_servers_answer_the_same(peer: Any, tmp_path: Path) -> None:
    """Scalars, histograms, distributions, images, text, audio, PR curves: steps and values, from the same files."""
    theirs = peer.json(PEER, tmp_path)
    server = BoardServer(Options(roots=(("", str(tmp_path)),), port=0))
    thread = server.start_in_thread()

    def get(path: str, **query: Any) -> Any:
        with urllib.request.urlopen(server.url + path + "?" + urllib.parse.urlencode(query), timeout=20) as answer:
            data = answer.read()
        return unpack(data) if data[:4] == b"MPF1" else json.loads(data)["data"]

    def blob(identity: str) -> str:
        with urllib.request.urlopen(f"{server.url}api/blob/{identity}", timeout=20) as answer:
            return base64.b64encode(answer.read()).decode()

    try:
        assert server.live.loaded.wait(20)
        request = urllib.request.Request(
            server.url + "api/series",
            json.dumps({"runs": ["tf", "torch", "tbx"], "tags": ["loss"], "width": 0, "wall": True}).encode(),
            {"X-Milepost": "1"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            header, column = unpack(answer.read())
        assert [line["run"] for line in header["lines"]] == ["tf", "torch", "tbx"]
        for line in header["lines"]:
            rows = np.array(theirs["scalars"][line["run"]])
            np.testing.assert_allclose(column(line["w"]), rows[:, 0], rtol=1e-12)
            assert column(line["x"]).tolist() == rows[:, 1].tolist()
            np.testing.assert_array_equal(column(line["y"]), rows[:, 2].astype(np.float32))

        tags = get("api/tags")
        for kind, by_run in theirs["tags"].items():
            mine: dict[str, list[str]] = {}
            for entry in tags["plugins"].get(kind, []):
                for number in entry["runs"]:
                    mine.setdefault(tags["runs"][number], []).append(entry["tag"])
            assert {run: sorted(names) for run, names in mine.items()} == {
                run: names for run, names in by_run.items() if names
            }, kind

        for run in ("tf", "torch"):
            header, column = get("api/histograms", run=run, tag="h", max_steps=0)
            columns = {name: column(ref) for name, ref in header["columns"].items()}
            for number, (wall, step, buckets) in enumerate(theirs["histograms"][run]):
                part = slice(int(columns["start"][number]), int(columns["start"][number + 1]))
                assert (columns["wall"][number], columns["step"][number]) == (pytest.approx(wall), step)
                got = np.stack([columns["left"][part], columns["right"][part], columns["n"][part]], axis=1)
                np.testing.assert_allclose(got, np.array(buckets), rtol=1e-6, atol=1e-9)
            header, column = get("api/distributions", run=run, tag="h", max_steps=0)
            for number, (_, _, points) in enumerate(theirs["distributions"][run]):
                got = [column(header["columns"][f"p{k}"])[number] for k in range(9)]
                np.testing.assert_allclose(got, [value for _, value in points], rtol=1e-5, atol=1e-6)
            listed = get("api/images", run=run, tag="im")
            assert listed["step"] == [item["step"] for item in theirs["images"][run]]
            assert (listed["items"][0][0]["width"], listed["items"][0][0]["height"]) == (6, 5)
            assert [blob(items[0]["blob"]) for items in listed["items"]] == theirs["pictures"][run], "the very bytes"

        assert [t["values"] for t in get("api/text", run="tf", tag="t")["text"]] == [["a", "b"], ["a", "b"]]
        sounds = get("api/audio", run="tf", tag="au")
        assert sounds["step"] == [item["step"] for item in theirs["audio"]]
        assert [blob(items[0]["blob"]) for items in sounds["items"]] == theirs["sounds"]
        mine_pr = get("api/pr_curves", run="torch", tag="pr")
        for curve, (step, other) in zip(
            mine_pr["curves"], zip(mine_pr["step"], theirs["pr_curves"]["torch"], strict=True), strict=True
        ):
            assert step == other["step"]
            np.testing.assert_allclose(curve["precision"], other["precision"], rtol=1e-5)
            np.testing.assert_allclose(curve["recall"], other["recall"], rtol=1e-5)
            np.testing.assert_allclose(curve["thresholds"], other["thresholds"], rtol=1e-5)
    finally:
        server.stop()
        thread.join(10)
