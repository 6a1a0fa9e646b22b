"""Memory over time. In: a trace. Out: one curve a device (torch's allocation events) and one a counter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from milepost.formats.trace import Trace

__all__ = ["MemoryCurve", "memory_curves"]

MAX_POINTS = 200_000  # decoding one point's arguments costs microseconds; more are thinned evenly and `thinned` says so
_DEVICES = {0: "CPU", 1: "CUDA"}


@dataclass(frozen=True, slots=True)
class MemoryCurve:
    name: str
    unit: str  # "bytes", or "" for other counters
    time: NDArray[np.int64]
    value: NDArray[np.float64]
    thinned: bool = False

    @property
    def peak(self) -> float:
        return float(self.value.max(initial=0.0))


def memory_curves(trace: Trace) -> list[MemoryCurve]:
    points = trace.points
    memory_names = [i for i, text in enumerate(trace.strings) if text == "[memory]"]
    rows = np.flatnonzero(points.counter | np.isin(points.name, memory_names))
    rows = rows[np.argsort(points.time[rows], kind="stable")]
    thinned = len(rows) > MAX_POINTS
    if thinned:
        rows = rows[np.linspace(0, len(rows) - 1, MAX_POINTS).astype(np.int64)]
    found: dict[tuple[str, str], tuple[list[int], list[float]]] = {}
    for row in rows.tolist():
        arguments = trace.arguments(int(points.args[row]))
        time = int(points.time[row])
        if points.counter[row]:
            for key, value in arguments.items():
                if isinstance(value, int | float):
                    title = trace.strings[points.name[row]]
                    label = title if key in ("value", title) else f"{title} {key}"
                    _add(
                        found,
                        label,
                        "bytes" if "byte" in label.lower() or "memory" in label.lower() else "",
                        time,
                        value,
                    )
        elif isinstance(total := arguments.get("Total Allocated"), int | float):
            kind = int(arguments.get("Device Type", 0))
            number = int(arguments.get("Device Id", -1))
            name = _DEVICES.get(kind, f"device {kind}") + (f" {number}" if number >= 0 else "")
            _add(found, f"{name} allocated", "bytes", time, total)
            if isinstance(reserved := arguments.get("Total Reserved"), int | float) and reserved:
                _add(found, f"{name} reserved", "bytes", time, reserved)
    return [
        MemoryCurve(name, unit, np.array(times, np.int64), np.array(values, np.float64), thinned)
        for (name, unit), (times, values) in sorted(found.items())
    ]


def _add(
    found: dict[tuple[str, str], tuple[list[int], list[float]]], name: str, unit: str, time: int, value: float
) -> None:
    times, values = found.setdefault((name, unit), ([], []))
    times.append(time)
    values.append(float(value))
