"""Captures, read: which there are, what is in them, where the time went. See README.md in this folder."""

from __future__ import annotations

from milepost.store.profile.compare import compare
from milepost.store.profile.find import Capture, CaptureFile, find, one
from milepost.store.profile.flame import Flame, flame
from milepost.store.profile.load import load
from milepost.store.profile.ops import BY, OpRow, op_table
from milepost.store.profile.report import Analysis, analyse, op_json

__all__ = [
    "BY", "Analysis", "Capture", "CaptureFile", "Flame", "OpRow", "analyse", "compare", "find", "flame", "load", "one",
    "op_json", "op_table",
]  # fmt: skip
