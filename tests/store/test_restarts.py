"""Restarts: which points count, in every way of resuming a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost import store
from milepost._native.scan import EventScan
from milepost.formats.event import Image, SummaryValue
from milepost.store.columns import PointColumns
from milepost.store.restarts import Part, keep
from milepost.testing.logs import scalar_event, session_start, value_event, write_events


def logged(tmp_path: Path, *files: list[bytes]) -> store.Run:
    for k, records in enumerate(files):
        write_events(tmp_path / f"events.out.tfevents.{1000 + k}.host.1.0", records)
    return store.open(tmp_path, cache=False)["."]


def points(*steps: int, value: float = 0.0, tag: str = "x") -> list[bytes]:
    return [scalar_event(tag, s, value + s) for s in steps]


def test_a_resumed_run_replaces_what_it_had_written_after_the_checkpoint(tmp_path: Path) -> None:
    """keep-last: the second file begins at step 3, so the first one's 3 and 4 go."""
    run = logged(tmp_path, points(0, 1, 2, 3, 4), points(3, 4, 5, value=100))
    series = run.scalars["x"]
    assert series.step.tolist() == [0, 1, 2, 3, 4, 5]
    assert series.value.tolist() == [0, 1, 2, 103, 104, 105]
    assert series.truth.read == 8
    assert series.truth.purged == 2
    assert series.truth.restarts == (3,)
    assert series.segments.tolist() == [0, 3]


def test_keep_all_and_split_lose_nothing(tmp_path: Path) -> None:
    """Both parts are there; split() gives them apart."""
    run = logged(tmp_path, points(0, 1, 2, 3), points(2, 3, value=100))
    for mode in ("keep-all", "split"):
        series = run.series("x", mode)
        assert series.step.tolist() == [0, 1, 2, 3, 2, 3]
        assert series.truth.purged == 0
        assert [part.value.tolist() for part in series.split()] == [[0, 1, 2, 3], [102, 103]]


def test_purge_step_counts_on_the_first_resume(tmp_path: Path) -> None:
    """A session start says from which step on the past is void, for every tag, also those not logged again."""
    run = logged(
        tmp_path, points(0, 5, 10, 15) + points(0, 12, tag="other"), [session_start(10), *points(20, value=100)]
    )
    assert run.scalars["x"].step.tolist() == [0, 5, 20]
    assert run.scalars["other"].step.tolist() == [0]
    assert run.scalars["other"].truth.restarts == (10,)


def test_a_session_start_in_the_middle_of_a_file_works_on_what_came_before_it(tmp_path: Path) -> None:
    """Position, not only step, decides."""
    run = logged(tmp_path, [*points(0, 1, 2, 3), session_start(2), *points(5, 6), session_start(6), *points(9)])
    assert run.scalars["x"].step.tolist() == [0, 1, 5, 9]
    assert run.scalars["x"].truth.restarts == (2, 6)


def test_the_first_session_start_of_a_run_takes_nothing(tmp_path: Path) -> None:
    """TF 1 writes START at step 0 before the first point."""
    run = logged(tmp_path, [session_start(0), *points(0, 1, 2)])
    assert run.scalars["x"].step.tolist() == [0, 1, 2]
    assert run.scalars["x"].truth.restarts == ()


def test_a_log_that_never_counts_its_steps_keeps_all_points(tmp_path: Path) -> None:
    """Equal steps in one file are data; TensorBoard's fast loader would show one point."""
    assert len(logged(tmp_path, points(*[0] * 20)).scalars["x"]) == 20


def test_going_back_within_a_file_is_a_restart(tmp_path: Path) -> None:
    """A loop run twice in a notebook with the same writer."""
    run = logged(tmp_path, points(0, 1, 2, 3) + points(0, 1, value=10))
    assert run.scalars["x"].value.tolist() == [10, 11]


def test_files_count_in_the_order_they_were_begun_not_found(tmp_path: Path) -> None:
    """The time in the name decides, as a number; then the first event's time."""
    write_events(tmp_path / "events.out.tfevents.999.h", points(0, 1))
    write_events(tmp_path / "events.out.tfevents.1000.h", points(2, 3))
    run = store.open(tmp_path, cache=False)["."]
    assert run.scalars["x"].step.tolist() == [0, 1, 2, 3]
    write_events(tmp_path / "same" / "events.out.tfevents.5.h.9", [scalar_event("x", 0, 0.0, 100.0)], header=False)
    write_events(tmp_path / "same" / "events.out.tfevents.5.h.10", [scalar_event("x", 1, 1.0, 200.0)], header=False)
    assert store.open(tmp_path, cache=False)["same"].scalars["x"].step.tolist() == [0, 1]


def test_a_clock_that_goes_back_takes_nothing_away(tmp_path: Path) -> None:
    """Only steps and sessions make restarts."""
    records = [scalar_event("x", i, i, 1000.0 - i) for i in range(10)]
    series = logged(tmp_path, records).scalars["x"]
    assert len(series) == 10
    assert series.truth.restarts == ()


def test_media_follow_the_same_rule(tmp_path: Path) -> None:
    """An image of a step that was trained again is replaced."""

    def image(step: int, width: int) -> bytes:
        return value_event(SummaryValue(tag="i", image=Image(width=width, height=1, encoded=b"png")), step)

    run = logged(tmp_path, [image(1, 1), image(2, 1), image(3, 1)], [image(2, 7)])
    assert [sample.width for sample in run.images["i"]] == [1, 7]
    run.restarts = "keep-all"
    assert [sample.width for sample in run.images["i"]] == [1, 1, 1, 7]


def slow(files: list[list[tuple[str, int]]]) -> list[int]:
    """The rule of the module, word by word: positions of points that stay."""
    kept: list[tuple[int, int, int]] = []  # position, step, file
    position, last = 0, None
    for number, file in enumerate(files):
        for what, step in file:
            if what == "start":
                if kept:
                    kept = [k for k in kept if k[1] < step]
                continue
            if last is not None and (step < last[0] or (last[1] != number and step <= last[0])):
                kept = [k for k in kept if k[1] < step]
            kept.append((position, step, number))
            last = (step, number)
            position += 1
    return [k[0] for k in kept]


events = st.lists(st.tuples(st.sampled_from(["point", "point", "point", "start"]), st.integers(0, 6)), max_size=12)


@settings(max_examples=400, deadline=None)
@given(st.lists(events, min_size=1, max_size=3))
def test_keep_last_is_the_rule_read_word_by_word(files: list[list[tuple[str, int]]]) -> None:
    """The vectorised rule agrees with a loop that drops points one restart at a time."""
    parts, steps, at = [], [], 0
    for file in files:
        scan = EventScan()
        scan.feed_bytes(
            b"".join(scalar_event("x", s, 0.0) if what == "point" else session_start(s) for what, s in file)
        )
        columns = PointColumns()
        for _, chunk, _ in scan.drain():
            assert chunk is not None
            columns.append(chunk)
        parts.append(Part(columns, [s for s, _, _ in scan.sessions], columns.count))
        steps += columns.step.tolist()
        at += columns.count
    step = np.array(steps, np.int64)
    kept = keep(parts, step, "keep-last")
    got = list(range(len(step))) if kept.mask is None else np.flatnonzero(kept.mask).tolist()
    assert got == slow(files)


@pytest.mark.parametrize("mode", ["keep-last", "keep-all"])
def test_a_growing_file_ends_up_as_if_read_at_once(tmp_path: Path, mode: str) -> None:
    """Restarts seen in portions and at once give the same series."""
    records = [*points(0, 1, 2), session_start(1), *points(1, 2, 3, 2, 3, 4), session_start(9), *points(0)]
    path = write_events(tmp_path / "a" / "events.out.tfevents.1.h", [])
    runs = store.open(tmp_path / "a", cache=False, restarts=mode)
    for record in records:
        with path.open("ab") as stream:
            stream.write(record)
        runs.refresh()
    write_events(tmp_path / "b" / "events.out.tfevents.1.h", records)
    ours, other = runs["."].scalars["x"], store.open(tmp_path / "b", cache=False, restarts=mode)["."].scalars["x"]
    assert ours.step.tolist() == other.step.tolist()
    assert ours.segments.tolist() == other.segments.tolist()
    assert ours.truth.restarts == other.truth.restarts
