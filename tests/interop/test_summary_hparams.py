"""TensorBoard's HParams page shows our runs: values and metrics in the run itself, no runs made for the purpose. Odd files load, too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import milepost
from milepost import summary

GROUPS = """
import argparse, json, sys
from google.protobuf import json_format
from tensorboard import context
from tensorboard.backend.event_processing import data_ingester
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, get_experiment, list_session_groups
flags = argparse.Namespace(logdir=sys.argv[1], logdir_spec="", samples_per_plugin={}, max_reload_threads=1, reload_interval=0, reload_task="blocking",
    purge_orphaned_data=True, window_title="", generic_data="true", reload_multifile=True, reload_multifile_inactive_secs=86400, db="",
    event_file_active_filter=None, detect_file_replacement=None)
ingester = data_ingester.LocalDataIngester(flags)
ingester.start()
ours = backend_context.Context(base_plugin.TBContext(data_provider=ingester.data_provider))
request = context.RequestContext()
metadata = ours.hparams_metadata(request, "")
experiment = ours.experiment_from_metadata(request, "", True, metadata, ours.hparams_from_data_provider(request, "", 0))
columns = []
for info in experiment.metric_infos:
    columns.append(api_pb2.ColParams(metric=info.name))
asked = api_pb2.ListSessionGroupsRequest(allowed_statuses=[0, 1, 2, 3], col_params=columns, start_index=0, slice_size=100, aggregation_type="AGGREGATION_AVG")
groups = list_session_groups.Handler(request, ours, "", asked).run()
print(json.dumps({"experiment": json_format.MessageToDict(experiment), "groups": json_format.MessageToDict(groups)}))
"""


def page(logdir: Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", GROUPS, logdir], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_table_has_our_runs(tmp_path: Path) -> None:
    """Both writers: every run one row, with its hyperparameters, kinds and last metric values."""
    for number, lr in enumerate((0.1, 0.2)):
        with milepost.SummaryWriter(tmp_path / f"torch{number}") as writer:
            for step in range(3):
                writer.add_scalar("loss", lr * (10 - step), step)
            writer.add_hparams(
                {"lr": lr, "optimizer": "adam", "deep": True}, {"accuracy": 0.5 + number / 10}, global_step=2
            )
    tf_like = summary.create_file_writer(tmp_path / "tf")
    with tf_like.as_default():
        summary.hparams({"lr": 0.3, "optimizer": "sgd"})
        summary.scalar("accuracy", 0.9, step=1)
    tf_like.close()
    seen = page(tmp_path)
    rows = {}
    for group in seen["groups"]["sessionGroups"]:
        (session,) = group["sessions"]
        metrics = {
            m["name"]["tag"]: m["value"] for m in session.get("metricValues", []) if m["name"].get("group", "") == ""
        }
        rows[session["name"]] = (group["hparams"], metrics)
    assert set(rows) == {"torch0", "torch1", "tf"}
    assert rows["torch1"][0] == {"lr": 0.2, "optimizer": "adam", "deep": 1.0}
    assert round(rows["torch1"][1]["accuracy"], 6) == 0.6
    assert rows["tf"][0] == {"lr": 0.3, "optimizer": "sgd"}
    assert {i["name"]: i["type"] for i in seen["experiment"]["hparamInfos"]}["optimizer"] == "DATA_TYPE_STRING"


def test_odd_files_load(tmp_path: Path, tensorboard_view: Any) -> None:
    """Tags of any bytes, times that are no number, thousands of tags, negative steps: TensorBoard reads all of it."""
    with milepost.SummaryWriter(tmp_path / "odd") as writer:
        for tag in ("a\udcffb", b"\xff\xfe", "x" * 5000, "\0null", "损失/ё"):
            writer.add_scalar(tag, 1.5, 1, walltime=float("nan"))
        writer.add_scalar("negative", 2.5, -7)
        writer.add_image("nan", np.full((3, 4, 4), np.nan), 1)
        for number in range(2000):
            writer.add_scalar(f"many/{number}", number, 1)
    (seen,) = tensorboard_view(tmp_path).values()
    for loader in ("python", "server"):
        tags = seen[loader]["tags"]["odd"]
        assert len(tags) == 2007
        assert tags["a\\udcffb"]["points"] == tags["\\xff\\xfe"]["points"] == tags["\0null"]["points"] == [[1, 1.5]]
        assert tags["negative"]["points"] == [[-7, 2.5]]
        assert tags["many/1999"]["points"] == [[1, 1999.0]]
