"""A capture sees what a program does, is written where TensorBoard and Perfetto look, and breaks nothing."""

from __future__ import annotations

import gzip
import importlib.util
import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from milepost import profiler
from milepost.errors import ProfileError, StorageError

_spec = importlib.util.spec_from_file_location("profile_programs", Path(__file__).with_name("programs.py"))
assert _spec
assert _spec.loader
programs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(programs)

HOST_ONLY = profiler.ProfilerOptions(engines=())


@pytest.fixture(autouse=True)
def nothing_left_running():
    yield
    if profiler.active():
        profiler.stop(save=False)


def read(path: str) -> dict[str, Any]:
    with gzip.open(path) as file:
        return json.load(file)


def events(path: str, category: str) -> list[dict[str, Any]]:
    return [e for e in read(path)["traceEvents"] if e.get("cat") == category]


def test_a_capture_is_written_where_tensorboard_keeps_profiles(tmp_path):
    """`<logdir>/plugins/profile/<time>/<host>.trace.json.gz`, gzipped Chrome trace JSON."""
    profiler.start(tmp_path, HOST_ONLY)
    time.sleep(0.02)
    path = profiler.stop()
    assert path is not None
    relative = Path(path).relative_to(tmp_path)
    assert relative.parts[:2] == ("plugins", "profile")
    assert len(relative.parts) == 4
    assert path.endswith(".trace.json.gz")
    trace = read(path)
    assert trace["milepost"]["samples"] > 0
    assert all({"ph", "pid", "tid"} <= e.keys() for e in trace["traceEvents"])


def test_two_captures_in_one_second_keep_apart(tmp_path):
    paths = set()
    for _ in range(3):
        with profiler.Profile(tmp_path, HOST_ONLY) as profile:
            pass
        paths.add(profile.path)
    assert len(paths) == 3


def test_starting_twice_and_stopping_without_start_are_errors(tmp_path):
    with pytest.raises(ProfileError, match="no capture is running"):
        profiler.stop()
    profiler.start(tmp_path, HOST_ONLY)
    with pytest.raises(ProfileError, match="already running"):
        profiler.start(tmp_path, HOST_ONLY)
    assert profiler.stop(save=False) is None
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_place_is_named(tmp_path):
    (tmp_path / "plugins").write_text("a file, not a folder")
    profiler.start(tmp_path, HOST_ONLY)
    with pytest.raises(StorageError, match="cannot be written"):
        profiler.stop()
    assert not profiler.active()


def test_the_sampler_tells_sleep_from_work(tmp_path):
    """Sleep is idle, a loop is not: each within 5 % of the capture."""
    with profiler.Profile(tmp_path, HOST_ONLY) as profile:
        slept, looped = programs.sleep(0.4), programs.spin(0.4)
    seen: Counter[str] = Counter()
    for event in events(profile.path, "host_state"):
        if event["args"]["tid"] == threading.get_native_id():
            seen[event["name"]] += event["dur"] / 1e6
    whole = slept + looped
    assert seen["idle"] / whole == pytest.approx(slept / whole, abs=0.05)
    # a thread without a core still is where it was: in Python code
    assert (seen["python"] + seen["waiting for a core"]) / whole == pytest.approx(looped / whole, abs=0.05)


def test_python_functions_of_all_threads_are_seen(tmp_path):
    def in_a_thread():
        programs.sleep(0.1)

    thread = threading.Thread(target=in_a_thread, name="loader")
    with profiler.Profile(tmp_path, HOST_ONLY) as profile:
        thread.start()
        programs.spin(0.1)
        thread.join()
    frames = events(profile.path, "python_frame")
    by_thread = {e["tid"]: set() for e in frames}
    for event in frames:
        by_thread[event["tid"]].add(event["name"].split()[-1])
    assert "spin" in by_thread[threading.get_native_id()]
    assert any("sleep" in names for tid, names in by_thread.items() if tid != threading.get_native_id())
    names = [e["args"]["name"] for e in read(profile.path)["traceEvents"] if e.get("name") == "thread_name"]
    assert "loader" in names


def test_a_thread_that_waits_is_not_what_the_step_spends_its_time_on(tmp_path):
    """The table of functions, and the advice, speak of the thread that runs the steps."""
    from milepost.store import profile

    done = threading.Event()

    def waiter() -> None:
        done.wait()

    def worker() -> None:
        sum(i * i for i in range(1_500_000))

    thread = threading.Thread(target=waiter, name="background")
    thread.start()
    with profiler.Profile(tmp_path) as made:
        worker()
    done.set()
    thread.join()
    found = profile.analyse(profile.load(made.path))
    names = [row.name for row in found.functions]
    assert any("worker" in name for name in names), names
    assert not any(name.endswith((".waiter", "Event.wait", "Condition.wait")) for name in names), names


def test_named_spans_and_steps_are_recorded_with_their_metadata(tmp_path):
    @profiler.Trace("prepare", kind="test")
    def prepare():
        time.sleep(0.01)

    with profiler.Profile(tmp_path, HOST_ONLY) as profile:
        prepare()
        for step in range(3):
            with profiler.Trace("train", step_num=step, _r=1) as trace:
                trace.set_metadata(loss=0.5)
    steps = events(profile.path, "step")
    assert [e["args"]["step"] for e in steps] == [0, 1, 2]
    assert all(e["name"] == "train" and e["args"]["loss"] == 0.5 for e in steps)
    (span,) = events(profile.path, "user_annotation")
    assert span["args"] == {"kind": "test"}
    assert span["dur"] >= 10_000


def test_a_trace_costs_nothing_worth_naming_while_nothing_is_captured():
    """Off means off: a hundred thousand spans outside a capture leave no row behind and take well under half a second."""
    began = time.process_time()
    for _ in range(100_000):
        with profiler.Trace("train", step=1):
            pass
    assert time.process_time() - began < 0.5


def test_torch_ops_appear_on_the_same_clock(tmp_path):
    """Ops that torch recorded inside a span lie inside that span in the file."""
    import torch

    weights = torch.randn(64, 64, requires_grad=True)
    (weights @ weights).sum().backward()
    options = profiler.ProfilerOptions(engines=("torch",))
    with profiler.Profile(tmp_path, options) as profile, profiler.Trace("train", step=0):
        for _ in range(20):
            (weights @ weights).sum().backward()
    (step,) = events(profile.path, "step")
    products = [e for e in events(profile.path, "cpu_op") if e["name"] == "aten::mm"]
    assert len(products) == 60  # forward once, backward twice
    assert products[0]["args"]["Input Dims"][0] == [64, 64]
    slack = 200  # microseconds between the two clocks
    for product in products:
        assert step["ts"] - slack <= product["ts"]
        assert product["ts"] + product["dur"] <= step["ts"] + step["dur"] + slack


def test_an_engine_that_will_not_start_is_left_out_with_a_warning(tmp_path, monkeypatch):
    from milepost.engines import profile_torch

    def refuse(self):
        raise RuntimeError("busy elsewhere")

    monkeypatch.setattr(profile_torch.Capture, "start", refuse)
    with pytest.warns(UserWarning, match="torch's profiler did not start"):
        profiler.start(tmp_path, profiler.ProfilerOptions(engines=("torch",)))
    path = profiler.stop()
    assert read(path)["milepost"]["engines"] == []


def test_jax_ops_appear_on_the_same_clock_and_the_xplane_is_kept(tmp_path):
    """XLA's events lie inside the span they ran in, and jax's own file stands beside ours for its own tools."""
    jax = pytest.importorskip("jax")
    function = jax.jit(lambda x: jax.numpy.sin(x @ x).sum())
    x = jax.numpy.ones((200, 200))
    function(x).block_until_ready()
    options = profiler.ProfilerOptions(engines=("jax",))
    with profiler.Profile(tmp_path, options) as profile, profiler.Trace("train", step=0):
        for _ in range(10):
            function(x).block_until_ready()
    (step,) = events(profile.path, "step")
    ran = [e for e in read(profile.path)["traceEvents"] if "hlo_op" in e.get("args", {})]
    assert len(ran) >= 10
    for event in ran:
        assert step["ts"] - 1000 <= event["ts"]
        assert event["ts"] + event["dur"] <= step["ts"] + step["dur"] + 1000
    assert list(tmp_path.rglob("*.xplane.pb"))


def test_torch_memory_or_every_thread(tmp_path):
    """torch can report allocations, or the ops of every thread; the option decides which."""
    torch = pytest.importorskip("torch")

    def elsewhere():
        torch.ones(50) @ torch.ones(50)

    def capture(memory: bool) -> tuple[int, int]:
        thread = threading.Thread(target=elsewhere)
        with profiler.Profile(tmp_path, profiler.ProfilerOptions(engines=("torch",), memory=memory)) as profile:
            thread.start()
            thread.join()
            torch.ones(1000)
        names = [e.get("name") for e in read(profile.path)["traceEvents"]]
        return names.count("[memory]"), names.count("aten::dot")

    with_memory, without = capture(True), capture(False)
    assert with_memory[0] > 0
    assert with_memory[1] == 0
    assert without == (0, 1)
