"""A board on a free port, a client that speaks as the page does, and a logdir with every kind of summary in it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from milepost import summary
from milepost.board.options import Options
from milepost.board.series.frame import unpack
from milepost.board.server import BoardServer
from milepost.testing.logs import file_header, scalar_event, session_start, write_events

TAG = "train/loss"


class Client:
    """What a page does: JSON envelopes checked, frames unpacked."""

    def __init__(self, server: BoardServer):
        self.server = server
        self.http = httpx.Client(
            base_url=f"http://localhost:{server.port}{server.options.prefix}/", timeout=30, headers={"X-Milepost": "1"}
        )

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert body["ok"] is True
        assert isinstance(body["cursor"], int)
        assert set(body) == {"ok", "data", "cursor"}
        return body["data"]

    def error(self, path: str, *, status: int, method: str = "GET", **rest: Any) -> dict[str, Any]:
        answer = self.http.request(method, path, **rest)
        assert answer.status_code == status, answer.text
        body = answer.json()
        assert set(body) == {"ok", "error"}
        assert body["ok"] is False
        assert set(body["error"]) == {"code", "message", "where", "todo"}
        error: dict[str, Any] = body["error"]
        return error

    def frame(self, path: str, **query: Any) -> tuple[dict[str, Any], Callable[[list[Any]], Any]]:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return unpack(answer.content)

    def series(self, **body: Any) -> tuple[dict[str, Any], Callable[[list[Any]], Any]]:
        answer = self.http.post("api/series", content=json.dumps(body))
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/vnd.milepost.frame"
        return unpack(answer.content)

    def line(self, run: str, tag: str, **body: Any) -> tuple[Any, Any, dict[str, Any]]:
        header, column = self.series(lines=[[run, tag]], **body)
        line = header["lines"][0]
        return column(line["x"]), column(line["y"]), line


@pytest.fixture(scope="session")
def board(everything: Path) -> Iterator[Client]:
    """One board on `everything` that many tests only read from."""
    with boards() as start:
        yield start(everything, read_only=True)


@pytest.fixture(scope="session")
def locked(everything: Path) -> Iterator[Client]:
    """The same behind a token."""
    with boards() as start:
        yield start(everything, token="s3cret-token")


@pytest.fixture
def serve() -> Iterator[Callable[..., Client]]:
    """serve(logdir, **options) -> a client of a running board."""
    with boards() as start:
        yield start


@pytest.fixture(scope="module")
def serve_once() -> Iterator[Callable[..., Client]]:
    """The same, for boards that all tests of a file only read from."""
    with boards() as start:
        yield start


@contextmanager
def boards() -> Iterator[Callable[..., Client]]:
    running: list[tuple[BoardServer, Any, Client]] = []

    def start(logdir: Path | str, *, wait: bool = True, **options: Any) -> Client:
        roots = options.pop("roots", (("", str(logdir)),))
        server = BoardServer(Options(roots=roots, port=0, **options))
        thread = server.start_in_thread()
        if wait:
            assert server.live.loaded.wait(60)
        client = Client(server)
        running.append((server, thread, client))
        return client

    yield start
    for server, thread, client in running:
        client.http.close()
        server.stop()
        thread.join(10)
        assert not thread.is_alive(), "the board did not stop"


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds with every kind of summary, one run that restarted, one with numbers that are none."""
    root = tmp_path_factory.mktemp("everything")
    rng = np.random.default_rng(0)
    now = time.time()
    for seed in (1, 2):
        writer = summary.create_file_writer(str(root / f"seed-{seed}"))
        with writer.as_default():
            summary.hparams({"lr": 0.1 * seed, "optimizer": "adam" if seed == 1 else "sgd", "amsgrad": seed == 1})
            for step in range(100):
                summary.scalar("train/loss", 10 / (step + seed), step=step)
                summary.scalar("train/accuracy", step / 100, step=step)
            for step in (0, 50):
                summary.image("digits", rng.random((2, 6, 8, 3)), step=step)
                summary.audio("tone", rng.uniform(-1, 1, (1, 800, 1)), 8000, step=step)
                summary.text("notes", f"**step** {step} <script>alert(1)</script>", step=step)
                summary.histogram("weights", rng.normal(step, 1, 1000), step=step)
                summary.pr_curve("pr", rng.random(100) > 0.5, rng.random(100), step=step)
            summary.mesh(
                "shape",
                rng.random((1, 8, 3)),
                faces=rng.integers(0, 8, (1, 12, 3)),
                colors=rng.integers(0, 255, (1, 8, 3)),
                step=0,
            )
            summary.custom_scalars({"both": {"loss and accuracy": ["Multiline", ["train/loss", "train/accuracy"]]}})
        writer.close()
    restarted = [scalar_event("loss", s, float(s), now + s) for s in range(10)]
    resumed = [session_start(5, now + 20), *(scalar_event("loss", s, 100.0 + s, now + 20 + s) for s in range(5, 12))]
    write_events(
        root / "restarted" / "events.out.tfevents.1.elsewhere.1.0", [file_header(now), *restarted], header=False
    )
    write_events(
        root / "restarted" / "events.out.tfevents.2.elsewhere.2.0", [file_header(now + 20), *resumed], header=False
    )
    odd = [float("nan"), 1.0, float("inf"), 2.0, float("-inf"), 3.0]
    values = [scalar_event("v", s, v, now + s) for s, v in enumerate(odd)]
    write_events(root / "odd" / "events.out.tfevents.1.elsewhere.1.0", [file_header(now), *values], header=False)
    return root
