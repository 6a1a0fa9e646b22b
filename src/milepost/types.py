"""Newtypes shared by all floors: names for plain values, so that a signature says which integer it means."""

from __future__ import annotations

import os
from typing import NewType

__all__ = ["ByteCount", "ByteOffset", "ObjectPath", "PathLike", "RunName", "Step", "Tag", "WallTime"]

Step = NewType("Step", int)
WallTime = NewType("WallTime", float)  # seconds since the epoch
Tag = NewType("Tag", str)
RunName = NewType("RunName", str)  # directory relative to the logdir, "." for the logdir itself
ByteOffset = NewType("ByteOffset", int)
ByteCount = NewType("ByteCount", int)
ObjectPath = NewType("ObjectPath", str)  # "/"-joined, escaped local names from the root

PathLike = str | os.PathLike[str]
