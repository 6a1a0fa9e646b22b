"""storage: where bytes lie. In: paths and bytes. Out: durable files. See README.md."""

from __future__ import annotations

from milepost.storage.local import LocalStorage
from milepost.storage.protocol import Bytes, Durability, ReadFile, Storage, WriteFile

__all__ = ["Bytes", "Durability", "LocalStorage", "ReadFile", "Storage", "WriteFile"]
