"""Captures over HTTP: listed, analysed, drawn from columns, confined to the log directory; a bad one is one error."""

from __future__ import annotations

import itertools
import json
import os
from typing import Any

import numpy as np
import pytest


def X(name: str, ts: float, dur: float, cat: str, tid: int = 1, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": 1, "tid": tid, "cat": cat, "args": args}


EVENTS = [
    X("train", 0, 100, "step", step=0), X("aten::mm", 10, 50, "cpu_op", **{"Input Dims": [[2, 3]]}), X("aten::add", 20, 10, "cpu_op"),
    X("aten::mm", 70, 20, "cpu_op", tid=2),
    {"ph": "s", "cat": "fwdbwd", "id": 1, "ts": 12, "pid": 1, "tid": 1}, {"ph": "f", "cat": "fwdbwd", "id": 1, "ts": 71, "pid": 1, "tid": 2},
    {"ph": "C", "name": "memory", "ts": 5, "pid": 1, "tid": 1, "args": {"used": 100}},
]  # fmt: skip


@pytest.fixture
def client(tmp_path, serve):
    folder = tmp_path / "logs" / "a" / "plugins" / "profile" / "one"
    folder.mkdir(parents=True)
    (folder / "host.trace.json").write_text(json.dumps({"traceEvents": EVENTS}))
    (folder / "cut.trace.json").write_text(json.dumps({"traceEvents": EVENTS})[:-30])
    secret = tmp_path / "secret.trace.json"
    secret.write_text(json.dumps({"traceEvents": EVENTS}))
    os.symlink(secret, folder / "linked.trace.json")
    return serve(tmp_path / "logs")


ID = "a/plugins/profile/one/host.trace.json"


def test_captures_inside_the_log_directory_are_listed(client):
    found = client.get("api/captures")["captures"]
    assert {c["host"] for c in found} == {"host", "cut"}, "a link out of the log directory is not lent out"
    assert client.get("api/info")["profiles"] == 2
    client.error("api/capture?id=../secret.trace.json", status=404)
    client.error("api/capture?id=a/plugins/profile/one/linked.trace.json", status=404)


def test_one_capture_from_every_side(client):
    overview = client.get("api/capture", id=ID)
    assert overview["split"]["share"]["compute"] == pytest.approx(0.7)
    assert sum(overview["split"]["share"].values()) == pytest.approx(1)
    rows = client.get("api/capture/ops", id=ID, by="shape")["rows"]
    assert {"[[2, 3]]", ""} == {row["detail"] for row in rows}
    client.error(f"api/capture/ops?id={ID}&by=colour", status=400)
    flame = client.get("api/capture/flame", id=ID, of="ops")
    assert "train" in flame["name"]
    same = client.get("api/capture/compare", a=ID, b=ID)
    assert same["ratio"] == 1
    assert client.http.get("api/capture/file", params={"id": ID}).json()["traceEvents"]
    client.error(f"api/capture/file?id={ID}&file=other", status=404)
    header, column = client.frame("api/capture/memory", id=ID)
    assert column(header["curves"][0]["value"]).tolist() == [100]


def test_the_columns_of_the_timeline(client):
    header, column = client.frame("api/capture/events", id=ID)
    c = {name: column(spec) for name, spec in header["columns"].items()}
    names = [header["names"][i] for i in c["name"]]
    begin = c["lane_begin"].astype(int)
    assert len(begin) == len(c["lane_track"]) + 1 == 5
    for low, high in itertools.pairwise(begin):
        ends = c["start"][low:high] + c["duration"][low:high]
        assert (np.diff(c["start"][low:high]) >= 0).all()
        assert (ends[:-1] <= c["start"][low + 1 : high]).all(), "events of a lane never overlap"
    arrows = [
        (names[a], names[b]) for a, b in zip(c["flow_source"].astype(int), c["flow_target"].astype(int), strict=True)
    ]
    assert arrows == [("aten::mm", "aten::mm")]
    row = int(c["row"][names.index("train")])
    assert client.get("api/capture/event", id=ID, row=row)["args"] == {"step": 0}
    client.error(f"api/capture/event?id={ID}&row=99", status=404)
    client.error(f"api/capture/event?id={ID}&row=x", status=404)


def test_a_cut_trace_is_one_error_with_its_place(client):
    error = client.error("api/capture?id=a/plugins/profile/one/cut.trace.json", status=415)
    assert "cut.trace.json, byte" in error["message"]
    assert "ends too early" in error["message"]
