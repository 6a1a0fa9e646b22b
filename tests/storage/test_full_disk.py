"""Places that cannot take a checkpoint: full, over quota, read-only, not there. One clear error; what was there stays whole."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from milepost import train
from milepost.errors import StorageError
from milepost.storage import LocalStorage, local
from milepost.train import Checkpoint, CheckpointManager


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    where = tmp_path / "disk"
    where.mkdir()
    mounted = os.geteuid() == 0 and shutil.which("mount") is not None
    if mounted:
        mounted = not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m", "none", where], capture_output=True, check=False
        ).returncode
    if not mounted:
        pytest.skip("only root can mount a small disk")
    try:
        yield where
    finally:
        subprocess.run(["umount", "-l", where], check=True)


def lie(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Let the full disk be noticed later: when blocks are reserved, or in the middle of writing."""
    if how != "asked":
        monkeypatch.setattr(local.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1 << 40, 0, 1 << 40))  # type: ignore[attr-defined]
    if how == "writing":
        monkeypatch.setattr(local, "_reserve", lambda *_: None)


@pytest.mark.parametrize("how", ["asked", "reserving", "writing"])
def test_a_full_disk(small_disk: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Whenever it is noticed: a StorageError, nothing left behind, the former checkpoint whole; then smaller ones go on."""
    w = np.ones(100_000)
    checkpoint = Checkpoint(w=w)
    manager = CheckpointManager(checkpoint, small_disk, max_to_keep=2)
    manager.save()
    before = sorted(os.listdir(small_disk))
    lie(monkeypatch, how)
    checkpoint.more = [np.ones(100_000) for _ in range(10)]
    with pytest.raises(StorageError, match=r"space.*earlier checkpoints are untouched") as caught:
        manager.save()
    assert caught.value.errno == 28
    assert sorted(os.listdir(small_disk)) == before
    w[:] = 0
    Checkpoint(w=w).restore(train.latest_checkpoint(small_disk)).assert_consumed()
    assert w.all()
    del checkpoint.more
    assert manager.save() == str(small_disk / "ckpt-2")


def test_a_full_disk_in_the_background(small_disk: Path) -> None:
    """The error of a background save surfaces at the next call."""
    manager = CheckpointManager(Checkpoint(w=np.ones(1_000_000)), small_disk)
    manager.save(blocking=False)
    with pytest.raises(StorageError, match="space"):
        manager.wait()
    assert not [n for n in os.listdir(small_disk) if n.endswith(".index")]


def test_a_read_only_place(small_disk: Path) -> None:
    """Nothing can be written: one error that says so."""
    Checkpoint(w=np.ones(3)).save(small_disk / "ckpt")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(StorageError, match="Read-only file system"):
        Checkpoint(w=np.ones(3)).save(small_disk / "other")
    Checkpoint(w=np.zeros(3)).restore(small_disk / "ckpt-1").assert_consumed()


def test_a_limit_on_file_sizes(tmp_path: Path) -> None:
    """A quota: the save fails, the former checkpoint stays."""
    checkpoint = Checkpoint(w=np.ones(1000))
    checkpoint.write(tmp_path / "c")
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, old[1]))
    try:
        with pytest.raises(StorageError, match="too large"):
            Checkpoint(w=np.ones(1_000_000)).write(tmp_path / "c")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, before)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.data-00000-of-00001", "c.index"]
    checkpoint.read(tmp_path / "c").assert_consumed()


def test_a_file_where_a_directory_should_be(tmp_path: Path) -> None:
    """The error names the path."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="file"):
        Checkpoint(w=np.ones(3)).save(tmp_path / "file" / "ckpt")


def test_links_and_claims(tmp_path: Path) -> None:
    """A claim never replaces; a link is another name; removing what is gone is fine."""
    storage = LocalStorage("fast")
    for name in "ab":
        file = storage.create(str(tmp_path / name))
        file.write([0], [1], [name.encode()])
        file.close()
    assert not storage.claim(str(tmp_path / "a"), str(tmp_path / "b"))
    assert storage.claim(str(tmp_path / "a"), str(tmp_path / "c"))
    assert (tmp_path / "c").read_bytes() == b"a"
    storage.link(str(tmp_path / "c"), str(tmp_path / "d"))
    assert (tmp_path / "d").stat().st_ino == (tmp_path / "c").stat().st_ino
    storage.remove(str(tmp_path / "gone"))
    assert storage.names(str(tmp_path / "nowhere")) == []
