"""What goes wrong on real machines never breaks training, never tears a file, and is said once: disks, signals, forks, clocks."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milepost
from milepost import summary
from milepost.errors import StorageError
from milepost.formats.record import RecordEnd, records
from milepost.summary import event_log

LOGGING = """
import os, signal, sys, time
import numpy as np
from milepost import summary, SummaryWriter
writer = summary.create_file_writer(sys.argv[1], flush_millis=600_000)
torch_like = SummaryWriter(sys.argv[1] + "/sub", flush_secs=600)
writer.set_as_default()
def log(steps=10):
    for step in range(steps):
        summary.scalar("s", float(step), step=step)
        torch_like.add_scalar("t", step, step)
    for step in range(3):
        summary.image("i", np.random.rand(1, 256, 256, 3), step=step)
"""


def grown(directory: Path, size: int) -> None:
    """Wait until the files directly in a directory hold so many bytes."""
    deadline = time.monotonic() + 60
    while sum(path.stat().st_size for path in directory.glob("*tfevents*")) < size:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def full_count(found: list[tuple[str, int, Any]]) -> dict[str, int]:
    return {tag: sum(1 for t, _, _ in found if t == tag) for tag in ("s", "t", "i")}


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("log()", 0),
        ("log(); sys.exit(3)", 3),
        ("log(); raise RuntimeError('training broke')", 1),
        ("log(); del writer, torch_like", 0),
        ("import atexit; log(); atexit.register(lambda: None)", 0),
        ("import threading; t = threading.Thread(target=lambda: (writer.set_as_default(), log())); t.start()", 0),
        ("log(); os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)", -signal.SIGTERM),
        ("log(); os.kill(os.getpid(), signal.SIGHUP); time.sleep(30)", -signal.SIGHUP),
        ("log(); signal.raise_signal(signal.SIGINT)", -signal.SIGINT),
    ],
    ids=["end", "exit", "exception", "del", "atexit", "thread", "sigterm", "sighup", "ctrl-c"],
)
def test_nothing_is_lost_when_the_program_ends(
    tmp_path: Path, program: Any, points: Any, ending: str, code: int
) -> None:  # fmt: skip
    """Without close(), at any kind of end but kill -9, every scalar and every image still being encoded is written."""
    running = program(LOGGING + ending, tmp_path)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == code, errors
    assert full_count(points(tmp_path)) == {"s": 10, "t": 10, "i": 3}


@pytest.mark.parametrize(
    ("ending", "marked"),
    [("writer.close()", 1), ("", 1), ("os.fork() or os._exit(0)", 1), ("os.kill(os.getpid(), 9)", 0)],
)
def test_the_end_is_marked_once(tmp_path: Path, program: Any, events: Any, ending: str, marked: int) -> None:
    """A closed writer and a program that ends say so in the file's last record; a killed one cannot."""
    source = "import os, sys\nfrom milepost import summary\nwriter = summary.create_file_writer(sys.argv[1])\nwriter.set_as_default()\nsummary.scalar('x', 1.0, step=5)\nwriter.flush()\n"
    program(source + ending, tmp_path).communicate(timeout=60)
    found = events(tmp_path)
    assert [e.session_log.status for e in found if e.session_log is not None] == [2] * marked
    assert (found[-1].session_log is not None) == bool(marked)


def test_logging_in_an_exit_handler_is_kept(tmp_path: Path, program: Any, points: Any) -> None:
    """Handlers that run after ours write straight through: the log's thread may be gone."""
    source = "import atexit, sys\nfrom milepost import summary\n" + (
        "def late():\n    for step in range(25): summary.scalar('late', float(step), step=step)\n"
        "atexit.register(late)\nwriter = summary.create_file_writer(sys.argv[1])\nwriter.set_as_default()\nsummary.scalar('early', 1.0, step=0)\n"
    )
    running = program(source, tmp_path)
    assert running.communicate(timeout=60)[1] == ""
    assert len(points(tmp_path)) == 26


def test_a_programs_own_signal_handler_stays(tmp_path: Path, program: Any, points: Any) -> None:
    """We ask for SIGTERM only where nobody has; whoever comes later replaces us."""
    ending = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); log(); os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)"
    for source in (
        LOGGING + ending,
        "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n" + LOGGING + ending,
    ):
        shutil.rmtree(tmp_path, ignore_errors=True)
        running = program(source, tmp_path)
        running.communicate(timeout=60)
        assert running.returncode == 7
        assert full_count(points(tmp_path)) == {"s": 10, "t": 10, "i": 3}


def test_sigterm_while_writing_fast(tmp_path: Path, program: Any, points: Any) -> None:
    """A signal in the middle of a burst and of an explicit flush leaves whole records, each point once."""
    source = LOGGING + (
        "print('go', flush=True)\nstep = 0\nwhile True:\n    summary.scalar('s', float(step), step=step)\n"
        "    if step % 50 == 0: writer.flush(); time.sleep(0.001)\n    step += 1\n"
    )
    for pause in (0.003, 0.011):
        shutil.rmtree(tmp_path, ignore_errors=True)
        running = program(source, tmp_path)
        assert running.stdout.readline() == "go\n"
        grown(tmp_path, 20_000)
        time.sleep(pause)
        running.terminate()
        running.communicate(timeout=30)
        assert running.returncode == -signal.SIGTERM
        steps = [step for tag, step, _ in points(tmp_path) if tag == "s"]
        assert steps == list(range(len(steps)))
        assert len(steps) > 100


def test_killed_mid_record(tmp_path: Path, program: Any, points: Any) -> None:
    """After kill -9 the file is a prefix: whole records in order, at most the last one torn."""
    source = LOGGING + (
        "print('go', flush=True)\nfor step in range(10**9):\n    summary.scalar('s', float(step), step=step)\n"
        "    if step % 20 == 0: time.sleep(0.001)"
    )
    running = program(source, tmp_path)
    assert running.stdout.readline() == "go\n"
    grown(tmp_path, 100_000)
    time.sleep(0.02)
    running.kill()
    running.communicate(timeout=30)
    steps = [step for tag, step, _ in points(tmp_path, torn_tail=True) if tag == "s"]
    assert len(steps) > 1000
    assert steps == list(range(len(steps)))


@pytest.fixture
def file_limit() -> Iterator[Any]:
    """The largest file this process may write, in bytes: a disk that is full there, and not when the test is over."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, before)


def test_a_full_disk_is_waited_out(
    tmp_path: Path, points: Any, file_limit: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """One warning, training goes on; when there is room again, writing goes on at the very byte, and nothing is missing."""
    monkeypatch.setattr(event_log, "RETRY_SECONDS", (0.02,))
    writer = summary.create_file_writer(tmp_path, flush_millis=10)
    with writer.as_default():
        file_limit(1001)  # in the middle of a record
        for step in range(200):
            summary.scalar("s", float(step), step=step)
        writer.flush()
        time.sleep(0.1)
        assert Path(writer.path).stat().st_size == 1001
        assert [r.levelname for r in caplog.records] == ["WARNING"]
        assert os.strerror(errno.EFBIG) in caplog.text
        for step in range(200, 400):
            assert summary.scalar("s", float(step), step=step)
        file_limit(None)
    writer.close()
    assert points(tmp_path) == [("s", step, float(step)) for step in range(400)]


def test_a_disk_that_stays_full(
    tmp_path: Path, points: Any, file_limit: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Memory stays bounded, a call waits a moment once and then no more, what is dropped is counted, and close() says so."""
    monkeypatch.setattr(event_log, "BUFFER_BYTES", 1 << 16)
    monkeypatch.setattr(event_log, "JOB_BYTES", 1 << 16)
    monkeypatch.setattr(event_log, "PATIENCE_SECONDS", 0.2)
    writer = summary.create_file_writer(tmp_path)
    file_limit(500)
    started = time.monotonic()
    with writer.as_default():
        kept = sum(summary.scalar("s", float(step), step=step) for step in range(5000))
        images = sum(summary.image("i", np.zeros((1, 64, 64, 3), np.uint8), step=step) for step in range(20))
    assert time.monotonic() - started < 20  # not the patience of each of the 5 000
    assert 500 < kept < 5000
    assert 0 < images < 20
    with pytest.raises(StorageError, match="summaries"):
        writer.close()
    writer.close()  # said once
    assert len({record.getMessage().split(":")[1] for record in caplog.records}) == len(caplog.records) <= 3
    file_limit(None)
    steps = [step for _, step, _ in points(tmp_path, torn_tail=True)]
    assert steps == list(range(len(steps)))


def test_a_deleted_directory_is_made_again(tmp_path: Path, points: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Deleting a live run costs the old points, not the ones to come."""
    run = tmp_path / "run"
    writer = summary.create_file_writer(run)
    with writer.as_default():
        summary.scalar("s", 1.0, step=1)
        writer.flush()
        shutil.rmtree(tmp_path)
        for step in range(2, 30):
            summary.scalar("s", float(step), step=step)
            summary.image("i", np.zeros((1, 2, 2, 1)), step=step)
        writer.flush()
        os.remove(writer.path)
        summary.scalar("s", 99.0, step=99)
    writer.close()
    assert [step for tag, step, _ in points(run) if tag == "s"] == [99]
    assert [r.getMessage() for r in caplog.records] == [f"{run}: the event file was deleted; going on in a new one"]


def test_a_directory_that_cannot_be_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Training goes on with one warning; close() raises."""
    run = tmp_path / "run"
    writer = milepost.SummaryWriter(run)
    writer.add_scalar("s", 1.0, 1)
    writer.flush()
    shutil.rmtree(run)
    run.write_text("in the way")
    for step in range(2, 30):
        writer.add_scalar("s", 1.0, step)
    writer.flush()
    with pytest.raises(StorageError):
        writer.close()
    assert len([r for r in caplog.records if "cannot write" in r.getMessage()]) == 1


def test_descriptors_closed_by_others(tmp_path: Path, points: Any, program: Any) -> None:
    """A program that closes all its descriptors (a daemon does) goes on in a new file, and never writes into someone else's."""
    source = (
        "import os, sys\nfrom milepost import summary\nwriter = summary.create_file_writer(sys.argv[1])\nwriter.set_as_default()\n"
        "summary.scalar('s', 0.0, step=0); writer.flush()\nos.closerange(3, 200)\n"
        "others = [open(os.path.join(sys.argv[2], str(n)), 'w') for n in range(20)]\n"
        "summary.scalar('s', 1.0, step=1); writer.close()\n[o.close() for o in others]"
    )
    (tmp_path / "others").mkdir()
    running = program(source, tmp_path / "run", tmp_path / "others")
    running.communicate(timeout=60)
    assert running.returncode == 0
    assert [step for _, step, _ in points(tmp_path / "run")] == [0, 1]
    assert all(path.stat().st_size == 0 for path in (tmp_path / "others").iterdir())


FORKING = """
import multiprocessing, os, sys, time
from milepost import summary, SummaryWriter
writer = summary.create_file_writer(sys.argv[1], flush_millis=600_000)
writer.set_as_default()
for step in range(5): summary.scalar("parent", float(step), step=step)
summary.image("parent", __import__("numpy").zeros((1, 300, 300, 3)), step=5)
"""


@pytest.mark.parametrize(
    "forking",
    [
        "child = os.fork()\nif child == 0:\n    for step in range(20): summary.scalar('child', float(step), step=step)\n    sys.exit()\nos.waitpid(child, 0)",
        "child = os.fork()\nif child == 0:\n    for step in range(20): summary.scalar('child', float(step), step=step)\n    writer.close()\n    os._exit(0)\nos.waitpid(child, 0)",
        "def work():\n    for step in range(20): summary.scalar('child', float(step), step=step)\n"
        "p = multiprocessing.get_context('fork').Process(target=work); p.start(); p.join()",
        "out, into = os.pipe()\ndef work():\n    for step in range(20): summary.scalar('child', float(step), step=step)\n    os.write(into, b'x')\n    time.sleep(60)\n"
        "p = multiprocessing.get_context('fork').Process(target=work); p.start(); os.read(out, 1); p.terminate(); p.join()",
    ],
    ids=["exit", "close", "multiprocessing", "terminated"],
)
def test_a_forked_child_writes_its_own_file(tmp_path: Path, program: Any, points: Any, forking: str) -> None:
    """What the parent had not written yet is written once, by the parent; the child's points are in a file of its own."""
    source = FORKING + forking + "\nfor step in range(6, 10): summary.scalar('parent', float(step), step=step)\n"
    running = program(source, tmp_path)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    found = points(tmp_path)
    assert sorted(step for tag, step, _ in found if tag == "parent") == list(range(10))
    assert [step for tag, step, _ in found if tag == "child"] == list(range(20))
    pids = {path.name.split(".")[-3] for path in tmp_path.iterdir()}
    assert len(pids) == 2


def test_a_child_that_logs_nothing_leaves_nothing(tmp_path: Path, program: Any, points: Any) -> None:
    """Data loader workers inherit the writer: they make no file, no thread, and die of SIGTERM at once."""
    source = FORKING + (
        "out, into = os.pipe()\nchild = os.fork()\nif child == 0:\n    import threading\n    os.write(into, str(threading.active_count()).encode())\n"
        "    time.sleep(60)\nprint(os.read(out, 9).decode())\nos.kill(child, 15)\nassert os.waitpid(child, 0)[1] == 15\n"
    )
    running = program(source, tmp_path)
    out, errors = running.communicate(timeout=60)
    assert (running.returncode, out) == (0, "1\n"), errors
    assert len(list(tmp_path.iterdir())) == 1
    assert len(points(tmp_path)) == 6


def test_many_processes_one_directory(tmp_path: Path, program: Any, points: Any) -> None:
    """Ranks of a job may all log into one directory."""
    source = (
        "import sys\nfrom milepost import summary\nwriter = summary.create_file_writer(sys.argv[1])\n"
        "with writer.as_default():\n    for step in range(500): summary.scalar(sys.argv[2], float(step), step=step)\n"
    )
    running = [program(source, tmp_path, f"rank{n}") for n in range(4)]
    for one in running:
        one.communicate(timeout=60)
    found = points(tmp_path)
    for rank in range(4):
        assert [step for tag, step, _ in found if tag == f"rank{rank}"] == list(range(500))


def test_a_clock_set_back(tmp_path: Path, points: Any, events: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files keep the order in which they were opened; every point keeps the time that was shown when it was logged."""
    now = [2_000_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    for value in range(3):
        with milepost.SummaryWriter(tmp_path) as writer:
            writer.add_scalar("x", value, value)
        now[0] -= 100_000
    assert [value for _, _, value in points(tmp_path)] == [0.0, 1.0, 2.0]
    assert [e.wall_time for e in events(tmp_path) if e.summary] == [2_000_000_000.0, 1_999_900_000.0, 1_999_800_000.0]


def test_odd_tags_and_times(tmp_path: Path, points: Any, events: Any) -> None:
    """Tags that are no UTF-8, no text or very long, and times that are no number, leave a file every reader can read."""
    with milepost.SummaryWriter(tmp_path) as writer:
        for tag in ("a\udcffb", b"\xff", "", "x" * 10_000, "\0", "损失", "a/../../b"):
            writer.add_scalar(tag, 1.0, 1, walltime=float("nan"))
            writer.add_histogram(tag, np.arange(3.0), 1, walltime=float("nan"))
            writer.add_text(tag if isinstance(tag, str) else "bytes", "a\udcffb", 1)
    tags = [tag for tag, _, _ in points(tmp_path)]
    assert tags[0] == "a\\udcffb"
    assert "\\xff" in tags
    assert all(abs(e.wall_time - time.time()) < 60 for e in events(tmp_path))


def test_values_that_are_not_numbers(tmp_path: Path, points: Any) -> None:
    """NaN and infinities are values like any other; in pictures, sound and histograms they do no harm."""
    odd = np.array([np.nan, np.inf, -np.inf, 1.0])
    with summary.create_file_writer(tmp_path).as_default(step=1) as writer:
        for value in odd:
            summary.scalar("s", value)
        summary.histogram("h", odd, buckets=2)
        summary.histogram("none", odd[:3], buckets=2)
        summary.image("i", odd.reshape(1, 2, 2, 1))
        summary.audio("a", odd.reshape(1, 4, 1), 8000)
    writer.close()
    found = points(tmp_path)
    assert [str(v) for t, _, v in found if t == "s"] == ["nan", "inf", "-inf", "1.0"]
    assert next(v for t, _, v in found if t == "h") == [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    assert next(v for t, _, v in found if t == "none") == [[0.0] * 3] * 2
    assert {t for t, _, _ in found} == {"s", "h", "none", "i", "a"}
    with milepost.SummaryWriter(tmp_path / "torch") as drop_in:
        drop_in.add_histogram("h", odd, 1)
        drop_in.add_image("i", odd.reshape(1, 2, 2), 1)
        drop_in.add_audio("a", odd, 1)
    assert len(points(tmp_path / "torch")) == 3


def test_a_summary_that_cannot_be_encoded(tmp_path: Path, points: Any, caplog: pytest.LogCaptureFixture) -> None:
    """One bad job costs itself: the others are written, one warning, and close() counts it."""
    writer = milepost.SummaryWriter(tmp_path)
    writer.add_histogram("bad", np.arange(3.0), 1, bins=[3.0, 1.0])
    writer.add_histogram("bad", np.arange(3.0), 2, bins=[3.0, 1.0])
    writer.add_histogram("good", np.arange(3.0), 1)
    with pytest.raises(StorageError, match="2 summaries were not written"):
        writer.close()
    assert [tag for tag, _, _ in points(tmp_path)] == ["good"]
    assert len(caplog.records) == 1


def test_every_prefix_of_a_file_is_readable(tmp_path: Path) -> None:
    """Wherever a crash cuts the file, the records before the cut are whole."""
    with milepost.SummaryWriter(tmp_path) as writer:
        for step in range(4):
            writer.add_scalar("x", step, step)
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    whole = 0
    for cut in range(len(data) + 1):
        end = RecordEnd()
        count = sum(1 for _ in records(data[:cut], end))
        assert count >= whole
        assert end.offset <= cut
        whole = count
    assert whole == 6, "the version, four points, the end"


def test_ctrl_c_in_a_flush_repeats_nothing(tmp_path: Path, program: Any, points: Any) -> None:
    """An interrupt between any two instructions of a write on the main thread neither loses nor doubles a record."""
    source = (
        "import signal, sys\nfrom milepost import summary\n"
        "writer = summary.create_file_writer(sys.argv[1], flush_millis=600_000)\nwriter.set_as_default()\n"
        "armed, step, hits = False, 0, 0\n"
        "def interrupt(*_):\n    global armed\n    if armed:\n        armed = False\n        raise KeyboardInterrupt\n"
        "signal.signal(signal.SIGALRM, interrupt)\nsignal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0007)\n"
        "while hits < 150:\n    summary.scalar('s', float(step), step=step)\n    step += 1\n"
        "    try:\n        armed = True\n        writer.flush()\n        armed = False\n    except KeyboardInterrupt:\n        hits += 1\n"
        "signal.setitimer(signal.ITIMER_REAL, 0)\nwriter.close()\nprint(step)"
    )
    running = program(source, tmp_path)
    out, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    assert [step for _, step, _ in points(tmp_path)] == list(range(int(out)))


@pytest.mark.long
def test_two_hundred_kills(tmp_path: Path, program: Any, points: Any) -> None:
    """Whenever a process that logs scalars and pictures is killed, its file is a prefix of whole records in order."""
    source = (
        "import sys, time\nimport numpy as np\nfrom milepost import summary\nwriter = summary.create_file_writer(sys.argv[1], flush_millis=1)\n"
        "writer.set_as_default()\nprint('go', flush=True)\n"
        "for step in range(10**9):\n    summary.scalar('s', float(step), step=step)\n"
        "    if step % 7 == 0: summary.image('i', np.random.rand(1, 64, 64, 3), step=step); time.sleep(0.0005)"
    )
    random = np.random.default_rng(0)
    for number in range(200):
        run = tmp_path / str(number)
        running = program(source, run)
        assert running.stdout.readline() == "go\n"
        time.sleep(float(random.random()) * 0.1)
        (running.kill if number % 2 else running.terminate)()
        running.communicate(timeout=30)
        found = points(run, torn_tail=bool(number % 2))
        steps = [step for tag, step, _ in found if tag == "s"]
        assert steps == list(range(len(steps)))
        images = [step for tag, step, _ in found if tag == "i"]
        assert images == list(range(0, 7 * len(images), 7))
        if number % 2 == 0:
            assert len(images) == len(steps) // 7 + (len(steps) % 7 > 0) or len(images) == len(steps) // 7
        shutil.rmtree(run)
