"""How to save and restore, as one value. In: choices. Out: CheckpointOptions, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from milepost.errors import UsageError
from milepost.formats.bundle import ALIGNMENT, TF_ALIGNMENT
from milepost.formats.bundle_reader import VERIFY_MODES, Verify
from milepost.storage import Durability

__all__ = ["CheckpointOptions"]


@dataclass(frozen=True, slots=True)
class CheckpointOptions:
    """Choices for `save`, `write`, `read`, `restore`.

    durability: "full" syncs data, index and directory before `save` returns; "fast" leaves that to the system.
    coverage:   "strict" refuses to save when an engine knows of state that would be left out; "warn" only says so.
    verify:     what a restore checks: "full" (default), "index", "off".
    tf_layout:  lay files out exactly as TensorFlow does (dense, its names for unnamed variables).
    """

    durability: Durability = "full"
    coverage: Literal["strict", "warn", "off"] = "strict"
    verify: Verify = "full"
    tf_layout: bool = False

    def __post_init__(self) -> None:
        for name, allowed in (
            ("durability", ("full", "fast")),
            ("coverage", ("strict", "warn", "off")),
            ("verify", VERIFY_MODES),
        ):
            if getattr(self, name) not in allowed:
                raise UsageError(f"no such {name}", got=getattr(self, name), want=" | ".join(allowed))

    @property
    def alignment(self) -> int:
        return TF_ALIGNMENT if self.tf_layout else ALIGNMENT
