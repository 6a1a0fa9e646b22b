"""Whether a run is live, finished or quiet. In: its last event, its usual pace, who wrote it. Out: one word, and how it is known.

Milepost's writers end their file with a session's STOP. Others seldom say that they are done; what they do say is the writing machine and
process, in the file's name: on that very machine the process can be asked for. Elsewhere nobody knows, and "quiet" says just that.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["status", "writer_alive"]

LIVE_SECONDS = 60.0
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


def status(
    *, age: float | None, span: float, points_a_tag: int, stopped: bool, ended: bool, alive: bool | None
) -> tuple[str, str]:
    """The word and its reason. `span` is first to last event, `points_a_tag` the points of the longest tag: together its pace."""
    if stopped:
        return "finished", "its writer was closed"
    if ended:
        return "finished", "its hyperparameters say that it ended"
    if age is None:
        return "quiet", "it holds no event yet"
    if alive is False:
        return "finished", "the process that wrote it has ended"
    pace = span / max(points_a_tag - 1, 1)
    if age < max(LIVE_SECONDS, 3 * pace):
        return "live", "it is being written"
    if alive:
        return "quiet", "nothing new for a while; the process that wrote it still runs"
    return "quiet", "nothing new for a while; the file does not say whether it is complete"
