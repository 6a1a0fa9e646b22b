"""The list of runs, tags, hparams; what people write about runs; exports."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost.board.runs.status import status, writer_alive
from milepost.testing.logs import scalar_event, write_events

Serve = Callable[..., Any]


def by_id(client: Any, **query: Any) -> dict[str, Any]:
    return {run["id"]: run for run in client.get("api/runs", **query)["runs"]}


def test_info_says_what_is_served(everything: Path, serve: Serve) -> None:
    info = serve(everything, window_title="Mine").get("api/info")
    assert info["state"] == "ready"
    assert info["title"] == "Mine"
    assert info["runs"] == 4
    assert info["points"] == 400 + 17 + 6
    assert {
        "scalars",
        "images",
        "audio",
        "text",
        "histograms",
        "pr_curves",
        "hparams",
        "meshes",
        "custom_scalars",
    } <= set(info["plugins"])
    assert info["progress"]["files_done"] == info["progress"]["files"]


def test_runs_carry_their_figures(board: Any) -> None:
    client = board
    run = by_id(client, metrics=["train/loss", "absent"])["seed-1"]
    assert run["step"] == 99
    assert run["metrics"] == {
        "train/loss": {
            "last": pytest.approx(0.1),
            "last_step": 99,
            "min": pytest.approx(0.1),
            "min_step": 99,
            "max": 10.0,
            "max_step": 0,
            "count": 100,
        }
    }
    assert run["hparams"] == {"lr": pytest.approx(0.1), "optimizer": "adam", "amsgrad": True}
    assert by_id(client)["restarted"]["restarts"] == [5]
    odd = by_id(client, metrics=["v"])["odd"]["metrics"]["v"]
    assert (odd["last"], odd["min"], odd["max"]) == (3.0, 1.0, 3.0), "best is over finite values"


def test_colours_are_numbered_by_first_event_and_stay(everything: Path, serve: Serve) -> None:
    """The same numbers from two boards; a new run takes the next one."""
    first, second = serve(everything), serve(everything)
    colours = {name: run["colour"] for name, run in by_id(first).items()}
    assert sorted(colours.values()) == [0, 1, 2, 3]
    assert colours == {name: run["colour"] for name, run in by_id(second).items()}


def test_only_what_changed_since(tmp_path: Path, serve: Serve) -> None:
    for name in ("a", "b"):
        write_events(tmp_path / name / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    cursor = client.http.get("api/runs").json()["cursor"]
    assert client.get("api/runs", since=cursor)["runs"] == []
    with (tmp_path / "a" / "events.out.tfevents.1.h").open("ab") as file:
        file.write(scalar_event("x", 1, 2.0))
    client.http.post("api/refresh")
    assert [r["id"] for r in client.get("api/runs", since=cursor)["runs"]] == ["a"]
    (tmp_path / "b" / "events.out.tfevents.1.h").unlink()
    client.http.post("api/refresh")
    assert client.get("api/runs", since=cursor)["gone"] == ["b"]
    assert len(client.get("api/runs", since=10**9)["runs"]) == 1, "a cursor of another life means everything"


def test_tags_name_their_runs(board: Any) -> None:
    client = board
    data = client.get("api/tags")
    loss = next(t for t in data["plugins"]["scalars"] if t["tag"] == "train/loss")
    assert [data["runs"][i] for i in loss["runs"]] == ["seed-1", "seed-2"]
    assert loss["points"] == 200
    assert list(client.get("api/tags", plugin="images")["plugins"]) == ["images"]


def test_tags_sort_as_people_count(tmp_path: Path, serve: Serve) -> None:
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event(f"layer{n}", 0, 1.0) for n in (10, 9, 1, 2)])
    tags = serve(tmp_path).get("api/tags")["plugins"]["scalars"]
    assert [t["tag"] for t in tags] == ["layer1", "layer2", "layer9", "layer10"]


def test_hparams_are_the_union_of_all_runs(board: Any) -> None:
    table = board.get("api/hparams")
    assert {h["name"]: h["type"] for h in table["hparams"]} == {
        "amsgrad": "bool",
        "lr": "number",
        "optimizer": "string",
    }
    assert {row["run"]: row["values"]["optimizer"] for row in table["rows"]} == {"seed-1": "adam", "seed-2": "sgd"}
    assert table["rows"][0]["metrics"]["train/loss"]["min"] == pytest.approx(0.1)


def test_several_logdirs_keep_their_names(everything: Path, tmp_path: Path, serve: Serve) -> None:
    write_events(tmp_path / "x" / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve("", roots=(("a", str(everything)), ("b", str(tmp_path))))
    assert set(by_id(client)) == {"a/seed-1", "a/seed-2", "a/restarted", "a/odd", "b/x"}


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({"age": 5.0}, "live"),
        ({"age": 500.0}, "quiet"),
        ({"age": 500.0, "span": 3000.0, "points_a_tag": 11}, "live"),
        ({"age": 5.0, "stopped": True}, "finished"),
        ({"age": 5.0, "ended": True}, "finished"),
        ({"age": 5.0, "alive": False}, "finished"),
        ({"age": 90_000.0}, "quiet"),
        ({"age": 90_000.0, "alive": True}, "quiet"),
        ({"age": None}, "quiet"),
        ({"age": 90_000.0, "stopped": True, "alive": True}, "finished"),
    ],
)
def test_status(facts: dict[str, Any], word: str) -> None:
    """Live by its own pace; finished when it says so or its process is gone; quiet where nobody can know."""
    given = {"span": 10.0, "points_a_tag": 10, "stopped": False, "ended": False, "alive": None} | facts
    assert status(**given)[0] == word


END_WAYS = {
    "closed": "w.close()\nimport time; time.sleep(0.2)",
    "never closed": "",
    "killed": "w.flush()\nimport os, signal; os.kill(os.getpid(), signal.SIGKILL)",
}


@pytest.mark.parametrize(("way", "word"), [("closed", "finished"), ("never closed", "finished"), ("killed", "quiet")])
def test_a_file_says_that_its_writer_ended(way: str, word: str, tmp_path: Path, serve: Serve) -> None:
    """Read on another machine, long after: closing the writer and ending the program are known, a crash is not."""
    import subprocess
    import sys

    source = f"from milepost import summary\nw = summary.create_file_writer({str(tmp_path / 'run')!r})\nwith w.as_default(): summary.scalar('x', 1.0, step=3)\n"
    subprocess.run([sys.executable, "-c", source + END_WAYS[way]], check=False)
    (written,) = (tmp_path / "run").iterdir()
    # as if written elsewhere, an hour ago: neither the process nor the clock may tell
    elsewhere = rewritten(written.read_bytes(), -3600.0)
    written.unlink()
    (tmp_path / "run" / "events.out.tfevents.1.elsewhere.7.0.v2").write_bytes(elsewhere)
    run = by_id(serve(tmp_path))["run"]
    assert (run["status"], run["step"]) == (word, 3)
    assert run["status_why"]


def rewritten(data: bytes, later: float) -> bytes:
    """The same events at another time."""
    import struct

    from milepost.formats.event import Event
    from milepost.formats.record import frame

    out, at = b"", 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        event = Event.decode(data[at + 12 : at + 12 + length])
        event.wall_time += later
        out += frame(event.encode())
        at += length + 16
    return out


def test_a_resumed_run_is_live_again(tmp_path: Path, serve: Serve) -> None:
    """The file written last counts: an earlier writer's end is not the run's."""
    from milepost import summary

    for step in range(2):
        writer = summary.create_file_writer(str(tmp_path / "run"))
        with writer.as_default():
            summary.scalar("x", 1.0, step=step)
        writer.flush()
        if step == 0:
            writer.close()
    client = serve(tmp_path)
    assert by_id(client)["run"]["status"] == "live"
    writer.close()
    client.http.post("api/refresh", headers={"X-Milepost": "1"})
    assert by_id(client)["run"]["status"] == "finished"


def test_the_writing_process_is_asked_for_on_its_own_machine() -> None:
    import socket

    here = socket.gethostname()
    assert writer_alive([f"/x/events.out.tfevents.1.{here}.{os.getpid()}.0"]) is True
    assert writer_alive([f"/x/events.out.tfevents.1.{here}.4194000.0.v2"]) is False
    assert writer_alive(["/x/events.out.tfevents.1.elsewhere.1.0"]) is None
    assert writer_alive([f"/x/events.out.tfevents.1.{here}"]) is None


def test_export_holds_every_point(board: Any) -> None:
    client = board
    answer = client.http.get("api/export", params={"run": "seed-1", "tag": "train/loss"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.headers["content-disposition"].startswith("attachment")
    assert [int(r["step"]) for r in rows] == list(range(100))
    assert [np.float32(r["value"]) for r in rows] == [np.float32(10 / (s + 1)) for s in range(100)]
    every = client.http.get("api/export", params={"format": "json"}).json()["series"]
    assert sum(len(s["step"]) for s in every) == 400 + 12 + 6, "restarts: the later write replaces"
    assert next(s for s in every if s["run"] == "odd")["value"] == ["NaN", 1.0, "Infinity", 2.0, "-Infinity", 3.0]
    split = client.http.get("api/export", params={"run": "restarted", "restarts": "split"}).text
    assert len(split.splitlines()) == 1 + 17
    assert split.splitlines()[0].endswith("segment")


def test_export_runs_no_formula(tmp_path: Path, serve: Serve) -> None:
    """A tag that a spreadsheet would run as a formula stays text."""
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("=cmd|' /C calc'!A0", 0, 1.0)])
    assert "'=cmd" in serve(tmp_path).http.get("api/export").text


def test_an_unreadable_file_is_named_and_not_fatal(tmp_path: Path, serve: Serve) -> None:
    write_events(tmp_path / "good" / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    # a directory by that name cannot be read as a file, whoever asks (root reads what is forbidden)
    (tmp_path / "bad" / "events.out.tfevents.1.h").mkdir(parents=True)
    write_events(tmp_path / "bad" / "events.out.tfevents.2.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    assert set(by_id(client)) >= {"good"}
    assert any("events.out.tfevents.1.h" in p["where"] for p in client.get("api/info")["problems"])


# -- what people write about runs --------------------------------------------------------------------------------------


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        write_events(
            tmp_path / name / "events.out.tfevents.1.h", [scalar_event("x", s, 1.0, time.time()) for s in range(3)]
        )
    return tmp_path


def edit(client: Any, runs: list[str], **fields: Any) -> Any:
    answer = client.http.patch("api/runs", json={"runs": runs, "set": fields})
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]["runs"]


def test_edits_last_and_touch_no_event_file(logdir: Path, serve: Serve) -> None:
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in logdir.rglob("*tfevents*")}
    client = serve(logdir)
    edited = edit(
        client,
        ["a"],
        name="best <b>run</b>",
        note="why *it* works",
        labels=["baseline", " baseline ", "x"],
        hidden=True,
        pinned=True,
        colour=7,
    )
    assert edited[0]["name"] == "best <b>run</b>"
    edit(client, ["a", "b"], trashed=True)
    edit(client, ["b"], trashed=False)
    again = by_id(serve(logdir))
    assert again["a"]["note"] == "why *it* works"
    assert again["a"]["labels"] == ["baseline", "x"]
    assert (again["a"]["hidden"], again["a"]["pinned"], again["a"]["trashed"], again["a"]["colour"]) == (
        True,
        True,
        True,
        7,
    )
    assert again["b"]["trashed"] is False
    edit(client, ["a"], name=None, note=None, labels=None, hidden=None, pinned=None, trashed=None, colour=None)
    assert json.loads((logdir / ".milepost" / "board.json").read_text())["runs"] == {}
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in logdir.rglob("*tfevents*")} == before


def test_two_boards_do_not_undo_each_other(logdir: Path, serve: Serve) -> None:
    one, two = serve(logdir), serve(logdir)
    edit(one, ["a"], note="from one")
    edit(two, ["b"], note="from two")
    kept = json.loads((logdir / ".milepost" / "board.json").read_text())["runs"]
    assert kept == {"a": {"note": "from one"}, "b": {"note": "from two"}}
    one.http.post("api/refresh")
    assert by_id(one)["b"]["note"] == "from two"


def test_read_only_refuses_every_edit(logdir: Path, serve: Serve) -> None:
    client = serve(logdir, read_only=True)
    fault = client.error("api/runs", method="PATCH", json={"runs": ["a"], "set": {"note": "x"}}, status=403)
    assert fault["code"] == "read_only"
    assert not (logdir / ".milepost").exists()
    assert client.get("api/info")["read_only"] is True


NONSENSE: list[dict[str, Any]] = [
    {"size": 1}, {"name": "x" * 201}, {"note": "x" * 20_001}, {"labels": ["x"] * 51}, {"labels": [""]}, {"labels": "x"}, {"hidden": 1}, {"colour": -1}, {"colour": True},
]  # fmt: skip


def test_edits_that_make_no_sense_are_refused(logdir: Path, serve: Serve) -> None:
    client = serve(logdir)
    for fields in NONSENSE:
        fault = client.error("api/runs", method="PATCH", json={"runs": ["a"], "set": fields}, status=400)
        assert fault["where"] == next(iter(fields))
    fault = client.error("api/runs", method="PATCH", json={"runs": ["zz"], "set": {"note": ""}}, status=404)
    assert fault["code"] == "not_found"
    assert not (logdir / ".milepost" / "board.json").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"runs": 3}'])
def test_a_broken_sidecar_is_told_of_and_never_overwritten(logdir: Path, serve: Serve, content: str) -> None:
    (logdir / ".milepost").mkdir()
    (logdir / ".milepost" / "board.json").write_text(content)
    client = serve(logdir)
    assert by_id(client)["a"]["name"] == "a"
    assert any("board.json" in p["message"] for p in client.get("api/info")["problems"])
    client.error("api/runs", method="PATCH", json={"runs": ["a"], "set": {"note": "x"}}, status=403)
    assert (logdir / ".milepost" / "board.json").read_text() == content


def test_a_sidecar_that_leads_elsewhere_is_neither_read_nor_written(
    logdir: Path, serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "board.json").write_text('{"runs": {"a": {"note": "secret"}}}')
    (logdir / ".milepost").symlink_to(elsewhere)
    client = serve(logdir)
    assert by_id(client)["a"]["note"] == ""
    client.error("api/runs", method="PATCH", json={"runs": ["a"], "set": {"note": "x"}}, status=403)
    assert "secret" in (elsewhere / "board.json").read_text()


def test_a_sidecar_of_a_later_version_is_read_as_far_as_it_is_known(logdir: Path, serve: Serve) -> None:
    (logdir / ".milepost").mkdir()
    (logdir / ".milepost" / "board.json").write_text(
        '{"format": 9, "runs": {"a": {"note": "n", "mood": 3, "hidden": "yes"}, "b": 4}}'
    )
    run = by_id(serve(logdir))["a"]
    assert (run["note"], run["hidden"]) == ("n", False)


def test_what_cannot_be_read_is_told_of_its_run(tmp_path: Path, serve: Serve) -> None:
    """A file of noise, an empty one and one with a damaged record: each run says what is wrong with it, the others nothing."""
    good = [scalar_event("x", step, 1.0) for step in range(50)]
    write_events(tmp_path / "good" / "events.out.tfevents.1.h", good)
    write_events(tmp_path / "hurt" / "events.out.tfevents.1.h", good)
    hurt = tmp_path / "hurt" / "events.out.tfevents.1.h"
    data = bytearray(hurt.read_bytes())
    data[len(data) // 2] ^= 255
    hurt.write_bytes(data)
    for name, content in (("noise", bytes(range(256)) * 8), ("empty", b"")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "events.out.tfevents.1.h").write_bytes(content)
    runs = by_id(serve(tmp_path))
    assert runs["good"]["problems"] == runs["empty"]["problems"] == []
    assert runs["noise"]["problems"] == [
        "noise/events.out.tfevents.1.h: holds no whole event; it is damaged at its beginning, or no event file"
    ]
    assert runs["hurt"]["problems"] == ["1 damaged record skipped; what is around is shown"]
