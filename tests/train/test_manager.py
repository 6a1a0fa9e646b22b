"""CheckpointManager: numbers, retention, pins, metrics, restarts, background and incremental saves."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milepost import train
from milepost.errors import CheckpointError, StorageError, UsageError
from milepost.train import Checkpoint, CheckpointManager, keep_best, keep_every, keep_last
from milepost.train import manager as manager_module
from milepost.train import write as write_module
from milepost.train.notes import Notes
from milepost.train.retention import Kept


def names(paths: list[str]) -> list[str]:
    return [os.path.basename(path) for path in paths]


def on_disk(directory: Path) -> list[str]:
    return sorted(p.name.removesuffix(".index") for p in directory.glob("*.index"))


def test_the_newest_are_kept(tmp_path: Path) -> None:
    """max_to_keep checkpoints stay, oldest go first, data and notes with them; the state file lists what is there."""
    w = np.zeros(3)
    manager = CheckpointManager(Checkpoint(w=w), tmp_path, max_to_keep=2)
    for i in range(4):
        w[:] = i
        assert manager.save() == str(tmp_path / f"ckpt-{i + 1}")
    assert names(manager.checkpoints) == ["ckpt-3", "ckpt-4"]
    assert on_disk(tmp_path) == ["ckpt-3", "ckpt-4"]
    assert manager.latest_checkpoint == train.latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-4")
    state = train.get_checkpoint_state(tmp_path)
    assert state is not None
    assert names(list(state.all_model_checkpoint_paths)) == ["ckpt-3", "ckpt-4"]
    assert len(state.all_model_checkpoint_timestamps) == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "checkpoint", "ckpt-3.data-00000-of-00001", "ckpt-3.index", "ckpt-3.milepost.json",
        "ckpt-4.data-00000-of-00001", "ckpt-4.index", "ckpt-4.milepost.json",
    ]  # fmt: skip


def test_a_restart_without_restore_harms_nothing(tmp_path: Path) -> None:
    """A new run that forgot to restore goes on numbering, and deletes nothing of the old run's."""
    CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path, max_to_keep=2).save()
    CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path, max_to_keep=2).save()
    forgetful = CheckpointManager(Checkpoint(w=np.zeros(1)), tmp_path, max_to_keep=1)
    assert forgetful.save() == str(tmp_path / "ckpt-3")
    forgetful.save()
    assert on_disk(tmp_path) == ["ckpt-1", "ckpt-2", "ckpt-4"]
    assert train.load_variable(tmp_path / "ckpt-1", "w/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1]
    careful = CheckpointManager(Checkpoint(w=np.zeros(1)), tmp_path, max_to_keep=2)
    careful.restore_or_initialize()
    careful.save()
    assert on_disk(tmp_path) == ["ckpt-4", "ckpt-5"]


def test_counter_goes_on_after_restore(tmp_path: Path) -> None:
    """The saved counter and the number in the name agree."""
    manager = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path)
    manager.save()
    manager.save()
    again = Checkpoint(w=np.zeros(1))
    manager = CheckpointManager(again, tmp_path)
    assert manager.restore_or_initialize() == str(tmp_path / "ckpt-2")
    assert int(again.save_counter) == 2
    assert manager.save() == str(tmp_path / "ckpt-3")
    assert train.load_variable(tmp_path, "save_counter/.ATTRIBUTES/VARIABLE_VALUE") == 3


def test_given_numbers(tmp_path: Path) -> None:
    """A number may be given, as the step; the counter counts saves all the same."""
    checkpoint = Checkpoint(w=np.ones(1))
    manager = CheckpointManager(checkpoint, tmp_path)
    assert manager.save(checkpoint_number=100) == str(tmp_path / "ckpt-100")
    assert int(checkpoint.save_counter) == 1


@pytest.mark.parametrize("damage", ["lost", "stale", "garbage"])
def test_the_state_file_is_rebuilt(tmp_path: Path, damage: str) -> None:
    """Without a state file, or with one that lies, the directory is the truth."""
    manager = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path)
    for _ in range(3):
        manager.save()
    state = tmp_path / "checkpoint"
    if damage == "lost":
        state.unlink()
    elif damage == "garbage":
        state.write_bytes(b"\x00\xff model")
    else:
        state.write_text('model_checkpoint_path: "ckpt-2"\nall_model_checkpoint_paths: "ckpt-2"\n')
    if damage != "stale":
        assert train.latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-3")
    again = CheckpointManager(Checkpoint(w=np.zeros(1)), tmp_path)
    assert again.latest_checkpoint == str(tmp_path / "ckpt-3")
    assert again.save() == str(tmp_path / "ckpt-4")


def test_state_files_of_moved_directories(tmp_path: Path) -> None:
    """Paths are relative: the directory may be moved."""
    CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path / "a").save()
    (tmp_path / "a").rename(tmp_path / "b")
    assert train.latest_checkpoint(tmp_path / "b") == str(tmp_path / "b" / "ckpt-1")


def test_metrics_best_and_pins(tmp_path: Path) -> None:
    """keep_last | keep_best keep both; the best is known after a restart; a pin outlives every rule."""
    rules = keep_last(1) | keep_best(1, "loss", mode="min")
    manager = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path, retention=rules)
    for loss in (0.5, 0.2, 0.9, float("nan"), 0.4):
        manager.save(metrics={"loss": np.float32(loss)})
    assert names(manager.checkpoints) == ["ckpt-2", "ckpt-5"]
    assert manager.best_checkpoint == str(tmp_path / "ckpt-2")
    checkpoint = Checkpoint(w=np.ones(1))
    again = CheckpointManager(checkpoint, tmp_path, retention=rules)
    assert again.best_checkpoint == str(tmp_path / "ckpt-2")
    assert again.metrics(again.best_checkpoint or "") == {"loss": pytest.approx(0.2)}
    again.restore_or_initialize()
    again.pin()
    again.save(metrics={"loss": 0.1})
    again.save(metrics={"loss": 0.3})
    assert names(again.checkpoints) == ["ckpt-5", "ckpt-6", "ckpt-7"]
    again.pin(tmp_path / "ckpt-5", pinned=False)
    again.save()
    assert names(again.checkpoints) == ["ckpt-6", "ckpt-8"]
    notes = json.loads((tmp_path / "ckpt-6.milepost.json").read_text())
    assert notes["metrics"] == {"loss": 0.1}
    with pytest.raises(UsageError, match="best_metric"):
        _ = CheckpointManager(checkpoint, tmp_path).best_checkpoint
    assert CheckpointManager(checkpoint, tmp_path, best_metric="loss").best_checkpoint == str(tmp_path / "ckpt-6")


def test_rules_by_time_and_number() -> None:
    """keep_every(hours=…) keeps one in that many hours; numbers= keeps multiples; the newest always stays."""
    items = [Kept(str(i), i, i * 3600.0, Notes()) for i in range(10)]
    assert keep_every(hours=3).keep(items) == {"0", "3", "6", "9"}
    assert keep_every(numbers=4).keep(items) == {"0", "4", "8", "9"}
    assert (keep_last(2) | keep_every(hours=5)).keep(items) == {"0", "5", "8", "9"}
    assert repr(keep_last(2) | keep_best(1, "x")) == "keep_last(2) | keep_best(1, 'x', 'min')"
    for bad in (lambda: keep_last(0), lambda: keep_every(), lambda: keep_best(1, "x", mode="avg")):  # type: ignore[arg-type]
        with pytest.raises(UsageError):
            bad()


def test_every_n_hours_as_tensorflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """keep_checkpoint_every_n_hours leaves one every n hours on disk, outside the list."""
    now = [1_000_000.0]
    monkeypatch.setattr(manager_module.time, "time", lambda: now[0])
    manager = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=2)
    for _ in range(6):
        now[0] += 3600
        manager.save()
    assert names(manager.checkpoints) == ["ckpt-6"]
    assert on_disk(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-6"]


def test_intervals(tmp_path: Path) -> None:
    """checkpoint_interval: too early gives None, unless the interval is not checked; the same step never saves twice."""
    step = np.array(0)
    manager = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path, step_counter=step, checkpoint_interval=10)
    assert manager.save() is not None
    step += 5
    assert manager.save() is None
    assert manager.save(check_interval=False) is not None
    assert manager.save(check_interval=False) is None
    step += 10
    assert manager.save() is not None
    with pytest.raises(UsageError):
        CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path, checkpoint_interval=10)


def test_fall_back_to_the_newest_whole_one(tmp_path: Path) -> None:
    """Damaged checkpoints are passed over, newest first, and the reason is said."""
    w = np.zeros(4000)
    manager = CheckpointManager(Checkpoint(w=w), tmp_path)
    for i in range(4):
        w[:] = i
        manager.save()
    data = tmp_path / "ckpt-4.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:1000])
    index = tmp_path / "ckpt-3.index"
    index.write_bytes(index.read_bytes()[:-20])
    live = np.full(4000, -1.0)
    again = CheckpointManager(Checkpoint(w=live), tmp_path)
    with pytest.warns(UserWarning, match="passed over") as warned:
        assert again.restore_or_initialize() == str(tmp_path / "ckpt-2")
    assert (live == 1).all()
    assert [os.path.basename(p) for p, _ in again.skipped] == ["ckpt-4", "ckpt-3"]
    assert "ends before the tensor" in str(warned[0].message)
    assert again.save() == str(tmp_path / "ckpt-5")
    for path in tmp_path.glob("*.index"):
        path.write_bytes(b"")
    with pytest.raises(CheckpointError, match="none of"), pytest.warns(UserWarning, match="passed over"):
        CheckpointManager(Checkpoint(w=live), tmp_path).restore_or_initialize()


def test_initialise_when_there_is_none(tmp_path: Path) -> None:
    """init_fn runs only if nothing can be restored."""
    calls: list[int] = []
    manager = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path, init_fn=lambda: calls.append(1))
    assert manager.restore_or_initialize() is None
    assert calls == [1]
    manager.save()
    assert manager.restore_or_initialize() is not None
    assert calls == [1]


def test_background_saves_are_of_the_moment(tmp_path: Path) -> None:
    """What changes after save(blocking=False) returned never reaches the file."""
    w = [np.zeros(300_000) for _ in range(4)]
    manager = CheckpointManager(Checkpoint(w=w, text="a"), tmp_path, max_to_keep=None)
    for i in range(5):
        for a in w:
            a[:] = i
        path = manager.save(blocking=False)
        for a in w:
            a[:] = -1
        assert path == str(tmp_path / f"ckpt-{i + 1}")
    manager.wait()
    for i in range(5):
        for k in range(4):
            saved = train.load_variable(tmp_path / f"ckpt-{i + 1}", f"w/{k}/.ATTRIBUTES/VARIABLE_VALUE")
            assert (saved == i).all()
        assert train.load_variable(tmp_path / f"ckpt-{i + 1}", "save_counter/.ATTRIBUTES/VARIABLE_VALUE") == i + 1


def test_background_errors_surface(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed background save raises at the next call, once; wait and close raise it, too."""
    manager = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path)

    def fail(*_: Any, **__: Any) -> None:
        raise StorageError("disk full", where="there")

    with monkeypatch.context() as patch:
        patch.setattr(manager_module, "write_checkpoint", fail)
        for ending in (manager.save, manager.wait, manager.close):
            manager.save(blocking=False)
            with pytest.raises(StorageError, match="disk full"):
                ending()
    assert manager.save() is not None
    assert len(on_disk(tmp_path)) == 1
    with monkeypatch.context() as patch:
        patch.setattr(manager_module, "write_checkpoint", fail)
        with pytest.raises(StorageError), CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path) as other:
            other.save(blocking=False)


def test_saving_does_not_wait_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """save(blocking=False) returns while the writer is still at work."""
    gate = threading.Event()
    real = write_module.write_checkpoint

    def slow(*a: Any, **k: Any) -> None:
        gate.wait(20)
        real(*a, **k)

    monkeypatch.setattr(manager_module, "write_checkpoint", slow)
    manager = CheckpointManager(Checkpoint(w=np.ones(10)), tmp_path)
    began = time.monotonic()
    manager.save(blocking=False)
    assert time.monotonic() - began < 5
    assert manager.latest_checkpoint is None
    gate.set()
    manager.wait()
    assert manager.latest_checkpoint == str(tmp_path / "ckpt-1")


def test_incremental_saves_link_what_is_the_same(tmp_path: Path) -> None:
    """A frozen tensor is stored once on disk, and survives the deletion of the checkpoint that first wrote it."""
    frozen, head = np.random.default_rng(0).random(200_000), np.zeros(1000)
    manager = CheckpointManager(Checkpoint(frozen=frozen, head=head), tmp_path, max_to_keep=2, incremental=True)
    for i in range(5):
        head[:] = i
        manager.save()
    assert on_disk(tmp_path) == ["ckpt-4", "ckpt-5"]
    inodes = {p.stat().st_ino for p in tmp_path.glob("*.data-*") if p.stat().st_size > 1_000_000}
    assert len(inodes) == 1
    assert sum({p.stat().st_ino: p.stat().st_size for p in tmp_path.glob("*.data-*")}.values()) < 1.1 * frozen.nbytes
    live = Checkpoint(frozen=np.zeros_like(frozen), head=np.zeros(1000))
    live.restore(tmp_path / "ckpt-5").assert_consumed()
    np.testing.assert_array_equal(live.frozen, frozen)
    assert (live.head == 4).all()
    frozen += 1
    head += 1
    manager.save()
    assert len(list(tmp_path.glob("ckpt-6.data-*"))) == 1


def test_two_managers_in_one_directory(tmp_path: Path) -> None:
    """Each gets numbers of its own, and keeps what the other wrote."""
    one = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path, max_to_keep=2)
    two = CheckpointManager(Checkpoint(w=np.zeros(1)), tmp_path, max_to_keep=2)
    paths = [m.save() for _ in range(3) for m in (one, two)]
    assert names([p or "" for p in paths]) == [f"ckpt-{i}" for i in range(1, 7)]
    assert on_disk(tmp_path) == ["ckpt-3", "ckpt-4", "ckpt-5", "ckpt-6"]
    state = train.get_checkpoint_state(tmp_path)
    assert state is not None
    assert names(list(state.all_model_checkpoint_paths)) == ["ckpt-3", "ckpt-4", "ckpt-5", "ckpt-6"]


def test_checkpoints_iterator(tmp_path: Path) -> None:
    """New checkpoints come as they are written; the wait ends at the timeout."""
    manager = CheckpointManager(Checkpoint(w=np.ones(1)), tmp_path)
    manager.save()
    seen = []
    for path in train.checkpoints_iterator(tmp_path, timeout=0.3):
        seen.append(os.path.basename(path))
        if len(seen) < 3:
            manager.save()
    assert seen == ["ckpt-1", "ckpt-2", "ckpt-3"]


def test_wrong_arguments(tmp_path: Path) -> None:
    """Nonsense is refused at once."""
    checkpoint = Checkpoint(w=np.ones(1))
    for bad in ({"max_to_keep": 0}, {"checkpoint_name": "a/b"}, {"best_mode": "avg"}):
        with pytest.raises(UsageError):
            CheckpointManager(checkpoint, tmp_path, **bad)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="loss"):
        CheckpointManager(checkpoint, tmp_path).save(metrics={"loss": "low"})
    assert on_disk(tmp_path) == []
