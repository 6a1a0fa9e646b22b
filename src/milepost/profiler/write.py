"""One Chrome trace of everything captured. In: host spans, user spans, engines' own traces. Out: JSON bytes in pieces.

Clocks are merged here: everything is put on unix time, in microseconds after `baseTimeNanoseconds`. torch's events stay
byte for byte as torch wrote them (they can be hundreds of megabytes); ours are put in front of them, on torch's base.
Not here: files (`session`), reading (`store.profile`).
"""

from __future__ import annotations

import json
import os
import re
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

from milepost.engines.profile import EngineTrace
from milepost.formats.trace import Trace
from milepost.formats.xplane import read_xplane
from milepost.profiler.sampler import STATES, HostSpans
from milepost.profiler.spans import Span

__all__ = ["Captured", "chrome_trace"]

HOST_STATE = "host_state"  # categories of our own events
PYTHON_FRAME = "python_frame"
USER_SPAN = "user_annotation"  # torch's word for the same thing
STATE_TID_OFFSET = 1 << 32  # the state of a thread is a track of its own, beside the thread's
_MANY = 4096
_MANY_ARGUMENTS = 50_000

_BASE = re.compile(rb'"baseTimeNanoseconds"\s*:\s*(\d+)')
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')


@dataclass(frozen=True, slots=True)
class Captured:
    """All that one capture saw."""

    host: HostSpans | None
    spans: list[Span]
    engines: list[EngineTrace]
    unix_minus_monotonic: int  # what turns a monotonic time into a unix one, in ns
    began: int  # unix ns
    ended: int
    about: dict[str, Any] = field(default_factory=dict)


def _function_name(code: CodeType) -> str:
    name = getattr(code, "co_qualname", code.co_name)
    return f"{_short(code.co_filename)}:{code.co_firstlineno} {name}"


_ROOTS = tuple(
    sorted({p + os.sep for p in (sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"))}, key=len, reverse=True)
)


def _short(path: str) -> str:
    """`torch/nn/modules/linear.py` rather than where this machine keeps it; own files by their last two parts."""
    for root in _ROOTS:
        if path.startswith(root):
            return path[len(root) :]
    return "/".join(path.replace("\\", "/").split("/")[-2:])


def chrome_trace(captured: Captured) -> Iterator[bytes]:
    """The file's bytes, in pieces of bounded size."""
    torch = next((t.chrome for t in captured.engines if t.chrome), None)
    base, head_end = _torch_base(torch)
    base = base if base is not None else captured.began
    yield b'{"displayTimeUnit":"ms","milepost":' + json.dumps(captured.about).encode() + b","
    ours = _events(captured, base)
    if torch is None or head_end is None:
        yield b'"baseTimeNanoseconds":%d,"traceEvents":[\n' % base
        yield from _joined(ours)
        yield b"\n]}"
        return
    opening = torch.index(b"{") + 1
    yield torch[opening:head_end] + b"\n"  # torch's own head holds the base; the last piece is the '['
    yield from _joined(ours)
    rest = torch[head_end : head_end + 200].lstrip()
    yield b"\n" if rest.startswith(b"]") else b",\n"
    for at in range(head_end, len(torch), 1 << 20):
        yield torch[at : at + (1 << 20)]


def _torch_base(trace: bytes | None) -> tuple[int | None, int | None]:
    """torch's time base, and where its list of events begins; (None, None) when it is not the form we know."""
    if trace is None:
        return None, None
    events = _EVENTS.search(trace)
    base = _BASE.search(trace, 0, events.start()) if events else None
    if events is None or base is None:
        return None, None
    return int(base[1]), events.end()


def _joined(events: Iterable[str]) -> Iterator[bytes]:
    held: list[str] = []
    first = True
    for event in events:
        held.append(event)
        if len(held) == _MANY:
            yield (b"" if first else b",\n") + ",\n".join(held).encode()
            held, first = [], False
    if held:
        yield (b"" if first else b",\n") + ",\n".join(held).encode()


def _events(captured: Captured, base: int) -> Iterator[str]:
    pid = os.getpid()
    shift = captured.unix_minus_monotonic - base
    yield _named("process_name", pid, 0, f"python {pid}")
    yield _named("thread_name", pid, 0, "capture")
    names = captured.host.thread_names if captured.host else {}
    for tid, name in names.items():
        yield _named("thread_name", pid, tid, name)
    # The capture itself, so that an overview knows its length even when nothing happened.
    yield _complete(
        "capture", "milepost_capture", pid, 0, captured.began - base, captured.ended - captured.began, captured.about
    )
    for label, start, end, tid, step, metadata in captured.spans:
        arguments = {k: v if isinstance(v, int | float | str | bool) else str(v) for k, v in metadata.items()}
        kind = USER_SPAN
        if step is not None:
            arguments["step"], kind = int(step), "step"
        yield _complete(label, kind, pid, tid, start + shift, end - start, arguments)
    if captured.host:
        yield from _host(captured.host, pid, shift, names)
    for trace in captured.engines:
        if trace.xplane is not None and trace.marker is not None:
            yield from _xplane(trace.engine, read_xplane(trace.xplane), trace.marker, base)


def _xplane(engine: str, trace: Trace, marker: tuple[str, int], base: int) -> Iterator[str]:
    """Events of an XSpace on our clock: its marker is moved to the time at which we set it."""
    name, unix = marker
    try:
        set_at = trace.start[np.flatnonzero(trace.name == trace.strings.index(name))[0]]
    except (ValueError, IndexError):
        return  # without the marker nobody knows when these events were
    shift = unix - base - int(set_at)
    names = [json.dumps(text) for text in trace.strings]
    for number, track in enumerate(trace.tracks):
        yield _named("process_name", f"{engine} {track.process}", 0, f"{engine} {track.process}")
        yield _named("thread_name", f"{engine} {track.process}", number, track.thread)
    heads = [f'"pid":{json.dumps(f"{engine} {t.process}")},"tid":{n}' for n, t in enumerate(trace.tracks)]
    columns = (trace.name, trace.track, trace.start + shift, trace.duration, trace.args)
    for row, (text, track, start, length, place) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        if trace.strings[text] == name:
            continue
        # arguments of the first many only: decoding them is the slow part, and the XPlane itself lies beside this file
        found = trace.arguments(place) if row < _MANY_ARGUMENTS else {}
        args = f',"args":{json.dumps(found)}' if found else ""
        yield f'{{"ph":"X","name":{names[text]},{heads[track]},"ts":{_us(start)},"dur":{_us(length)}{args}}}'


def _host(host: HostSpans, pid: int, shift: int, names: dict[int, str]) -> Iterator[str]:
    head = [
        f'{{"ph":"X","cat":"{PYTHON_FRAME}","name":{json.dumps(_function_name(code))},"pid":{pid},"tid":'
        for code in host.codes
    ]
    # Callers before what they call: of two spans with the same times a reader takes the first for the outer one.
    order = np.lexsort((host.depth, host.start))
    columns = (host.code, host.tid, host.start + shift, host.end + shift)
    for code, tid, start, end in zip(*(column[order].tolist() for column in columns), strict=True):
        yield f'{head[code]}{tid},"ts":{_us(start)},"dur":{_us(end - start)}}}'
    for tid in dict.fromkeys(host.state_tid.tolist()):
        yield _named("thread_name", pid, tid + STATE_TID_OFFSET, f"{names.get(tid, tid)} state")
    for kind, tid, start, end in zip(
        host.state.tolist(),
        host.state_tid.tolist(),
        (host.state_start + shift).tolist(),
        (host.state_end + shift).tolist(),
        strict=True,
    ):
        yield _complete(STATES[kind], HOST_STATE, pid, tid + STATE_TID_OFFSET, start, end - start, {"tid": tid})


def _us(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03d}"


def _complete(name: str, kind: str, pid: int, tid: int, start: int, dur: int, arguments: dict[str, Any]) -> str:
    args = f',"args":{json.dumps(arguments)}' if arguments else ""
    return (
        f'{{"ph":"X","cat":"{kind}","name":{json.dumps(name)},"pid":{pid},"tid":{tid},'
        f'"ts":{_us(start)},"dur":{_us(dur)}{args}}}'
    )


def _named(what: str, pid: int | str, tid: int, name: str) -> str:
    return f'{{"ph":"M","name":"{what}","pid":{json.dumps(pid)},"tid":{tid},"args":{{"name":{json.dumps(name)}}}}}'
