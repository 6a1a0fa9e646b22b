"""What a page asks of api/series. In: the JSON body. Out: an `Ask`, every field checked, or a bad_request that names the field. No data here."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from milepost.board.http.envelope import ApiError

__all__ = ["Ask", "Group", "parse"]

MAX_LINES = 20_000
MAX_BODY_BYTES = 8 * 1024 * 1024
Side = float | None


@dataclass(frozen=True, slots=True)
class Group:
    id: str
    runs: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    lines: tuple[tuple[str, str], ...]
    explicit: bool  # pairs named one by one: those that do not exist are reported
    groups: tuple[Group, ...] = ()
    line: str = "mean"
    band: str = "std"
    width: int = 600
    x: str = "step"  # step, relative, wall, metric
    metric: str = ""
    span: tuple[Side, Side] = (None, None)
    spans: tuple[tuple[Side, Side], ...] | None = None
    smooth: str = "none"
    weight: float = 0.0
    restarts: str = "last"
    outliers: tuple[float, float] | None = None
    known: tuple[int, ...] | None = None
    wall: bool = False


def bad(field: str, want: str) -> ApiError:
    return ApiError(
        "bad_request", f"{field}: want {want}", where=field, todo="see docs/reference/http-api.md, section 3"
    )


def texts(value: Any, field: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise bad(field, "a list of strings")
    return tuple(value)


def choice(value: Any, field: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise bad(field, " or ".join(allowed))
    return str(value)


def real(value: Any, field: str, low: float, high: float) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not low <= value <= high
    ):
        raise bad(field, f"a number from {low} to {high}")
    return float(value)


def span(value: Any, field: str) -> tuple[Side, Side]:
    if value is None:
        return (None, None)
    if not isinstance(value, list) or len(value) != 2:
        raise bad(field, "[from, to], each a number or null")
    low, high = (None if v is None else real(v, field, -1e300, 1e300) for v in value)
    if low is not None and high is not None and low > high:
        raise bad(field, "from ≤ to")
    return (low, high)


def mapping(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise bad(field, "an object")
    return value


def parse(body: bytes) -> Ask:
    """The checked request."""
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        raise bad("body", "JSON") from None
    raw = mapping(raw, "body")
    unknown = sorted(set(raw) - KEYS)
    if unknown:
        raise ApiError(
            "bad_request", f"unknown key {unknown[0]!r}", where=unknown[0], todo=f"keys are {', '.join(sorted(KEYS))}"
        )
    explicit = "lines" in raw
    if explicit:
        given = raw["lines"]
        if not isinstance(given, list) or not all(
            isinstance(p, list) and len(p) == 2 and all(isinstance(v, str) for v in p) for p in given
        ):
            raise bad("lines", "[[run, tag], …]")
        lines = tuple((p[0], p[1]) for p in given)
    else:
        runs, tags = texts(raw.get("runs", []), "runs"), texts(raw.get("tags", []), "tags")
        if len(runs) * len(tags) > MAX_LINES:
            raise bad("runs", f"at most {MAX_LINES} lines at once")
        lines = tuple((run, tag) for tag in tags for run in runs)
    if len(lines) > MAX_LINES:
        raise bad("lines", f"at most {MAX_LINES} at once")
    if not isinstance(raw.get("groups", []), list):
        raise bad("groups", "a list")
    groups = []
    for item in raw.get("groups", []):
        item = mapping(item, "groups")
        groups.append(
            Group(
                str(item.get("id", "")), texts(item.get("runs"), "groups.runs"), texts(item.get("tags"), "groups.tags")
            )
        )
    if sum(len(g.runs) * len(g.tags) for g in groups) > MAX_LINES:
        raise bad("groups", f"at most {MAX_LINES} lines at once")
    aggregate = mapping(raw.get("aggregate") or {}, "aggregate")
    smooth = mapping(raw.get("smooth") or {}, "smooth")
    x = raw.get("x", "step")
    metric = ""
    if isinstance(x, dict):
        metric = x.get("metric", "")
        if not isinstance(metric, str) or not metric:
            raise bad("x.metric", "a tag")
        x = "metric"
    if metric and groups:
        raise bad("x.metric", "step, relative or wall when groups are asked for: runs have no metric axis in common")
    spans = None
    if raw.get("ranges") is not None:
        if not isinstance(raw["ranges"], list) or len(raw["ranges"]) != len(lines):
            raise bad("ranges", "one [from, to] per line")
        spans = tuple(span(s, "ranges") for s in raw["ranges"])
    known = None
    if raw.get("known") is not None:
        if (
            not isinstance(raw["known"], list)
            or len(raw["known"]) != len(lines)
            or not all(isinstance(v, int) for v in raw["known"])
        ):
            raise bad("known", "one whole number per line")
        known = tuple(raw["known"])
    outliers = None
    if raw.get("outliers") is not None:
        pair = raw["outliers"]
        if not isinstance(pair, list) or len(pair) != 2:
            raise bad("outliers", "[low, high]")
        outliers = (real(pair[0], "outliers", 0, 1), real(pair[1], "outliers", 0, 1))
    return Ask(
        lines=lines,
        explicit=explicit,
        groups=tuple(groups),
        line=choice(aggregate.get("line", "mean"), "aggregate.line", ("mean", "median")),
        band=choice(aggregate.get("band", "std"), "aggregate.band", ("std", "ci", "minmax", "none")),
        width=int(real(raw.get("width", 600), "width", 0, 20_000)),
        x=choice(x, "x", ("step", "relative", "wall", "metric")),
        metric=metric,
        span=span(raw.get("range"), "range"),
        spans=spans,
        smooth=choice(smooth.get("kind", "none"), "smooth.kind", ("none", "ema", "gaussian")),
        weight=real(smooth.get("weight", 0.6), "smooth.weight", 0, 0.9999),
        restarts=choice(raw.get("restarts", "last"), "restarts", ("last", "all", "split")),
        outliers=outliers,
        known=known,
        wall=bool(raw.get("wall", False)),
    )


KEYS = frozenset(
    {
        "lines",
        "runs",
        "tags",
        "groups",
        "aggregate",
        "width",
        "x",
        "range",
        "ranges",
        "smooth",
        "restarts",
        "outliers",
        "known",
        "wall",
    }
)
