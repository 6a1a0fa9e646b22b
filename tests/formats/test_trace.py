"""Chrome traces of every dialect become columns; anything else is one clear error, never a crash."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost.errors import FormatError, MilepostError, TruncatedError
from milepost.formats.trace import read_chrome


def chrome(*events, **top) -> bytes:
    return json.dumps({**top, "traceEvents": list(events)}).encode()


def X(name, ts, dur, tid=1, **more):
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": 1, "tid": tid, **more}


def names(trace):
    return [trace.strings[i] for i in trace.name]


def test_parents_stand_before_children_and_own_time_leaves_children_out():
    trace = read_chrome(chrome(X("child", 2, 3), X("parent", 1, 10), X("grand", 2.5, 1), X("other", 0, 1, tid=2)))
    assert names(trace) == ["parent", "child", "grand", "other"]
    assert trace.depth.tolist() == [0, 1, 2, 0]
    assert trace.parent.tolist() == [-1, 0, 1, -1]
    assert trace.own.tolist() == [7000, 2000, 1000, 1000]
    assert trace.start.tolist() == [1000, 2000, 2500, 0]


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("3952772112479.448", 3952772112479448), ("56.603999999999999", 56604), ("9.9999999999999995e-07", 0),
        ("1e3", 1000000), ("-2.5", -2500), ("0", 0), ("7", 7000), ('"12.5"', 12500), ("1.2345", 1235), ("1.0005", 1001),
    ],
)  # fmt: skip
def test_times_are_exact_to_the_nanosecond(text, nanoseconds):
    """Microseconds with decimals, as torch (thirteen digits), jax (rounding noise) and others write them."""
    data = b'[{"ph":"X","name":"zero","pid":1,"tid":1,"ts":-10000,"dur":1},{"ph":"X","name":"a","pid":1,"tid":1,"dur":1,"ts":'
    trace = read_chrome(data + text.encode() + b"}]")
    assert trace.start[1] - 10_000_000 == nanoseconds


def test_begin_and_end_make_a_span_and_one_without_end_lasts_until_the_last():
    events = [
        {"ph": "B", "name": "outer", "ts": 0, "pid": 1, "tid": 1},
        {"ph": "B", "name": "inner", "ts": 2, "pid": 1, "tid": 1},
        {"ph": "E", "ts": 5, "pid": 1, "tid": 1},
        {"ph": "E", "ts": 7, "pid": 1, "tid": 2},
    ]
    trace = read_chrome(chrome(*events))
    assert dict(zip(names(trace), trace.duration.tolist(), strict=True)) == {"outer": 7000, "inner": 3000}


def test_names_of_processes_and_threads_and_their_order():
    meta = [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "pid": 1, "tid": 0, "args": {"labels": "GPU 0"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "stream 7"}},
        {"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": 7, "args": {"sort_index": 3}},
    ]
    (track,) = read_chrome(chrome(*meta, X("k", 0, 1, tid=7))).tracks
    assert (track.process, track.thread, track.order) == ("python GPU 0", "stream 7", (0, 3))


def test_arguments_shapes_steps_and_escapes():
    trace = read_chrome(
        chrome(
            X('a\u00e9\n"q', 0, 1, cat="cpu_op", args={"Input Dims": [[2, 3], []], "deep": {"x": [1, {"y": 2}]}}),
            X("train", 2, 1, cat="step", args={"step": 4}),
            X("ProfilerStep#17", 5, 1, cat="user_annotation"),
            X("jaxstep", 8, 1, args={"step_num": "9"}),
        )
    )
    assert names(trace)[0] == 'aé\n"q'
    assert trace.strings[trace.shape[0]] == "[[2, 3], []]"
    assert trace.arguments(int(trace.args[0]))["deep"] == {"x": [1, {"y": 2}]}
    assert trace.step.tolist() == [-1, 4, 17, 9]


def test_an_arrow_ties_the_innermost_events():
    flow = {"cat": "ac2g", "id": 5, "pid": 1}
    trace = read_chrome(
        chrome(
            X("op", 0, 10), X("launch", 2, 2), X("after", 6, 1), X("kernel", 8, 4, tid=2),
            {"ph": "s", "ts": 3, "tid": 1, **flow}, {"ph": "f", "ts": 8, "tid": 2, **flow},
            {"ph": "f", "ts": 8, "tid": 2, **flow, "id": 6},
        )
    )  # fmt: skip
    found = names(trace)
    assert [(found[a], found[b]) for a, b in zip(trace.flows.source, trace.flows.target, strict=True)] == [
        ("launch", "kernel")
    ]


def test_a_list_without_its_end_is_what_a_killed_writer_leaves():
    whole = b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1},\n'
    assert len(read_chrome(whole)) == 1
    assert len(read_chrome(whole[:-2])) == 1


SAMPLE = chrome(
    X("a", 1, 5, args={"k": [1, 2, {"z": "}]"}]}), X("b", 2, 1), {"ph": "C", "name": "m", "ts": 1, "args": {"v": 3}},
    displayTimeUnit="ms", baseTimeNanoseconds=5,
)  # fmt: skip


def test_cut_anywhere_is_an_error_with_its_place():
    """A trace cut at any byte is refused, and says where and how many events are whole."""
    for size in range(1, len(SAMPLE)):
        with pytest.raises(TruncatedError, match="ends too early"):
            read_chrome(SAMPLE[:size])


@pytest.mark.parametrize(
    "data",
    [
        b"", b" ", b"{}", b"[1]", b"hello", b"\x00" * 50, b'{"traceEvents": 5}', b'{"traceEvents": {}}', b'{"a": 1}',
        b'[{"ph":"X","ts":"x"}]', b'[{"ph":"X","ts":}]', b'[{"ph":"X" "ts":1}]', b'[{"ph":X}]', b'{"traceEvents":[}',
        b"[" + b"[" * 10_000, b'[{"args":' + b"[" * 100_000, b'[{"ts":1e999}]', b'[{"ts":99999999999999999999999}]', b"[}]",
    ],
)  # fmt: skip
def test_what_is_no_trace_is_refused(data):
    with pytest.raises(FormatError):
        read_chrome(data)


def test_random_damage_never_crashes():
    """Ten thousand traces with bytes changed, dropped or doubled: a trace or one error of ours, nothing else."""
    chance = random.Random(7)
    for _ in range(10_000):
        data = bytearray(SAMPLE)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            action = chance.randrange(3)
            if action == 0:
                data[at] = chance.randrange(256)
            elif action == 1:
                del data[at]
            else:
                data[at:at] = data[at : at + chance.randrange(20)]
        try:
            trace = read_chrome(bytes(data))
        except MilepostError:
            continue
        assert (trace.duration >= 0).all()
        for place in trace.args.tolist():
            trace.arguments(place)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50), st.integers(0, 30), st.text(max_size=5)), max_size=30))
def test_own_times_add_up(rows):
    """On each track the own times of all events add up to the time covered by its outermost events."""
    trace = read_chrome(chrome(*(X(name, start, length, tid=tid) for tid, start, length, name in rows)))
    assert len(trace) == len(rows)
    nested = [(int(p), i) for i, p in enumerate(trace.parent) if p >= 0]
    if all(trace.end[i] <= trace.end[p] for p, i in nested):
        assert trace.own.sum() == trace.duration[trace.depth == 0].sum()
    assert all(trace.start[p] <= trace.start[i] and trace.depth[i] == trace.depth[p] + 1 for p, i in nested)
