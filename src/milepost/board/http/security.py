"""Who may ask. In: each request's head. Out: it passes, or one JSON error. Wraps every route, the page included.

Three gates: the Host header names this board (DNS rebinding), the token fits when one is set, and a write comes from the
board's own page (Origin equal to Host, and a header that a foreign form cannot send). Every answer gets the strict headers.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.responses import RedirectResponse, Response

from milepost.board.http.envelope import error

__all__ = ["CONTENT_SECURITY_POLICY", "Gate", "allowed_hosts"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "milepost_token"
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*"
)
HEADERS = [
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), interest-cohort=()"),
]
READS = ("GET", "HEAD", "OPTIONS")
# POST api/series only reads, but its body is JSON: the header rule keeps foreign pages from making the board work.
WRITE_HEADER = "x-milepost"


def allowed_hosts(host: str, bind_all: bool, extra: tuple[str, ...] = ()) -> frozenset[str]:
    """Names a request may call this board by. Bound to every interface, also the machine's own name."""
    names = {"localhost", "127.0.0.1", "::1", host.lower(), *(e.lower() for e in extra)}
    if bind_all:
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names - {"", "0.0.0.0", "::"})


@dataclass(frozen=True)
class Gate:
    """ASGI middleware. `hosts` are the names; any IP address passes too when bound to all (rebinding needs a name)."""

    app: App
    hosts: frozenset[str]
    any_address: bool = False
    token: str | None = None
    prefix: str = ""
    headers: list[tuple[bytes, bytes]] = field(default_factory=lambda: list(HEADERS))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        heads = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                present = {k.lower() for k, _ in message.get("headers", [])}
                message["headers"] = [*message.get("headers", []), *(h for h in self.headers if h[0] not in present)]
            await send(message)

        refusal = self.refusal(scope, heads)
        await (refusal or self.app)(scope, receive, sending)

    def refusal(self, scope: Scope, heads: dict[str, str]) -> Response | None:
        host = heads.get("host", "")
        if not self.host_allowed(host):
            return error(
                "forbidden",
                f"this board does not answer to the host name {host!r}",
                todo="open it as localhost, or start it with --host or --bind_all",
            )
        if self.token is not None:
            refused = self.token_refusal(scope, heads)
            if refused is not None:
                return refused
        if scope["method"] not in READS:
            origin = heads.get("origin")
            if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
                return error("forbidden", f"a write from another page ({origin}) is refused")
            if heads.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return error("forbidden", "a write from another site is refused")
            if WRITE_HEADER not in heads:
                return error("forbidden", "a write without the header X-Milepost is refused", todo="send X-Milepost: 1")
        return None

    def host_allowed(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            # .port raises on rubbish; a Host that does not parse is no host of ours
            _ = urlsplit(f"//{host}").port
        except ValueError:
            return False
        if name.lower().rstrip(".") in self.hosts:
            return True
        if self.any_address:
            try:
                ipaddress.ip_address(name)
                return True
            except ValueError:
                return False
        return False

    def token_refusal(self, scope: Scope, heads: dict[str, str]) -> Response | None:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for key, value in query if key == "token"]
        path = scope["path"][len(self.prefix) :] if scope["path"].startswith(self.prefix) else scope["path"]
        if given and self.fits(given[-1]):
            # the page is opened once with ?token=…: from then on a cookie carries it, and no history or Referer shows it
            if scope["method"] == "GET" and not path.lstrip("/").startswith("api/"):
                rest = urlencode([(k, v) for k, v in query if k != "token"])
                answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), status_code=303)
                answer.set_cookie(
                    COOKIE, given[-1], httponly=True, samesite="strict", path=self.prefix or "/", max_age=30 * 86400
                )
                answer.headers["Cache-Control"] = "no-store"
                return answer
            return None
        bearer = heads.get("authorization", "")
        offered = [bearer[7:].strip()] if bearer.lower().startswith("bearer ") else []
        offered.append(heads.get("x-milepost-token", ""))
        try:
            cookie = SimpleCookie(heads.get("cookie", "")).get(COOKIE)
            offered.append(cookie.value if cookie else "")
        except CookieError:
            pass
        if any(self.fits(one) for one in offered):
            return None
        return error(
            "unauthorized",
            "this board wants a token",
            todo="open the address that `milepost board` printed, or add ?token=…",
        )

    def fits(self, offered: str) -> bool:
        return self.token is not None and hmac.compare_digest(offered.encode(), self.token.encode())
