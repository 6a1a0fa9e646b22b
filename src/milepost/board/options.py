"""What a board is told at its start. In: flags. Out: one frozen value that every part reads. Nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Options"]

DEFAULT_RELOAD_SECONDS = 5.0


@dataclass(frozen=True)
class Options:
    roots: tuple[tuple[str, str], ...]  # (name, path); one root with the empty name is a plain --logdir
    port: int = 6006
    host: str | None = None
    bind_all: bool = False
    token: str | None = None
    read_only: bool = False
    follow_links: bool = False  # read event files that a link leads to outside the log directory
    path_prefix: str = ""
    window_title: str = ""
    reload_interval: float | None = None

    @property
    def prefix(self) -> str:
        """Path prefix as "/a/b" or ""."""
        trimmed = self.path_prefix.strip("/")
        return f"/{trimmed}" if trimmed else ""

    @property
    def everywhere(self) -> bool:
        """Whether others than this machine can reach it by any of its addresses."""
        return self.bind_all or self.host in ("0.0.0.0", "::")

    @property
    def reload_seconds(self) -> float:
        return DEFAULT_RELOAD_SECONDS if self.reload_interval is None else self.reload_interval

    @property
    def where(self) -> str:
        """The logdir in words."""
        return ", ".join(f"{name}:{path}" if name else path for name, path in self.roots)
