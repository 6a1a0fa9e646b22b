"""Everything a page or a terminal says of one capture, as plain values. In: a `Trace`. Out: `Analysis`, and its JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from milepost.formats.trace import Trace
from milepost.store.profile.advice import Advice, advise
from milepost.store.profile.kinds import Kinded, kinded
from milepost.store.profile.memory import MemoryCurve, memory_curves
from milepost.store.profile.ops import OpRow, op_table, python_functions
from milepost.store.profile.split import PARTS, Split, split

__all__ = ["Analysis", "analyse", "op_json"]

MAX_STEPS_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class Analysis:
    kinded: Kinded
    split: Split
    ops: list[OpRow]
    functions: list[OpRow]
    advice: list[Advice]
    memory: list[MemoryCurve]

    @property
    def trace(self) -> Trace:
        return self.kinded.trace

    def to_json(self) -> dict[str, Any]:
        trace, parts = self.trace, self.split
        shown = slice(0, MAX_STEPS_SHOWN)
        ends = trace.start + trace.duration
        return {
            "events": len(trace),
            "seconds": float(ends.max(initial=0)) / 1e9,
            "origin": trace.origin / 1e9,
            "about": trace.about,
            "device": self.kinded.has_device,
            "tracks": [{"process": t.process, "thread": t.thread, "layer": t.layer} for t in trace.tracks],
            "split": {
                "parts": list(PARTS),
                "share": parts.share,
                "total": parts.total,
                "thread": parts.thread,
                "sampled": parts.sampled,
                "steps": len(parts.step),
                "step": parts.step[shown].tolist(),
                "start": parts.start[shown].tolist(),
                "length": parts.length[shown].tolist(),
                "each": {name: parts.parts[name][shown].tolist() for name in PARTS},
                "median": float(np.median(parts.length)) if len(parts.length) else 0.0,
                "p90": float(np.percentile(parts.length, 90)) if len(parts.length) else 0.0,
            },
            "advice": [{"text": a.text, "share": a.share, "topic": a.topic} for a in self.advice],
            "ops": [op_json(row) for row in self.ops[:10]],
            "functions": [op_json(row) for row in self.functions[:10]],
            "memory": [{"name": m.name, "unit": m.unit, "peak": m.peak, "points": len(m.time)} for m in self.memory],
        }


def op_json(row: OpRow) -> dict[str, Any]:
    return {
        "name": row.name, "detail": row.detail, "kind": row.kind, "calls": row.calls,
        "total": row.total, "own": row.own, "longest": row.longest,
    }  # fmt: skip


def analyse(trace: Trace) -> Analysis:
    known = kinded(trace)
    parts = split(known)
    ops, functions = op_table(known), python_functions(known, parts.python, parts.thread)
    return Analysis(known, parts, ops, functions, advise(parts, ops, functions, trace.about), memory_curves(trace))
