"""Live: a new point within a second, logdirs that come later, files that are replaced, streams that end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from milepost.testing.logs import scalar_event, write_events

Serve = Callable[..., Any]


class Stream:
    """An EventSource: reads api/events on a thread of its own."""

    def __init__(self, port: int):
        self.events: list[tuple[float, str, Any]] = []
        self._client = httpx.Client(timeout=httpx.Timeout(5, read=60))
        self._open = threading.Event()
        self._thread = threading.Thread(target=self._read, args=(f"http://localhost:{port}/api/events",), daemon=True)
        self._thread.start()
        assert self._open.wait(10)

    def _read(self, url: str) -> None:
        name = ""
        try:
            with self._client.stream("GET", url) as answer:
                assert answer.headers["content-type"].startswith("text/event-stream")
                for line in answer.iter_lines():
                    if line.startswith("event: "):
                        name = line[7:]
                    elif line.startswith("data: "):
                        self.events.append((time.monotonic(), name, json.loads(line[6:])))
                        self._open.set()
        except (httpx.HTTPError, RuntimeError):
            pass

    def wait(self, fits: Callable[[str, Any], bool], seconds: float = 5.0) -> tuple[float, Any]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for when, name, data in list(self.events):
                if fits(name, data):
                    return when, data
            time.sleep(0.005)
        raise AssertionError(f"not among {self.events}")

    def close(self) -> None:
        """After the server's end."""
        self._thread.join(5)
        self._client.close()

    def ended(self, seconds: float = 5.0) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()


@pytest.fixture
def stream() -> Iterator[Callable[[Any], Stream]]:
    opened: list[tuple[Any, Stream]] = []

    def open_one(client: Any) -> Stream:
        opened.append((client, Stream(client.server.port)))
        return opened[-1][1]

    yield open_one
    for client, one in opened:
        client.server.stop()
        one.close()


def append(path: Path, *records: bytes) -> float:
    with path.open("ab") as file:
        for record in records:
            file.write(record)
    return time.monotonic()


def test_a_new_point_is_pushed_and_served_within_a_second(tmp_path: Path, serve: Serve, stream: Any) -> None:
    path = write_events(tmp_path / "run" / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    page = stream(client)
    _, hello = page.wait(lambda name, _: name == "hello")
    assert hello["state"] == "ready"
    time.sleep(0.3)  # the watch is set up after the first look
    for step in (1, 2, 3):
        wrote = append(path, scalar_event("x", step, step * 2.0))
        when, data = page.wait(
            lambda name, d, after=hello["cursor"]: name == "change" and "run" in d["runs"] and d["cursor"] > after
        )
        assert when - wrote < 1.0
        assert data["plugins"] == ["scalars"]
        _, y, _ = client.line("run", "x")
        assert y[-1] == step * 2.0
        page.events.clear()
        hello = {"cursor": data["cursor"]}


def test_a_new_run_and_a_new_tag_are_told(tmp_path: Path, serve: Serve, stream: Any) -> None:
    write_events(tmp_path / "a" / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    page = stream(client)
    time.sleep(0.3)
    write_events(tmp_path / "b" / "events.out.tfevents.1.h", [scalar_event("y", 0, 1.0)])
    _, data = page.wait(lambda name, d: name == "change" and "b" in d["new_runs"])
    assert data["tags"] is True
    shutil.rmtree(tmp_path / "b")
    page.wait(lambda name, d: name == "change" and d["gone"] == ["b"], 8)
    assert client.error("api/images?run=b&tag=y", status=404)["code"] == "not_found"


def test_an_edit_is_told_to_every_page(tmp_path: Path, serve: Serve, stream: Any) -> None:
    write_events(tmp_path / "a" / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    pages = [stream(client), stream(client)]
    client.http.patch("api/runs", json={"runs": ["a"], "set": {"note": "n"}})
    for page in pages:
        page.wait(lambda name, d: name == "change" and d["meta"])


def test_a_logdir_that_comes_later(tmp_path: Path, serve: Serve, stream: Any) -> None:
    logdir = tmp_path / "later"
    client = serve(logdir)
    assert client.get("api/info")["state"] == "waiting"
    assert client.get("api/runs")["runs"] == []
    page = stream(client)
    write_events(logdir / "a" / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    page.wait(lambda name, d: name == "change" and "a" in d["new_runs"])
    assert client.get("api/info")["state"] == "ready"


def test_a_replaced_file_shows_what_it_holds_now(tmp_path: Path, serve: Serve) -> None:
    """As rsync does it: another file under the same name."""
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", s, 1.0) for s in range(5)])
    client = serve(tmp_path)
    write_events(tmp_path / "fresh", [scalar_event("x", s, 2.0) for s in range(3)])
    os.replace(tmp_path / "fresh", path)
    client.http.post("api/refresh")
    _, y, _ = client.line(".", "x")
    assert y.tolist() == [2, 2, 2]


def test_reload_interval_nought_loads_once(tmp_path: Path, serve: Serve) -> None:
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path, reload_interval=0)
    append(path, scalar_event("x", 1, 2.0))
    time.sleep(0.5)
    assert len(client.line(".", "x")[0]) == 1
    assert client.http.post("api/refresh").json()["data"]["changed"] == 1
    assert len(client.line(".", "x")[0]) == 2


def test_polling_alone_is_enough(tmp_path: Path, serve: Serve, stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system that tells nothing, --reload_interval is what finds new points."""
    from milepost.board.live import Live

    monkeypatch.setattr(Live, "_watch_files", lambda self: None)
    path = write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path, reload_interval=0.2)
    page = stream(client)
    append(path, scalar_event("x", 1, 2.0))
    page.wait(lambda name, d: name == "change" and d["runs"] == ["."])
    assert client.get("api/info")["live"] is False


def test_streams_end_with_the_server(tmp_path: Path, serve: Serve, stream: Any) -> None:
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    pages = [stream(client) for _ in range(5)]
    assert len(client.server.live.hub) == 5
    client.server.stop()
    assert all(page.ended() for page in pages)


def test_a_page_that_leaves_is_forgotten(tmp_path: Path, serve: Serve) -> None:
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    client = serve(tmp_path)
    with client.http.stream("GET", "api/events") as answer:
        lines = answer.iter_lines()
        assert next(lines)
        assert len(client.server.live.hub) == 1
    client.server.live.edited()
    end = time.monotonic() + 5
    while len(client.server.live.hub) and time.monotonic() < end:
        time.sleep(0.02)
        client.server.live.edited()
    assert len(client.server.live.hub) == 0


def test_checkpoints_are_mileposts_of_their_run(tmp_path: Path, serve: Serve, stream: Any) -> None:
    """Step, size, tensors from the index alone; a ckpts folder inside a run belongs to the run; a cut index is named."""
    from milepost.train import Checkpoint

    write_events(tmp_path / "run" / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    state = {"w": np.ones((4, 3), np.float32), "step": np.array(700)}
    Checkpoint(state=state).save(str(tmp_path / "run" / "ckpts" / "ckpt"))
    client = serve(tmp_path)
    client.http.post("api/refresh")
    page = stream(client)
    listed = client.get("api/checkpoints", run="run")["checkpoints"]
    assert [(c["id"], c["number"], c["step"], c["latest"], c["error"]) for c in listed] == [
        ("run/ckpts/ckpt-1", 1, 700, True, None)
    ]
    assert listed[0]["bytes"] >= 48
    detail = client.get("api/checkpoint", id="run/ckpts/ckpt-1")
    w = next(t for t in detail["tensors"] if t["name"].endswith("w"))
    assert (w["dtype"], w["shape"], w["bytes"]) == ("float32", [4, 3], 48)
    assert {f["name"] for f in detail["files"]} == {"ckpt-1.index", "ckpt-1.data-00000-of-00001"}
    assert client.get("api/runs")["runs"][0]["checkpoints"] == 1
    time.sleep(0.3)
    index = tmp_path / "run" / "ckpts" / "ckpt-1.index"
    index.write_bytes(index.read_bytes()[:50])
    page.wait(lambda name, d: name == "change" and d["checkpoints"], 8)
    broken = client.get("api/checkpoints")["checkpoints"][0]
    assert broken["error"]
    assert client.get("api/checkpoint", id="run/ckpts/ckpt-1")["tensors"] == []


def test_pipes_and_cut_files_by_a_checkpoints_name_are_errors(tmp_path: Path, serve: Serve) -> None:
    """Nothing hangs on a named pipe, an endless device or an index full of zeros."""
    write_events(tmp_path / "events.out.tfevents.1.h", [scalar_event("x", 0, 1.0)])
    os.mkfifo(tmp_path / "pipe-1.index")
    (tmp_path / "zero-2.index").symlink_to("/dev/zero")
    (tmp_path / "zeros-3.index").write_bytes(b"\0" * 4096)
    os.mkfifo(tmp_path / "checkpoint")
    client = serve(tmp_path)
    client.http.post("api/refresh")
    listed = client.get("api/checkpoints")["checkpoints"]
    assert len(listed) == 3
    assert all(c["error"] for c in listed)


# -- the command -------------------------------------------------------------------------------------------------------


def command(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "milepost", "board", *arguments],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def test_the_command_serves_says_so_and_ends_on_interrupt(tmp_path: Path) -> None:
    process = command(
        "--logdir",
        str(tmp_path / "none-yet"),
        "--port",
        "0",
        "--path_prefix",
        "/deep/board",
        "--samples_per_plugin",
        "scalars=10",
        "--token",
        "tok",
    )
    try:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert first.startswith("milepost board: http://localhost:")
        address = first.split()[-1]
        assert address.endswith("/deep/board/?token=tok")
        assert "does not exist yet" in process.stderr.readline()
        base, _, token = address.partition("?token=")
        answer = httpx.get(base + "api/info", headers={"X-Milepost-Token": token})
        assert answer.json()["data"]["state"] == "waiting"
        assert (
            httpx.get(base.replace("/deep/board", "") + "api/info", headers={"X-Milepost-Token": token}).status_code
            == 404
        )
        process.terminate()
        assert process.wait(10) in (0, 143, -15, 130)
    finally:
        process.kill()
        process.communicate()


def test_a_port_in_use_is_one_line_and_a_failure(tmp_path: Path, serve: Serve) -> None:
    client = serve(tmp_path)
    process = command("--logdir", str(tmp_path), "--port", str(client.server.port))
    _, said = process.communicate(timeout=20)
    assert process.returncode == 1
    assert len(said.strip().splitlines()) == 1
    assert f"port {client.server.port} on localhost is in use" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give one directory"),
        (("a", "--logdir", "b"), "give one directory"),
        (("a", "--host", "x", "--bind_all"), "exclude each other"),
        (("a", "--token", " "), "--token is empty"),
        (("--logdir_spec", "a:x,a:y"), "--logdir_spec"),
        (("a", "--port", "99999"), "99999"),
    ],
)
def test_a_command_that_makes_no_sense_is_one_line(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from milepost.cli.main import run

    code = run(["board", *arguments], debug=False)
    printed = capsys.readouterr().err
    assert code in (1, 2)
    assert said in printed
    assert len(printed.strip().splitlines()) == 1


def test_logdir_spec_forms() -> None:
    from milepost.cli.board import parse_spec

    assert parse_spec("a:/x,b:/y/z") == (("a", "/x"), ("b", "/y/z"))
    assert parse_spec("/logs/run1,b:y") == (("run1", "/logs/run1"), ("b", "y"))
