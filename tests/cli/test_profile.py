"""`milepost profile`: show says where the time went; record runs a program unchanged and captures it."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from milepost.cli.main import cli, run

PROGRAM = """
import sys, time, threading
def work():
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end: pass
if __name__ == "__main__":
    work()
    print("arguments", sys.argv[1:], sys.argv[0].endswith("program.py"))
    sys.exit(int(sys.argv[1]))
"""
EVENTS = [
    {"ph": "X", "cat": "step", "name": "train", "ts": 0, "dur": 1000, "pid": 1, "tid": 1, "args": {"step": 0}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::[mm]", "ts": 0, "dur": 600, "pid": 1, "tid": 1},
]


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "a" / "one.pt.trace.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"traceEvents": EVENTS}))
    return path


def test_show_a_file_and_the_newest_of_a_directory(trace, tmp_path):
    for path in (trace, tmp_path):
        done = CliRunner().invoke(cli, ["profile", "show", str(path)])
        assert done.exit_code == 0, done.output
        assert "compute   60.0%" in done.output
        assert "1 steps, 1 ms each" in done.output
        assert "aten::[mm]" in done.output


def test_show_as_json(trace):
    done = CliRunner().invoke(cli, ["profile", "show", "--json", str(trace)])
    assert json.loads(done.output)["split"]["share"]["compute"] == pytest.approx(0.6)


def test_bad_traces_and_empty_directories_are_one_line(tmp_path, capsys):
    (tmp_path / "bad.trace.json").write_text('{"traceEvents": [{')
    assert run(["profile", "show", str(tmp_path / "bad.trace.json")], debug=False) == 1
    assert "ends too early" in capsys.readouterr().err
    (tmp_path / "none").mkdir()
    assert run(["profile", "show", str(tmp_path / "none")], debug=False) == 1
    assert "no capture under this directory" in capsys.readouterr().err


@pytest.mark.parametrize("code", [0, 3])
def test_record_runs_the_program_unchanged(tmp_path, capfd, code):
    """Its arguments, its output and its exit code are its own; the capture is made and shown whatever the code."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    logdir = tmp_path / "runs"
    command = ["profile", "record", "--logdir", str(logdir), "--", sys.executable, str(program), str(code), "--lr", "1"]
    assert run(command, debug=False) == code
    out = capfd.readouterr().out
    assert f"arguments ['{code}', '--lr', '1'] True" in out
    assert "python" in out
    (capture,) = logdir.rglob("*.trace.json.gz")
    assert capture.stat().st_size


def test_record_refuses_what_is_no_python(tmp_path, capsys):
    assert run(["profile", "record", "--", "ls"], debug=False) == 1
    assert "only Python programs" in capsys.readouterr().err
    assert run(["profile", "record", "--", "python", "-u"], debug=False) == 1
    assert "no program" in capsys.readouterr().err
