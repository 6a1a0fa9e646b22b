"""A report without a server. In: a logdir, the page as built into one file. Out: that file with data and media inside. No request is ever made from it."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from milepost.board.http.envelope import ApiError, encode
from milepost.board.http.page import Page, in_script
from milepost.board.live import Live
from milepost.board.media import graphs, layouts, numbers, pictures
from milepost.board.media.samples import MAX_LIMIT, Window
from milepost.board.options import Options
from milepost.board.runs import catalogue, hparams, mileposts
from milepost.board.series.ask import Ask
from milepost.board.series.frame import Columns
from milepost.board.series.lines import badge, drawn
from milepost.errors import MilepostError, UsageError

__all__ = ["write_report"]

FORMAT = 1
MAX_POINTS = 20_000  # of a line; longer ones are cut to 5 000 buckets of at most four points
MAX_TAGS = 500
HISTOGRAM_STEPS, DISTRIBUTION_STEPS = 60, 500  # as the page asks for them
TEMPLATE, REPORT_MARK = "report.html", "<!--milepost-report-->"


def write_report(
    logdir: str,
    out: Path,
    *,
    runs: Callable[[str], bool] = lambda name: True,
    title: str = "",
    max_media_bytes: int = 64 << 20,
) -> dict[str, int]:
    """Write the report; how many runs, lines and media items are in it, and its size."""
    page = Page(title=title or f"{Path(logdir).name} · milepost")
    if TEMPLATE not in page.names():
        raise UsageError(
            "the page is not built, so there is nothing to put the data into",
            todo="install the wheel, or run `make web`",
        )
    live = Live(Options(roots=(("", logdir),), read_only=True, reload_interval=0, window_title=title))
    live.load()
    names = [name for name in live.run_ids() if runs(name)]
    if not names:
        raise UsageError("no runs to report on", where=logdir, todo="see `milepost runs ls`")
    blobs: dict[str, str] = {}
    responses = answers(live, names, blobs, max_media_bytes)
    lines, series = frame_of(live, names)
    data = {
        "format": FORMAT,
        "made": time.time(),
        "responses": responses,
        "blobs": blobs,
        "series": base64.b64encode(series).decode(),
    }
    text = one_file(page, encode(data))
    out.write_text(text, encoding="utf-8")
    return {"runs": len(names), "lines": lines, "media": len(blobs), "bytes": out.stat().st_size}


def address(path: str, **query: str | int) -> str:
    """As the page writes it: parameters sorted, encoded like encodeURIComponent."""
    return path + "?" + "&".join(name + "=" + quote(str(query[name]), safe="-_.!~*'()") for name in sorted(query))


def answers(live: Live, names: list[str], blobs: dict[str, str], room: int) -> dict[str, Any]:
    """What the API would answer, by address."""
    tags = only(catalogue.tags_data(live), names)
    scalars = [entry["tag"] for entry in tags["plugins"].get("scalars", [])]
    listed = catalogue.runs_data(live, scalars[:MAX_TAGS])
    listed["runs"] = [run for run in listed["runs"] if run["id"] in names]
    found = [one for one in mileposts.checkpoints_data(live)["checkpoints"] if one["run"] in names]
    table = hparams.table(live)
    info = catalogue.info_data(live) | {
        "live": False,
        "read_only": True,
        "roots": [],
        "runs": len(names),
        "plugins": {kind: len(entries) for kind, entries in tags["plugins"].items()},
        "embeddings": 0,
        "problems": [],
    }
    drawn_graphs = [one for one in graphs.graphs_data(live)["graphs"] if one["run"] in names]
    out: dict[str, Any] = {
        "api/info": info,
        "api/runs": listed,
        "api/tags": tags,
        "api/hparams": table | {"rows": [row for row in table["rows"] if row["run"] in names]},
        "api/checkpoints": {"checkpoints": found},
        "api/custom_scalars": layouts.layout_data(live),
        "api/graphs": {"graphs": drawn_graphs},
        "api/captures": {"captures": []},
        "api/embeddings": {"embeddings": []},
    }
    for one in found:
        detail = live.checkpoint_detail("", one["id"])
        if detail is not None:
            out[address("api/checkpoint", id=one["id"])] = one | detail
    for one in drawn_graphs:
        try:
            out[address("api/graph", run=one["run"], tag=one["tag"])] = graphs.graph_data(live, one["run"], one["tag"])
        except ApiError:
            continue  # a graph that cannot be read is not in the report
    for kind, run, tag, series in media(live, tags):
        here: dict[str, str | int] = {"run": run, "tag": tag}
        part = Window(0, min(len(series), MAX_LIMIT))
        if kind in ("images", "audio"):
            items = [pictures.described(series, kind, run, i) for i in range(part.stop)]
            items, room = kept(series, kind, items, blobs, room)
            out[address(f"api/{kind}", **here)] = {**part.head(series, run), "items": items}
        elif kind == "text":
            out[address("api/text", **here)] = numbers.text_data(series, run, part)
        elif kind == "pr_curves":
            out[address("api/pr_curves", **here)] = numbers.pr_curves_data(series, run, part)
        elif kind == "histograms":
            some = {
                "histograms": (HISTOGRAM_STEPS, numbers.histograms_frame),
                "distributions": (DISTRIBUTION_STEPS, numbers.distributions_frame),
            }
            for name, (steps, pack) in some.items():
                frame = pack(series, run, numbers.evenly(series, steps))
                out[address(f"api/{name}", **here, max_steps=steps)] = base64.b64encode(frame).decode()
    return out


def only(tags: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The tags of the runs that are reported on, renumbered; meshes stay with the board."""
    place = {tags["runs"].index(name): number for number, name in enumerate(names)}
    plugins = {}
    for kind, entries in tags["plugins"].items():
        fewer = [entry | {"runs": [place[r] for r in entry["runs"] if r in place]} for entry in entries]
        fewer = [entry for entry in fewer if entry["runs"]]
        if fewer and kind != "meshes":
            plugins[kind] = fewer
    return {"runs": names, "plugins": plugins}


def media(live: Live, tags: dict[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    for kind, entries in tags["plugins"].items():
        if kind in ("images", "audio", "text", "pr_curves", "histograms"):
            for entry in entries:
                for number in entry["runs"]:
                    run = tags["runs"][number]
                    yield kind, run, entry["tag"], live.media(run, kind)[entry["tag"]]


def kept(
    series: Any, kind: str, items: list[list[dict[str, Any]]], blobs: dict[str, str], room: int
) -> tuple[list[list[dict[str, Any]]], int]:
    """The items whose bytes still fit; the others say that they were left out."""
    out = []
    for index, step in enumerate(items):
        here = []
        for number, item in enumerate(step):
            if "blob" not in item:
                here.append(item)
            elif item["bytes"] > room:
                here.append({"error": "left out of the report: too much media", "bytes": item["bytes"]})
            else:
                room -= item["bytes"]
                try:
                    sample = series[index]
                    data = sample.encoded[number] if kind == "images" else sample.clips[number].encoded
                except MilepostError as fault:
                    here.append({"error": str(fault)})
                    continue
                blobs[item["blob"]] = f"data:{item['type']};base64,{base64.b64encode(data).decode()}"
                here.append(item)
        out.append(here)
    return out, room


def frame_of(live: Live, names: list[str]) -> tuple[int, bytes]:
    """Every scalar of every run as one frame."""
    columns, lines = Columns(), []
    ask = Ask(lines=(), explicit=False, width=0, wall=True)
    for run in names:
        for tag in live.scalar_tags(run):
            found = live.scalar(run, tag)
            if found is None:
                continue
            wanted = ask if len(found) <= MAX_POINTS else replace(ask, width=MAX_POINTS // 4)
            line = {"run": run, "tag": tag, "segment": 0, "v": 1} | drawn(
                columns, found, None, wanted, (None, None), ()
            )
            lines.append(line | {"badge": badge(found)})
    return len(lines), columns.pack({"cursor": 0, "took_ms": 0, "lines": lines, "missing": []})


def one_file(page: Page, data: bytes) -> str:
    """The page as it was built into one file, with the data in it. Its script runs by its hash alone: nothing in the data can be one."""
    text = page.asset(TEMPLATE).body.decode("utf-8")
    script = re.search(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    if script is None or REPORT_MARK not in text:
        raise UsageError("the built page has no room for a report", todo="build it again with `make web`")
    digest = base64.b64encode(hashlib.sha256(script[1].encode("utf-8")).digest()).decode()
    text = text.replace("script-src 'unsafe-inline'", f"script-src 'sha256-{digest}'", 1)
    text = page.titled(text)
    return text.replace(
        REPORT_MARK, f'<script type="application/json" id="milepost-report">{in_script(data)}</script>', 1
    )
