"""Hyperparameters. In: what runs logged about themselves. Out: each run's own values, and one table of all. TensorBoard shows one run's list for all; this is the union."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.responses import Response

from milepost.board.http.envelope import answer
from milepost.board.live import Live
from milepost.board.runs.metrics import metric
from milepost.errors import MilepostError
from milepost.store import Run

__all__ = ["HParams", "hparams", "of_run"]

STATUS = {0: "unknown", 1: "success", 2: "failure", 3: "running"}
MAX_CHOICES = 200


class HParams:
    """What one run says of itself: values, end status, announced metrics."""

    __slots__ = ("ended", "metrics", "shown", "values")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.ended = 0
        self.metrics: list[tuple[str, str, str]] = []  # group, tag, shown name
        self.shown: dict[str, str] = {}


# a run that went away takes what is remembered of it along
_remembered: WeakKeyDictionary[Run, tuple[int, HParams]] = WeakKeyDictionary()
_lock = threading.Lock()


def of_run(run: Run) -> HParams:
    """Read once per change of the run's hparams tags."""
    tags = list(run.hparams)
    version = sum(run.version_of("hparams", tag) for tag in tags) + len(tags)
    with _lock:
        known = _remembered.get(run)
    if known is not None and known[0] == version:
        return known[1]
    found = HParams()
    for tag in tags:
        series = run.hparams[tag]
        for i in range(len(series)):
            try:
                data = series[i]
            except (MilepostError, ValueError):
                continue  # counted as a bad record by the store
            if data.session_start_info is not None:
                found.values |= {name: value.plain for name, value in data.session_start_info.hparams.items()}
            if data.session_end_info is not None:
                found.ended = data.session_end_info.status
            if data.experiment is not None:
                for info in data.experiment.metric_infos:
                    if info.name is not None:
                        found.metrics.append((info.name.group, info.name.tag, info.display_name or info.name.tag))
                found.shown |= {
                    info.name: info.display_name for info in data.experiment.hparam_infos if info.display_name
                }
    with _lock:
        _remembered[run] = (version, found)
    return found


def hparams(live: Live, request: Request) -> Response:
    return answer(request, table(live), live.cursor)


def table(live: Live) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    columns: dict[str, dict[str, Any]] = {}
    metrics: dict[str, dict[str, str]] = {}
    shown: dict[str, str] = {}
    told = [(name, run, of_run(run)) for name, run in live.collection.items() if len(run.hparams)]
    for _, _, found in told:
        shown |= found.shown
        for group, tag, title in found.metrics:
            metrics.setdefault(tag, {"tag": tag, "name": title, "group": group})
    if not metrics:
        # nobody announced metrics: those that the runs with hparams have in common are what there is to compare
        common = [set(run.scalars) for _, run, found in told if found.values]
        for tag in sorted(set.intersection(*common))[:6] if common else []:
            metrics[tag] = {"tag": tag, "name": tag, "group": ""}
    names = set(live.run_ids())
    for name, run, found in told:
        if not found.values and not found.ended:
            continue  # the experiment's own run, which only announces
        for key, value in found.values.items():
            columns.setdefault(key, {})[repr(value)] = value
        values = {}
        for tag, told_metric in metrics.items():
            sub = f"{name}/{told_metric['group']}" if name != "." else str(told_metric["group"])
            source = live.collection[sub] if told_metric["group"] and sub in names else run
            value = metric(source, tag) or (fallback(live, names, name, tag) if not told_metric["group"] else None)
            if value is not None:
                values[tag] = value
        rows.append(
            {"run": name, "values": found.values, "status": STATUS.get(found.ended, "unknown"), "metrics": values}
        )
    return {
        "hparams": [
            {"name": key, "type": kind(list(seen.values())), "values": sorted(seen.values(), key=lambda v: (str(type(v)), v))[:MAX_CHOICES] if len(seen) <= MAX_CHOICES else [], "name_shown": shown.get(key, key)}
            for key, seen in sorted(columns.items())
        ],
        "metrics": [{"tag": m["tag"], "name": m["name"]} for m in metrics.values()],
        "rows": rows,
    }  # fmt: skip


def fallback(live: Live, names: set[str], name: str, tag: str) -> dict[str, Any] | None:
    """The metric in a sub-run (`<session>/train`, `<session>/validation`): Keras logs there."""
    head = "" if name == "." else f"{name}/"
    for other in sorted(n for n in names if n.startswith(head) and n != name and "/" not in n[len(head) :]):
        value = metric(live.collection[other], tag)
        if value is not None:
            return value
    return None


def kind(values: list[Any]) -> str:
    if all(isinstance(v, bool) for v in values):
        return "bool"
    return "number" if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values) else "string"
