"""What to do about it, in sentences with the number behind each. In: split and op table. Out: `Advice`, worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from milepost.store.profile.ops import OpRow
from milepost.store.profile.split import Split

__all__ = ["Advice", "advise", "milliseconds"]


@dataclass(frozen=True, slots=True)
class Advice:
    text: str
    share: float  # of the step's time, for the order
    topic: str


def milliseconds(nanoseconds: float) -> str:
    """A time as a person reads it."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"


def advise(split: Split, ops: list[OpRow], functions: list[OpRow], about: dict[str, Any]) -> list[Advice]:
    found: list[Advice] = []
    steps = len(split.step)
    mean = {name: value / max(steps, 1) for name, value in split.total.items()}
    whole = float(split.length.mean()) if steps else 0.0
    share = split.share
    per = "a step" if split.step[0] >= 0 else "the capture"

    def say(topic: str, part: float, text: str) -> None:
        found.append(Advice(text, part, topic))

    def amount(part: str) -> str:
        return f"{share[part]:.0%} of {per} ({milliseconds(mean[part])} of {milliseconds(whole)})"

    if share["input"] > 0.1:
        say("input", share["input"], f"Input takes {amount('input')}: load the next batch in the background (workers, prefetching) while this one trains.")  # fmt: skip
    if share["python"] > 0.3:
        worst = f"; {functions[0].name} alone takes {milliseconds(functions[0].own)}" if functions else ""
        say("python", share["python"], f"Python takes {amount('python')}{worst}: compile the step, or do more work in each call.")  # fmt: skip
    if share["copy"] > 0.1:
        say("copy", share["copy"], f"Copying takes {amount('copy')}: keep tensors where they are used, pin host memory, copy asynchronously.")  # fmt: skip
    if share["idle"] > 0.2:
        say("idle", share["idle"], f"Nothing runs during {amount('idle')}: something is being waited for, a sleep, a lock, a file or the network.")  # fmt: skip
    waiting = int(split.waiting.sum()) / max(int(split.length.sum()), 1)
    if waiting > 0.05:
        say("cores", waiting, f"The thread was ready but had no core for {waiting:.0%} of the time: other work is on this machine, or too many threads.")  # fmt: skip
    _about_ops(say, ops, steps, share, split)
    _about_steps(say, split)
    overhead = about.get("overhead")
    if isinstance(overhead, int | float) and overhead > 0.03:
        say("overhead", float(overhead), f"The sampler itself used {overhead:.1%} of a core: sample less often (sample_ms).")  # fmt: skip
    if not found and steps:
        say("fine", share["compute"], f"Compute takes {amount('compute')}: this is where time should go.")
    return sorted(found, key=lambda advice: -advice.share)


def _about_ops(say: Any, ops: list[OpRow], steps: int, share: dict[str, float], split: Split) -> None:
    busy = sum(row.own for row in ops)
    if not busy:
        return
    top = ops[0]
    if top.own > 0.4 * busy and len(ops) > 1:
        say("op", top.own / busy * share["compute"], f"{top.name} takes {top.own / busy:.0%} of all op time ({milliseconds(top.own)} in {top.calls} calls).")  # fmt: skip
    calls = sum(row.calls for row in ops)
    if calls > 200 * steps and busy / calls < 20_000 and share["compute"] + share["python"] > 0.5:
        say("small", 0.1, f"{calls // max(steps, 1)} ops run in a step and last {milliseconds(busy / calls)} on average: starting them costs as much as running them; fuse them (torch.compile, jit) or use larger batches.")  # fmt: skip


def _about_steps(say: Any, split: Split) -> None:
    if len(split.step) < 5:
        return
    lengths = np.sort(split.length)
    median, late = float(np.median(lengths)), float(lengths[int(len(lengths) * 0.9)])
    first = float(split.length[0])
    if first > 3 * median:
        say("first", min(first / float(split.length.sum()), 1.0), f"The first step took {milliseconds(first)}, {first / median:.0f} times the median: leave a warm-up step out of the capture.")  # fmt: skip
    if late > 1.5 * median:
        say("jitter", 0.05, f"One step in ten takes {milliseconds(late)} or more, the median {milliseconds(median)}: look at a slow one in the timeline.")  # fmt: skip
