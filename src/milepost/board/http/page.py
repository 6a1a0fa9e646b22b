"""The built page. In: a file name from the address. Out: its bytes, compressed once, with lasting cache headers. No data but the boot block.

Names are looked up in a table made from the folder itself: an address can only ever name a file that the build put there.
"""

from __future__ import annotations

import html
import mimetypes
import threading
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import encode, error, gzipped

__all__ = ["BOOT_MARK", "STATIC", "Page"]

STATIC = Path(__file__).resolve().parent.parent / "static"
BOOT_MARK = "<!--milepost-boot-->"
TEXT = (".html", ".js", ".css", ".svg", ".json", ".map", ".txt", ".webmanifest")
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>milepost</title><h1>The page is not built</h1>
<p>The server and its <a href="api/">API</a> work. Build the page with <code>make web</code>, or install the wheel.</p></html>"""


@dataclass(frozen=True)
class Asset:
    body: bytes
    media_type: str
    gzip: bytes | None
    brotli: bytes | None


class Page:
    """The files of one built page, read when first asked for."""

    def __init__(self, folder: Path = STATIC, *, title: str = "") -> None:
        self._folder, self._title = folder, title
        self._lock = threading.Lock()
        self._assets: dict[str, Asset] = {}
        self._names = (
            {
                p.relative_to(folder).as_posix(): p
                for p in folder.rglob("*")
                if p.is_file() and p.suffix not in (".gz", ".br")
            }
            if folder.is_dir()
            else {}
        )

    @property
    def built(self) -> bool:
        return "index.html" in self._names

    def names(self) -> list[str]:
        return sorted(self._names)

    def index(self, boot: bytes | None) -> bytes:
        """index.html with the window title and, when given, the boot block."""
        if not self.built:
            return NOT_BUILT.encode()
        text = self.titled(self.asset("index.html").body.decode("utf-8"))
        if boot is not None:
            text = text.replace(
                BOOT_MARK, '<script type="application/json" id="milepost-boot">' + in_script(boot) + "</script>", 1
            )
        return text.encode("utf-8")

    def titled(self, text: str) -> str:
        """The page under its window title."""
        start, end = text.find("<title>"), text.find("</title>")
        return text[: start + 7] + html.escape(self._title) + text[end:] if self._title and 0 <= start < end else text

    def asset(self, name: str) -> Asset:
        with self._lock:
            found = self._assets.get(name)
            if found is None:
                path = self._names[name]
                body = path.read_bytes()
                beside = {s: path.with_name(path.name + s) for s in (".gz", ".br")}
                packed = beside[".gz"].read_bytes() if beside[".gz"].is_file() else None
                if packed is None and path.suffix in TEXT:
                    packed = gzipped(body, 9)
                brotli = beside[".br"].read_bytes() if beside[".br"].is_file() else None
                kind = TYPES.get(path.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
                found = self._assets[name] = Asset(body, kind, packed, brotli)
        return found

    def serve(self, request: Request, name: str) -> Response:
        if name not in self._names:
            return error("not_found", f"no page {name!r} here", where=name)
        asset = self.asset(name)
        # built names carry a hash of their content, the few at the top level do not
        lasting = name.startswith("assets/")
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable" if lasting else "no-cache",
            "Vary": "Accept-Encoding",
        }
        accepted = request.headers.get("accept-encoding", "")
        body = asset.body
        if asset.brotli is not None and "br" in accepted:
            body, headers["Content-Encoding"] = asset.brotli, "br"
        elif asset.gzip is not None and "gzip" in accepted:
            body, headers["Content-Encoding"] = asset.gzip, "gzip"
        return Response(body, media_type=asset.media_type, headers=headers)


def in_script(json_text: bytes) -> str:
    """JSON that may stand inside <script>: no tag or comment of the log's own can end the block."""
    text = json_text.decode("utf-8")
    return (
        text.replace("<", "\\u003c").replace(">", "\\u003e").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )


def boot_block(info: object, runs: object, tags: object, cursor: int) -> bytes:
    return encode({"info": info, "runs": runs, "tags": tags, "cursor": cursor})
