"""From options to a listening server. In: `Options`. Out: returns when the server was stopped. Sockets and threads here, no routes.

Order matters for the start: the port is taken first (a taken port is one line, at once), then the logs load on their own thread
while the web framework is still being imported.
"""

from __future__ import annotations

import errno
import gc
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from milepost.board.options import Options
from milepost.errors import MilepostError, StorageError

__all__ = ["BoardServer", "bind", "serve"]

BACKLOG = 1024


def bind(options: Options) -> list[socket.socket]:
    """Listening sockets, on both loopback addresses unless told otherwise."""
    if options.bind_all:
        wanted = [(socket.AF_INET6, "::"), (socket.AF_INET, "0.0.0.0")]
    elif options.host and options.host != "localhost":
        try:
            found = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as fault:
            raise StorageError(f"cannot listen on {options.host}: no such address", todo="see --host") from fault
        wanted = [(found[0][0], found[0][4][0])]  # type: ignore[list-item]
    else:
        wanted = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]
    port, taken, faults = options.port, [], []
    for family, address in wanted:
        try:
            one = socket.socket(family, socket.SOCK_STREAM)
        except OSError as fault:
            faults.append(fault)
            continue
        try:
            if os.name != "nt":
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                # the IPv4 socket is its own; a dual socket would clash with it
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind((address, port))
            one.listen(BACKLOG)
            one.setblocking(False)
        except OSError as fault:
            one.close()
            faults.append(fault)
            if fault.errno == errno.EADDRINUSE:
                break
            continue
        port = port or one.getsockname()[1]
        taken.append(one)
    busy = next((f for f in faults if f.errno == errno.EADDRINUSE), None)
    if busy is not None or not taken:
        for one in taken:
            one.close()
        name = options.host or ("every interface" if options.bind_all else "localhost")
        if busy is not None:
            raise MilepostError(
                f"port {port} on {name} is in use",
                todo=f"give another with --port, or --port 0 for any free one; `lsof -i :{port}` shows who has it",
            )
        raise MilepostError(f"cannot listen on {name}, port {port}: {faults[0].strerror if faults else 'no address'}")
    return taken


class BoardServer:
    """A board with its sockets, its loading thread and its HTTP server. `run` blocks; `stop` ends it from any thread."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.sockets = bind(options)
        self.port: int = self.sockets[0].getsockname()[1]
        # while this thread imports the web framework, that one already reads
        from milepost.board.live import Live

        self.live = Live(options)
        self.live.start()
        self._uvicorn: Any = None

    @property
    def url(self) -> str:
        host = socket.gethostname() if self.options.everywhere else self.options.host or "localhost"
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}{self.options.prefix}/"

    def run(self, *, signals: bool = True, ready: Callable[[], None] | None = None) -> None:
        import asyncio

        import uvicorn

        from milepost.board.app import make_app

        live = self.live

        class Server(uvicorn.Server):
            def handle_exit(self, sig: int, frame: Any) -> None:
                # open streams would hold the server up: end them first
                live.hub.close()
                super().handle_exit(sig, frame)

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                if ready is not None:
                    ready()

        config = uvicorn.Config(
            make_app(self.live, self.options), loop="asyncio", http="h11", ws="none", lifespan="off", interface="asgi3",
            log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=2, backlog=BACKLOG,
        )  # fmt: skip
        self._uvicorn = server = Server(config)
        if not signals:
            # in a thread (tests, notebooks) signals are not ours to take
            server.capture_signals = _no_signals  # type: ignore[method-assign, assignment]
        try:
            asyncio.run(server.serve(sockets=self.sockets))
        finally:
            self.live.stop()
            for one in self.sockets:
                one.close()

    def stop(self) -> None:
        self.live.hub.close()
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True

    def start_in_thread(self) -> threading.Thread:
        """Run beside the caller; returns once requests are answered."""
        up = threading.Event()
        thread = threading.Thread(
            target=lambda: self.run(signals=False, ready=up.set), name="milepost-board", daemon=True
        )
        thread.start()
        up.wait(30)
        return thread


class _no_signals:
    def __init__(self, *_: object) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def serve(options: Options, *, say: Callable[[str], None], open_browser: bool = False) -> None:
    """Serve until interrupted, saying in a line or two what is served and where."""
    # a thousand runs are millions of objects that stay: looking them through for garbage took a third of every answer
    gc.set_threshold(100_000, 50, 100)
    server = BoardServer(options)
    address = server.url + (f"?token={quote(options.token, safe='')}" if options.token else "")

    def ready() -> None:
        say(f"milepost board: {address}")
        if open_browser:
            import webbrowser

            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        threading.Thread(target=report, name="milepost-report", daemon=True).start()

    def report() -> None:
        waiting = False
        while (state := server.live.state) != "ready":
            if state == "waiting" and not waiting:
                waiting = True
                say(f"waiting for {options.where}: it does not exist yet; runs will show as soon as they are there")
            time.sleep(0.02)
        gc.freeze()
        say(server.live.describe())
        for problem in server.live.problems()[:20]:
            say(f"cannot read {problem['where']}: {problem['message']}")

    if options.everywhere and not options.token:
        say(
            "listening on every interface without a token: anyone who reaches this machine can read these logs (see --token)"
        )
    server.run(ready=ready)
