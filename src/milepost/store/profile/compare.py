"""Two captures side by side. In: two analyses. Out: how much a step, its parts and each op changed, greatest change first."""

from __future__ import annotations

from typing import Any

from milepost.store.profile.ops import OpRow
from milepost.store.profile.report import Analysis
from milepost.store.profile.split import PARTS

__all__ = ["compare"]

MAX_ROWS = 500


def _per_step(rows: list[OpRow], steps: int) -> dict[tuple[str, str], tuple[float, float]]:
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for row in rows:
        own, calls = found.get((row.kind, row.name), (0.0, 0.0))
        found[row.kind, row.name] = (own + row.own / steps, calls + row.calls / steps)
    return found


def compare(before: Analysis, after: Analysis) -> dict[str, Any]:
    """All times in nanoseconds a step, so that captures of different length compare."""
    steps = [max(len(a.split.step), 1) for a in (before, after)]
    length = [float(a.split.length.mean()) if len(a.split.length) else 0.0 for a in (before, after)]
    one, two = _per_step(before.ops, steps[0]), _per_step(after.ops, steps[1])
    rows = []
    for kind, name in one.keys() | two.keys():
        own = [one.get((kind, name), (0.0, 0.0))[0], two.get((kind, name), (0.0, 0.0))[0]]
        calls = [one.get((kind, name), (0.0, 0.0))[1], two.get((kind, name), (0.0, 0.0))[1]]
        rows.append({"name": name, "kind": kind, "own": own, "calls": calls, "change": own[1] - own[0]})
    rows.sort(key=lambda row: (-abs(row["change"]), row["name"]))  # type: ignore[arg-type]
    return {
        "steps": steps,
        "length": length,
        "ratio": length[1] / length[0] if length[0] else None,
        "parts": {
            part: [a.split.total[part] / n for a, n in zip((before, after), steps, strict=True)] for part in PARTS
        },
        "ops": rows[:MAX_ROWS],
    }
