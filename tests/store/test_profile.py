"""Captures are found, opened whatever wrote them, and analysed truly; a bad file is one clear error."""

from __future__ import annotations

import gzip
import json
import sys
import zlib

import numpy as np
import pytest

from milepost.errors import FormatError, MilepostError, ProfileError, TruncatedError
from milepost.formats.trace import read_chrome
from milepost.store import profile
from milepost.store.profile.intervals import stretches
from milepost.store.profile.kinds import KINDS, kinded


def X(name, ts, dur, cat, tid=1, pid=1, **args):
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid, "cat": cat, "args": args}


def analyse(*events, **top):
    return profile.analyse(read_chrome(json.dumps({**top, "traceEvents": list(events)}).encode()))


# --- where the time goes ---------------------------------------------------------------------------------------------


def test_every_nanosecond_of_a_step_is_counted_once():
    """A device at work comes first, then its copies, input, the host's Python; the rest is idle."""
    analysis = analyse(
        {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
        X("ProfilerStep#1", 0, 100, "user_annotation"),
        X("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 20, "user_annotation"),
        X("aten::mm", 20, 10, "cpu_op"),
        X("cudaLaunchKernel", 25, 2, "cuda_runtime"),
        X("gemm", 28, 40, "kernel", tid=7, pid=0),
        X("Memcpy HtoD", 60, 20, "gpu_memcpy", tid=8, pid=0),
    )
    assert analysis.kinded.has_device
    microseconds = {part: value / 1000 for part, value in analysis.split.total.items()}
    # 0–20 input, 20–28 launching (ops until 30, the kernel begins at 28), 28–68 compute, 68–80 copy, then a pause
    assert microseconds == {"compute": 40, "input": 20, "copy": 12, "python": 28, "idle": 0}
    assert sum(analysis.split.share.values()) == pytest.approx(1)


def test_without_a_device_ops_inside_the_data_loader_are_input():
    analysis = analyse(
        X("train", 0, 100, "step", step=0),
        X("enumerate(DataLoader)#x", 0, 30, "user_annotation"),
        X("aten::stack", 10, 15, "cpu_op"),
        X("aten::mm", 30, 40, "cpu_op"),
        X("aten::copy_", 50, 10, "cpu_op"),
    )
    microseconds = {part: value / 1000 for part, value in analysis.split.total.items()}
    assert microseconds == {"compute": 30, "input": 30, "copy": 10, "python": 30, "idle": 0}


def test_sampled_states_tell_python_from_idle_and_a_wait_for_a_core_belongs_to_what_waited():
    tid = 5
    state = (1 << 32) + tid
    analysis = analyse(
        X("train", 0, 10_000, "step", tid=tid, step=3),
        X("python", 0, 4000, "host_state", tid=state),
        X("waiting for a core", 4000, 1000, "host_state", tid=state),
        X("idle", 5000, 3000, "host_state", tid=state),
        X("native", 8000, 2000, "host_state", tid=state),
    )
    assert analysis.split.sampled
    milliseconds = {part: value / 1e6 for part, value in analysis.split.total.items()}
    assert milliseconds == {"compute": 2, "input": 0, "copy": 0, "python": 5, "idle": 3}
    assert int(analysis.split.waiting.sum()) == 1_000_000
    assert any("no core for 10%" in item.text for item in analysis.advice)


def test_advice_has_the_number_behind_it():
    analysis = analyse(
        X("train", 0, 100_000, "step", step=0),
        X("input", 0, 60_000, "user_annotation"),
        X("aten::mm", 60_000, 40_000, "cpu_op"),
    )
    assert analysis.advice[0].text.startswith("Input takes 60% of a step (60 ms of 100 ms): ")


def test_a_trace_without_steps_is_one_long_one():
    analysis = analyse(X("aten::mm", 10, 30, "cpu_op"), X("aten::mm", 60, 10, "cpu_op"))
    assert analysis.split.step.tolist() == [-1]
    assert int(analysis.split.length[0]) == 60_000
    assert analyse().split.total["idle"] == 0


# --- ops, flames, memory, comparison -----------------------------------------------------------------------------------


def test_the_op_table_counts_own_and_total_and_recursion_once():
    analysis = analyse(
        X("f", 0, 100, "cpu_op"), X("f", 10, 50, "cpu_op"), X("g", 20, 10, "cpu_op", **{"Input Dims": [[2, 3]]}),
        X("g", 70, 10, "cpu_op", **{"Input Dims": [[4, 5]]}),
    )  # fmt: skip
    rows = {row.name: row for row in analysis.ops}
    assert (rows["f"].calls, rows["f"].total, rows["f"].own) == (2, 100_000, 80_000)
    assert (rows["g"].calls, rows["g"].total, rows["g"].longest) == (2, 20_000, 10_000)
    by_shape = profile.op_table(analysis.kinded, "shape")
    assert {(row.name, row.detail) for row in by_shape} == {("f", ""), ("g", "[[2, 3]]"), ("g", "[[4, 5]]")}


def test_ops_by_module_take_the_nearest_one_around():
    analysis = analyse(
        X("nn.Module: Net_0", 0, 100, "python_function"), X("nn.Module: Linear_1", 10, 20, "python_function"),
        X("aten::linear", 12, 10, "cpu_op"), X("aten::relu", 50, 10, "cpu_op"),
    )  # fmt: skip
    found = {row.name: row.detail for row in profile.op_table(analysis.kinded, "module")}
    assert found == {"aten::linear": "nn.Module: Linear_1", "aten::relu": "nn.Module: Net_0"}


def test_a_flame_graph_joins_equal_paths():
    analysis = analyse(
        X("a", 0, 10, "cpu_op"), X("b", 1, 5, "cpu_op"), X("a", 20, 30, "cpu_op"), X("b", 21, 2, "cpu_op"),
        X("b", 60, 4, "cpu_op"),
    )  # fmt: skip
    flame = profile.flame(analysis.kinded, python=False)
    nodes = {(flame.name[p], n): (t, o, c) for n, p, t, o, c in zip(
        flame.name[1:], flame.parent[1:], flame.total[1:], flame.own[1:], flame.calls[1:], strict=True)}  # fmt: skip
    assert nodes == {
        ("everything", "a"): (40_000, 33_000, 2), ("a", "b"): (7000, 7000, 2), ("everything", "b"): (4000, 4000, 1),
    }  # fmt: skip
    assert flame.total[0] == 44_000


def test_memory_curves_of_torch_and_of_counters():
    memory = {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "s": "t"}
    analysis = analyse(
        {**memory, "ts": 1, "args": {"Total Allocated": 100, "Bytes": 100, "Device Type": 1, "Device Id": 0}},
        {**memory, "ts": 2, "args": {"Total Allocated": 300, "Bytes": 200, "Device Type": 1, "Device Id": 0}},
        {"ph": "C", "name": "memory", "ts": 3, "pid": 1, "tid": 1, "args": {"used": 7}},
    )
    curves = {curve.name: curve for curve in analysis.memory}
    assert curves["CUDA 0 allocated"].peak == 300
    assert curves["memory used"].value.tolist() == [7.0]


def test_two_captures_compare_by_step():
    one = analyse(X("t", 0, 100, "step", step=0), X("t", 100, 100, "step", step=1), X("aten::mm", 0, 80, "cpu_op"))
    two = analyse(X("t", 0, 50, "step", step=0), X("aten::mm", 0, 10, "cpu_op"), X("aten::new", 20, 5, "cpu_op"))
    result = profile.compare(one, two)
    assert result["ratio"] == 0.5
    assert result["ops"][0] == {
        "name": "aten::mm",
        "kind": "op",
        "own": [40_000, 10_000],
        "calls": [0.5, 1],
        "change": -30_000,
    }
    assert result["ops"][1]["own"] == [0, 5000]


def test_stretches_are_sets():
    rng = np.random.default_rng(0)
    for _ in range(200):
        sets = []
        for _ in range(2):
            start = rng.integers(0, 60, rng.integers(0, 8))
            sets.append((start, start + rng.integers(0, 12, len(start))))
        points = [{t for s, e in zip(*one, strict=True) for t in range(s, e)} for one in sets]
        a, b = (stretches(*one) for one in sets)
        assert (a | b).total == len(points[0] | points[1])
        assert (a - b).total == len(points[0] - points[1])
        low = rng.integers(0, 60, 5)
        high = low + rng.integers(0, 20, 5)
        assert a.measure(low, high).tolist() == [
            sum(x <= t < y for t in points[0]) for x, y in zip(low, high, strict=True)
        ]


def test_the_same_thing_has_one_kind_in_every_dialect():
    def kind(name, cat, process="", thread=""):
        meta = [
            {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": process}},
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": thread}},
        ]
        event = X(name, 0, 1, cat)
        if not cat:
            del event["cat"]
        trace = read_chrome(json.dumps({"traceEvents": [*meta, event]}).encode())
        return KINDS[kinded(trace).kind[0]]

    assert kind("aten::mm", "cpu_op") == "op"
    assert kind("MatMul", "", "/host:CPU", "tf_Compute/12") == "op"
    assert kind("wrapped_sine", "", "/host:CPU", "tf_XLAEigen/1") == "op"
    assert kind("ThreadpoolListener::Record", "", "/host:CPU", "tf_XLAEigen/1") == "runtime"
    assert kind("fusion.3", "", "/device:GPU:0", "Stream #7") == "kernel"
    assert kind("MemcpyH2D", "", "/device:GPU:0", "Stream #7") == "copy"
    assert kind("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy") == "copy"


# --- finding and opening -------------------------------------------------------------------------------------------------


def put(path, data: bytes):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


ONE = json.dumps({"traceEvents": [X("a", 0, 1, "cpu_op")]}).encode()


def test_captures_are_found_wherever_they_are_kept(tmp_path):
    put(tmp_path / "a/plugins/profile/2026_01_01_00_00_00/host1.trace.json.gz", gzip.compress(ONE))
    put(tmp_path / "a/plugins/profile/2026_01_01_00_00_00/host1.xplane.pb", b"")
    put(tmp_path / "a/plugins/profile/2026_01_01_00_00_00/host2.xplane.pb", b"")
    put(tmp_path / "plugins/profile/x/h.trace.json.gz", gzip.compress(ONE))
    put(tmp_path / "b/worker0.123.pt.trace.json", ONE)
    put(tmp_path / "b/notes.json", ONE)
    found = {(c.run, c.name, c.host): [f.kind for f in c.files] for c in profile.find({"": str(tmp_path)})}
    assert found == {
        ("a", "2026_01_01_00_00_00", "host1"): ["trace", "xplane"],
        ("a", "2026_01_01_00_00_00", "host2"): ["xplane"],
        (".", "x", "h"): ["trace"],
        ("b", "worker0.123", "worker0.123"): ["trace"],
    }


def test_gzip_is_known_by_its_bytes_not_its_name(tmp_path):
    put(tmp_path / "a.pt.trace.json", gzip.compress(ONE[:20]) + gzip.compress(ONE[20:]))
    assert len(profile.load(str(tmp_path / "a.pt.trace.json"))) == 1


def test_bad_files_are_one_clear_error(tmp_path):
    cases = {
        "cut.trace.json.gz": (gzip.compress(ONE)[:-12], TruncatedError, "gzip file ends too early"),
        "flip.trace.json.gz": (gzip.compress(ONE)[:10] + b"\xff\xff" + gzip.compress(ONE)[12:], FormatError, "gzip"),
        "cut.trace.json": (ONE[:-9], TruncatedError, "ends too early"),
        "text.trace.json": (b"not a trace", FormatError, "neither trace JSON"),
        "empty.trace.json": (b"", FormatError, "neither trace JSON"),
        "bad.xplane.pb": (b"\x0a\xff\xff\xff\x0f", FormatError, "ends after its message"),
    }
    for name, (data, error, text) in cases.items():
        put(tmp_path / name, data)
        with pytest.raises(error, match=text) as caught:
            profile.load(str(tmp_path / name))
        assert name in str(caught.value), "the file is named"
    with pytest.raises(ProfileError, match="cannot be read"):
        profile.load(str(tmp_path / "missing.trace.json"))


def test_a_gzip_bomb_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["milepost.store.profile.load"], "MAX_TRACE_BYTES", 1 << 20)
    put(tmp_path / "bomb.trace.json.gz", zlib.compress(b" " * (1 << 24), wbits=31))
    with pytest.raises(MilepostError, match="unpacks to too much"):
        profile.load(str(tmp_path / "bomb.trace.json.gz"))
