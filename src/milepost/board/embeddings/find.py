"""Which embeddings there are. In: the roots. Out: one `Listed` a table, with the files its configuration names, all of them inside the root."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from milepost.board.live import Live
from milepost.errors import MilepostError
from milepost.formats.plugins import EmbeddingInfo, ProjectorConfig
from milepost.formats.projector_text import read_projector_config
from milepost.storage.walk import Listings, walk

__all__ = ["Listed", "all_of", "count"]

CONFIG = "projector_config.pbtxt"
MAX_CONFIG_BYTES = 16 * 1024 * 1024
MAX_TABLES = 10_000
COUNT_SECONDS = 3.0

_listings: dict[str, Listings] = {}
_counted: dict[tuple[tuple[str, str], ...], tuple[float, int]] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Listed:
    """One table. Paths are absolute, or None where the configuration names none or one outside the logdir."""

    run: str
    folder: str
    root: str
    info: EmbeddingInfo
    config: ProjectorConfig
    error: str | None = None

    def path(self, named: str) -> str | None:
        """A file that the configuration names: beside it, or anywhere inside the root."""
        if not named:
            return None
        path = os.path.realpath(os.path.join(self.folder, named))
        return path if path.startswith(os.path.join(os.path.realpath(self.root), "")) else None


def all_of(live: Live) -> list[Listed]:
    """Every table under the roots; a configuration that cannot be read is one entry that says so."""
    found: list[Listed] = []
    for prefix, root in live.options.roots:
        with _lock:
            places = list(walk(root, lambda name: name == CONFIG, _listings.setdefault(root, {})))
        for name, paths in places:
            run = name if not prefix else prefix if name == "." else f"{prefix}/{name}"
            for path in paths:
                found += _tables(run, root, path)
                if len(found) >= MAX_TABLES:
                    return found[:MAX_TABLES]
    return found


def _tables(run: str, root: str, path: str) -> list[Listed]:
    folder = os.path.dirname(path)
    if not os.path.realpath(path).startswith(os.path.join(os.path.realpath(root), "")):
        return []
    try:
        with open(path, "rb") as stream:
            text = stream.read(MAX_CONFIG_BYTES + 1)
        if len(text) > MAX_CONFIG_BYTES:
            raise MilepostError(f"more than {MAX_CONFIG_BYTES} bytes")
        config = read_projector_config(text.decode("utf-8", "replace"), where=f"{run}/{CONFIG}")
    except (OSError, MilepostError) as fault:
        return [Listed(run, folder, root, EmbeddingInfo(tensor_name=CONFIG), ProjectorConfig(), str(fault))]
    # the writer appends: of two entries of one name the later one counts
    return [Listed(run, folder, root, info, config) for info in {e.tensor_name: e for e in config.embeddings}.values()]


def count(live: Live) -> int:
    """How many tables there are, as of a few seconds ago: looking means walking folders."""
    now = time.monotonic()
    when, number = _counted.get(live.options.roots, (-COUNT_SECONDS, 0))
    if now - when >= COUNT_SECONDS:
        number = len(all_of(live))
        _counted[live.options.roots] = (now, number)
    return number
