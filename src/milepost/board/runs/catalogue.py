"""api/info, api/runs, api/tags. In: the live logs and the sidecar. Out: the lists a page begins with. Series themselves are elsewhere."""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from milepost import __version__
from milepost.board.http.envelope import ApiError, answer
from milepost.board.live import KINDS, Live
from milepost.board.runs import hparams
from milepost.board.runs.metrics import metric
from milepost.board.runs.status import status, writer_alive
from milepost.board.series.lines import body_of
from milepost.store import Run, RunInfo

__all__ = ["edit", "info", "info_data", "refresh", "runs", "runs_data", "tags", "tags_data"]

DEFAULT_METRICS = 6
MAX_METRICS = 500
PID_DAYS = 7
MAX_EDIT_BYTES = 4 * 1024 * 1024
DIGITS = re.compile(r"(\d+)")


def natural(text: str) -> list[Any]:
    """layer2 before layer10."""
    return [
        (0, int(part)) if part.isdigit() and len(part) < 19 else (1, part.lower())
        for part in DIGITS.split(text)
        if part
    ]


def info(live: Live, request: Request) -> Response:
    return answer(request, info_data(live), live.cursor)


def info_data(live: Live) -> dict[str, Any]:
    options = live.options
    collection = list(live.collection.values())
    plugins = {kind: len(entries) for kind, entries in tags_data(live)["plugins"].items()}
    return {
        "version": __version__,
        "title": options.window_title or "milepost",
        "logdir": os.path.basename(os.path.normpath(options.roots[0][1])) if len(options.roots) == 1 else options.where,
        "roots": [{"name": name, "path": path} for name, path in options.roots],
        "read_only": options.read_only,
        "reload_interval": options.reload_seconds,
        "live": live.watching,
        "started": live.started,
        "now": time.time(),
        "state": live.state,
        "progress": live.progress(),
        "runs": len(collection),
        "points": sum(live.facts(run).points for run in collection),
        "plugins": plugins,
        "checkpoints": len(live.checkpoints()),
        "profiles": live.captures,
        "embeddings": live.embeddings,
        "problems": live.problems()[:100],
    }


def runs(live: Live, request: Request) -> Response:
    wanted = request.query_params.getlist("metrics")
    if len(wanted) > MAX_METRICS:
        raise ApiError("bad_request", f"at most {MAX_METRICS} metrics at once", where="metrics")
    try:
        since = int(request.query_params.get("since", "0"))
    except ValueError:
        raise ApiError("bad_request", "since: want a cursor", where="since") from None
    return answer(request, runs_data(live, wanted, since), live.cursor)


def runs_data(live: Live, wanted: list[str] | None = None, since: int = 0) -> dict[str, Any]:
    names = live.run_ids()
    if not wanted:
        wanted = default_metrics(live, names)
    counts: dict[str, int] = {}
    for run, _, _ in live.checkpoints():
        counts[run] = counts.get(run, 0) + 1
    # a restarted board counts anew: a cursor from before it means everything
    fresh = names if since <= 0 or since > live.cursor else [n for n in names if live.run_cursor.get(n, 0) > since]
    return {
        "runs": [run_data(live, name, wanted, counts.get(name, 0)) for name in fresh if name in live.collection],
        "metrics": wanted,
        "gone": [name for name, at in live.gone.items() if at > since] if since else [],
    }


def default_metrics(live: Live, names: list[str]) -> list[str]:
    told: list[str] = []
    tags: set[str] = set()
    for name in names:
        run = live.collection.get(name)
        if run is None:
            continue
        told += [tag for _, tag, _ in hparams.of_run(run).metrics] if len(run.hparams) else []
        if len(tags) < 10_000:
            tags.update(run.scalars)
    told = [tag for tag in dict.fromkeys(told) if tag in tags]
    return (told or sorted(tags, key=natural))[:DEFAULT_METRICS]


def run_data(live: Live, name: str, wanted: list[str], checkpoints: int) -> dict[str, Any]:
    run: Run = live.run(name)
    facts = live.facts(run)
    said = live.sidecar(live.root_of(name)).get(name)
    own = hparams.of_run(run)
    now = time.time()
    age = None if facts.last_wall is None else max(now - facts.last_wall, 0.0)
    longest = max((run.scalars.count(tag) for tag in list(run.scalars)[:20]), default=0)
    figures = {tag: value for tag in wanted if (value := metric(run, tag)) is not None}
    some = next(iter(run.scalars), None)
    alive = writer_alive(run.files)
    if alive and (age is None or age > PID_DAYS * 86_400):
        alive = None  # the number may be another process's by now
    word, why = status(
        age=age, span=(facts.last_wall or 0.0) - (facts.first_wall or 0.0), points_a_tag=longest, stopped=facts.stopped,
        ended=own.ended in (1, 2), alive=alive,
    )  # fmt: skip
    return {
        "id": name,
        "name": said["name"] or name,
        "colour": said["colour"] if said["colour"] is not None else live.colours.get(name, 0),
        "status": word,
        "status_why": why,
        "start": facts.first_wall, "end": facts.last_wall, "age": age,
        "step": facts.last_step, "points": facts.points, "tags": facts.tags, "bytes": facts.bytes, "files": facts.files,
        "note": said["note"], "labels": list(said["labels"]), "hidden": said["hidden"], "trashed": said["trashed"], "pinned": said["pinned"],
        "hparams": own.values,
        "checkpoints": checkpoints,
        "restarts": list(run.scalars[some].truth.restarts[:100]) if some is not None else [],
        "metrics": figures,
        "problems": problems(live, facts),
    }  # fmt: skip


def problems(live: Live, facts: RunInfo) -> list[str]:
    """What of a run's files could not be read, in words."""
    out = [live.shown_path(text.rpartition(": ")[0]) + ": " + text.rpartition(": ")[2] for text in facts.problems]
    out += [
        f"{live.shown_path(path)}: holds no whole event; it is damaged at its beginning, or no event file"
        for path, at in facts.truncated_at
        if at == 0
    ]
    if facts.bad_records:
        out.append(
            f"{facts.bad_records} damaged record{'s' * (facts.bad_records != 1)} skipped; what is around is shown"
        )
    return out


def tags(live: Live, request: Request) -> Response:
    plugin = request.query_params.get("plugin")
    if plugin is not None and plugin not in KINDS:
        raise ApiError("bad_request", f"plugin: want one of {', '.join(KINDS)}", where="plugin")
    return answer(request, tags_data(live, plugin), live.cursor)


def tags_data(live: Live, plugin: str | None = None) -> dict[str, Any]:
    data: dict[str, Any] = live.once("tags", lambda: all_tags(live))
    if plugin is None:
        return data
    return {
        "runs": data["runs"],
        "plugins": {kind: entries for kind, entries in data["plugins"].items() if kind == plugin},
    }


def all_tags(live: Live) -> dict[str, Any]:
    names = live.run_ids()
    plugins: dict[str, list[dict[str, Any]]] = {}
    for api, kind in KINDS.items():
        table: dict[str, dict[str, Any]] = {}
        for number, name in enumerate(names):
            run = live.collection.get(name)
            if run is None:
                continue  # went away while we were listing
            tag_map = run.of_kind(kind)
            for tag, count in tag_map.counts().items():
                entry = table.get(tag)
                try:
                    if entry is None:
                        said = tag_map.metadata(tag)
                        entry = table[tag] = {
                            "tag": tag,
                            "runs": [],
                            "name": said.display_name or tag,
                            "description": said.description,
                            "points": 0,
                        }
                except KeyError:
                    continue  # went away while we were listing
                entry["runs"].append(number)
                entry["points"] += count
        if table:
            plugins[api] = sorted(table.values(), key=lambda entry: natural(entry["tag"]))
    return {"runs": names, "plugins": plugins}


async def edit(live: Live, request: Request) -> Response:
    """PATCH api/runs."""
    try:
        body = json.loads(await body_of(request, MAX_EDIT_BYTES))
        named, changes = body["runs"], body["set"]
        if (
            not isinstance(named, list)
            or not named
            or not all(isinstance(n, str) for n in named)
            or not isinstance(changes, dict)
            or not changes
        ):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ApiError("bad_request", 'want {"runs": [ids], "set": {fields}}', where="body") from None

    def work() -> dict[str, Any]:
        by_root: dict[str, list[str]] = {}
        for name in named:
            live.run(name)
            by_root.setdefault(live.root_of(name), []).append(name)
        for root, members in by_root.items():
            live.sidecar(root).edit(members, changes)
        live.edited()
        counts: dict[str, int] = {}
        for run, _, _ in live.checkpoints():
            counts[run] = counts.get(run, 0) + 1
        shown = default_metrics(live, live.run_ids())
        return {"runs": [run_data(live, name, shown, counts.get(name, 0)) for name in dict.fromkeys(named)]}

    return answer(request, await run_in_threadpool(work), live.cursor)


def refresh(live: Live, request: Request) -> Response:
    """POST api/refresh."""
    return answer(request, {"changed": live.refresh()}, live.cursor)
