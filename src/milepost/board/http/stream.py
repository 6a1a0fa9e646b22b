"""Server-sent events. In: changes from the watching thread. Out: one stream per open page, bounded, never blocking the sender.

A page that does not read keeps only the merge of what it missed: changes add up, so nothing is lost and nothing piles up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from milepost.board.http.envelope import encode

__all__ = ["Change", "Hub"]

# At most four messages a second to each page.
QUIET_SECONDS = 0.25
KEEP_AWAKE_SECONDS = 15.0


@dataclass
class Change:
    """What is new since the last message."""

    cursor: int = 0
    runs: set[str] = field(default_factory=set)
    plugins: set[str] = field(default_factory=set)
    new_runs: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    tags: bool = False
    meta: bool = False
    checkpoints: bool = False
    progress: dict[str, Any] | None = None

    def merge(self, other: Change) -> None:
        self.cursor = max(self.cursor, other.cursor)
        self.runs |= other.runs
        self.plugins |= other.plugins
        self.new_runs |= other.new_runs
        self.gone |= other.gone
        self.tags |= other.tags
        self.meta |= other.meta
        self.checkpoints |= other.checkpoints
        self.progress = other.progress or self.progress

    @property
    def only_progress(self) -> bool:
        return not (self.runs or self.new_runs or self.gone or self.tags or self.meta or self.checkpoints)

    def as_json(self) -> dict[str, Any]:
        return {
            "cursor": self.cursor,
            "runs": sorted(self.runs),
            "plugins": sorted(self.plugins),
            "new_runs": sorted(self.new_runs),
            "gone": sorted(self.gone),
            "tags": self.tags,
            "meta": self.meta,
            "checkpoints": self.checkpoints,
        }


def message(event: str, data: Any, cursor: int) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (cursor, event.encode(), encode(data))


class Hub:
    """Joins the watching thread to the streams of the event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pages: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Event, Change]] = {}
        self._next = 0
        self._closed = False

    def __len__(self) -> int:
        return len(self._pages)

    def publish(self, change: Change) -> None:
        """Called from any thread."""
        with self._lock:
            pages = list(self._pages.values())
            for _, _, pending in pages:
                pending.merge(change)
        self._wake(pages)

    def close(self) -> None:
        """Ends every stream: the server is going down, and an open stream would hold it."""
        with self._lock:
            self._closed = True
            pages = list(self._pages.values())
        self._wake(pages)

    @staticmethod
    def _wake(pages: list[tuple[asyncio.AbstractEventLoop, asyncio.Event, Change]]) -> None:
        for loop, event, _ in pages:
            try:
                loop.call_soon_threadsafe(event.set)
            except RuntimeError:
                pass  # that loop has ended, and its page with it

    async def stream(self, hello: dict[str, Any]) -> AsyncIterator[bytes]:
        """The bytes of one page's stream, until the client leaves or the hub closes."""
        event, pending = asyncio.Event(), Change()
        with self._lock:
            key = self._next = self._next + 1
            self._pages[key] = (asyncio.get_running_loop(), event, pending)
        try:
            yield b"retry: 1000\n" + message("hello", hello, int(hello["cursor"]))
            while not self._closed:
                try:
                    await asyncio.wait_for(event.wait(), KEEP_AWAKE_SECONDS)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                event.clear()
                with self._lock:
                    sent, pending = pending, Change()
                    self._pages[key] = (asyncio.get_running_loop(), event, pending)
                if sent.progress is not None:
                    yield message("progress", sent.progress, sent.cursor)
                if not sent.only_progress:
                    yield message("change", sent.as_json(), sent.cursor)
                if not self._closed:
                    await asyncio.sleep(QUIET_SECONDS)
        finally:
            with self._lock:
                self._pages.pop(key, None)
