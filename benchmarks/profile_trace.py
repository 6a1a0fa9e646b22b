"""A trace as torch writes one, of any size. In: how many events. Out: a file. For the benchmark and the tests of large traces."""

from __future__ import annotations

import random
from pathlib import Path

THREADS = 8
HEAD = (
    '{"schemaVersion": 1, "displayTimeUnit": "ms", "baseTimeNanoseconds": 1790857026000000000, "traceEvents": [\n'
    '{"ph":"M","name":"process_name","ts":0,"pid":1,"tid":0,"args":{"name":"python"}}'
)
EVENT = """,
  {
    "ph": "X", "cat": "cpu_op", "name": "%s", "pid": 1, "tid": %d,
    "ts": %.3f, "dur": %.3f,
    "args": {
      "External id": %d,"Record function id": 0, "Sequence number": %d, "Fwd thread id": 0, "Concrete Inputs": ["", ""], "Input type": ["float", "float"], "Input Strides": [[200, 1], [200, 1]], "Input Dims": [[%d, 200], [200, 200]], "Ev Idx": %d
    }
  }"""
SHORT = ',\n{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":%d,"ts":%.3f,"dur":%.3f}'


def write_trace(path: Path, events: int, *, arguments: bool = True) -> int:
    """Ops nested three deep on eight threads; about 400 bytes an event with arguments. The file's size."""
    chance = random.Random(1)
    names = [f"aten::op{i}" for i in range(300)]
    clock = [1e6] * THREADS
    with path.open("w") as file:
        file.write(HEAD)
        for i in range(events // 4):
            thread, length = i % THREADS, chance.random() * 20 + 4
            begin = clock[thread]
            for start, dur in (
                (begin, length), (begin + 0.5, length - 1), (begin + 0.6, length / 3), (begin + 0.7 + length / 3, length / 3),
            ):  # fmt: skip
                name = names[int(chance.random() * 300)]
                if arguments:
                    file.write(EVENT % (name, 100 + thread, start, dur, i, i, i % 7, i))
                else:
                    file.write(SHORT % (name, 100 + thread, start, dur))
            clock[thread] = begin + length + chance.random() * 5
        file.write("\n]}")
    return path.stat().st_size
