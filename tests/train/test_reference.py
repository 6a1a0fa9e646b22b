"""The reference page of milepost.train names everything the room offers."""

from __future__ import annotations

import inspect
from pathlib import Path

from milepost import train

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "train.md").read_text(encoding="utf-8")


def test_every_public_name_is_there() -> None:
    hidden = {
        "SaveCounter",
        "CheckpointState",
        "InitializationOnlyStatus",
        "Retention",
    }  # met only as what others return
    assert [name for name in train.__all__ if name not in hidden and name not in PAGE] == []


def test_every_public_method_is_there() -> None:
    for kind in (train.Checkpoint, train.Status, train.CheckpointManager):
        public = {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}
        named = {name for name in public if f"`{name}" in PAGE or f"`{name}(" in PAGE or f", `{name}" in PAGE}
        assert public - named <= {
            "initialize_or_restore",
            "run_restore_ops",
            "sync",
            "directory",
            "checkpoint",
            "checkpoint_interval",
        }
