"""`%milepost --logdir DIR` and `%tensorboard --logdir DIR` in a notebook. In: the magic's line. Out: the board in a frame.

Each logdir has one server, found again when the cell runs again. The server is a process of its own, so a busy kernel does not freeze
the page; it ends with the kernel. Behind a proxy (JupyterHub) the frame goes through `proxy/PORT/`.
"""

from __future__ import annotations

import atexit
import os
import shlex
import socket
import subprocess
import sys
import time
import urllib.request
from typing import Any

from milepost.errors import UsageError

__all__ = ["load", "start"]

HEIGHT = 800
START_SECONDS = 20.0
_servers: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], int]] = {}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _split(line: str) -> tuple[list[str], int | None, int]:
    """(arguments for the server, the port if one was asked for, the frame's height)."""
    rest: list[str] = []
    port, height = None, HEIGHT
    words = [
        part
        for word in shlex.split(line)
        for part in (word.split("=", 1) if word.startswith("--") and "=" in word else [word])
    ]
    while words:
        word = words.pop(0)
        if word in ("--port", "--height") and words:
            number = int(words.pop(0))
            port, height = (number, height) if word == "--port" else (port, number)
        else:
            rest.append(word)
    if "--logdir" not in rest and "--logdir_spec" not in rest:
        raise UsageError("no --logdir was given", todo="write %milepost --logdir runs")
    return rest, port, height


def start(line: str) -> tuple[int, int]:
    """The port of a board that answers, and the height of its frame; starts the server unless it runs already."""
    rest, wanted, height = _split(line)
    key = (*rest, os.getcwd(), str(wanted))
    running = _servers.get(key)
    if running is not None and running[0].poll() is None:
        return running[1], height
    port = wanted or _free_port()
    command = [sys.executable, "-m", "milepost", "board", *rest, "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _servers[key] = (process, port)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            assert process.stderr is not None
            said = process.stderr.read().decode(errors="replace").strip()
            raise UsageError("the board did not start", where=f"port {port}", todo=said or "try it in a terminal")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1).close()
            return port, height
        except OSError:
            time.sleep(0.05)
    raise UsageError("the board did not answer in time", where=f"port {port}")


def address(port: int) -> str:
    """Where the page is for the browser: through the hub's proxy when there is one."""
    prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    return f"{prefix}proxy/{port}/" if prefix else f"http://127.0.0.1:{port}/"


def load(ipython: Any) -> None:
    """Registers the magics; called by `%load_ext milepost`."""

    def magic(line: str) -> Any:
        from IPython.display import IFrame

        port, height = start(line)
        return IFrame(address(port), width="100%", height=height)

    ipython.register_magic_function(magic, magic_kind="line", magic_name="milepost")
    ipython.register_magic_function(magic, magic_kind="line", magic_name="tensorboard")


@atexit.register
def _end() -> None:
    for process, _ in _servers.values():
        if process.poll() is None:
            process.terminate()
