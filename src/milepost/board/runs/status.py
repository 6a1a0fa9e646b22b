"""Whether a run is live, finished or stalled. In: its last event, its usual pace, who wrote it. Out: one word.

Event files seldom say that they are complete. What they do say is the writing machine and process, in their names: on that very machine
the process can be asked for. Elsewhere time must tell.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["status", "writer_alive"]

LIVE_SECONDS = 60.0
SILENT_SECONDS = 86_400.0
# events.out.tfevents.<time>.<host>.<pid>.<more>; tensorboardX leaves out the process
WRITER = re.compile(r"tfevents\.\d+\.(?P<host>.+?)\.(?P<pid>\d{1,10})\.\d+")


@lru_cache(1)
def this_host() -> str:
    return socket.gethostname()


def writer_alive(files: Sequence[str]) -> bool | None:
    """Whether a process that wrote one of these files still runs here; None when that cannot be known."""
    known = False
    for path in files:
        match = WRITER.search(os.path.basename(path))
        if match is None or match["host"] != this_host() or os.name == "nt":
            return None
        known = True
        try:
            os.kill(int(match["pid"]), 0)
            return True
        except ProcessLookupError:
            continue
        except (PermissionError, OverflowError):
            return True
    return False if known else None


def status(*, age: float | None, span: float, points_a_tag: int, stopped: bool, ended: bool, alive: bool | None) -> str:
    """`span` is first to last event, `points_a_tag` the points of the longest tag: together its pace."""
    if stopped or ended or age is None:
        return "finished"
    if alive is False:
        return "finished"
    pace = span / max(points_a_tag - 1, 1)
    if age < max(LIVE_SECONDS, 3 * pace):
        return "live"
    return "finished" if age > SILENT_SECONDS and not alive else "stalled"
