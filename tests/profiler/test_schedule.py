"""Schedules capture the steps they name, no others; profile_batch means what Keras means by it."""

from __future__ import annotations

import gzip
import json

import pytest

from milepost import profiler
from milepost.errors import UsageError

HOST_ONLY = profiler.ProfilerOptions(engines=())


def steps(path: str) -> list[int]:
    with gzip.open(path) as file:
        return [e["args"]["step"] for e in json.load(file)["traceEvents"] if e.get("cat") == "step"]


def test_two_cycles_capture_their_active_steps(tmp_path):
    """wait 1, warm up 1, capture 2, twice, after 1 skipped: steps 3, 4 and 7, 8."""
    when = profiler.Schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    with profiler.Scheduled(tmp_path, when, HOST_ONLY) as scheduled:
        for _ in range(20):
            scheduled.step()
    assert [steps(path) for path in scheduled.paths] == [[3, 4], [7, 8]]
    assert not profiler.active()


def test_without_wait_or_warmup_captures_follow_each_other(tmp_path):
    with profiler.Scheduled(tmp_path, profiler.schedule(wait=0, warmup=0, active=1, repeat=3), HOST_ONLY) as scheduled:
        for _ in range(5):
            scheduled.step()
    assert [steps(path) for path in scheduled.paths] == [[0], [1], [2]]


def test_a_loop_that_ends_early_keeps_what_was_captured_and_drops_a_warmup(tmp_path):
    with profiler.Scheduled(tmp_path / "a", profiler.Schedule(wait=0, warmup=1, active=5), HOST_ONLY) as scheduled:
        for _ in range(3):
            scheduled.step()
    assert [steps(path) for path in scheduled.paths] == [[1, 2, 3]]
    with profiler.Scheduled(tmp_path / "b", profiler.Schedule(wait=0, warmup=5, active=1), HOST_ONLY) as scheduled:
        scheduled.step()
    assert scheduled.paths == []
    assert not profiler.active()


def test_an_exception_in_the_loop_ends_the_capture(tmp_path):
    with pytest.raises(ZeroDivisionError), profiler.Scheduled(tmp_path, profiler.Schedule(warmup=0), HOST_ONLY):
        1 / 0
    assert not profiler.active()


@pytest.mark.parametrize(
    ("value", "meaning"),
    [(2, (2, 2)), (0, None), ("10,20", (10, 20)), ((2, 4), (2, 4)), ([3, 3], (3, 3)), ("7", (7, 7))],
)
def test_profile_batch(value, meaning):
    assert profiler.batch_range(value) == meaning


@pytest.mark.parametrize("value", ["bad", -1, (4, 2), "1,2,3", (0, 5), ""])
def test_a_wrong_profile_batch_is_an_error(value):
    with pytest.raises(UsageError, match="no range of batches"):
        profiler.batch_range(value)


@pytest.mark.parametrize("wrong", [{"active": 0}, {"wait": -1}, {"repeat": -2}])
def test_a_schedule_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(UsageError):
        profiler.Schedule(**wrong)
