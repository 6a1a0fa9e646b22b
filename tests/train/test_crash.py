"""Crashes: killed processes, signals, two writers, the order of system calls. The newest checkpoint is always whole."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from milepost import train
from milepost.train import Checkpoint, CheckpointManager

# Forked from a process without threads: a new interpreter for each of 200 crashes would take minutes.
CRASHES = """
import os, random, signal, sys, time
import numpy as np
from milepost import train
where, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
told_r, told_w = os.pipe()
os.set_blocking(told_r, False)
newest = 0
for crash in range(count):
    how = rng.choice(["kill", "term", "caught"])
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if how == "caught":
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
        arrays = [np.zeros(n, "f8") for n in (3, 70_000, 1000, 0, 40_000)]
        step = np.zeros((), "i8")
        manager = train.CheckpointManager(train.Checkpoint(arrays=arrays, step=step), where, max_to_keep=3)
        manager.restore_or_initialize()
        try:
            while True:
                step += 1
                for a in arrays:
                    a[:] = step
                if step % 3 == 0:
                    manager.save(blocking=False)
                    manager.wait()
                else:
                    manager.save()
                os.write(told_w, b"%d\\n" % int(step))
        finally:
            os._exit(3)
    time.sleep(rng.uniform(0.0, 0.06))
    os.kill(pid, signal.SIGKILL if how == "kill" else signal.SIGTERM)
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        time.sleep(0.01)
        os.kill(pid, signal.SIGTERM)  # Python drops an exception that strikes inside a destructor: ask again
    try:
        told = [int(n) for n in os.read(told_r, 1 << 20).split()]
    except BlockingIOError:
        told = []
    newest = max([newest, *told])
    # every checkpoint that is there is whole; the newest is no older than the last save that returned
    found = train.latest_checkpoint(where)
    assert (found is not None) or newest == 0, "nothing there"
    if found is None:
        continue
    arrays = [np.full(n, -1, "f8") for n in (3, 70_000, 1000, 0, 40_000)]
    live = train.Checkpoint(arrays=arrays, step=np.zeros((), "i8"))
    live.restore(found).assert_consumed()
    assert all((a == live.step).all() for a in arrays), "torn"
    assert int(live.step) >= newest, (int(live.step), newest)
    for name in os.listdir(where):
        if name.endswith(".index"):
            bad = [(k, e) for k, e in train.load_checkpoint(where + "/" + name[:-6]).verify() if e]
            assert not bad, bad
print("survived", count, "reached", newest)
"""


def crashes(where: Path, count: int, seed: int) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CRASHES, where, str(count), str(seed)],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_killed_at_any_instant(tmp_path: Path) -> None:
    """kill -9 and SIGTERM (caught or not) at random instants of a save loop: what `save` returned is there and whole."""
    assert "survived 40" in crashes(tmp_path / "run", 40, seed=1)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_killed_at_200_instants(tmp_path: Path) -> None:
    """The same, 200 times."""
    assert "survived 200" in crashes(tmp_path / "run", 200, seed=2)


def test_what_crashes_leave_is_swept(tmp_path: Path) -> None:
    """Temporary files of dead processes go with the next save, those of living ones stay."""
    dead = tmp_path / ".ckpt-9.data-00000-of-00001.0123456789ab.tmp"
    alive = tmp_path / ".ckpt-9.data-00000-of-00001.ba9876543210.tmp"
    for path in (dead, alive):
        path.write_bytes(b"x")
        os.utime(path, (0, 0))
    holder = subprocess.Popen(
        [sys.executable, "-c", "import fcntl,sys;f=open(sys.argv[1]);fcntl.flock(f,2);print(flush=True);sys.stdin.read()", alive],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        Checkpoint(w=np.ones(1)).save(tmp_path / "ckpt")
        assert not dead.exists()
        assert alive.exists()
    finally:
        holder.communicate()


WRITER = """
import sys, numpy as np
from milepost import train
where, mark, saves = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
w = np.full(30_000, mark)
manager = train.CheckpointManager(train.Checkpoint(w=w, mine=mark), where, max_to_keep=None)
print(*[manager.save() for _ in range(saves)], sep="\\n")
one = train.Checkpoint(w=w, mine=mark)
for _ in range(saves):
    one.write(where + "/same")
"""


def test_two_processes_in_one_directory(tmp_path: Path) -> None:
    """Both save; no number is used twice, nothing is lost, nothing is mixed, and one shared name is always whole."""
    jobs = [
        subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, str(mark), "15"], stdout=subprocess.PIPE, text=True)
        for mark in (1, 2)
    ]
    written: dict[str, int] = {}
    for mark, job in zip((1, 2), jobs, strict=True):
        out, _ = job.communicate(timeout=100)
        assert job.returncode == 0
        for path in out.split():
            assert path not in written
            written[path] = mark
    assert len(written) == 30
    for path, mark in written.items():
        live = Checkpoint(w=np.zeros(30_000), mine=0.0)
        live.restore(path).assert_consumed()
        assert live.mine == mark
        assert (live.w == mark).all()
    live = Checkpoint(w=np.zeros(30_000), mine=0.0)
    live.read(tmp_path / "same").assert_consumed()
    assert (live.w == live.mine).all()
    assert len(list(tmp_path.glob("same.*"))) == 2
    state = train.get_checkpoint_state(tmp_path)
    assert state is not None
    assert set(state.all_model_checkpoint_paths) == set(written)
    assert not list(tmp_path.glob(".*"))


SAVE = """
import sys, numpy as np
from milepost import train
options = train.CheckpointOptions(durability=sys.argv[2])
c = train.Checkpoint(w=np.ones(100_000))
c.save(sys.argv[1] + "/ckpt", options)
"""


def traced(where: Path, durability: str) -> list[tuple[str, str]]:
    """(call, path) of every sync, link and rename of one save, in order; paths of descriptors are looked up by strace."""
    if shutil.which("strace") is None:
        pytest.skip("no strace here")
    log = where.parent / f"strace-{durability}"
    where.mkdir()
    command = [
        "strace",
        "-f",
        "-y",
        "-e",
        "trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat,pwrite64",
        "-o",
        log,
    ]
    done = subprocess.run(
        [*command, sys.executable, "-c", SAVE, where, durability], capture_output=True, text=True, check=False
    )
    if done.returncode and "ptrace" in done.stderr.lower():
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr[-2000:]
    calls = []
    for line in log.read_text().splitlines():
        found = re.search(r"\b(fsync|fdatasync|rename\w*|link\w*|pwrite64)\((.*)", line)
        if found and str(where) in found[2]:
            paths = re.findall(re.escape(str(where)) + r"/?[^\s\"><,)]*", found[2])
            calls.append((found[1], paths[-1].removeprefix(str(where)).lstrip("/") or "."))
    return calls


def test_the_order_of_system_calls(tmp_path: Path) -> None:
    """Data written and synced, index synced, renamed, directory synced; only then the `checkpoint` file, the same way."""
    calls = traced(tmp_path / "full", "full")
    kinds = [
        (name.split("(")[0], re.sub(r"\.[0-9a-f]{12}\.tmp$", "~", path)) for name, path in calls if name != "pwrite64"
    ]
    assert kinds == [
        ("fsync", ".ckpt-1.data-00000-of-00001~"),
        ("rename", "ckpt-1.data-00000-of-00001"),
        ("fsync", ".ckpt-1.index~"),
        ("rename", "ckpt-1.index"),
        ("fsync", "."),
        ("fsync", ".checkpoint~"),
        ("rename", "checkpoint"),
        ("fsync", "."),
    ]
    last_write = max(i for i, (name, path) in enumerate(calls) if name == "pwrite64" and ".data-" in path)
    first_sync = next(i for i, (name, _) in enumerate(calls) if name == "fsync")
    assert last_write < first_sync


def test_fast_saves_sync_nothing(tmp_path: Path) -> None:
    """durability="fast" leaves syncing to the system; the renames stay."""
    kinds = [name for name, _ in traced(tmp_path / "fast", "fast") if name != "pwrite64"]
    assert kinds == ["rename", "rename", "rename"]


def test_sigterm_with_a_handler_cleans_up(tmp_path: Path) -> None:
    """An exception in the middle of a save (a signal handler's SystemExit) leaves no new file behind."""
    checkpoint = Checkpoint(w=np.ones(10))
    checkpoint.write(tmp_path / "c")
    before = sorted(p.name for p in tmp_path.iterdir())

    class Stop(BaseException):
        pass

    def stop(*_: object) -> None:
        raise Stop

    old = signal.signal(signal.SIGALRM, stop)
    try:
        big = Checkpoint(w=[np.ones(1_000_000) for _ in range(8)])
        for delay in (0.001, 0.003, 0.01, 0.02):
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                while True:
                    big.write(tmp_path / "c")
            except Stop:
                pass
            assert not [p.name for p in tmp_path.iterdir() if p.name.startswith(".")]
            assert len(list(tmp_path.iterdir())) == len(before)
            assert not [e for _, e in train.load_checkpoint(tmp_path / "c").verify() if e]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_numbers_of_dead_claims_are_used_again(tmp_path: Path) -> None:
    """A process that died while it held a number does not block it."""
    (tmp_path / ".ckpt-1.claim").write_bytes(b"")
    assert CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path).save() == str(tmp_path / "ckpt-1")
    assert not list(tmp_path.glob(".*"))
