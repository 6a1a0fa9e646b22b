"""train: save it, resume it. In: the objects of a run. Out: checkpoints on disk and back. See README.md."""

from __future__ import annotations

from milepost.formats.checkpoint_state import CheckpointState
from milepost.train.checkpoint import Checkpoint, SaveCounter
from milepost.train.manager import CheckpointManager
from milepost.train.options import CheckpointOptions
from milepost.train.reader import CheckpointReader, list_variables, load_checkpoint, load_variable
from milepost.train.retention import Retention, keep_all, keep_best, keep_every, keep_last
from milepost.train.rng import Rng
from milepost.train.state import checkpoints_iterator, get_checkpoint_state, latest_checkpoint
from milepost.train.status import InitializationOnlyStatus, RestoreReport, Status

__all__ = [
    "Checkpoint", "CheckpointManager", "CheckpointOptions", "CheckpointReader", "CheckpointState", "InitializationOnlyStatus", "RestoreReport",
    "Retention", "Rng", "SaveCounter", "Status", "checkpoints_iterator", "get_checkpoint_state", "keep_all", "keep_best", "keep_every", "keep_last", "latest_checkpoint", "list_variables",
    "load_checkpoint", "load_variable",
]  # fmt: skip
