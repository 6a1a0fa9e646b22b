"""The one route table. In: the live logs and the options. Out: an ASGI application, gated, every error in the one shape. No logic of its own."""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from milepost import __version__
from milepost.board.http.envelope import ApiError, error, send
from milepost.board.http.envelope import encode as to_json
from milepost.board.http.openapi import Door, document, readable
from milepost.board.http.page import Page, boot_block
from milepost.board.http.security import Gate, allowed_hosts
from milepost.board.live import Live
from milepost.board.options import Options
from milepost.board.runs import catalogue
from milepost.errors import MilepostError

__all__ = ["DOORS", "make_app"]

# How long a page may wait for its first data to be put into it, and how large that may be.
BOOT_SECONDS = 0.3
MAX_BOOT_BYTES = 2_000_000
MAX_BOOT_TAGS = 20_000

ONE = (("run", "string!", "run id"), ("tag", "string!", "tag"))
PART = (*ONE, ("offset", "integer", "first sample"), ("limit", "integer", "how many samples"))
SOME = (
    *ONE,
    ("max_steps", "integer", "evenly chosen steps; 0 = all"),
    ("from", "integer", "least step"),
    ("to", "integer", "greatest step"),
)

CAPTURE = (("id", "string!", "capture id"),)

DOORS: tuple[Door, ...] = (
    Door("GET", "/api/info", "runs.catalogue:info", "The server: version, logdir, state, progress, kinds of summaries, problems."),
    Door("GET", "/api/runs", "runs.catalogue:runs", "All runs: status, age, steps, metrics, hparams, notes.", (("metrics", "string*", "scalar tags to give last and best of"), ("since", "integer", "only runs changed after this cursor"))),
    Door("PATCH", "/api/runs", "runs.catalogue:edit", "Rename, note, label, hide, pin, trash or restore runs.", body='{"runs": [ids], "set": {fields}}'),
    Door("POST", "/api/refresh", "runs.catalogue:refresh", "Look at every file now."),
    Door("GET", "/api/tags", "runs.catalogue:tags", "Tags by kind, and which runs have them.", (("plugin", "string", "one kind only"),)),
    Door("POST", "/api/series", "series.lines:series", "Many lines at once as binary columns, cut to pixels, smoothed, aggregated.", (), "application/vnd.milepost.frame", "see docs/reference/http-api.md, section 3"),
    Door("GET", "/api/export", "series.export:export", "Every point as CSV or JSON.", (("run", "string*", "run ids; all without"), ("tag", "string*", "tags; all without"), ("format", "string", "csv or json"), ("restarts", "string", "last, all or split")), "text/csv"),
    Door("GET", "/api/images", "media.pictures:images", "Images of one tag: steps and items.", PART),
    Door("GET", "/api/audio", "media.pictures:audio", "Sounds of one tag: steps and items.", PART),
    Door("GET", "/api/blob/{id}", "media.pictures:blob", "The bytes of one image, sound or mesh component.", (("download", "integer", "1: as attachment"),), "image/png"),
    Door("GET", "/api/text", "media.numbers:text", "Texts of one tag, markdown as logged.", PART),
    Door("GET", "/api/histograms", "media.numbers:histograms", "Histograms of one tag as columns.", SOME, "application/vnd.milepost.frame"),
    Door("GET", "/api/distributions", "media.numbers:distributions", "Percentiles of the histograms of one tag as columns.", SOME, "application/vnd.milepost.frame"),
    Door("GET", "/api/pr_curves", "media.numbers:pr_curves", "Precision-recall curves of one tag.", PART),
    Door("GET", "/api/hparams", "runs.hparams:hparams", "The table of all runs' hyperparameters and metrics."),
    Door("GET", "/api/graphs", "media.graphs:graphs", "Which graphs there are."),
    Door("GET", "/api/graph", "media.graphs:graph", "One graph as columns of nodes and edges.", ONE),
    Door("GET", "/api/meshes", "media.meshes:meshes", "Meshes of one tag: steps and blobs.", PART),
    Door("GET", "/api/custom_scalars", "media.layouts:custom_scalars", "Chart layouts written into the logs, merged."),
    Door("GET", "/api/embeddings", "embeddings.routes:embeddings", "Tables of points for the projector."),
    Door("GET", "/api/embedding", "embeddings.routes:embedding", "One table along its principal components, with labels.", ONE, "application/vnd.milepost.frame"),
    Door("GET", "/api/embedding/neighbours", "embeddings.routes:neighbours", "The points nearest to one, in all dimensions.", (*ONE, ("row", "integer!", "the point"), ("count", "integer", "how many"), ("metric", "string", "cosine or euclidean"))),
    Door("GET", "/api/embedding/sprite", "embeddings.routes:sprite", "The thumbnails of a table's points in one picture.", ONE, "image/png"),
    Door("GET", "/api/captures", "profiles:captures", "Captured profiles, one for each machine, newest first."),
    Door("GET", "/api/capture", "profiles:capture", "One capture analysed: where a step's time goes, top ops, advice.", CAPTURE),
    Door("GET", "/api/capture/events", "profiles:events", "Every event as columns, lane by lane.", CAPTURE, "application/vnd.milepost.frame"),
    Door("GET", "/api/capture/event", "profiles:event", "One event with its arguments.", (*CAPTURE, ("row", "integer!", "its row"))),
    Door("GET", "/api/capture/ops", "profiles:ops", "The op table.", (*CAPTURE, ("by", "string", "name, shape, module or function"))),
    Door("GET", "/api/capture/flame", "profiles:flame", "Time by call path.", (*CAPTURE, ("of", "string", "python or ops"))),
    Door("GET", "/api/capture/memory", "profiles:memory", "Memory over time as columns.", CAPTURE, "application/vnd.milepost.frame"),
    Door("GET", "/api/capture/compare", "profiles:compare", "Two captures side by side, by step.", (("a", "string!", "capture id"), ("b", "string!", "capture id"))),
    Door("GET", "/api/capture/file", "profiles:file", "The trace's own file, for Perfetto.", (*CAPTURE, ("file", "string", "one of its files")), "application/octet-stream"),
    Door("GET", "/api/checkpoints", "runs.mileposts:checkpoints", "Checkpoints: step, age, size, metrics.", (("run", "string", "of one run only"),)),
    Door("GET", "/api/checkpoint", "runs.mileposts:checkpoint", "One checkpoint: files and tensors.", (("id", "string!", "checkpoint id"),)),
)  # fmt: skip


def make_app(live: Live, options: Options) -> Any:
    """The whole application for uvicorn."""
    page = Page(title=options.window_title)

    def index(request: Request) -> Response:
        body = page.index(boot(live))
        return send(request, body, "text/html; charset=utf-8", compress=True)

    def asset(request: Request) -> Response:
        return page.serve(request, request.path_params["path"])

    def events(request: Request) -> Response:
        hello = {"cursor": live.cursor, "state": live.state}
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(live.hub.stream(hello), media_type="text/event-stream", headers=headers)

    def described(request: Request) -> Response:
        title = options.window_title or "milepost"
        doc = document(DOORS, title=title, version=__version__, prefix=options.prefix)
        return send(request, to_json(doc), "application/json", compress=True)

    def listed(request: Request) -> Response:
        return HTMLResponse(readable(DOORS, title=options.window_title or "milepost"))

    routes: list[Any] = [Route(door.path, endpoint(door.handler, live), methods=[door.method]) for door in DOORS]
    routes += [
        Route("/api/events", events),
        Route("/api/openapi.json", described),
        Route("/api/", listed),
        Route("/api/{path:path}", unknown, methods=["GET", "POST", "PATCH", "PUT", "DELETE"]),
        Route("/", index),
        Route("/{path:path}", asset),
    ]
    app = Starlette(
        routes=[Mount(options.prefix, routes=routes), Route("/{path:path}", outside(options.prefix))]
        if options.prefix
        else routes,
        exception_handlers={ApiError: told, MilepostError: broken, HTTPException: plain, Exception: crashed},
    )
    host = options.host or "localhost"
    return Gate(
        app,
        allowed_hosts(host, options.everywhere),
        any_address=options.everywhere,
        token=options.token,
        prefix=options.prefix,
    )


def endpoint(place: str, live: Live) -> Callable[[Request], Any]:
    """A handler of (live, request) as Starlette calls it, imported when first asked for; plain functions run on a worker thread."""
    module, _, name = place.partition(":")

    async def call(request: Request) -> Response:
        handler = getattr(importlib.import_module(f"milepost.board.{module}"), name)
        if inspect.iscoroutinefunction(handler):
            response: Response = await handler(live, request)
        else:
            response = await run_in_threadpool(handler, live, request)
        return response

    return call


def boot(live: Live) -> bytes | None:
    """The first data, put into the page itself; None when it is not there soon or is too much."""
    if not live.loaded.wait(BOOT_SECONDS):
        return None
    tags = catalogue.tags_data(live)
    if sum(len(entry["runs"]) for kind in tags["plugins"].values() for entry in kind) > MAX_BOOT_TAGS:
        return None
    block = boot_block(catalogue.info_data(live), catalogue.runs_data(live), tags, live.cursor)
    return block if len(block) <= MAX_BOOT_BYTES else None


def unknown(request: Request) -> Response:
    path = "/api/" + request.path_params["path"]
    if any(door.path == path for door in DOORS):
        return error(
            "method_not_allowed",
            f"{path} does not take {request.method}",
            where=path,
            todo="see api/ for what it takes",
        )
    return error(
        "not_found",
        f"the API has no {request.method} {request.url.path}",
        where=request.url.path,
        todo="see api/ for what there is",
    )


def outside(prefix: str) -> Callable[[Request], Response]:
    def elsewhere(request: Request) -> Response:
        if request.method == "GET" and request.url.path.rstrip("/") in (prefix, ""):
            # the page's addresses are relative: without the slash they would point beside the board
            return RedirectResponse(f"{prefix}/")
        return error("not_found", f"this board is served under {prefix}/", where=request.url.path)

    return elsewhere


def told(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, ApiError)
    return error(fault.code, fault.message, where=fault.where, todo=fault.todo)


def broken(request: Request, fault: Exception) -> Response:
    """A log that cannot be read as asked: the log's fault, not the server's."""
    assert isinstance(fault, MilepostError)
    return error("unsupported_media", str(fault), where=None, todo=fault.todo or None)


def plain(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    code = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}.get(
        fault.status_code, "bad_request" if fault.status_code < 500 else "internal"
    )
    return error(code, str(fault.detail), where=request.url.path, status=fault.status_code)


def crashed(request: Request, fault: Exception) -> Response:
    logging.getLogger("milepost.board").error("%s %s failed", request.method, request.url.path, exc_info=fault)
    return error(
        "internal",
        f"the board failed on this request: {type(fault).__name__}",
        where=request.url.path,
        todo="see the terminal, and report it",
    )
