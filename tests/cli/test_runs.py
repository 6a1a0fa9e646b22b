"""`milepost runs`: every point, in every form, and plain words about what is wrong."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from milepost.cli.main import run as run_cli
from milepost.cli.runs import command
from milepost.testing.logs import scalar_event, write_events


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MILEPOST_CACHE", str(tmp_path / "cache"))
    values = [0.1, math.nan, math.inf, -math.inf, 1e-30]
    write_events(
        tmp_path / "logs" / "a" / "events.out.tfevents.1.h", [scalar_event("loss", i, v) for i, v in enumerate(values)]
    )
    write_events(
        tmp_path / "logs" / "b,c" / "events.out.tfevents.1.h",
        [*(scalar_event('say "hi"', i, i) for i in range(4)), b"broken" * 9, scalar_event('say "hi"', 2, 9.0), b"\x05"],
    )
    return tmp_path / "logs"


def invoked(*arguments: object) -> str:
    done = CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_ls_names_every_run_and_its_trouble(logs: Path) -> None:
    """Points, steps, damage; the same as JSON."""
    shown = invoked("ls", logs)
    assert "a" in shown
    assert "1 bad records, ends inside a record" in shown
    rows = json.loads(invoked("ls", logs, "--json"))
    assert [(row["run"], row["points"], row["bad_records"]) for row in rows] == [("a", 5, 0), ("b,c", 5, 1)]


def test_show_tells_the_truth_about_each_tag(logs: Path) -> None:
    """Purged, dropped, NaN, truncated."""
    rows = json.loads(invoked("show", logs, "--json"))
    loss, say = rows
    assert (loss["nan"], loss["inf"], loss["max"]) == (1, 2, pytest.approx(0.1))
    assert (say["purged"], say["dropped"], say["restarts"], say["last"]) == (2, 1, [2], 9.0)
    assert "2 purged" in invoked("show", logs, "--run", "b*")
    assert "nothing of that" in invoked("show", logs, "--tag", "nowhere")


def test_csv_holds_every_point_exactly(logs: Path) -> None:
    """Bits survive the text; names with commas and quotes survive the format."""
    rows = list(csv.DictReader(io.StringIO(invoked("export", logs, "--restarts", "keep-all"))))
    assert [row["run"] for row in rows] == ["a"] * 5 + ["b,c"] * 5
    assert rows[5]["tag"] == 'say "hi"'
    import numpy as np

    got = np.array([float(row["value"]) for row in rows[:5]]).astype(np.float32)
    np.testing.assert_array_equal(got, np.array([0.1, math.nan, math.inf, -math.inf, 1e-30], np.float32))


def test_json_and_split(logs: Path, tmp_path: Path) -> None:
    """Strict JSON with words for what JSON cannot say; segments when asked for."""
    invoked("export", logs, "--json", "--restarts", "split", "-o", tmp_path / "out.json")
    told = json.loads((tmp_path / "out.json").read_text(), parse_constant=pytest.fail)["series"]
    assert told[0]["value"][1:4] == ["NaN", "Infinity", "-Infinity"]
    assert told[1]["segment"] == [0, 0, 0, 0, 1]


def test_parquet_holds_every_point_exactly(logs: Path, tmp_path: Path) -> None:
    """Read back by pyarrow."""
    import pyarrow.parquet

    invoked("export", logs, "--parquet", "--tag", "loss", "-o", tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert table["run"] == ["a"] * 5
    assert table["step"] == [0, 1, 2, 3, 4]
    assert table["value"][2] == math.inf


def test_parquet_without_pyarrow_says_what_to_do(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, exit code 1, and no half file."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code = run_cli(["runs", "export", str(logs), "--parquet", "-o", str(tmp_path / "p")], debug=False)
    assert code == 1
    assert "pip install pyarrow" in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


def test_a_directory_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, the path named."""
    assert run_cli(["runs", "ls", "/nowhere/at/all"], debug=False) == 1
    assert "/nowhere/at/all: no such directory" in capsys.readouterr().err


def test_an_empty_directory_is_no_error(tmp_path: Path) -> None:
    """Nothing there is an answer."""
    assert "no event files" in invoked("ls", tmp_path)
    assert json.loads(invoked("ls", tmp_path, "--json")) == []
    assert invoked("export", tmp_path) == "run,tag,step,wall_time,value\n"


def test_tail_shows_the_last_points_and_follows(logs: Path) -> None:
    """A point appended while it runs appears; Ctrl-C ends it with 130."""
    assert len(invoked("tail", logs, "--no-follow", "-n", 2).splitlines()) == 4
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "milepost", "runs", "tail", str(logs), "--run", "a", "-n", "1", "--json"],
        stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["step"] == 4
        time.sleep(0.3)
        with (logs / "a" / "events.out.tfevents.1.h").open("ab") as stream:
            stream.write(scalar_event("loss", 5, 2.5))
        assert json.loads(process.stdout.readline()) == {
            "run": "a", "tag": "loss", "step": 5, "wall_time": 1.0, "value": 2.5,
        }  # fmt: skip
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_control_characters_of_a_tag_do_not_reach_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log from a stranger must not repaint the screen."""
    monkeypatch.setenv("MILEPOST_CACHE", str(tmp_path / "cache"))
    write_events(tmp_path / "l" / "events.out.tfevents.1.h", [scalar_event("\x1b[2Jboo", 0, 1.0)])
    assert "\x1b" not in invoked("show", tmp_path / "l")
    assert "\\x1b[2Jboo" in invoked("tail", tmp_path / "l", "--no-follow")


def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`milepost runs export | head -1` ends well and says nothing."""
    monkeypatch.setenv("MILEPOST_CACHE", str(tmp_path / "cache"))
    write_events(tmp_path / "l" / "events.out.tfevents.1.h", [scalar_event("x", i, i) for i in range(20_000)])
    process = subprocess.Popen(
        [sys.executable, "-m", "milepost", "runs", "export", str(tmp_path / "l")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"run,tag,step,wall_time,value\n"
    process.stdout.close()
    assert (process.wait(30), process.stderr.read()) == (0, b"")
    process.stderr.close()
