"""What TensorBoard 2.21 shows of a directory, through its Python loader and through its data server, as plain values."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

VIEW = """
import argparse, base64, json, math, sys, time
from tensorboard import context
from tensorboard.data import provider as providers
from tensorboard.backend.event_processing import data_ingester
from tensorboard.data import server_ingester
from tensorboard.util import grpc_util

PLUGINS = ("scalars", "tensor", "histograms", "text", "images", "audio", "pr_curves", "mesh", "hparams", "custom_scalars", "graphs",
           "graph_keras_model", "graph_run_metadata", "graph_run_metadata_graph", "graph_tagged_run_metadata")
SAMPLES = {p: 10**9 for p in ("scalars", "images", "audio", "tensors", "histograms", "text", "pr_curves", "mesh", "hparams", "custom_scalars", "graphs")}

def plain(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return "b:" + base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value

def dump(provider):
    ctx, seen = context.RequestContext(), {}
    ask = dict(experiment_id="")
    runs = sorted(r.run_name for r in provider.list_runs(ctx, **ask))
    for plugin in PLUGINS:
        for kind, lister in (("scalar", provider.list_scalars), ("tensor", provider.list_tensors), ("blob", provider.list_blob_sequences)):
            found = lister(ctx, plugin_name=plugin, **ask)
            for run, tags in found.items():
                for tag, series in tags.items():
                    entry = {"plugin": plugin, "kind": kind, "content": plain(series.plugin_content), "description": series.description, "display": series.display_name,
                             "max_step": series.max_step}
                    only = providers.RunTagFilter(runs=[run], tags=[tag])
                    if kind == "scalar":
                        data = provider.read_scalars(ctx, plugin_name=plugin, run_tag_filter=only, downsample=10**9, **ask)[run][tag]
                        entry["points"] = [[d.step, plain(float(d.value))] for d in data]
                    elif kind == "tensor":
                        data = provider.read_tensors(ctx, plugin_name=plugin, run_tag_filter=only, downsample=10**9, **ask)[run][tag]
                        entry["points"] = [[d.step, str(d.numpy.dtype), list(d.numpy.shape), plain(d.numpy)] for d in data]
                    else:
                        data = provider.read_blob_sequences(ctx, plugin_name=plugin, run_tag_filter=only, downsample=10**9, **ask)[run][tag]
                        entry["points"] = [[d.step, [plain(provider.read_blob(ctx, blob_key=v.blob_key)) for v in d.values]] for d in data]
                    seen.setdefault(run, {})[tag] = entry
    return {"runs": runs, "tags": seen}

def python_view(logdir):
    flags = argparse.Namespace(logdir=logdir, logdir_spec="", samples_per_plugin={"scalars": 0, "images": 0, "audio": 0, "histograms": 0, "text": 0, "pr_curves": 0,
        "mesh": 0, "hparams": 0, "custom_scalars": 0, "graphs": 0}, max_reload_threads=1, reload_interval=0, reload_task="blocking", purge_orphaned_data=True,
        window_title="", generic_data="true", reload_multifile=True, reload_multifile_inactive_secs=86400, db="", event_file_active_filter=None, detect_file_replacement=None)
    ingester = data_ingester.LocalDataIngester(flags)
    ingester.start()
    return dump(ingester.data_provider)

def server_view(logdir):
    ingester = server_ingester.SubprocessServerDataIngester(server_binary=server_ingester.get_server_binary(), logdir=logdir, reload_interval=0,
        channel_creds_type=grpc_util.ChannelCredsType.LOCAL, samples_per_plugin={k: 0 for k in SAMPLES})
    ingester.start()
    seen, deadline = None, time.monotonic() + 10
    while time.monotonic() < deadline:      # it answers while it still loads: wait until nothing changes any more
        before, seen = seen, dump(ingester.data_provider)
        if seen["runs"] and seen == before:
            break
        time.sleep(0.15)
    return seen

json.dump({d: {"python": python_view(d), "server": server_view(d)} for d in sys.argv[1:]}, sys.stdout)
"""

View = dict[str, dict[str, Any]]


@pytest.fixture(scope="session")
def tensorboard_view() -> Callable[..., View]:
    """`tensorboard_view(directory, …)[directory]["python" or "server"]`: runs, and tags with plugin, metadata and every point.

    Runs in this environment, where TensorBoard is installed without TensorFlow and starts in a second.
    """

    def view(*directories: Any) -> View:
        command = [sys.executable, "-c", VIEW, *map(str, directories)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
        found: View = json.loads(done.stdout.strip().splitlines()[-1])
        return found

    return view
