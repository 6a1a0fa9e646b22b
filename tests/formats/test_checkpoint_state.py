"""The `checkpoint` text file."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.errors import FormatError
from milepost.formats.checkpoint_state import CheckpointState

paths = st.text(max_size=20)
times = st.floats(0, 1e12)


@given(paths, st.lists(paths, max_size=4), st.lists(times, max_size=4), st.one_of(st.none(), times))
def test_states_come_back(latest: str, all_paths: list[str], when: list[float], kept: float | None) -> None:
    """Any paths (quotes, newlines, any script) and times survive."""
    state = CheckpointState(latest, tuple(all_paths), tuple(when), kept)
    assert CheckpointState.decode(state.encode()) == state


def test_what_tensorflow_writes() -> None:
    """Comments, unknown fields, nested ones, single quotes and octal escapes are read."""
    text = """# a note
model_checkpoint_path: "ckpt-2"
all_model_checkpoint_paths: 'ckpt-1'
all_model_checkpoint_paths: "ck" "pt-\\303\\251"
extra { nested: 3 name: "x" }
all_model_checkpoint_timestamps: 1.5e9
last_preserved_timestamp: 3
"""
    state = CheckpointState.decode(text)
    assert state.all_model_checkpoint_paths == ("ckpt-1", "ckpt-é")
    assert state.all_model_checkpoint_timestamps == (1.5e9,)
    assert math.isclose(state.last_preserved_timestamp or 0, 3)


@pytest.mark.parametrize("text", ['model_checkpoint_path: "open', "\x00\x01", "all_model_checkpoint_timestamps: 1x"])
def test_garbage(text: str) -> None:
    """What is no text format is said to be none."""
    with pytest.raises(FormatError):
        CheckpointState.decode(text)
